//! The languages of the page: the same texts in each, all of them used, and none that stands elsewhere.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

use hotkv_playground::app::{Locale, Msg, State, update, view};
use hotkv_playground::command::all;
use hotkv_playground::player::Session;
use hotkv_playground::scenarios::SCENARIOS;

/// The languages beside English, as the page names them.
const OTHERS: [&str; 2] = ["pt-BR", "es"];

fn read(path: &str) -> String {
    fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join(path)).unwrap()
}

fn texts(language: &str) -> BTreeMap<String, String> {
    serde_json::from_str(&read(&format!("www/locales/{language}.json"))).unwrap()
}

/// What is put together at run time, in English.
fn run_time() -> BTreeMap<String, String> {
    serde_json::from_str(&read("src/app/english.json")).unwrap()
}

/// All English texts: those, and the page's own.
fn english() -> BTreeMap<String, String> {
    let page = read("index.html");
    let mut texts = run_time();
    texts.extend(page_texts(&page).map(|(key, text)| (key.to_owned(), text)));
    texts
}

/// What speaks to machines, and to whoever writes for them: Mermaid, SVG, and the host page.
const FOR_MACHINES: [&str; 3] = ["diagram.rs", "still.rs", "host.rs"];

/// The sources of the interface, without their tests, and those among them that speak to readers.
fn sources() -> (String, String) {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let files = fs::read_dir(root.join("src/app")).unwrap().map(|file| file.unwrap().path());
    let files = files.filter(|path| path.extension().is_some_and(|kind| kind == "rs"));
    let (mut all, mut readers) = (String::new(), String::new());
    for path in files.chain([root.join("src/web/share.rs")]) {
        let text = fs::read_to_string(&path).unwrap();
        let text = text.split("#[cfg(test)]").next().unwrap();
        all.push_str(text);
        if !FOR_MACHINES.iter().any(|name| path.ends_with(name)) {
            readers.push_str(text);
        }
    }
    (all, readers)
}

/// One tag of the page with the text up to the next tag.
struct Tag<'a> {
    name: &'a str,
    attributes: BTreeMap<&'a str, &'a str>,
    text: &'a str,
}

fn tags(page: &str) -> Vec<Tag<'_>> {
    let mut tags = Vec::new();
    for piece in page.split('<').skip(1).filter(|piece| !piece.starts_with(['/', '!'])) {
        let (tag, text) = piece.split_once('>').unwrap();
        let (name, mut rest) = tag.split_once(' ').unwrap_or((tag, ""));
        let mut attributes = BTreeMap::new();
        while !rest.trim().is_empty() {
            let end = rest.find([' ', '=']).unwrap_or(rest.len());
            let (attribute, after) = rest.split_at(end);
            let (value, after) = match after.strip_prefix("=\"") {
                Some(value) => value.split_once('"').unwrap(),
                None => ("", after),
            };
            attributes.insert(attribute.trim(), value);
            rest = after.trim_start();
        }
        tags.push(Tag { name, attributes, text });
    }
    assert!(tags.len() > 300, "the page was not read");
    tags
}

fn unescaped(text: &str) -> String {
    text.replace("&lt;", "<").replace("&gt;", ">").replace("&amp;", "&")
}

/// Where a tag keeps a text, and the attribute that names it.
const PLACES: [(&str, &str); 5] = [
    ("", "data-text"),
    ("aria-label", "data-label"),
    ("title", "data-title"),
    ("placeholder", "data-placeholder"),
    ("content", "data-content"),
];

/// The names of the page's texts, and the texts.
fn page_texts(page: &str) -> impl Iterator<Item = (&str, String)> {
    tags(page).into_iter().flat_map(|tag| {
        PLACES.into_iter().filter_map(move |(place, named)| {
            let text = if place.is_empty() { tag.text } else { tag.attributes.get(place)? };
            Some((*tag.attributes.get(named)?, unescaped(text)))
        })
    })
}

#[test]
fn the_page_is_written_in_english() {
    let page = read("index.html");
    let (mut known, mut found) = (run_time(), 0);
    for (key, text) in page_texts(&page) {
        // The same name stands for the same text, wherever it is.
        assert_eq!(known.entry(key.to_owned()).or_insert(text.clone()), &text, "{key}");
        found += 1;
    }
    assert!(found > 80, "the texts of the page were not found");
    // The default session stands in the page as well, in all languages.
    let sessions = sessions();
    let steps = tags(&page)
        .into_iter()
        .filter(|tag| tag.attributes.contains_key("data-head") || tag.attributes.contains_key("data-body"));
    let told: Vec<_> = steps
        .map(|tag| {
            let (key, line) = match tag.attributes.get("data-head") {
                Some(key) => (*key, sessions[*key].lines().next()),
                None => (tag.attributes["data-body"], sessions[tag.attributes["data-body"]].lines().last()),
            };
            assert_eq!(line, Some(&*unescaped(tag.text)), "{key}");
            key
        })
        .collect();
    assert_eq!(told.len(), 13);
}

#[test]
fn no_text_stands_elsewhere() {
    let page = read("index.html");
    let refs = read("src/web/refs.rs");
    let has_words = |text: &str| {
        let plain = unescaped(text);
        plain.split(|c: char| !c.is_alphabetic()).any(|word| word.len() > 1)
    };
    for tag in tags(&page) {
        // What the engine fills in, and what stays as it is in every language.
        let drawn = |attribute: &&str| tag.attributes.contains_key(*attribute);
        let named = tag.attributes.get("id").is_some_and(|id| refs.contains(&format!("\"{id}\"")));
        let drawn = named || ["data-slot", "data-part", "data-text"].iter().any(drawn);
        let kept = tag.name == "b" && tag.text == "HotKV"
            || tag.name == "kbd" // what stands on a key
            || tag.name == "option" && ["lang", "translate"].iter().any(|name| tag.attributes.contains_key(name))
            || tag.name == "option" && !tag.text.contains(char::is_lowercase) // commands
            || tag.attributes.get("id").is_some_and(|id| id.starts_with("advance-"));
        assert!(drawn || kept || !has_words(tag.text), "the page says {:?} in one language only", tag.text);
        for (place, named) in &PLACES[1..4] {
            let text = tag.attributes.get(place).copied().unwrap_or_default();
            // What the engine names is drawn anew with every change.
            let by_engine = tag.attributes.contains_key("data-slot")
                || tag.attributes.get("id").is_some_and(|id| ["play", "next-expiry", "console-input"].contains(id))
                || text.contains("orker ")
                || tag.attributes.get("name") == Some(&"client");
            let translated = tag.attributes.contains_key(named);
            assert!(translated || by_engine || !has_words(text), "{place} says {text:?} in one language only");
        }
    }
    for (number, line) in sources().1.lines().enumerate().filter(|(_, line)| !line.trim_start().starts_with("//")) {
        for literal in line.split('"').skip(1).step_by(2) {
            let words =
                literal.split(' ').filter(|word| word.len() > 1 && word.bytes().all(|b| b.is_ascii_lowercase()));
            // What begins so is a reply; what stands in `expect` is for whoever builds.
            let kept = literal.starts_with("(error) ") || line.contains("expect(");
            assert!(kept || words.count() < 2, "line {number} of the sources of src/app says {literal:?}");
        }
    }
}

#[test]
fn texts_that_are_used_exist_and_texts_that_exist_are_used() {
    let (run_time, page, sources) = (run_time(), read("index.html"), sources().0);
    // Keys that end in a name from a closed list are put together where they are used.
    let put_together = |key: &str| {
        let family = key.rsplit_once('.').map_or(key, |(family, _)| family);
        sources.contains(&format!("\"{family}.{{"))
    };
    for key in run_time.keys() {
        assert!(sources.contains(&format!("\"{key}\"")) || put_together(key), "nothing uses the text {key}");
    }
    // What the page says by such a name, or by one that is written out in the sources, is said at run time too.
    for (key, _) in page_texts(&page) {
        let at_run_time = sources.contains(&format!("\"{key}\"")) || put_together(key);
        assert!(!at_run_time || run_time.contains_key(key), "there is no text {key} at run time");
    }
    // The other way round: every key that is written out, or the family of one that is put together, is there.
    let flat: String = sources.split_whitespace().collect::<Vec<_>>().join(" ");
    let mut found = 0;
    for call in [
        "locale.text( \"",
        "locale.text(\"",
        "locale.fill( \"",
        "locale.fill(\"",
        "locale.fill(&format!(\"",
        "locale.fill( &format!(\"",
        "Said::Text(\"",
        "state.remark(\"",
    ] {
        for rest in flat.split(call).skip(1) {
            let key = rest.split('"').next().unwrap();
            let there = match key.split_once(".{") {
                Some((family, _)) => run_time.keys().any(|known| known.starts_with(&format!("{family}."))),
                None => run_time.contains_key(key),
            };
            assert!(there, "there is no text {key}");
            found += 1;
        }
    }
    assert!(found > 20, "the texts in use were not found");
}

/// What the sessions say in English, under the names that the other languages have for it.
fn sessions() -> BTreeMap<String, String> {
    let mut texts = BTreeMap::new();
    for scenario in SCENARIOS {
        let (session, _) = Session::parse(scenario.text());
        texts.insert(format!("{}.0", scenario.id), session.intro);
        for (step, text) in session.steps.into_iter().enumerate() {
            let text = if text.prose.is_empty() { text.title } else { format!("{}\n{}", text.title, text.prose) };
            texts.insert(format!("{}.{}", scenario.id, step + 1), text);
        }
    }
    texts
}

/// What the command table says of its commands, under the names that the other languages have for it.
fn summaries() -> BTreeMap<String, String> {
    let specs = all().flat_map(|spec| std::iter::once(spec).chain(spec.subcommands()));
    specs.map(|spec| (format!("summary.{}", spec.full_name()), spec.summary.to_owned())).collect()
}

fn placeholders(text: &str) -> BTreeSet<&str> {
    text.split('{').skip(1).filter_map(|rest| rest.split_once('}')).map(|(name, _)| name).collect()
}

/// What stays as it is in every language: the words in capitals, numbers, tokens.
fn constants(text: &str) -> BTreeSet<String> {
    let words = text.split(|c: char| !(c.is_alphanumeric() || c == '-')).filter(|word| word.len() > 1);
    let is_constant = |word: &&str| {
        word.bytes().all(|b| b.is_ascii_uppercase() || b.is_ascii_digit() || b == b'-') || word.starts_with("tok-")
    };
    words.filter(is_constant).map(str::to_owned).collect()
}

#[test]
fn every_language_has_every_text() {
    let mut english = english();
    english.extend(sessions());
    english.extend(summaries());
    for language in OTHERS {
        let other = texts(language);
        let keys = |texts: &BTreeMap<String, String>| texts.keys().cloned().collect::<BTreeSet<_>>();
        assert_eq!(keys(&english), keys(&other), "{language}");
        for (key, text) in &english {
            let told = &other[key];
            assert_eq!(placeholders(text), placeholders(told), "{language}: {key}");
            assert_eq!(constants(text), constants(told), "{language}: {key}");
            assert_eq!(text.matches('\n').count(), told.matches('\n').count(), "{language}: {key}");
            assert!(!told.trim().is_empty() && told.trim() == told, "{language}: {key} is {told:?}");
            // A text of several words that is the same in two languages was forgotten.
            let words = text.split(' ').filter(|word| word.chars().all(char::is_alphabetic)).count();
            assert!(words < 4 || text != told || key == "page.title", "{language}: {key} is not translated");
        }
    }
}

#[test]
fn the_picker_offers_what_is_there() {
    let page = read("index.html");
    let select = page.split_once("id=\"language\"").unwrap().1.split_once("</select>").unwrap().0;
    let offered: Vec<&str> = select.split("value=\"").skip(1).map(|rest| rest.split('"').next().unwrap()).collect();
    let all: Vec<&str> = std::iter::once("en").chain(OTHERS).collect();
    assert_eq!(offered, all);
    let mut files: Vec<String> = fs::read_dir(Path::new(env!("CARGO_MANIFEST_DIR")).join("www/locales"))
        .unwrap()
        .map(|file| file.unwrap().path().file_stem().unwrap().to_str().unwrap().to_owned())
        .collect();
    files.sort_unstable();
    assert_eq!(files, ["es", "pt-BR"]);
}

#[test]
fn a_change_of_language_changes_words_and_nothing_else() {
    let mut state = State::new(0);
    update(&mut state, Msg::TogglePlay);
    update(&mut state, Msg::Submit("B> SET lock:billing-run b NX PX 1500".to_owned()));
    let english = (view::steps(&state), view::console(&state), view::readout(&state));
    for (language, title, note, left) in [
        ("pt-BR", "O worker A pega o lock", "Recusado: o lock é de A por mais 30,000 s, no máximo.", "30,000"),
        ("es", "El worker A toma el lock", "Rechazado: el lock es de A, por 30,000 s más como máximo.", "30,000"),
    ] {
        update(&mut state, Msg::Language(Locale::parse(&read(&format!("www/locales/{language}.json"))).unwrap()));
        assert!(state.playing());
        let (steps, console) = (view::steps(&state), view::console(&state));
        assert_eq!(steps.steps[0].title, title);
        assert_eq!(console.last().unwrap().note, note);
        assert_eq!(view::readout(&state).left, left);
        // Commands and replies stay.
        let said = |steps: &view::Steps| steps.steps.iter().map(|step| step.commands.clone()).collect::<Vec<_>>();
        assert_eq!(said(&steps), said(&english.0));
        let replies = |entries: &[view::ConsoleEntry]| {
            entries.iter().map(|entry| (entry.command.clone(), entry.reply.clone())).collect::<Vec<_>>()
        };
        assert_eq!(replies(&console), replies(&english.1));
    }
    update(&mut state, Msg::Language(Locale::english()));
    assert_eq!((view::steps(&state), view::console(&state), view::readout(&state)), english);
}
