//! What the browser keeps for the reader: theme, console history, client library and server, and the language, which
//! `www/boot.js` keeps since it is needed before the engine is there. Nothing else.
//!
//! Storage may be denied or full. Then nothing is kept, and nothing else changes. Other tabs write there too: a choice is
//! written when it is made and at no other time, so that the last one counts, and a line goes behind what all tabs typed.

use js_sys::{Array, JSON};
use wasm_bindgen::JsValue;

use crate::app::{Choice, State, Theme};
use crate::console::History;
use crate::snippets::{Client, Server};

const THEME: &str = "hotkv.theme";
const HISTORY: &str = "hotkv.history";
const CLIENT: &str = "hotkv.client";
const SERVER: &str = "hotkv.server";

fn storage() -> Option<web_sys::Storage> {
    web_sys::window()?.local_storage().ok()?
}

fn get(key: &str) -> Option<String> {
    storage()?.get_item(key).ok()?
}

/// The choices that were kept; the defaults where none were or they cannot be read.
pub(super) fn load() -> (Theme, History) {
    let theme = get(THEME).and_then(|name| Theme::named(&name)).unwrap_or_default();
    (theme, history())
}

/// The client library and the server that programs are written for.
pub(super) fn programs() -> (Client, Server) {
    let client = get(CLIENT).and_then(|name| Client::named(&name)).unwrap_or_default();
    let server = get(SERVER).and_then(|name| Server::named(&name)).unwrap_or_default();
    (client, server)
}

fn history() -> History {
    let kept =
        get(HISTORY).and_then(|json| JSON::parse(&json).ok()).filter(Array::is_array).map(|kept| Array::from(&kept));
    History::new(kept.iter().flat_map(Array::iter).filter_map(|line| line.as_string()))
}

/// Keeps a choice.
pub(super) fn store(state: &State, choice: Choice) {
    let Some(storage) = storage() else { return };
    // Full or denied: see above.
    let _ = match choice {
        Choice::Theme => storage.set_item(THEME, state.theme().name()),
        Choice::Program => {
            let (client, server) = state.programs();
            storage.set_item(CLIENT, client.name()).and_then(|()| storage.set_item(SERVER, server.name()))
        }
        Choice::Line => {
            let mut history = history();
            history.push(state.history().lines().last().map_or("", String::as_str));
            let lines: Array = history.lines().iter().map(JsValue::from).collect();
            JSON::stringify(&lines).and_then(|json| storage.set_item(HISTORY, &String::from(json)))
        }
    };
}
