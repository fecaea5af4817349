//! The explorer's panel.

use js_sys::Error;
use wasm_bindgen::JsCast;
use web_sys::{Element, HtmlDetailsElement, HtmlInputElement, HtmlSelectElement};

use super::super::dom::{elements, rows, set, set_or_remove, show, slot, text};
use super::super::refs::Refs;
use crate::app::{Chip, VerdictRow, Verdicts};

/// Draws what changed.
pub(super) fn draw(refs: &Refs, old: Option<&Verdicts>, new: &Verdicts) -> Result<(), Error> {
    refs.explorer_count.set_text_content(Some(&new.count));
    refs.explorer_progress.set_text_content(Some(&new.progress));
    let running = !new.progress.is_empty();
    show(&refs.explorer_cancel, running)?;
    if old.map(|old| &old.summary) != Some(&new.summary) {
        refs.explorer_summary.set_text_content(Some(&new.summary));
    }
    refs.explorer_problems.set_text_content(Some(&new.problems));
    if refs.explorer_program.value() != new.program {
        refs.explorer_program.set_value(&new.program);
    }
    set_or_remove(&refs.verdicts, "data-stale", new.stale.then_some(""))?;
    for element in elements::<Element>(refs.explorer_choices.query_selector_all("[data-choice]"))? {
        choose(&element, new);
    }
    let list = elements::<Element>(refs.verdicts.query_selector_all("[data-property]"))?;
    // Of what is broken the first is told at once.
    let first = new.rows.iter().position(|row| !row.chips.is_empty());
    for (index, (row, verdict)) in list.zip(&new.rows).enumerate() {
        if old.and_then(|old| old.rows.get(index)) != Some(verdict) {
            draw_row(refs, &row, verdict, Some(index) == first)?;
        }
    }
    Ok(())
}

fn choose(element: &Element, new: &Verdicts) {
    let name = element.get_attribute("data-choice").unwrap_or_default();
    let Some((_, value)) = new.choices.iter().find(|(choice, _)| *choice == name) else { return };
    if let Some(select) = element.dyn_ref::<HtmlSelectElement>() {
        select.set_value(value);
    } else if let Some(input) = element.dyn_ref::<HtmlInputElement>() {
        input.set_checked(value == "true");
    }
}

fn draw_row(refs: &Refs, row: &Element, new: &VerdictRow, open: bool) -> Result<(), Error> {
    set(row, "data-verdict", new.verdict)?;
    text(row, "verdict", &new.words)?;
    let play = slot(row, "play")?;
    show(&play, !new.chips.is_empty())?;
    set(&play, "aria-label", &new.play)?;
    let more = slot(row, "more")?;
    show(&more, !new.chips.is_empty())?;
    if let Some(details) = more.dyn_ref::<HtmlDetailsElement>() {
        details.set_open(open);
    }
    for (chip, Chip { class, name, text: what }) in
        rows(&slot(row, "chips")?, &refs.tpl_chip, new.chips.len())?.iter().zip(&new.chips)
    {
        set(chip, "class", class)?;
        text(chip, "name", name)?;
        text(chip, "text", what)?;
    }
    text(row, "why", &new.why)
}
