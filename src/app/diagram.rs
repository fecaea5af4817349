//! What was played as a sequence diagram in Mermaid's language, for documentation that draws those.

use std::fmt::Write;

use super::{State, view};
use crate::engine::Millis;
use crate::player::What;
use crate::transcript::PLAIN_CLIENT;

/// How much of a line stands at an arrow, in characters.
const LONG: usize = 80;

/// Writes the diagram of what happened up to the playhead.
pub fn diagram(state: &State) -> String {
    let player = state.player();
    let mut names: Vec<&str> = player.workers().iter().map(String::as_str).collect();
    if player.log().iter().any(|entry| matches!(&entry.what, What::Command(played) if played.client == PLAIN_CLIENT)) {
        names.push(PLAIN_CLIENT);
    }
    // Numbers, since a name may be a word of Mermaid's own.
    let number = |name: &str| names.iter().position(|known| *known == name).map_or(0, |index| index + 1);
    let mut lines = vec!["sequenceDiagram".to_owned()];
    let participant =
        |name: &str| format!("    participant p{} as {}", number(name), escaped(&view::worker_name(state, name)));
    // The store stands between the first worker and the others, as the lock does in the picture.
    lines.extend(names.iter().take(1).map(|name| participant(name)));
    lines.push("    participant p0 as HotKV".to_owned());
    lines.extend(names.iter().skip(1).map(|name| participant(name)));
    let mut told: Option<Millis> = None;
    for entry in player.log() {
        if told != Some(entry.at) {
            told = Some(entry.at);
            lines.push(format!("    Note over p0: {} s", state.locale().seconds(entry.at)));
        }
        match &entry.what {
            What::Command(played) => {
                let who = number(&played.client);
                lines.push(format!("    p{who}->>p0: {}", escaped(&played.line)));
                lines.push(format!("    p0-->>p{who}: {}", escaped(&played.reply)));
            }
            What::Act { client, act, .. } => {
                lines.push(format!("    Note over p{}: {}", number(client), escaped(&act.to_string())));
            }
            What::Expired(event) => {
                let key = String::from_utf8_lossy(&event.key);
                let said = view::expired(state.locale(), player.runner(), event, &key);
                lines.extend(said.map(|said| format!("    Note over p0: {}", escaped(&said))));
            }
            What::Monitored(_) => {}
        }
    }
    lines.push(String::new());
    lines.join("\n")
}

/// A text as Mermaid takes it: on one line, and without what it reads as its own.
fn escaped(text: &str) -> String {
    let mut escaped = String::new();
    for c in view::cut(text, LONG).chars() {
        match c {
            '\n' => escaped.push_str("<br/>"),
            '#' | ';' | '<' | '>' | '&' | '%' | '{' | '}' => {
                let _ = write!(escaped, "#{};", u32::from(c));
            }
            c => escaped.push(c),
        }
    }
    // An arrow with nothing at it is no arrow.
    if escaped.trim().is_empty() { "#8203;".to_owned() } else { escaped }
}
