//! The readout, the transport, the steps, the console and the dress of the page.

use js_sys::Error;
use wasm_bindgen::JsCast;
use web_sys::{Element, HtmlElement, HtmlInputElement, ScrollIntoViewOptions, ScrollLogicalPosition};

use super::super::dom::{document, elements, error, part, place, rows, set, set_or_remove, show, slot, text};
use super::super::refs::Refs;
use crate::app::{EntryLine, Theme, View, view};
use crate::engine::Millis;

/// The longest time left, in characters, that leaves room for the gauge everywhere: a bit over a day.
const LONG_TIME: usize = 9;

/// Fills a row's badge.
pub(super) fn badge(row: &Element, badge: &view::Badge) -> Result<(), Error> {
    set(&slot(row, "shape")?, "href", badge.shape)?;
    text(row, "letter", &badge.letter)
}

/// The lock at a glance. While the clock goes only the time left changes, and only that is touched.
pub(super) fn readout(refs: &Refs, old: Option<&view::Readout>, new: &view::Readout) -> Result<(), Error> {
    for (element, value, before) in [
        (&refs.lock_name, &new.name, old.map(|old| &old.name)),
        (&refs.lock_token, &new.token, old.map(|old| &old.token)),
        (&refs.lock_holder, &new.holder, old.map(|old| &old.holder)),
    ] {
        if before != Some(value) {
            element.set_text_content(Some(value));
            // What is too long to be shown can still be read.
            set(element, "title", value)?;
        }
    }
    if old.map(|old| &old.badge) != Some(&new.badge) {
        show(&refs.holder_badge, new.badge.is_some())?;
        if let Some(holder) = &new.badge {
            set(&refs.holder_badge, "class", &format!("badge {}", holder.class))?;
            badge(&refs.holder_badge, holder)?;
        }
        let class = new.badge.as_ref().map_or("w-0", |holder| holder.class);
        set(&refs.gauge, "class", &format!("gauge {class}"))?;
    }
    text(&refs.lock_ttl, "num", &new.left)?;
    if old.map(|old| old.timed) != Some(new.timed) {
        text(&refs.lock_ttl, "unit", if new.timed { " s" } else { "" })?;
        set_or_remove(&refs.lock_ttl, "data-words", (!new.timed).then_some(""))?;
        show(&refs.gauge, new.timed)?;
    }
    // Where there is little room, a long time takes that of the gauge.
    set_or_remove(&refs.lock_ttl, "data-long", (new.left.len() > LONG_TIME).then_some(""))?;
    place(&refs.gauge, &[("--f", new.part)])?;
    if old.map(|old| &old.of) != Some(&new.of) {
        refs.lock_of.set_text_content(Some(&new.of));
    }
    Ok(())
}

/// The transport.
pub(super) fn transport(refs: &Refs, new: &view::Transport) -> Result<(), Error> {
    text(&refs.clock_now, "min-sec", &new.min_sec)?;
    text(&refs.clock_now, "ms", &new.ms)?;
    set(&refs.scrubber, "aria-valuetext", &new.value_text)?;
    set(&slot(&refs.play, "icon")?, "href", if new.playing { "#i-pause" } else { "#i-play" })?;
    text(&refs.play, "label", &new.play_label)?;
    set(&refs.play, "aria-label", &new.play_label)?;
    text(&refs.next_expiry, "at", &new.next)?;
    text(&refs.next_expiry, "key", &new.next_key)?;
    set(&refs.next_expiry, "aria-label", &new.next_label)?;
    set(&refs.next_expiry, "title", &format!("{} (E)", new.next_label))?;
    off(&refs.next_expiry, new.next.is_empty())?;
    off(&refs.step_back, !new.can_go_back)?;
    off(&refs.step_forward, !new.can_go_on)?;
    for input in elements::<HtmlInputElement>(refs.speed.query_selector_all("input"))? {
        input.set_checked(input.value() == new.speed.to_string());
    }
    Ok(())
}

/// Puts the scrubber's thumb under the playhead.
pub(super) fn thumb(refs: &Refs, now: Millis) {
    let value = now.to_string();
    if refs.scrubber.value() != value {
        refs.scrubber.set_value(&value);
    }
}

/// Turns a button off without taking the focus from whoever stands on it.
fn off(button: &Element, off: bool) -> Result<(), Error> {
    set_or_remove(button, "aria-disabled", off.then_some("true"))
}

/// The steps; the one that has just been opened comes back.
pub(super) fn steps(refs: &Refs, old: Option<&view::Steps>, new: &view::Steps) -> Result<Option<Element>, Error> {
    if old.is_none() {
        refs.steps.replace_children_with_node_0();
        // What is told there is the engine's from here on, in every language.
        set_or_remove(&refs.steps_title, "data-text", None)?;
        set_or_remove(&refs.steps_lede, "data-body", None)?;
    }
    show(&refs.replaying, new.replaying)?;
    refs.scenario.set_value(new.scenario);
    refs.steps_title.set_text_content(Some(&new.title));
    refs.steps_count.set_text_content(Some(&new.count));
    refs.steps_lede.set_text_content(Some(&new.intro));
    show(&refs.steps_lede, !new.intro.is_empty())?;
    show(&refs.edited, !new.edited.is_empty() || new.can_undo)?;
    text(&refs.edited, "text", &new.edited)?;
    show(&refs.undo, new.can_undo)?;
    let open = new.current.unwrap_or(0);
    let mut opened = None;
    let list = rows(&refs.steps, &refs.tpl_step, new.steps.len())?;
    for (index, (row, step)) in list.iter().zip(&new.steps).enumerate() {
        let (was_open, was_current) =
            old.map_or((None, None), |old| (Some(old.current.unwrap_or(0) == index), Some(old.current == Some(index))));
        let (is_open, is_current) = (open == index, new.current == Some(index));
        let same = old.and_then(|old| old.steps.get(index)) == Some(step);
        if same && was_open == Some(is_open) && was_current == Some(is_current) {
            continue;
        }
        draw_step(refs, row, step, index, is_open, is_current)?;
        if is_open && old.is_some() {
            opened = Some(row.clone());
        }
    }
    Ok(opened)
}

/// Scrolls a list, and nothing around it, so that a row can be seen.
pub(super) fn scroll_into(list: &web_sys::HtmlElement, row: &Element) {
    let Some(row) = row.dyn_ref::<web_sys::HtmlElement>() else { return };
    let (top, bottom) =
        (row.offset_top() - list.offset_top(), row.offset_top() - list.offset_top() + row.offset_height());
    if top < list.scroll_top() {
        list.set_scroll_top(top);
    } else if bottom > list.scroll_top() + list.client_height() {
        list.set_scroll_top((bottom - list.client_height()).min(top));
    }
}

fn draw_step(
    refs: &Refs,
    row: &Element,
    step: &view::StepView,
    index: usize,
    is_open: bool,
    is_current: bool,
) -> Result<(), Error> {
    let classes = [(step.done, "done"), (is_open, "active"), (step.differs(), "differs")];
    let class: Vec<&str> = classes.into_iter().filter(|(set, _)| *set).map(|(_, class)| class).collect();
    set(row, "class", &class.join(" "))?;
    let button = slot(row, "button")?;
    let number = (index + 1).to_string();
    set(&button, "data-step", &number)?;
    set(&button, "aria-expanded", if is_open { "true" } else { "false" })?;
    set_or_remove(&button, "aria-current", is_current.then_some("step"))?;
    text(row, "num", &number)?;
    text(row, "title", &step.title)?;
    text(row, "at", &step.at)?;
    show(&slot(row, "differs")?, step.differs())?;
    text(row, "prose", &step.prose)?;
    let commands = slot(row, "commands")?;
    show(&commands, !step.commands.is_empty())?;
    for (row, command) in rows(&commands, &refs.tpl_cmd, step.commands.len())?.iter().zip(&step.commands) {
        set(&slot(row, "prompt")?, "class", &format!("p {}", command.class))?;
        text(row, "prompt", &format!("{}>", command.client))?;
        text(row, "command", &command.line)?;
        text(row, "reply", &command.reply)?;
        let note = slot(row, "note")?;
        show(&note, !command.differs.is_empty())?;
        note.set_text_content(Some(&command.differs));
    }
    Ok(())
}

/// The choice of client, and whether there may be one more. The rows are the radio buttons of the fieldset, after its
/// legend.
pub(super) fn clients(refs: &Refs, new: &[view::ClientChoice], more: bool) -> Result<(), Error> {
    show(&refs.add_worker, more)?;
    let list = slot(&refs.client, "clients")?;
    if list.query_selector("[checked]").map_err(error)?.is_some() {
        list.replace_children_with_node_0();
    }
    for (row, choice) in rows(&list, &refs.tpl_client, new.len())?.iter().zip(new) {
        let input = slot(row, "input")?;
        set(&input, "aria-label", &choice.name)?;
        if let Some(input) = input.dyn_ref::<HtmlInputElement>() {
            input.set_value(&choice.name);
            input.set_checked(choice.chosen);
        }
        let shown = slot(row, "badge")?;
        show(&shown, choice.badge.is_some())?;
        if let Some(worker) = &choice.badge {
            set(&shown, "class", &format!("badge sm {}", worker.class))?;
            badge(row, worker)?;
        }
        text(row, "text", &choice.name)?;
        show(&slot(row, "text")?, choice.badge.is_none())?;
    }
    Ok(())
}

/// The entry line, and the words that it may go on with.
pub(super) fn entry_line(refs: &Refs, new: &EntryLine) -> Result<(), Error> {
    refs.console_time.set_text_content(Some(&new.at));
    refs.console_prompt.set_text_content(Some(&new.prompt));
    set(&refs.console_prompt, "class", &format!("p {}", new.class))?;
    let input = &refs.console_input;
    set(input, "aria-label", &new.label)?;
    // Beside a line that is longer than its place the hint would stand anywhere. Without one nobody need measure.
    let fits = new.hint.is_empty() || input.scroll_width() <= input.client_width();
    text(&refs.console_hint, "so-far", &new.before)?;
    text(&refs.console_hint, "hint", if fits { &new.hint } else { "" })?;
    let open = !new.offers.is_empty();
    show(&refs.words, open)?;
    place(&refs.words, &[("--column", new.column as f64)])?;
    set(input, "aria-expanded", if open { "true" } else { "false" })?;
    set_or_remove(input, "aria-activedescendant", open.then(|| format!("word-{}", new.chosen)).as_deref())?;
    for (number, (row, word)) in
        rows(&refs.words, &refs.tpl_word, new.offers.len())?.iter().zip(&new.offers).enumerate()
    {
        row.set_id(&format!("word-{number}"));
        set(row, "data-word", &number.to_string())?;
        set(row, "aria-selected", if number == new.chosen { "true" } else { "false" })?;
        for (name, value) in [("typed", &word.typed), ("rest", &word.rest), ("note", &word.note)] {
            text(row, name, value)?;
        }
        if number == new.chosen {
            in_view(&refs.words, row);
        }
    }
    Ok(())
}

/// Scrolls the page as little as need be to show all of an element.
pub(super) fn into_sight(element: &Element) {
    let options = ScrollIntoViewOptions::new();
    options.set_block(ScrollLogicalPosition::Nearest);
    element.scroll_into_view_with_scroll_into_view_options(&options);
}

/// Scrolls a list, and nothing around it, so that a row of it is seen.
fn in_view(list: &HtmlElement, row: &Element) {
    let Some(row) = row.dyn_ref::<HtmlElement>() else { return };
    let (top, bottom) = (row.offset_top(), row.offset_top() + row.offset_height());
    if top < list.scroll_top() {
        list.set_scroll_top(top);
    } else if bottom > list.scroll_top() + list.client_height() {
        list.set_scroll_top(bottom - list.client_height());
    }
}

/// The log. Entries that stay are the same elements as before.
pub(super) fn console(
    refs: &Refs,
    old: Option<&Vec<view::ConsoleEntry>>,
    new: &[view::ConsoleEntry],
) -> Result<(), Error> {
    if old.is_none() {
        refs.console_log.replace_children_with_node_0();
    }
    for (index, (row, entry)) in rows(&refs.console_log, &refs.tpl_entry, new.len())?.iter().zip(new).enumerate() {
        if old.and_then(|old| old.get(index)) == Some(entry) {
            continue;
        }
        let classes = [(entry.current, " cur"), (entry.differs, " differs"), (entry.prompt.is_empty(), " remark")];
        let class: String = classes.into_iter().filter(|(set, _)| *set).map(|(_, class)| class).collect();
        set(row, "class", &format!("ln{class}"))?;
        text(row, "at", &entry.at)?;
        set(&slot(row, "prompt")?, "class", &format!("p {}", entry.class))?;
        text(row, "prompt", &entry.prompt)?;
        for (name, value) in [("command", &entry.command), ("reply", &entry.reply), ("note", &entry.note)] {
            let shown = part(row, name)?;
            shown.set_text_content(Some(value));
            show(&shown, !value.is_empty())?;
        }
        let ask = part(row, "why")?;
        show(&ask, entry.why.is_some())?;
        if let Some(why) = &entry.why {
            set(&ask, "data-why", &why.entry.to_string())?;
            set(&ask, "aria-label", &why.label)?;
            set(&ask, "aria-expanded", if why.answered { "true" } else { "false" })?;
        }
    }
    // The Tab key comes by the last question alone; from there the arrows lead to the others.
    for ask in elements::<Element>(refs.console_log.query_selector_all("[data-part=why][tabindex='0']"))? {
        set(&ask, "tabindex", "-1")?;
    }
    let asks = elements::<Element>(refs.console_log.query_selector_all("[data-part=why]:not([hidden])"))?;
    asks.last().map_or(Ok(()), |ask| set(&ask, "tabindex", "0"))
}

/// The theme, and the panel that a narrow page shows.
pub(super) fn dress(refs: &Refs, theme: Theme, View { panel, bare }: View) -> Result<(), Error> {
    let Some(root) = document()?.document_element() else { return Ok(()) };
    set_or_remove(&root, "data-theme", (theme != Theme::Auto).then(|| theme.name()))?;
    refs.theme.set_value(theme.name());
    set(&root, "data-panel", panel.name())?;
    set_or_remove(&root, "data-bare", bare.then_some(""))?;
    for tab in elements::<Element>(refs.panel_tabs.query_selector_all("[data-for]"))? {
        let pressed = tab.get_attribute("data-for").as_deref() == Some(panel.name());
        set(&tab, "aria-pressed", if pressed { "true" } else { "false" })?;
    }
    Ok(())
}
