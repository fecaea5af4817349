//! What the reader does, as messages. Few listeners on few roots.

use std::rc::Rc;

use js_sys::Error;
use wasm_bindgen::JsCast;
use web_sys::{
    ClipboardEvent, Element, Event, HtmlElement, HtmlInputElement, HtmlSelectElement, KeyboardEvent, MouseEvent,
};

use super::dom::{Listener, document, elements, window};
use super::page::Page;
use super::pointer;
use super::share::Said;
use crate::app::{Copied, ExploreMsg, Msg, Panel, Purpose, Stage, Theme, Zoom};
use crate::console::is_transcript;
use crate::explore::Property;
use crate::snippets::{Client, Server};
use crate::transcript::Act;

const SECOND_MS: i64 = 1_000;

/// Listens to the page.
pub(super) fn listen(page: &Rc<Page>) -> Result<Vec<Listener>, Error> {
    let document = document()?;
    let Page { refs, host, .. } = &**page;
    // Weak, so that the listeners that the page owns do not keep it.
    let on = |page: &Rc<Page>, handle: fn(&Rc<Page>, &Event)| {
        let page = Rc::downgrade(page);
        move |event: Event| {
            if let Some(page) = page.upgrade() {
                handle(&page, &event);
            }
        }
    };
    Ok(vec![
        host.on(&document, "click", on(page, click)),
        host.on(&document, "change", on(page, change)),
        host.on(&document, "keydown", on(page, stage_key)),
        host.on(&refs.scrubber, "input", on(page, scrub)),
        host.on(&refs.console_form, "submit", on(page, submit)),
        host.on(&refs.console_input, "keydown", on(page, console_key)),
        host.on(&refs.console_input, "paste", on(page, paste)),
        host.on(&refs.console_input, "input", on(page, typing)),
        host.on(&refs.console_input, "keyup", on(page, typing)),
        host.on(&refs.console_input, "click", on(page, typing)),
        host.on(&refs.console_input, "blur", on(page, |page, _| page.send(Msg::CloseWords))),
        host.on(&refs.explorer_program, "input", on(page, program)),
        host.on(&refs.console_log, "keydown", on(page, log_key)),
        host.on(&refs.words, "mousedown", on(page, accept)),
        host.on(&refs.lanes, "wheel", on(page, pointer::wheel)),
        host.on(&refs.lanes, "pointerdown", on(page, pointer::down)),
        host.on(&refs.lanes, "pointermove", on(page, pointer::moved)),
        host.on(&refs.lanes, "pointerup", on(page, pointer::up)),
        host.on(&refs.lanes, "pointercancel", on(page, pointer::up)),
        host.on(&refs.full_size, "pointerdown", on(page, |page, _| page.send(Msg::Share(Purpose::WayOut)))),
        host.on(&refs.full_size, "focus", on(page, |page, _| page.send(Msg::Share(Purpose::WayOut)))),
        host.on(window()?.as_ref(), "resize", on(page, |page, _| page.request_frame())),
    ])
}

/// The nearest element around an event's target that fits a selector.
pub(super) fn closest(event: &Event, selector: &str) -> Option<Element> {
    event.target()?.dyn_into::<Element>().ok()?.closest(selector).ok()?
}

fn number(element: &Element, attribute: &str) -> Option<i64> {
    element.get_attribute(attribute)?.parse().ok()
}

fn click(page: &Rc<Page>, event: &Event) {
    let Some(element) = closest(event, "button, a") else { return };
    let msg = match element.id().as_str() {
        "play" => Msg::TogglePlay,
        "step-back" => Msg::StepBack,
        "step-forward" => Msg::StepForward,
        "advance-1s" => Msg::FastForward(SECOND_MS),
        "advance-10s" => Msg::FastForward(10 * SECOND_MS),
        "advance-30s" => Msg::FastForward(30 * SECOND_MS),
        "next-expiry" => Msg::NextExpiry,
        "undo" => Msg::Undo,
        "reset" => Msg::Reset,
        "add-worker" => Msg::AddWorker,
        "console-earlier" => Msg::EarlierLog,
        "console-clear" => Msg::ClearLog,
        "explorer-run" => Msg::Explore(ExploreMsg::Run),
        // Both go away with what they do; who is on them goes on beside them.
        "explorer-cancel" => {
            focus(&page.refs.explorer_run);
            Msg::Explore(ExploreMsg::Cancel)
        }
        "explorer-back" => {
            focus(&page.refs.stage);
            Msg::Explore(ExploreMsg::Back)
        }
        "zoom-in" => return zoom(page, |stage| stage.zoomed(ZOOM, stage.playhead())),
        "zoom-out" => return zoom(page, |stage| stage.zoomed(1.0 / ZOOM, stage.playhead())),
        "zoom-fit" => return zoom(page, Stage::toggled),
        "keys-open" => return open_keys(page),
        "full-size" => {
            // With a key held down it goes where the browser says, by the address that stands ready.
            let held = event
                .dyn_ref::<MouseEvent>()
                .is_some_and(|event| event.ctrl_key() || event.shift_key() || event.meta_key() || event.alt_key());
            if held {
                return;
            }
            event.prevent_default();
            Msg::Share(Purpose::FullSize)
        }
        "share" => Msg::Share(Purpose::Link),
        "embed" => Msg::Share(Purpose::Embed),
        "share-copy" => return page.copy(&page.refs.share_link.value(), Said::InSheet),
        "snippet-copy" => {
            let code = page.refs.snippet_code.text_content().unwrap_or_default();
            return page.copy(&code, Said::BesideProgram);
        }
        "embed-copy" => return page.copy(&page.refs.embed_code.value(), Said::InSheet),
        "skip" => {
            // The panel may be hidden on a narrow page; a hidden input takes no focus.
            event.prevent_default();
            page.send(Msg::Panel(Panel::Console));
            focus_console_after_drawing(page);
            return;
        }
        _ => {
            let step = number(&element, "data-step").map(|step| Msg::Step(step as usize - 1));
            let instant = || number(&element, "data-at").map(Msg::Seek);
            let panel = || element.get_attribute("data-for").and_then(|name| Panel::named(&name)).map(Msg::Panel);
            let act = || {
                let act = Act::parse(&element.get_attribute("data-act")?)?;
                let client = element.closest("[data-client]").ok()??.get_attribute("data-client")?;
                Some(Msg::Act { client, act })
            };
            let why = || number(&element, "data-why").map(|entry| Msg::Why(entry as usize));
            let play = || {
                let name = element.get_attribute("data-play")?;
                let property = Property::ALL.into_iter().find(|property| property.name() == name)?;
                Some(Msg::Explore(ExploreMsg::Play(property)))
            };
            let scenario = || element.get_attribute("data-scenario").map(Msg::Scenario);
            let copy = || Copied::named(&element.get_attribute("data-copy")?).map(Msg::Copy);
            let found = step.or_else(instant).or_else(panel).or_else(act).or_else(why).or_else(play);
            match found.or_else(scenario).or_else(copy) {
                Some(msg) => msg,
                None => return,
            }
        }
    };
    page.send(msg);
}

fn focus(element: &HtmlElement) {
    // One that cannot take the focus leaves it where it was.
    let _ = element.focus();
}

/// How much a key or a button makes the window shorter or longer.
const ZOOM: f64 = 2.0;
/// How far a key moves it, in lengths of it.
const PAN: f64 = 0.2;

fn zoom(page: &Rc<Page>, read: impl FnOnce(&Stage) -> Zoom) {
    if let Some(zoom) = page.with_stage(read) {
        page.send(Msg::Zoom(zoom));
    }
}

fn open_keys(page: &Rc<Page>) {
    // One that is open already stays so.
    let _ = page.refs.keys.show_modal();
}

/// The panel is switched by an attribute of the root, which counts at once; the input can take focus right after.
fn focus_console_after_drawing(page: &Rc<Page>) {
    let drawn = document().and_then(|document| {
        document.document_element().map_or(Ok(()), |root| super::dom::set(&root, "data-panel", Panel::Console.name()))
    });
    if drawn.is_ok() {
        // An input that cannot take focus leaves it where it was.
        let _ = page.refs.console_input.focus();
    }
}

fn change(page: &Rc<Page>, event: &Event) {
    let Some(target) = event.target() else { return };
    if let Some(choice) = target.dyn_ref::<Element>().and_then(|element| element.get_attribute("data-choice")) {
        let value = match target.dyn_ref::<HtmlInputElement>() {
            Some(input) => input.checked().to_string(),
            None => target.dyn_ref::<HtmlSelectElement>().map(HtmlSelectElement::value).unwrap_or_default(),
        };
        page.send(Msg::Explore(ExploreMsg::Choose(choice, value)));
    } else if let Some(select) = target.dyn_ref::<HtmlSelectElement>() {
        match select.id().as_str() {
            "scenario" => page.send(Msg::Scenario(select.value())),
            "copy" => {
                if let Some(form) = Copied::named(&select.value()) {
                    page.send(Msg::Copy(form));
                }
                select.set_value("");
            }
            "snippet-client" => page.send(Msg::ClientLibrary(Client::named(&select.value()).unwrap_or_default())),
            "snippet-server" => page.send(Msg::Server(Server::named(&select.value()).unwrap_or_default())),
            "theme" => page.send(Msg::Theme(Theme::named(&select.value()).unwrap_or_default())),
            _ => {}
        }
    } else if let Some(input) = target.dyn_ref::<HtmlInputElement>() {
        if input.id() == "scrubber" {
            page.scrubbing.set(false);
        }
        match input.name().as_str() {
            "speed" => page.send(Msg::Speed(input.value().parse().unwrap_or(1))),
            "client" => page.send(Msg::Client(input.value())),
            "coach" => page.send(Msg::Coach(input.checked())),
            "pause-at-steps" => page.send(Msg::PauseAtSteps(input.checked())),
            _ => {}
        }
    }
}

fn scrub(page: &Rc<Page>, _: &Event) {
    page.scrubbing.set(true);
    page.send(Msg::Seek(page.refs.scrubber.value_as_number() as i64));
}

fn submit(page: &Rc<Page>, event: &Event) {
    event.prevent_default();
    page.send(Msg::Submit(page.refs.console_input.value()));
}

/// A line pasted goes into the entry line as usual; a transcript plays.
fn paste(page: &Rc<Page>, event: &Event) {
    let text = event
        .dyn_ref::<ClipboardEvent>()
        .and_then(ClipboardEvent::clipboard_data)
        .and_then(|data| data.get_data("text").ok());
    if let Some(text) = text.filter(|text| is_transcript(text)) {
        event.prevent_default();
        page.send(Msg::Submit(text));
    }
}

/// What stands in the entry line before the caret, and after it.
fn at_caret(page: &Rc<Page>) -> (String, String) {
    let input = &page.refs.console_input;
    let units: Vec<u16> = input.value().encode_utf16().collect();
    let caret = input.selection_start().ok().flatten().map_or(units.len(), |caret| units.len().min(caret as usize));
    // A caret never stands within a pair.
    (String::from_utf16_lossy(&units[..caret]), String::from_utf16_lossy(&units[caret..]))
}

fn typing(page: &Rc<Page>, _: &Event) {
    let (before, after) = at_caret(page);
    page.send(Msg::Typing { before, after });
}

/// A word that is offered is taken with the mouse; the entry line keeps the focus.
fn accept(page: &Rc<Page>, event: &Event) {
    event.prevent_default();
    if let Some(word) = closest(event, "[data-word]").and_then(|row| number(&row, "data-word")) {
        page.send(Msg::AcceptWord(Some(word as usize)));
    }
}

fn console_key(page: &Rc<Page>, event: &Event) {
    let Some(event) = event.dyn_ref::<KeyboardEvent>() else { return };
    if event.is_composing() || event.meta_key() {
        return;
    }
    let plain = !event.ctrl_key() && !event.alt_key() && !event.shift_key();
    let control = event.ctrl_key() && !event.alt_key() && !event.shift_key();
    let alt = event.alt_key() && !event.ctrl_key() && !event.shift_key();
    let open = page.offers();
    let input = &page.refs.console_input;
    let msg = match event.key().as_str() {
        "Tab" if plain && open => Msg::AcceptWord(None),
        "ArrowRight" if plain && open && at_caret(page).1.is_empty() => Msg::AcceptWord(None),
        "Escape" if plain && open => Msg::CloseWords,
        "ArrowUp" if plain && open => Msg::ChooseWord { forth: false },
        "ArrowDown" if plain && open => Msg::ChooseWord { forth: true },
        "ArrowUp" if plain => Msg::HistoryBack(input.value()),
        "ArrowDown" if plain => Msg::HistoryForth,
        "r" if control => Msg::HistorySearch(input.value()),
        "l" if control => Msg::ClearLog,
        // By the place of the key: with Alt some keyboards write other characters.
        _ if alt => match event.code().strip_prefix("Digit").and_then(|digit| digit.parse().ok()) {
            Some(number) => Msg::ClientNumber(number),
            None => return,
        },
        _ => return,
    };
    event.prevent_default();
    page.send(msg);
}

fn program(page: &Rc<Page>, _: &Event) {
    page.send(Msg::Explore(ExploreMsg::Program(page.refs.explorer_program.value())));
}

/// From the question at one reply to that at the next.
fn log_key(page: &Rc<Page>, event: &Event) {
    let Some(key) = event.dyn_ref::<KeyboardEvent>() else { return };
    let (Some(step), Some(ask)) = (lane_step(&key.key()), closest(event, "[data-part=why]")) else { return };
    let found = page.refs.console_log.query_selector_all("[data-part=why]:not([hidden])");
    let Ok(asks) = elements::<HtmlElement>(found) else { return };
    let asks: Vec<HtmlElement> = asks.collect();
    let here = asks.iter().position(|other| **other == ask);
    let next = here.and_then(|here| asks.get(usize::try_from(here as i64 + step).ok()?));
    if let Some(next) = next {
        event.prevent_default();
        focus(next);
    }
}

/// Which way a key goes from lane to lane, or from line to line.
fn lane_step(key: &str) -> Option<i64> {
    match key {
        "ArrowUp" => Some(-1),
        "ArrowDown" => Some(1),
        _ => None,
    }
}

/// Gives the focus to the mark that is nearest in time in the next lane which has any.
fn to_lane(mark: &Element, step: i64) {
    let marks = |lane: &Element| elements::<HtmlElement>(lane.query_selector_all(".pin button")).into_iter().flatten();
    let at = |button: &HtmlElement| number(button, "data-at").unwrap_or_default();
    let here = mark.query_selector("button").ok().flatten().and_then(|button| number(&button, "data-at"));
    let (Some(here), Ok(Some(lane))) = (here, mark.closest(".lane-row")) else { return };
    let Ok(lanes) = document().and_then(|document| elements::<Element>(document.query_selector_all(".lane-row")))
    else {
        return;
    };
    let lanes: Vec<Element> = lanes.collect();
    let Some(index) = lanes.iter().position(|other| *other == lane) else { return };
    let mut others = std::iter::successors(Some(index as i64 + step), |index| Some(index + step))
        .map_while(|index| lanes.get(usize::try_from(index).ok()?));
    let nearest = others.find_map(|lane| marks(lane).min_by_key(|button| (at(button) - here).abs()));
    if let Some(nearest) = nearest {
        focus(&nearest);
    }
}

/// Single keys, which act only while the stage or the steps have the focus.
fn stage_key(page: &Rc<Page>, event: &Event) {
    if event.default_prevented() || closest(event, "#stage, #steps").is_none() {
        return;
    }
    let on_button = closest(event, "button").is_some();
    // Arrows belong to radio buttons; the scrubber steps by what happens instead of by the millisecond.
    if closest(event, "input[type=radio]").is_some() {
        return;
    }
    let Some(event) = event.dyn_ref::<KeyboardEvent>() else { return };
    if event.ctrl_key() || event.alt_key() || event.meta_key() {
        return;
    }
    if let (Some(mark), Some(step)) = (closest(event, ".pin"), lane_step(&event.key())) {
        event.prevent_default();
        to_lane(&mark, step);
        return;
    }
    let msg = match (event.key().as_str(), event.shift_key()) {
        (" ", false) if !on_button => Msg::TogglePlay,
        ("ArrowLeft", false) => Msg::StepBack,
        ("ArrowRight", false) => Msg::StepForward,
        ("ArrowLeft", true) => Msg::Nudge(-SECOND_MS),
        ("ArrowRight", true) => Msg::Nudge(SECOND_MS),
        ("Home", _) => Msg::Start,
        ("End", _) => Msg::End,
        ("e" | "E", _) => Msg::NextExpiry,
        ("?", _) => {
            event.prevent_default();
            return open_keys(page);
        }
        (key @ ("+" | "=" | "-" | "," | "." | "0"), _) => {
            event.prevent_default();
            return zoom(page, |stage| match key {
                "-" => stage.zoomed(1.0 / ZOOM, stage.playhead()),
                "," => stage.panned(-PAN),
                "." => stage.panned(PAN),
                "0" => stage.toggled(),
                _ => stage.zoomed(ZOOM, stage.playhead()),
            });
        }
        ("f" | "F", _) => Msg::FastForward(30 * SECOND_MS),
        (key, false) => match key.parse::<usize>() {
            Ok(step @ 1..=9) => Msg::Step(step - 1),
            _ => return,
        },
        _ => return,
    };
    event.prevent_default();
    page.send(msg);
}
