//! The rules of the house that a compiler does not know.

use std::fs;
use std::path::{Path, PathBuf};

use hotkv_playground::scenarios::{DEFAULT, SCENARIOS};
use hotkv_playground::transcript::{Record, parse};

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

fn read(path: impl AsRef<Path>) -> String {
    let path = root().join(path);
    fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// All Rust files under a folder.
fn rust_files(folder: &str) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut folders = vec![root().join(folder)];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()) {
            if entry.is_dir() {
                folders.push(entry);
            } else if entry.extension().is_some_and(|extension| extension == "rs") {
                found.push(entry.strip_prefix(root()).unwrap().to_owned());
            }
        }
    }
    found.sort();
    assert!(!found.is_empty(), "{folder} has no Rust files");
    found
}

#[test]
fn every_file_says_what_it_is() {
    for file in rust_files("src").into_iter().chain(rust_files("tests")) {
        assert!(read(&file).starts_with("//! "), "{} does not open with //!", file.display());
    }
}

#[test]
fn arrows_point_one_way() {
    // Each layer and those that it may name.
    const PURE: [&str; 9] =
        ["engine", "command", "transcript", "worker", "player", "explore", "console", "scenarios", "snippets"];
    let app = [&PURE[..], &["app"]].concat();
    let native = [&app[..], &["resp"]].concat();
    let layers: [(&str, &[&str]); 13] = [
        ("engine", &[]),
        ("command", &["engine"]),
        ("transcript", &["engine", "command"]),
        ("worker", &["engine", "command", "transcript"]),
        ("player", &["engine", "command", "transcript"]),
        ("resp", &["engine", "command", "transcript"]),
        ("explore", &["engine", "command", "transcript", "worker"]),
        ("console", &["engine", "command", "transcript"]),
        ("scenarios", &[]),
        ("snippets", &[]),
        ("app", &PURE),
        ("web", &app),
        ("native", &native),
    ];
    for (layer, may) in layers {
        for file in rust_files(&format!("src/{layer}")) {
            for (number, line) in read(&file).lines().enumerate() {
                for (other, _) in layers.iter().filter(|(other, _)| *other != layer && !may.contains(other)) {
                    assert!(
                        !line.contains(&format!("crate::{other}")),
                        "{}:{}: {layer} may not name {other}",
                        file.display(),
                        number + 1
                    );
                }
            }
        }
    }
}

#[test]
fn only_web_names_the_browser_and_nobody_forgets() {
    for file in rust_files("src") {
        let text = read(&file);
        let in_web = file.starts_with("src/web");
        for word in ["web_sys", "js_sys", "wasm_bindgen"] {
            assert!(in_web || !text.contains(word), "{} names {word}", file.display());
        }
        for word in ["inner_html", "mem::forget", ".forget()"] {
            assert!(!text.contains(word), "{} uses {word}", file.display());
        }
    }
}

#[test]
fn the_page_has_every_element_that_is_used_by_name() {
    let page = read("index.html");
    let refs = read("src/web/refs.rs");
    let ids: Vec<&str> = refs
        .lines()
        .filter_map(|line| line.trim().strip_suffix("\",")?.rsplit_once(" = \""))
        .map(|(_, id)| id)
        .collect();
    assert!(ids.len() > 30, "the list of elements was not found");
    for id in ids {
        assert_eq!(page.matches(&format!("id=\"{id}\"")).count(), 1, "#{id}");
    }
    for banned in ["http://", "https://"] {
        assert!(!page.contains(banned), "index.html holds {banned}");
    }
}

/// The tags of the page: the text between `<` and `>`, comments left out.
fn tags(page: &str) -> Vec<&str> {
    let mut tags = Vec::new();
    let mut rest = page;
    while let Some((_, after)) = rest.split_once('<') {
        let end = if after.starts_with("!--") { "-->" } else { ">" };
        let (tag, after) = after.split_once(end).expect("a tag that ends");
        if !tag.starts_with('!') {
            tags.push(tag);
        }
        rest = after;
    }
    tags
}

/// The names of a tag's attributes.
fn attributes(tag: &str) -> Vec<&str> {
    let mut names = Vec::new();
    let mut rest = tag.trim_end_matches('/').split_once(char::is_whitespace).map_or("", |(_, rest)| rest).trim_start();
    while !rest.is_empty() {
        let end = rest.find(|c: char| c == '=' || c.is_whitespace()).unwrap_or(rest.len());
        names.push(&rest[..end]);
        rest = &rest[end..];
        if let Some(value) = rest.strip_prefix("=\"") {
            rest = value.split_once('"').expect("a value that ends").1;
        }
        rest = rest.trim_start();
    }
    names
}

#[test]
fn the_page_holds_no_script_handler_or_style_of_its_own() {
    let page = read("index.html");
    let tags = tags(&page);
    assert!(tags.len() > 500, "the tags were not found");
    for tag in &tags {
        for name in attributes(tag) {
            assert!(name != "style" && !name.starts_with("on"), "<{tag}>");
        }
        assert!(!tag.starts_with("style"), "<{tag}>");
        assert!(!tag.starts_with("script") || attributes(tag).contains(&"src"), "<{tag}>");
    }
    for script in page.split("<script").skip(1) {
        let (inside, _) = script.split_once("</script>").expect("a script that ends");
        assert_eq!(inside.split_once('>').unwrap().1, "", "a script in the page");
    }
}

#[test]
fn the_page_has_one_policy_before_all_that_it_governs_and_hosts_are_told_the_same() {
    let page = read("index.html");
    let (before, rest) =
        page.split_once("<meta http-equiv=\"Content-Security-Policy\" content=\"").expect("the policy");
    assert!(!before.contains("<link") && !before.contains("<script"), "the policy comes too late");
    let (policy, rest) = rest.split_once('"').unwrap();
    assert!(!rest.contains("Content-Security-Policy"), "there are two policies");
    for banned in ["'unsafe-inline'", "'unsafe-eval'", "blob:", "http:", "https:", "*"] {
        assert!(!policy.contains(banned), "the policy allows {banned}");
    }
    let said = read("HOSTING.md").matches(policy).count();
    assert_eq!(said, 4, "HOSTING.md says the policy once, and once more for each of three servers");
}

#[test]
fn the_page_reads_without_scripts_as_it_opens_with_them() {
    let page = read("index.html");
    let escape = |text: &str| text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;");
    let (records, _) = parse(DEFAULT.text());
    let steps = page.split_once("<ol id=\"steps\">").and_then(|(_, rest)| rest.split_once("</ol>")).unwrap().0;
    for located in records {
        match located.record {
            Record::Step(title) => assert!(steps.contains(&format!(">{}<", escape(&title))), "{title}"),
            Record::Prose(prose) => assert!(page.contains(&format!(">{}<", escape(&prose))), "{prose}"),
            Record::Command { client, line, reply } => {
                let reply = escape(&reply.join("\n"));
                let shown = format!(
                    "data-slot=\"prompt\">{client}&gt;</span> <code lang=\"en\" translate=\"no\" data-slot=\"command\">{}</code><span class=\"out\" lang=\"en\" translate=\"no\" data-slot=\"reply\">{reply}<",
                    escape(&line)
                );
                assert!(steps.contains(&shown), "{shown}");
            }
            _ => {}
        }
    }
}

#[test]
fn the_page_offers_every_scenario() {
    let page = read("index.html");
    for scenario in SCENARIOS {
        assert!(page.contains(&format!("<option value=\"{}\" ", scenario.id)), "{}", scenario.id);
    }
}

#[test]
fn the_oldest_browsers_are_the_same_wherever_they_are_named() {
    let readme = read("README.md");
    let (_, section) = readme.split_once("\n## Browsers\n").expect("the section on browsers");
    let versions = |text: &str| {
        ["Chromium ", "Firefox ", "Safari "].map(|browser| {
            let (_, rest) = text.split_once(browser).unwrap_or_else(|| panic!("no {browser}in {text}"));
            let end = rest.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(rest.len());
            rest[..end].trim_end_matches('.').to_owned()
        })
    };
    let page = read("index.html");
    let (_, told) = page.split_once("data-text=\"failure.old\">").expect("what is said in a browser that is too old");
    assert_eq!(versions(told), versions(section));
    for language in ["pt-BR", "es"] {
        let texts: serde_json::Value = serde_json::from_str(&read(format!("www/locales/{language}.json"))).unwrap();
        assert_eq!(versions(texts["failure.old"].as_str().unwrap()), versions(section), "{language}");
    }
}

#[test]
fn the_guard_is_written_for_browsers_of_any_age() {
    let guard = read("www/guard.js");
    let mut code = String::new();
    for line in guard.lines() {
        let line = line.trim_start();
        if !line.starts_with("//") && !line.starts_with("/**") {
            code.push_str(line.split(" // ").next().unwrap());
            code.push('\n');
        }
    }
    for newer in [
        "=>", "`", "?.", "??", "...", "**", "const ", "let ", "class ", "async ", "await ", "import", " of ", "catch {",
    ] {
        assert!(!code.contains(newer), "guard.js is no ECMAScript 5: it has {newer}");
    }
    let page = read("index.html");
    assert!(page.find("www/guard.js") < page.find("www/boot.js"), "the guard comes too late");
}

#[test]
fn limits_of_what_comes_from_outside_are_the_same_in_scripts_and_engine() {
    use hotkv_playground::app::{MAX_LINK, MAX_MESSAGE, MAX_TEXT};
    let boot = read("www/boot.js");
    for (name, limit) in [("MAX_LINK", MAX_LINK), ("MAX_TEXT", MAX_TEXT)] {
        let line = format!("const {name} = {} * 1024;", limit / 1024);
        assert!(boot.contains(&line), "www/boot.js does not say: {line}");
    }
    let embed = read("www/embed.js");
    let longest = embed.split_once("const LONGEST = ").and_then(|(_, rest)| rest.split_once(';')).unwrap().0;
    let longest: usize = longest.replace('_', "").parse().unwrap();
    // A character is three bytes at most; those of four are two to JavaScript.
    assert!(longest * 3 <= MAX_MESSAGE && longest > MAX_TEXT, "{longest}");
}
