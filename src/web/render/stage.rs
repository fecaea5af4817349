//! The picture of time.

use js_sys::Error;
use web_sys::Element;

use super::super::dom::{place, rows, set, set_or_remove, show, slot, text};
use super::super::refs::Refs;
use super::panels::badge;
use crate::app::{Acts, Lane, Lease, LeaseEnd, Mark, Outcome, Section, SectionKind, Stage, Tick, Was};

/// Draws the picture; what did not change stays.
pub(super) fn draw(refs: &Refs, old: Option<&Stage>, new: &Stage) -> Result<(), Error> {
    if old.is_none() {
        for parent in [&refs.axis_ticks, &refs.rows_above, &refs.rows_below] {
            parent.replace_children_with_node_0();
        }
        slot(&refs.leases, "bars")?.replace_children_with_node_0();
    }
    let due = new.due.map_or(new.from + new.span, |(at, _)| at);
    let window = [("--t0", new.from), ("--span", new.span), ("--whole", new.whole)];
    place(&refs.lanes, &window)?;
    place(&refs.lanes, &[("--now", new.now), ("--due", due)])?;
    set_or_remove(&refs.lanes, "data-opening", None)?;
    set_or_remove(&refs.lanes, "data-part", (!new.is_whole()).then_some(""))?;
    set_or_remove(&refs.lanes, "data-away", (!new.now_inside).then_some(""))?;
    set(&refs.zoom_fit, "aria-pressed", if new.is_whole() { "true" } else { "false" })?;
    set_or_remove(&refs.zoom_out, "aria-disabled", new.is_whole().then_some("true"))?;
    set_or_remove(&refs.zoom_in, "aria-disabled", new.is_closest().then_some("true"))?;
    refs.axis_now.set_text_content(Some(&new.now_text));
    text(&refs.axis_deadline, "at", &new.due_text)?;
    // What is to stay within the picture has to know how wide it is.
    place(&refs.axis_deadline, &[("--letters", new.due_text.chars().count() as f64)])?;
    set_or_remove(&refs.axis_deadline, "data-side", new.due_left.then_some("left"))?;
    show(&refs.axis_deadline, new.due.is_some())?;
    show(&refs.deadline_line, new.due.is_some_and(|(_, inside)| inside))?;
    refs.scrubber.set_max(&((new.whole * 1_000.0) as i64).to_string());

    ticks(refs, &new.ticks)?;
    lanes(refs, &refs.rows_above, old.map_or(&[], |old| &old.above), &new.above)?;
    lanes(refs, &refs.rows_below, old.map_or(&[], |old| &old.below), &new.below)?;
    text(&refs.lock_row, "name", &new.lock)?;
    text(&refs.lock_row, "state", &new.lock_state)?;
    leases(refs, old, new)
}

fn ticks(refs: &Refs, ticks: &[Tick]) -> Result<(), Error> {
    for (row, tick) in rows(&refs.axis_ticks, &refs.tpl_tick, ticks.len())?.iter().zip(ticks) {
        place(row, &[("--t", tick.t)])?;
        row.set_text_content(Some(&tick.text));
        set_or_remove(row, "data-quiet", tick.quiet.then_some(""))?;
    }
    Ok(())
}

fn lanes(refs: &Refs, parent: &Element, old: &[Lane], new: &[Lane]) -> Result<(), Error> {
    for (index, (row, lane)) in rows(parent, &refs.tpl_lane, new.len())?.iter().zip(new).enumerate() {
        let old = old.get(index);
        if old == Some(lane) {
            continue;
        }
        set(row, "class", &format!("row lane-row {}", lane.badge.class))?;
        text(row, "name", &lane.name)?;
        text(row, "state", &lane.state)?;
        badge(row, &lane.badge)?;
        acts(row, lane.acts.as_ref())?;
        text(row, "left-out", &lane.left_out)?;
        let life = slot(row, "life")?;
        show(&life, true)?;
        // Without an end the line runs up to the playhead, which is the style sheet's default.
        if let Some(end) = lane.life {
            place(&life, &[("--t", 0.0), ("--d", end)])?;
        } else {
            life.remove_attribute("style").map_err(super::super::dom::error)?;
        }
        sections(refs, &slot(row, "sections")?, lane)?;
        let list = slot(row, "marks")?;
        set(&list, "aria-label", &lane.label)?;
        marks(refs, &list, old.filter(|old| old.reach == lane.reach).map_or(&[], |old| &old.marks), lane)?;
    }
    Ok(())
}

fn acts(row: &Element, acts: Option<&Acts>) -> Result<(), Error> {
    show(&slot(row, "acts")?, acts.is_some())?;
    let Some(Acts { client, paused, pause, crash }) = acts else { return Ok(()) };
    set(row, "data-client", client)?;
    set(&slot(row, "pause")?, "data-act", if *paused { "resume" } else { "pause" })?;
    for (name, (word, label)) in [("pause", pause), ("crash", crash)] {
        text(row, name, word)?;
        set(&slot(row, name)?, "aria-label", label)?;
    }
    Ok(())
}

fn sections(refs: &Refs, parent: &Element, lane: &Lane) -> Result<(), Error> {
    // Crash marks are no sections; they are put back last.
    while let Some(crash) = parent.query_selector(".crashx").map_err(super::super::dom::error)? {
        crash.remove();
    }
    for (row, section) in rows(parent, &refs.tpl_section, lane.sections.len())?.iter().zip(&lane.sections) {
        let Section { t, d, kind, label } = section;
        place(row, &[("--t", *t), ("--d", *d)])?;
        let class = match kind {
            SectionKind::Inside => "cs",
            SectionKind::Planned => "cs plan",
            SectionKind::Lost => "cs lost",
            SectionKind::Clash => "cs clash",
            SectionKind::Paused => "cs paused",
        };
        set(row, "class", class)?;
        text(row, "label", label)?;
    }
    for at in &lane.crashes {
        let row = crash_mark(parent, refs)?;
        place(&row, &[("--t", *at)])?;
    }
    Ok(())
}

/// Adds the crash mark.
fn crash_mark(parent: &Element, refs: &Refs) -> Result<Element, Error> {
    let count = parent.child_element_count() as usize + 1;
    rows(parent, &refs.tpl_crash, count)?.pop().ok_or_else(|| Error::new("the crash mark was not added"))
}

fn marks(refs: &Refs, list: &Element, old: &[Mark], lane: &Lane) -> Result<(), Error> {
    for (index, (row, mark)) in rows(list, &refs.tpl_mark, lane.marks.len())?.iter().zip(&lane.marks).enumerate() {
        if old.get(index) != Some(mark) {
            draw_mark(row, mark, lane.reach)?;
        }
    }
    Ok(())
}

fn draw_mark(row: &Element, mark: &Mark, reach: usize) -> Result<(), Error> {
    let (class, cap) = match mark.outcome {
        Outcome::Grant => ("grant", "#c-grant"),
        Outcome::Refuse => ("refuse", "#c-refuse"),
        Outcome::Read => ("read", "#c-read"),
        Outcome::Renew => ("renew", "#c-renew"),
        Outcome::Release => ("release", "#c-release"),
        Outcome::Wrong | Outcome::Missing => ("wrong", "#c-wrong"),
        Outcome::Foreign => ("foreign", "#c-release"),
        Outcome::ForeignRenew => ("foreign", "#c-renew"),
        Outcome::Overwrite => ("overwrite", "#c-grant"),
        Outcome::Other => ("other", ""),
        Outcome::Planned => ("ghost", ""),
    };
    let typed = if mark.typed { " typed" } else { "" };
    set(row, "class", &format!("mark {class}{typed}"))?;
    set(row, "data-fit", mark.fit.name())?;
    set_or_remove(row, "data-side", mark.left.then_some("left"))?;
    set_or_remove(row, "data-low", mark.low.then_some(""))?;
    place(row, &[("--t", mark.t), ("--reach", reach as f64)])?;
    set_or_remove(&slot(row, "cap")?, "href", (!cap.is_empty()).then_some(cap))?;
    let spaced = |word: &str| if word.is_empty() { String::new() } else { format!(" {word}") };
    text(row, "n", &mark.number)?;
    show(&slot(row, "n")?, !mark.number.is_empty())?;
    set(&slot(row, "n")?, "class", if mark.typed { "n you" } else { "n" })?;
    text(row, "verb", &mark.verb)?;
    text(row, "opt", &spaced(&mark.option))?;
    text(row, "opt2", &spaced(&mark.options))?;
    text(row, "rep", &mark.reply)?;
    text(row, "rep2", &spaced(&mark.word))?;
    let button = slot(row, "button")?;
    set(&button, "aria-label", &mark.label)?;
    set(&button, "data-at", &mark.at.to_string())?;
    set_or_remove(&button, "aria-current", mark.current.then_some("step"))
}

fn leases(refs: &Refs, old: Option<&Stage>, new: &Stage) -> Result<(), Error> {
    let was: Vec<_> = new.leases.iter().flat_map(|lease| &lease.was).collect();
    let layer = |name| slot(&refs.leases, name);
    let bars = rows(&layer("bars")?, &refs.tpl_lease, new.leases.len())?;
    let olds = rows(&layer("was")?, &refs.tpl_was, was.len())?;
    let free = rows(&layer("free")?, &refs.tpl_free, new.free.len())?;
    for (index, (row, lease)) in bars.iter().zip(&new.leases).enumerate() {
        if old.and_then(|old| old.leases.get(index)) != Some(lease) {
            draw_lease(row, lease)?;
        }
    }
    for (row, Was { t, d, by }) in olds.iter().zip(was) {
        place(row, &[("--t", *t), ("--d", *d)])?;
        set_or_remove(row, "data-bare", by.is_empty().then_some(""))?;
        text(row, "by", by)?;
    }
    for (row, (t, d)) in free.iter().zip(&new.free) {
        place(row, &[("--t", *t), ("--d", *d)])?;
    }
    Ok(())
}

fn draw_lease(row: &Element, lease: &Lease) -> Result<(), Error> {
    let end = match lease.end {
        LeaseEnd::Live => "live",
        LeaseEnd::Released => "released",
        LeaseEnd::Expired => "expired",
        LeaseEnd::Cut => "cut",
    };
    let flags = [(lease.soon, " soon"), (lease.begun, " begun"), (lease.off, " off")];
    let flags: String = flags.into_iter().filter(|(set, _)| *set).map(|(_, class)| class).collect();
    set(row, "class", &format!("lease {} {end}{flags}", lease.badge.class))?;
    let (slot_of, slots) = lease.slot;
    place(row, &[("--t", lease.t), ("--d", lease.d), ("--slot", slot_of as f64), ("--slots", slots as f64)])?;
    badge(row, &lease.badge)?;
    text(row, "token", &lease.token)?;
    text(row, "left", &lease.left)?;
    let chip = slot(row, "chip")?;
    show(&chip, lease.end == LeaseEnd::Live && lease.roomy)?;
    show(&slot(row, "left-word")?, lease.timed)
}
