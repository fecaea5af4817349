//! The browser's side: events become messages, state becomes a document. The only module that names the browser.
//!
//! **Invariants.** All markup stands in `index.html`; rows that repeat are cloned from its templates and filled by
//! text. Every listener and frame is owned, and ends with the engine; only the page itself is kept for good. At most one
//! frame is asked for, and only what changed is drawn.

#![deny(clippy::unwrap_used, clippy::expect_used)]

mod api;
mod dom;
mod events;
mod page;
mod pointer;
mod refs;
mod render;
mod share;
mod storage;

pub use api::Playground;

use wasm_bindgen::prelude::wasm_bindgen;

use crate::command;

/// Smaller than the allocator that comes with Rust, and faster; see ARCHITECTURE.md.
#[global_allocator]
static MEMORY: talc::wasm::WasmDynamicTalc = talc::wasm::new_wasm_dynamic_allocator();

/// Runs when the module is loaded: from then on a panic is thrown to whoever called, as a text. It says what happened; the trap
/// that would come says nothing. And the table of commands is made, which would make the first of them late.
#[wasm_bindgen(start)]
pub fn start() {
    std::panic::set_hook(Box::new(|info| wasm_bindgen::throw_val(info.to_string().into())));
    command::find(b"");
}

/// Takes over the page, which is then to be built. It speaks English.
///
/// `link` is what follows the `#` of the address, and `text` what came out of its `z`; `own` says that the page kept them
/// itself. `theme` and `view` are those that the address asks for, if any. `framed` says that a host page is told what
/// happens. Answers the name of the sentence to say when the link cannot be opened; then the default session is.
#[wasm_bindgen]
pub fn mount(
    link: &str,
    text: Option<String>,
    own: bool,
    theme: Option<String>,
    view: Option<String>,
    framed: bool,
    host: dom::Host,
) -> Result<Option<String>, js_sys::Error> {
    page::mount(link, text.as_deref(), own, theme.as_deref(), view.as_deref(), framed, host)
}

/// Builds the next part of the page: fills it, and with the last one listens to it and enables it. Answers whether there is
/// more. All at once would keep a phone from everything else for longer than is good.
#[wasm_bindgen]
pub fn build() -> Result<bool, js_sys::Error> {
    page::build()
}

/// Opens a link in the page, as the reader goes to it. Answers the name of the sentence to say when it cannot be opened;
/// then the page stays as it is.
#[wasm_bindgen]
pub fn open(link: &str, text: Option<String>) -> Option<String> {
    page::open(link, text.as_deref())
}

/// Hands over the session as it stands now, to be kept: the page goes, or is no longer seen.
#[wasm_bindgen]
pub fn keep() {
    page::keep();
}

/// Takes a message of the page around the frame.
#[wasm_bindgen]
pub fn host(message: String) {
    page::host(message);
}

/// Speaks another language from now on: its texts by key. What they leave out stays in English.
#[wasm_bindgen]
pub fn speak(texts: js_sys::Object) -> Result<(), js_sys::Error> {
    page::speak(&texts)
}
