//! The picture of time.

use js_sys::Error;
use web_sys::Element;

use super::super::dom::{place, rows, set, set_or_remove, show, slot, text};
use super::super::refs::Refs;
use super::panels::badge;
use crate::app::{Acts, Lane, LaneHead, Lease, LeaseEnd, Mark, Outcome, Section, SectionKind, Stage, Tick, Was};

/// Draws the picture; what did not change stays.
pub(super) fn draw(refs: &Refs, old: Option<&Stage>, new: &Stage) -> Result<(), Error> {
    if old.is_none() {
        for parent in [&refs.axis_ticks, &refs.rows_above, &refs.rows_below] {
            parent.replace_children_with_node_0();
        }
        slot(&refs.leases, "bars")?.replace_children_with_node_0();
    }
    let window = |stage: &Stage| (stage.from, stage.span, stage.whole);
    if old.map(window) != Some(window(new)) {
        place(&refs.lanes, &[("--t0", new.from), ("--span", new.span), ("--whole", new.whole)])?;
    }
    let rows_of = |stage: &Stage| (strips(stage), (stage.above.len() + stage.below.len()) as f64);
    if old.map(rows_of) != Some(rows_of(new)) {
        let (strips, lanes) = rows_of(new);
        place(&refs.lanes, &[("--strips", strips), ("--lanes", lanes)])?;
    }
    // Only what moves with the clock is told of it: style for all that stands below it is what a frame costs.
    let due = new.due.map_or(new.from + new.span, |(at, _)| at);
    place(&refs.over, &[("--now", new.now), ("--due", due)])?;
    place(&refs.scrub, &[("--now", new.now)])?;
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

    if old.map(|old| &old.ticks) != Some(&new.ticks) {
        ticks(refs, &new.ticks)?;
    }
    if old.map(|old| &old.clashes) != Some(&new.clashes) {
        for (row, (t, d)) in rows(&refs.clashes, &refs.tpl_clash, new.clashes.len())?.iter().zip(&new.clashes) {
            place(row, &[("--t", *t), ("--d", *d)])?;
        }
    }
    show(&refs.axis_clash, new.clash_flag.is_some())?;
    if let Some(at) = new.clash_flag.filter(|_| old.map(|old| old.clash_flag) != Some(new.clash_flag)) {
        place(&refs.axis_clash, &[("--t", at)])?;
    }
    lanes(refs, &refs.rows_above, old.map_or(&[], |old| &old.above), &new.above, new.now)?;
    lanes(refs, &refs.rows_below, old.map_or(&[], |old| &old.below), &new.below, new.now)?;
    if old.map(|old| (&old.lock, &old.lock_state)) != Some((&new.lock, &new.lock_state)) {
        lock_head(refs, new)?;
    }
    leases(refs, old, new)
}

fn lock_head(refs: &Refs, new: &Stage) -> Result<(), Error> {
    text(&refs.lock_row, "name", &new.lock)?;
    text(&refs.lock_row, "state", &new.lock_state)?;
    let joint = if new.lock_state.is_empty() { "" } else { ", " };
    set(&refs.lock_row, "aria-label", &format!("{}{joint}{}", new.lock, new.lock_state))
}

/// How many locks are held at one time at most.
fn strips(stage: &Stage) -> f64 {
    stage.leases.iter().map(|lease| lease.slot.1).max().unwrap_or(1) as f64
}

fn ticks(refs: &Refs, ticks: &[Tick]) -> Result<(), Error> {
    for (row, tick) in rows(&refs.axis_ticks, &refs.tpl_tick, ticks.len())?.iter().zip(ticks) {
        place(row, &[("--t", tick.t)])?;
        row.set_text_content(Some(&tick.text));
        set_or_remove(row, "data-quiet", tick.quiet.then_some(""))?;
    }
    Ok(())
}

fn lanes(refs: &Refs, parent: &Element, old: &[Lane], new: &[Lane], now: f64) -> Result<(), Error> {
    for (index, (row, lane)) in rows(parent, &refs.tpl_lane, new.len())?.iter().zip(new).enumerate() {
        let old = old.get(index);
        place(&slot(row, "life")?, &[("--d", lane.life.unwrap_or(now))])?;
        if old == Some(lane) {
            continue;
        }
        head(row, old.map(|old| &old.head), &lane.head)?;
        sections(refs, &slot(row, "sections")?, old.map_or(&[], |old| &old.sections), &lane.sections)?;
        for (row, at) in rows(&slot(row, "crashes")?, &refs.tpl_crash, lane.crashes.len())?.iter().zip(&lane.crashes) {
            place(row, &[("--t", *at)])?;
        }
        let old_marks = old.filter(|old| old.reach == lane.reach).map_or(&[][..], |old| &old.marks);
        marks(refs, &slot(row, "marks")?, old_marks, lane)?;
    }
    Ok(())
}

fn head(row: &Element, old: Option<&LaneHead>, new: &LaneHead) -> Result<(), Error> {
    if old.map(|old| (&old.name, &old.state)) != Some((&new.name, &new.state)) {
        set(row, "aria-label", &format!("{}, {}", new.name, new.state))?;
        text(row, "name", &new.name)?;
        text(row, "state", &new.state)?;
    }
    if old.map(|old| &old.badge) != Some(&new.badge) {
        set(row, "class", &format!("row lane-row {}", new.badge.class))?;
        badge(row, &new.badge)?;
    }
    if old.map(|old| &old.acts) != Some(&new.acts) {
        acts(row, new.acts.as_ref())?;
    }
    if old.map(|old| (&old.label, &old.left_out)) != Some((&new.label, &new.left_out)) {
        set(&slot(row, "marks")?, "aria-label", &new.label)?;
        text(row, "left-out", &new.left_out)?;
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

fn sections(refs: &Refs, parent: &Element, old: &[Section], new: &[Section]) -> Result<(), Error> {
    for (index, (row, section)) in rows(parent, &refs.tpl_section, new.len())?.iter().zip(new).enumerate() {
        let old = old.get(index);
        if old == Some(section) {
            continue;
        }
        let Section { t, d, kind, label, said } = section;
        place(row, &[("--t", *t), ("--d", *d)])?;
        let class = match kind {
            SectionKind::Inside => "cs",
            SectionKind::Planned => "cs plan",
            SectionKind::Lost => "cs lost",
            SectionKind::Clash => "cs clash",
            SectionKind::Paused => "cs paused",
        };
        set(row, "class", class)?;
        if old.map(|old| &old.label) != Some(label) {
            text(row, "label", label)?;
        }
        text(row, "said", said)?;
    }
    Ok(())
}

fn marks(refs: &Refs, list: &Element, old: &[Mark], lane: &Lane) -> Result<(), Error> {
    for (index, (row, mark)) in rows(list, &refs.tpl_mark, lane.marks.len())?.iter().zip(&lane.marks).enumerate() {
        if old.get(index) != Some(mark) {
            draw_mark(row, old.get(index), mark, lane.reach)?;
        }
    }
    Ok(())
}

/// What a flag says: the slot, what stands before the text, and the text.
fn texts(mark: &Mark) -> [(&'static str, &'static str, &str); 7] {
    [
        ("n", "", &mark.number),
        ("verb", "", &mark.verb),
        ("opt", " ", &mark.option),
        ("opt2", " ", &mark.options),
        ("more", " ", &mark.more),
        ("rep", "", &mark.reply),
        ("rep2", " ", &mark.word),
    ]
}

/// Draws what of a mark is not as it was: a command that is played stays where it stood, and only its reply comes. What is
/// not touched need not be styled and laid out anew, which is most of what a frame costs.
fn draw_mark(row: &Element, old: Option<&Mark>, mark: &Mark, reach: usize) -> Result<(), Error> {
    let before = old.map(texts);
    for (index, (name, space, value)) in texts(mark).into_iter().enumerate() {
        if before.is_none_or(|before| before[index].2 != value) {
            let space = if value.is_empty() { "" } else { space };
            text(row, name, &format!("{space}{value}"))?;
        }
    }
    if old.map(|old| (old.outcome, old.typed)) != Some((mark.outcome, mark.typed)) {
        draw_outcome(row, mark)?;
    }
    if old.map(|old| old.t) != Some(mark.t) {
        place(row, &[("--t", mark.t), ("--reach", reach as f64)])?;
        set(&slot(row, "button")?, "data-at", &mark.at.to_string())?;
    }
    if old.map(|old| &old.number) != Some(&mark.number) {
        show(&slot(row, "n")?, !mark.number.is_empty())?;
    }
    set(row, "data-fit", mark.fit.name())?;
    set_or_remove(row, "data-side", mark.left.then_some("left"))?;
    set_or_remove(row, "data-low", mark.low.then_some(""))?;
    let button = slot(row, "button")?;
    set(&button, "aria-label", &mark.label)?;
    set_or_remove(&button, "aria-current", mark.current.then_some("step"))
}

fn draw_outcome(row: &Element, mark: &Mark) -> Result<(), Error> {
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
    set(&slot(row, "n")?, "class", if mark.typed { "n you" } else { "n" })?;
    set_or_remove(&slot(row, "cap")?, "href", (!cap.is_empty()).then_some(cap))
}

fn leases(refs: &Refs, old: Option<&Stage>, new: &Stage) -> Result<(), Error> {
    let all_was = |stage: &Stage| stage.leases.iter().flat_map(|lease| lease.was.clone()).collect::<Vec<_>>();
    let (was, old_was) = (all_was(new), old.map(all_was).unwrap_or_default());
    let layer = |name| slot(&refs.leases, name);
    let bars = rows(&layer("bars")?, &refs.tpl_lease, new.leases.len())?;
    let olds = rows(&layer("was")?, &refs.tpl_was, was.len())?;
    let free = rows(&layer("free")?, &refs.tpl_free, new.free.len())?;
    for (index, (row, lease)) in bars.iter().zip(&new.leases).enumerate() {
        let old = old.and_then(|old| old.leases.get(index));
        if old != Some(lease) {
            draw_lease(row, old, lease)?;
        }
    }
    for (index, (row, was)) in olds.iter().zip(&was).enumerate() {
        if old_was.get(index) == Some(was) {
            continue;
        }
        let Was { t, d, by } = was;
        place(row, &[("--t", *t), ("--d", *d)])?;
        set_or_remove(row, "data-bare", by.is_empty().then_some(""))?;
        text(row, "by", by)?;
    }
    for (index, (row, stretch)) in free.iter().zip(&new.free).enumerate() {
        if old.and_then(|old| old.free.get(index)) != Some(stretch) {
            place(row, &[("--t", stretch.0), ("--d", stretch.1)])?;
        }
    }
    Ok(())
}

fn draw_lease(row: &Element, old: Option<&Lease>, lease: &Lease) -> Result<(), Error> {
    let end = match lease.end {
        LeaseEnd::Live => "live",
        LeaseEnd::Released => "released",
        LeaseEnd::Expired => "expired",
        LeaseEnd::Cut => "cut",
    };
    let flags = [
        (lease.slot.1 > 2, " thin"),
        (lease.soon, " soon"),
        (lease.begun, " begun"),
        (lease.off, " off"),
        (lease.bare, " bare"),
    ];
    let flags: String = flags.into_iter().filter(|(set, _)| *set).map(|(_, class)| class).collect();
    set(row, "class", &format!("lease {} {end}{flags}", lease.badge.class))?;
    let (slot_of, slots) = lease.slot;
    place(row, &[("--t", lease.t), ("--d", lease.d), ("--now", lease.spent)])?;
    place(row, &[("--slot", slot_of as f64), ("--slots", slots as f64)])?;
    if old.map(|old| &old.badge) != Some(&lease.badge) {
        badge(row, &lease.badge)?;
    }
    for (name, value, before) in [
        ("token", &lease.token, old.map(|old| &old.token)),
        ("said", &lease.said, old.map(|old| &old.said)),
        ("left", &lease.left, old.map(|old| &old.left)),
    ] {
        if before != Some(value) {
            text(row, name, value)?;
        }
    }
    let chip = slot(row, "chip")?;
    show(&chip, lease.end == LeaseEnd::Live && lease.roomy)?;
    show(&slot(row, "left-word")?, lease.timed)
}
