//! The words of the interface: one flat file a language, key to text, with `{placeholders}`.

use std::collections::BTreeMap;

use serde::Deserialize;

/// English is always there; the page's own text is in it too.
const ENGLISH: &str = include_str!("../../www/locales/en.json");

/// The texts of one language.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(transparent)]
pub struct Locale(BTreeMap<String, String>);

impl Locale {
    /// Reads a language's file.
    pub fn parse(json: &str) -> Result<Self, serde_json::Error> {
        serde_json::from_str(json)
    }

    /// English.
    ///
    /// # Panics
    /// Never in a build whose tests pass: the file is part of it.
    pub fn english() -> Self {
        Self::parse(ENGLISH).expect("the English texts are part of the build")
    }

    /// The text of a key; the key itself when it has none, so that a gap shows and a test finds it.
    pub fn text<'a>(&'a self, key: &'a str) -> &'a str {
        self.0.get(key).map_or(key, String::as_str)
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

    /// All keys.
    pub fn keys(&self) -> impl Iterator<Item = &str> {
        self.0.keys().map(String::as_str)
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
        assert!(Locale::english().keys().count() > 20);
    }
}
