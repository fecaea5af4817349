//! The words of the interface: one flat file a language, key to text, with `{placeholders}`.

use std::collections::BTreeMap;

use crate::engine::{Millis, format_seconds, sorted};

/// English is always there: what is put together at run time. The page's own text stands in `index.html`.
const ENGLISH: &str = include_str!("english.json");

/// The texts of one language.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Locale {
    /// By key.
    own: Vec<(String, String)>,
    /// By key.
    english: Vec<(&'static str, &'static str)>,
}

impl Locale {
    /// A language by its texts. What is left out stays in English.
    pub fn new(texts: impl IntoIterator<Item = (String, String)>) -> Self {
        Self { own: sorted(texts), ..Self::english() }
    }

    /// Reads a language's file: a flat object of texts.
    pub fn parse(json: &str) -> Result<Self, serde_json::Error> {
        serde_json::from_str::<BTreeMap<_, _>>(json).map(Self::new)
    }

    /// English. Its file is read without a reader of JSON, which a page would have to wait for: there is one text a line, in
    /// the order of keys, and nothing in it is escaped.
    pub fn english() -> Self {
        let texts = ENGLISH.lines().filter_map(|line| {
            let (key, text) = line.trim().trim_end_matches(',').split_once("\": \"")?;
            Some((key.strip_prefix('"')?, text.strip_suffix('"')?))
        });
        Self { own: Vec::new(), english: texts.collect() }
    }

    /// The text of a key; the key itself when it has none, so that a gap shows and a test finds it.
    pub fn text<'a>(&'a self, key: &'a str) -> &'a str {
        self.find(key).unwrap_or(key)
    }

    /// The text of a key, where it has one.
    pub(super) fn find(&self, key: &str) -> Option<&str> {
        let own = self.own.binary_search_by_key(&key, |(known, _)| known).ok().map(|at| &*self.own[at].1);
        own.or_else(|| self.english.binary_search_by_key(&key, |(known, _)| known).ok().map(|at| self.english[at].1))
    }

    /// The text of a key with its placeholders filled. What is filled in is never read as a placeholder itself.
    pub fn fill(&self, key: &str, values: &[(&str, &str)]) -> String {
        let mut rest = self.text(key);
        let mut text = String::with_capacity(rest.len());
        while let Some((before, after)) = rest.split_once('{') {
            text.push_str(before);
            let Some((name, tail)) = after.split_once('}') else {
                text.push('{');
                rest = after;
                continue;
            };
            let value = values.iter().find(|(known, _)| *known == name).map_or(name, |(_, value)| value);
            text.push_str(value);
            rest = tail;
        }
        text + rest
    }

    /// What a session of the gallery says at a step, counted from 1, in this language: its title and what explains it. At
    /// 0, what introduces the session, without a title. `None` in English, which stands in the session itself.
    pub fn step(&self, scenario: &str, step: usize) -> Option<(&str, &str)> {
        let text = self.find(&format!("{scenario}.{step}"))?;
        Some(if step == 0 { ("", text) } else { text.split_once('\n').unwrap_or((text, "")) })
    }

    /// Milliseconds as seconds with three decimals: `20.400`, and `20,400` where decimals follow a comma.
    pub fn seconds(&self, ms: Millis) -> String {
        self.decimals(&format_seconds(ms))
    }

    /// Seconds without decimals that say nothing: `13`, `0.5`.
    pub fn short_seconds(&self, ms: Millis) -> String {
        self.decimals(format_seconds(ms).trim_end_matches('0').trim_end_matches('.'))
    }

    /// What of a second has passed, with its point: `.400`.
    pub fn thousandths(&self, ms: Millis) -> String {
        self.decimals(&format!(".{:03}", ms % 1_000))
    }

    fn decimals(&self, number: &str) -> String {
        number.replace('.', self.text("number.decimal"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn placeholders_are_filled_once() {
        let locale = Locale::parse(r#"{"a": "{x} and {y}, {x}", "b": "open {"}"#).unwrap();
        assert_eq!(locale.fill("a", &[("x", "{y}"), ("y", "2")]), "{y} and 2, {y}");
        assert_eq!(locale.fill("b", &[]), "open {");
        assert_eq!(locale.fill("none", &[]), "none");
    }

    #[test]
    fn english_is_read_as_the_json_that_it_is() {
        let json: BTreeMap<String, String> = serde_json::from_str(ENGLISH).unwrap();
        let read = Locale::english().english;
        assert!(read.iter().copied().eq(json.iter().map(|(key, text)| (key.as_str(), text.as_str()))));
        assert!(read.len() > 20);
    }

    #[test]
    fn what_a_language_leaves_out_is_english() {
        let locale =
            Locale::parse(r#"{"play": "Rodar", "number.decimal": ",", "x.0": "a\nb", "x.1": "t\np", "x.2": "t"}"#);
        let locale = locale.unwrap();
        assert_eq!((locale.text("play"), locale.text("pause")), ("Rodar", "Pause"));
        assert_eq!([locale.step("x", 0), locale.step("x", 1)], [Some(("", "a\nb")), Some(("t", "p"))]);
        assert_eq!([locale.step("x", 2), locale.step("y", 1)], [Some(("t", "")), None]);
        for (ms, seconds, short) in [(20_400, "20,400", "20,4"), (-500, "-0,500", "-0,5"), (13_000, "13,000", "13")] {
            assert_eq!((locale.seconds(ms), locale.short_seconds(ms)), (seconds.to_owned(), short.to_owned()));
        }
        assert_eq!(locale.thousandths(61_005), ",005");
        for bad in ["", "[]", "{\"a\": 1}", "{\"a\""] {
            assert!(Locale::parse(bad).is_err(), "{bad}");
        }
    }
}
