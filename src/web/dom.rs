//! Small tools on the document: listeners, frames, templates and slots.

use std::cell::{Cell, RefCell};
use std::rc::Rc;

use js_sys::{Error, Promise};
use wasm_bindgen::closure::Closure;
use wasm_bindgen::prelude::wasm_bindgen;
use wasm_bindgen::{JsCast, JsValue};
use web_sys::{Document, Element, Event, EventTarget, HtmlElement, HtmlTemplateElement, NodeList, Window};

/// Whatever the browser threw, as an error.
pub(super) fn error(value: JsValue) -> Error {
    value.dyn_into().unwrap_or_else(|value| {
        // A browser throws errors; whatever else it may be, its text says the most.
        Error::new(&value.as_string().unwrap_or_else(|| "the browser threw what is no error".to_owned()))
    })
}

/// The window.
pub(super) fn window() -> Result<Window, Error> {
    web_sys::window().ok_or_else(|| Error::new("there is no window"))
}

/// The document.
pub(super) fn document() -> Result<Document, Error> {
    window()?.document().ok_or_else(|| Error::new("there is no document"))
}

/// What is called at an event, in a frame, and when a promise is kept.
pub(super) type Listener = Closure<dyn FnMut(Event)>;
pub(super) type Frame = Closure<dyn FnMut(f64)>;
type Answer = Closure<dyn FnMut(JsValue)>;

#[wasm_bindgen]
extern "C" {
    /// What `www/boot.js` lends the engine. By it alone the browser comes to call the engine, and once that has failed no
    /// call comes any more.
    pub type Host;

    #[wasm_bindgen(method)]
    fn listen(this: &Host, target: &EventTarget, name: &str, call: &Listener);

    #[wasm_bindgen(method)]
    fn frame(this: &Host, call: &Frame);

    #[wasm_bindgen(method)]
    fn when(this: &Host, promise: &Promise, done: &Answer, failed: &Answer);

    /// Deflates a text: a promise of the `z` of a link.
    #[wasm_bindgen(method)]
    pub(super) fn pack(this: &Host, text: &str) -> Promise;

    /// Keeps where the session stands, and when it changed the session too: its link, its text, and all of it to copy.
    #[wasm_bindgen(method)]
    pub(super) fn keep(this: &Host, place: &str, link: Option<&str>, text: Option<&str>, transcript: Option<&str>);
}

impl Host {
    /// Listens to an element as long as what is answered lives.
    pub(super) fn on(&self, target: &EventTarget, name: &str, handle: impl FnMut(Event) + 'static) -> Listener {
        let closure = Closure::new(handle);
        self.listen(target, name, &closure);
        closure
    }

    /// Asks for the next frame; it comes with its time in milliseconds.
    pub(super) fn next_frame(&self, handle: impl FnOnce(f64) + 'static) -> Frame {
        let closure = Closure::once(handle);
        self.frame(&closure);
        closure
    }
}

/// Hands on what comes of a promise, once. What waits for it goes with the answer.
pub(super) fn when(host: &Host, promise: &Promise, handle: impl FnOnce(Result<JsValue, JsValue>) + 'static) {
    let waiting: Rc<RefCell<Option<(Answer, Answer)>>> = Rc::default();
    let handle = Rc::new(Cell::new(Some(handle)));
    let answer = |wrap: fn(JsValue) -> Result<JsValue, JsValue>| {
        let (waiting, handle) = (Rc::clone(&waiting), Rc::clone(&handle));
        Closure::new(move |value| {
            // Neither is called again: both go, and with them what they hold of each other.
            let gone = waiting.take();
            if let Some(handle) = handle.take() {
                handle(wrap(value));
            }
            drop(gone);
        })
    };
    let (done, failed) = (answer(Ok), answer(Err));
    host.when(promise, &done, &failed);
    waiting.replace(Some((done, failed)));
}

/// Makes a parent hold so many clones of a template's row, and returns them. Rows that stay are the same elements as
/// before, so that focus and selection in them stay too.
pub(super) fn rows(parent: &Element, template: &HtmlTemplateElement, count: usize) -> Result<Vec<Element>, Error> {
    while parent.child_element_count() as usize > count {
        if let Some(last) = parent.last_element_child() {
            last.remove();
        }
    }
    while (parent.child_element_count() as usize) < count {
        let row = template
            .content()
            .first_element_child()
            .ok_or_else(|| Error::new(&format!("the template {} is empty", template.id())))?;
        parent.append_child(&row.clone_node_with_deep(true).map_err(error)?).map_err(error)?;
    }
    let children = parent.children();
    Ok((0..children.length()).filter_map(|index| children.item(index)).collect())
}

/// The part of a row that a name stands for.
pub(super) fn slot(row: &Element, name: &str) -> Result<Element, Error> {
    find(row, &format!("[data-slot={name}]"))
}

/// The part of a console entry that a name stands for.
pub(super) fn part(row: &Element, name: &str) -> Result<Element, Error> {
    find(row, &format!("[data-part={name}]"))
}

fn find(row: &Element, selector: &str) -> Result<Element, Error> {
    row.query_selector(selector)
        .map_err(error)?
        .ok_or_else(|| Error::new(&format!("the page has no {selector} in a {}", row.tag_name())))
}

/// The elements of a kind that a selector found.
pub(super) fn elements<T: JsCast>(found: Result<NodeList, JsValue>) -> Result<impl Iterator<Item = T>, Error> {
    let found = found.map_err(error)?;
    Ok((0..found.length()).filter_map(move |index| found.item(index)?.dyn_into().ok()))
}

/// Sets a slot's text.
pub(super) fn text(row: &Element, name: &str, text: &str) -> Result<(), Error> {
    slot(row, name)?.set_text_content(Some(text));
    Ok(())
}

/// Sets an attribute.
pub(super) fn set(element: &Element, name: &str, value: &str) -> Result<(), Error> {
    element.set_attribute(name, value).map_err(error)
}

/// Sets an attribute, or removes it when there is no value.
pub(super) fn set_or_remove(element: &Element, name: &str, value: Option<&str>) -> Result<(), Error> {
    match value {
        Some(value) => set(element, name, value),
        None => element.remove_attribute(name).map_err(error),
    }
}

/// Shows or hides an element.
pub(super) fn show(element: &Element, shown: bool) -> Result<(), Error> {
    set_or_remove(element, "hidden", (!shown).then_some(""))
}

/// Sets custom properties of an element's style, which carry its place.
pub(super) fn place(element: &Element, properties: &[(&str, f64)]) -> Result<(), Error> {
    // Of the elements that are placed some are HTML and one, the crash mark, is SVG; both have a style.
    let style = match element.dyn_ref::<HtmlElement>() {
        Some(html) => html.style(),
        None => element.unchecked_ref::<web_sys::SvgElement>().style(),
    };
    properties.iter().try_for_each(|(name, value)| style.set_property(name, &decimal(*value))).map_err(error)
}

/// Writes a number as JavaScript does. The engine's module needs no code of its own for that.
fn decimal(value: f64) -> String {
    // Ten is a radix that JavaScript knows.
    js_sys::Number::from(value).to_string_with_radix(10).map(String::from).unwrap_or_default()
}
