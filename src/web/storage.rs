//! What the browser keeps for the reader: theme, console history, client library and server, and the language, which `www/boot.js` keeps since
//! it is needed before the engine is there. Nothing else.
//!
//! Storage may be denied or full. Then nothing is kept, and nothing else changes.

use crate::app::{State, Theme};
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
    let lines: Vec<String> = get(HISTORY).and_then(|json| serde_json::from_str(&json).ok()).unwrap_or_default();
    (theme, History::new(lines))
}

/// The client library and the server that programs are written for.
pub(super) fn programs() -> (Client, Server) {
    let client = get(CLIENT).and_then(|name| Client::named(&name)).unwrap_or_default();
    let server = get(SERVER).and_then(|name| Server::named(&name)).unwrap_or_default();
    (client, server)
}

/// Keeps the choices.
pub(super) fn store(state: &State) {
    let Some(storage) = storage() else { return };
    let history = serde_json::to_string(state.history().lines()).unwrap_or_default();
    let (client, server) = state.programs();
    for (key, value) in
        [(THEME, state.theme().name()), (HISTORY, &history), (CLIENT, client.name()), (SERVER, server.name())]
    {
        // Full or denied: see above.
        let _ = storage.set_item(key, value);
    }
}
