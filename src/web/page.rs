//! The page while it lives: one state, one queue of messages, at most one frame in flight.

use std::cell::{Cell, RefCell};
use std::collections::VecDeque;
use std::rc::Rc;

use js_sys::{Array, Error, Object};
use wasm_bindgen::JsValue;
use web_sys::{Clipboard, Navigator, console};

use super::dom::{Frame, Host, Listener, document, elements, error, set_or_remove, when, window};
use super::pointer::Drag;
use super::refs::Refs;
use super::render::{Drawn, picture};
use super::share::{self, Said};
use super::{events, storage};
use crate::app::{
    Effect, ExploreMsg, Link, Locale, MAX_LINK, Msg, Opening, Purpose, Stage, State, Theme, View, kept, offers, place,
    update,
};

thread_local! {
    /// The page, kept for good once it is mounted.
    static PAGE: RefCell<Option<Rc<Page>>> = const { RefCell::new(None) };
}

/// How much of a frame long work may take, in milliseconds, and how many states a search deals with before the clock is looked
/// at: few enough to take a fraction of that.
const WORK_MS: f64 = 10.0;
const SLICE: usize = 200;

/// How long the page waits for a session from outside to be played up to where it stood, before it opens without.
const ARRIVAL_MS: f64 = 100.0;

/// How long a picture stands while the clock runs and the reader wants less motion, in milliseconds.
const CALM_MS: f64 = 250.0;

/// The page.
pub(super) struct Page {
    pub(super) refs: Refs,
    state: RefCell<State>,
    drawn: RefCell<Drawn>,
    /// How many of its parts were built.
    built: Cell<usize>,
    queue: RefCell<VecDeque<Msg>>,
    /// What the page was told last of where the session stands, and whether the session has changed since: what is drawn is
    /// kept outside the engine too, where no fault of it reaches.
    told: RefCell<String>,
    edited: Cell<bool>,
    frame: RefCell<Option<Frame>>,
    /// When the last frame came, while the clock runs.
    last_frame_ms: Cell<Option<f64>>,
    listeners: RefCell<Vec<Listener>>,
    /// Whether the scrubber is held, and goes where it is drawn to at once.
    pub(super) scrubbing: Cell<bool>,
    /// The pointer that is held down on the picture.
    pub(super) drag: RefCell<Option<Drag>>,
    /// What the page around the engine does for it.
    pub(super) host: Host,
    /// Whether the page stands in a frame.
    framed: bool,
}

/// Takes the page over; then it wants to be built.
pub(super) fn mount(
    link: &str,
    text: Option<&str>,
    own: bool,
    theme: Option<&str>,
    view: Option<&str>,
    framed: bool,
    host: Host,
) -> Result<Option<String>, Error> {
    let seed =
        getrandom::u64().map_err(|error| Error::new(&format!("the browser gives no random numbers: {error}")))?;
    let (kept, history) = storage::load();
    let mut state = State::new(seed).with_choices(theme.and_then(Theme::named).unwrap_or(kept), history);
    let (client, server) = storage::programs();
    state = state.for_programs(client, server);
    if framed {
        state = state.in_a_frame();
    }
    let parse = if own { Opening::parse_own } else { Opening::parse };
    let refused = match parse(link, text) {
        Ok(opening) => {
            // Before anybody looks or is told.
            for msg in opening.map(Msg::Open).into_iter().chain(view.and_then(View::named).map(Msg::View)) {
                update(&mut state, msg);
            }
            let began_ms = now_ms();
            while state.arriving() && now_ms() - began_ms < ARRIVAL_MS {
                update(&mut state, Msg::Arrive(1));
            }
            None
        }
        Err(error) => Some(error.name().to_owned()),
    };
    let page = Rc::new(Page {
        refs: Refs::find()?,
        state: RefCell::new(state),
        drawn: RefCell::default(),
        built: Cell::default(),
        queue: RefCell::default(),
        told: RefCell::default(),
        edited: Cell::new(true),
        frame: RefCell::default(),
        last_frame_ms: Cell::new(None),
        listeners: RefCell::default(),
        scrubbing: Cell::default(),
        drag: RefCell::default(),
        host,
        framed,
    });
    PAGE.with(|slot| slot.replace(Some(page)));
    Ok(refused)
}

/// Builds the next part of the page; whether there is more to build.
pub(super) fn build() -> Result<bool, Error> {
    let Some(page) = page() else { return Ok(false) };
    let built = page.built.replace(page.built.get() + 1);
    if page.drawn.borrow_mut().draw_part(built, &page.refs, &page.state.borrow())? {
        return Ok(true);
    }
    page.listeners.replace(events::listen(&page)?);
    enable()?;
    page.request_frame();
    Ok(false)
}

/// The page, once it is mounted.
fn page() -> Option<Rc<Page>> {
    PAGE.with(|slot| slot.borrow().clone())
}

/// Opens a link in the page.
pub(super) fn open(link: &str, text: Option<&str>) -> Option<String> {
    match Opening::parse(link, text) {
        Ok(opening) => {
            if let (Some(page), Some(opening)) = (page(), opening) {
                page.send(Msg::Open(opening));
            }
            None
        }
        Err(error) => Some(error.name().to_owned()),
    }
}

/// Hands a message of the host page on.
pub(super) fn host(message: String) {
    if let Some(page) = page() {
        page.send(Msg::Host(message));
    }
}

/// Changes the language.
pub(super) fn speak(texts: &Object) -> Result<(), Error> {
    let text = |value: JsValue| value.as_string().unwrap_or_default();
    let pairs = Object::entries(texts);
    let locale = Locale::new(pairs.iter().map(|pair| {
        let pair = Array::from(&pair);
        (text(pair.get(0)), text(pair.get(1)))
    }));
    if let Some(page) = page() {
        page.send(Msg::Language(locale));
        // At once, so that no frame shows two languages.
        if page.stands() {
            page.draw()?;
        }
    }
    Ok(())
}

/// Hands over the session as it stands, to be kept when the page goes.
pub(super) fn keep() {
    if let Some(page) = page() {
        page.keep();
    }
}

/// Everything in the page waits for the engine; now it is there.
fn enable() -> Result<(), Error> {
    for element in elements(document()?.query_selector_all("main [disabled], header [disabled]"))? {
        set_or_remove(&element, "disabled", None)?;
    }
    Ok(())
}

impl Page {
    /// Handles a message. One that comes while another is handled waits for its turn.
    pub(super) fn send(self: &Rc<Self>, msg: Msg) {
        self.queue.borrow_mut().push_back(msg);
        let Ok(mut state) = self.state.try_borrow_mut() else { return };
        let mut effects = Vec::new();
        while let Some(msg) = self.take() {
            self.edited.set(self.edited.get() || msg.edits());
            effects.extend(update(&mut state, msg));
        }
        // The state is let go before the browser is touched: that can raise events.
        drop(state);
        for effect in effects {
            self.run(effect);
        }
        self.request_frame();
    }

    /// Puts text on the clipboard, and says so in one place; where the clipboard is closed, shows it to be copied by hand.
    pub(super) fn copy(self: &Rc<Self>, text: &str, said: Said) {
        let page = Rc::downgrade(self);
        let by_hand = {
            let (page, text) = (page.clone(), text.to_owned());
            move || {
                if let Some(page) = page.upgrade() {
                    page.refs.by_hand_text.set_value(&text);
                    // One that is open already stays so.
                    let _ = page.refs.by_hand.show_modal();
                    page.refs.by_hand_text.select();
                }
            }
        };
        // Without a secure address there is no clipboard.
        let Some(clipboard) =
            window().ok().map(|window| window.navigator()).and_then(|navigator| clipboard(&navigator))
        else {
            return by_hand();
        };
        when(&self.host, &clipboard.write_text(text), move |answer| match (answer, page.upgrade()) {
            (Ok(_), Some(page)) if said == Said::InConsole => page.send(Msg::CopyDone),
            (Ok(_), Some(page)) => share::copied(&page.refs, page.state.borrow().locale(), said),
            (Err(_), _) => by_hand(),
            (Ok(_), None) => {}
        });
    }

    /// Makes an address of a link, and shows it where it is wanted. Its text is deflated on the way.
    fn share(self: &Rc<Self>, link: Link, purpose: Purpose) {
        let Link { fragment, text, element, too_long } = link;
        if too_long {
            return self.refuse_to_share(purpose);
        }
        let Some(text) = text else { return self.shared(&fragment, &element, purpose) };
        let page = Rc::downgrade(self);
        when(&self.host, &self.host.pack(&text), move |packed| match (packed, page.upgrade()) {
            (Ok(packed), Some(page)) => {
                let fragment = format!("{fragment}&z={}", packed.as_string().unwrap_or_default());
                if fragment.len() > MAX_LINK {
                    page.refuse_to_share(purpose);
                } else {
                    page.shared(&fragment, &element, purpose);
                }
            }
            (Err(error), _) => console::error_1(&error),
            (Ok(_), None) => {}
        });
    }

    fn shared(&self, fragment: &str, element: &str, purpose: Purpose) {
        let shown = match purpose {
            Purpose::WayOut | Purpose::FullSize => share::full_size(&self.refs, fragment, purpose),
            Purpose::Link | Purpose::Embed => {
                set_address(fragment);
                share::offer(&self.refs, self.state.borrow().locale(), element, purpose)
            }
        };
        if let Err(error) = shown {
            console::error_1(&error);
        }
    }

    /// Says that the session would not be opened again; to whoever asked for it.
    fn refuse_to_share(&self, purpose: Purpose) {
        if purpose != Purpose::WayOut
            && let Err(error) = share::refuse(&self.refs, self.state.borrow().locale())
        {
            console::error_1(&error);
        }
    }

    /// Whether words are offered to go on with.
    pub(super) fn offers(&self) -> bool {
        self.state.try_borrow().is_ok_and(|state| offers(&state))
    }

    /// Reads the picture as the state has it now; nothing while a message is being handled.
    pub(super) fn with_stage<T>(&self, read: impl FnOnce(&Stage) -> T) -> Option<T> {
        Some(read(&picture(&self.refs, &*self.state.try_borrow().ok()?)))
    }

    fn take(&self) -> Option<Msg> {
        self.queue.borrow_mut().pop_front()
    }

    fn run(self: &Rc<Self>, effect: Effect) {
        match effect {
            Effect::SetInput { before, after } => {
                let input = &self.refs.console_input;
                input.set_value(&format!("{before}{after}"));
                let caret = before.encode_utf16().count() as u32;
                // A caret that cannot be set stands at the end.
                let _ = input.set_selection_range(caret, caret);
            }
            Effect::ScrollLog => self.drawn.borrow_mut().scroll_log = true,
            // Not where the step list stands on a phone: the picture is above it.
            Effect::ShowStage => self.refs.stage.scroll_into_view_with_bool(true),
            // What the console's own list is for, the sheet has buttons for.
            Effect::Copy(text) if self.refs.share_sheet.open() => self.copy(&text, Said::InSheet),
            Effect::Copy(text) => self.copy(&text, Said::InConsole),
            Effect::Share(link, purpose) => self.share(link, purpose),
            Effect::Address(fragment) => set_address(&fragment),
            Effect::Tell(message) => tell_host(&message),
            // What a host page chose is not the reader's choice.
            Effect::Store(_) if self.framed => {}
            Effect::Store(choice) => storage::store(&self.state.borrow(), choice),
        }
    }

    /// Asks for a frame unless one is on its way.
    pub(super) fn request_frame(self: &Rc<Self>) {
        if self.frame.borrow().is_some() {
            return;
        }
        let page = Rc::downgrade(self);
        let frame = self.host.next_frame(move |now_ms| {
            if let Some(page) = page.upgrade() {
                page.on_frame(now_ms);
            }
        });
        self.frame.replace(Some(frame));
    }

    fn on_frame(self: &Rc<Self>, now_ms: f64) {
        // The frame has come; it is dropped after this call, which still runs in its closure.
        let _arrived = self.frame.take();
        if !self.stands() {
            return;
        }
        self.within_frame(State::arriving, || Msg::Arrive(1));
        self.within_frame(State::exploring, || Msg::Explore(ExploreMsg::Slice(SLICE)));
        let elapsed_ms = self.last_frame_ms.get().map_or(0.0, |last_ms| now_ms - last_ms);
        let playing = self.state.borrow().playing();
        if playing && elapsed_ms > 0.0 && elapsed_ms < CALM_MS && wants_calm() {
            return self.request_frame();
        }
        self.last_frame_ms.set(None);
        if playing {
            self.last_frame_ms.set(Some(now_ms));
            // Asks for the next frame too.
            self.send(Msg::Frame(elapsed_ms));
        }
        if let Err(error) = self.draw() {
            console::error_1(&error);
        }
        // On its way to a place it stands nowhere, and while it plays it is kept when it is edited.
        let state = self.state.borrow();
        if !state.arriving() && (self.edited.get() || !state.playing()) {
            self.keep();
        }
    }

    /// Hands over the session as it stands, or only where it stands when it is the same.
    fn keep(&self) {
        let state = self.state.borrow();
        let place = place(&state);
        if self.edited.take() {
            let (link, text) = kept(&state);
            self.host.keep(&place, Some(&link), text.as_deref(), Some(&state.player().to_transcript()));
        } else if *self.told.borrow() != place {
            self.host.keep(&place, None, None, None);
        }
        self.told.replace(place);
    }

    /// Whether all of it is built.
    fn stands(&self) -> bool {
        !self.listeners.borrow().is_empty()
    }

    /// Goes on with long work, for a part of the frame.
    fn within_frame(self: &Rc<Self>, goes_on: fn(&State) -> bool, slice: fn() -> Msg) {
        let began_ms = now_ms();
        while goes_on(&self.state.borrow()) {
            self.send(slice());
            let spent_ms = now_ms() - began_ms;
            // Where a browser tells no time, a slice is a frame's share.
            if spent_ms.is_nan() || spent_ms >= WORK_MS {
                break;
            }
        }
    }

    fn draw(&self) -> Result<(), Error> {
        self.drawn.borrow_mut().draw(&self.refs, &self.state.borrow(), self.scrubbing.get())
    }
}

/// Puts a link behind the `#` of the address, without a step in the history.
fn set_address(fragment: &str) {
    let replaced = window().and_then(|window| {
        let history = window.history().map_err(error)?;
        history.replace_state_with_url(&JsValue::NULL, "", Some(&format!("#{fragment}"))).map_err(error)
    });
    // Browsers forbid it to pages that do it too often, and to files; the address stays as it was.
    if let Err(error) = replaced {
        console::warn_1(&error);
    }
}

/// Tells the page around the frame. It may be anybody's: what is told is what its reader sees.
fn tell_host(message: &str) {
    let told = window().and_then(|window| match window.parent().map_err(error)? {
        Some(parent) => parent.post_message(&message.into(), "*").map_err(error),
        None => Ok(()),
    });
    if let Err(error) = told {
        console::error_1(&error);
    }
}

/// Milliseconds since the page was opened; no number where a browser does not tell.
fn now_ms() -> f64 {
    window().ok().and_then(|window| window.performance()).map_or(f64::NAN, |performance| performance.now())
}

/// Whether the reader wants less motion.
fn wants_calm() -> bool {
    let asked = window().ok().and_then(|window| window.match_media("(prefers-reduced-motion: reduce)").ok()?);
    asked.is_some_and(|query| query.matches())
}

/// The clipboard, where there is one.
fn clipboard(navigator: &Navigator) -> Option<Clipboard> {
    let clipboard = navigator.clipboard();
    (!JsValue::from(clipboard.clone()).is_undefined()).then_some(clipboard)
}
