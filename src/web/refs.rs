//! The elements of the page that are used by name, looked up once. A missing one is one clear error at the start.

use js_sys::Error;
use wasm_bindgen::{JsCast, JsValue};
use web_sys::{
    Element, HtmlAnchorElement, HtmlButtonElement, HtmlDialogElement, HtmlElement, HtmlFieldSetElement,
    HtmlInputElement, HtmlSelectElement, HtmlTemplateElement, HtmlTextAreaElement,
};

use super::dom::document;

/// Declares the struct and its look-up, so that a name stands in one place.
macro_rules! refs {
    ($($field:ident: $kind:ty = $id:literal,)*) => {
        /// Elements by id.
        pub(super) struct Refs {
            $(pub(super) $field: $kind,)*
        }

        impl Refs {
            /// Looks all of them up; the first that is missing is the error.
            pub(super) fn find() -> Result<Self, Error> {
                // Telling errors apart field by field would drop all fields before at each: most of the module's size.
                let mut missing = None;
                let refs = Self { $($field: take(by_id($id), &mut missing),)* };
                missing.map_or(Ok(refs), Err)
            }
        }
    };
}

/// The element, or a stand-in beside the error of the first one that is missing.
fn take<T: JsCast>(found: Result<T, Error>, missing: &mut Option<Error>) -> T {
    found.unwrap_or_else(|error| {
        missing.get_or_insert(error);
        JsValue::NULL.unchecked_into()
    })
}

refs! {
    // readout
    lock_name: Element = "lock-name",
    holder_badge: Element = "holder-badge",
    lock_holder: Element = "lock-holder",
    lock_token: Element = "lock-token",
    lock_ttl: Element = "lock-ttl",
    gauge: Element = "gauge",
    lock_of: Element = "lock-of",
    // stage
    stage: HtmlElement = "stage",
    lanes: HtmlElement = "lanes",
    over: Element = "over",
    scrub: Element = "scrub",
    axis_ticks: Element = "axis-ticks",
    clashes: Element = "clashes",
    axis_clash: Element = "axis-clash",
    axis_now: Element = "axis-now",
    axis_deadline: Element = "axis-deadline",
    deadline_line: Element = "deadline-line",
    rows_above: Element = "rows-above",
    rows_below: Element = "rows-below",
    lock_row: Element = "lock-row",
    leases: HtmlElement = "leases",
    zoom_in: Element = "zoom-in",
    zoom_out: Element = "zoom-out",
    zoom_fit: Element = "zoom-fit",
    // transport
    scrubber: HtmlInputElement = "scrubber",
    clock_now: Element = "clock-now",
    play: HtmlButtonElement = "play",
    step_back: HtmlButtonElement = "step-back",
    step_forward: HtmlButtonElement = "step-forward",
    speed: HtmlFieldSetElement = "speed",
    next_expiry: HtmlButtonElement = "next-expiry",
    // steps
    steps: HtmlElement = "steps",
    steps_title: Element = "steps-title",
    steps_count: Element = "steps-count",
    steps_lede: Element = "steps-lede",
    edited: Element = "edited",
    undo: HtmlButtonElement = "undo",
    // console
    client: HtmlFieldSetElement = "client",
    add_worker: HtmlElement = "add-worker",
    console_earlier: Element = "console-earlier",
    console_log: HtmlElement = "console-log",
    console_form: HtmlElement = "console-form",
    console_time: Element = "console-time",
    console_prompt: Element = "console-prompt",
    console_input: HtmlInputElement = "console-input",
    console_hint: HtmlElement = "console-hint",
    words: HtmlElement = "words",
    // explorer
    explorer_count: Element = "explorer-count",
    explorer_choices: Element = "explorer-choices",
    explorer_run: HtmlElement = "explorer-run",
    explorer_cancel: Element = "explorer-cancel",
    explorer_progress: Element = "explorer-progress",
    explorer_summary: Element = "explorer-summary",
    explorer_program: HtmlTextAreaElement = "explorer-program",
    explorer_problems: Element = "explorer-problems",
    verdicts: Element = "verdicts",
    replaying: Element = "replaying",
    tpl_chip: HtmlTemplateElement = "tpl-chip",
    // programs
    snippets: Element = "snippets",
    snippet_client: HtmlSelectElement = "snippet-client",
    snippet_server: HtmlSelectElement = "snippet-server",
    snippet_file: Element = "snippet-file",
    snippet_code: Element = "snippet-code",
    snippet_done: Element = "snippet-done",
    snippet_needs: Element = "snippet-needs",
    snippet_install: Element = "snippet-install",
    snippet_notes: Element = "snippet-notes",
    tpl_note: HtmlTemplateElement = "tpl-note",
    tpl_part: HtmlTemplateElement = "tpl-part",
    // page
    scenario: HtmlSelectElement = "scenario",
    // sharing
    full_size: HtmlAnchorElement = "full-size",
    share_sheet: HtmlDialogElement = "share-sheet",
    share_link: HtmlInputElement = "share-link",
    share_copy: HtmlButtonElement = "share-copy",
    share_all: Element = "share-all",
    embed_code: HtmlTextAreaElement = "embed-code",
    embed_copy: HtmlButtonElement = "embed-copy",
    theme: HtmlSelectElement = "theme",
    panel_tabs: Element = "panel-tabs",
    live: Element = "live",
    keys: HtmlDialogElement = "keys",
    by_hand: HtmlDialogElement = "by-hand",
    by_hand_text: HtmlTextAreaElement = "by-hand-text",
    // templates
    tpl_lane: HtmlTemplateElement = "tpl-lane",
    tpl_section: HtmlTemplateElement = "tpl-section",
    tpl_crash: HtmlTemplateElement = "tpl-crash",
    tpl_mark: HtmlTemplateElement = "tpl-mark",
    tpl_lease: HtmlTemplateElement = "tpl-lease",
    tpl_was: HtmlTemplateElement = "tpl-was",
    tpl_free: HtmlTemplateElement = "tpl-free",
    tpl_clash: HtmlTemplateElement = "tpl-clash",
    tpl_tick: HtmlTemplateElement = "tpl-tick",
    tpl_step: HtmlTemplateElement = "tpl-step",
    tpl_cmd: HtmlTemplateElement = "tpl-cmd",
    tpl_entry: HtmlTemplateElement = "tpl-entry",
    tpl_word: HtmlTemplateElement = "tpl-word",
    tpl_client: HtmlTemplateElement = "tpl-client",
}

/// Finds an element by id; an element of another kind is as good as none.
pub(super) fn by_id<T: JsCast>(id: &str) -> Result<T, Error> {
    find(id).and_then(|element| element.dyn_into().map_err(|_| missing(id)))
}

// Neither is generic, so that each stands in the module once.
#[inline(never)]
fn find(id: &str) -> Result<Element, Error> {
    document()?.get_element_by_id(id).ok_or_else(|| missing(id))
}

#[inline(never)]
fn missing(id: &str) -> Error {
    Error::new(&format!("the page has no element #{id} of the right kind"))
}
