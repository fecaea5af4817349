//! State to document: each panel is read from the state, compared with what was drawn, and drawn where it differs.

mod explorer;
mod panels;
mod snippets;
mod stage;

use js_sys::Error;
use web_sys::Element;

use super::dom::{document, set_or_remove, show, window};
use super::refs::Refs;
use crate::app::{
    EntryLine, Stage, State, Theme, Verdicts, View, Wanted, entry_line, stage as read_stage, verdicts, view, wanted,
};

/// What the page shows.
#[derive(Default)]
pub(super) struct Drawn {
    still: Option<bool>,
    /// The picture as it was read, to be drawn.
    seen: Option<Stage>,
    stage: Option<Stage>,
    readout: Option<view::Readout>,
    transport: Option<view::Transport>,
    steps: Option<view::Steps>,
    clients: Option<(Vec<view::ClientChoice>, bool)>,
    entry_line: Option<EntryLine>,
    earlier: Option<String>,
    console: Option<Vec<view::ConsoleEntry>>,
    verdicts: Option<Verdicts>,
    program: Option<Wanted>,
    spoken: Option<(usize, String)>,
    dress: Option<(Theme, View)>,
    /// Whether words are offered that may lie below the window's edge.
    show_words: bool,
    /// The step to be seen after this drawing.
    step: Option<Element>,
    /// Whether the end of the log is to be shown with the next drawing.
    pub(super) scroll_log: bool,
}

/// The picture as it is to be drawn, in the room that there is: larger text is as good as less room.
pub(super) fn picture(refs: &Refs, state: &State) -> Stage {
    read_stage(state, f64::from(refs.leases.client_width()) / text_scale())
}

/// How large text is as against what the sizes of labels were measured with.
fn text_scale() -> f64 {
    const MEASURED_PX: f64 = 16.0;
    let read = || -> Option<f64> {
        let root = document().ok()?.document_element()?;
        let style = window().ok()?.get_computed_style(&root).ok()??;
        Some(js_sys::parse_float(&style.get_property_value("font-size").ok()?))
    };
    read().filter(|px: &f64| *px > 0.0).map_or(1.0, |px| px / MEASURED_PX)
}

/// Draws a panel when its view changed, and remembers it. The first drawing replaces the static rows.
macro_rules! draw {
    ($drawn:expr, $new:expr, $draw:expr) => {{
        let new = $new;
        if $drawn.as_ref() != Some(&new) {
            $draw($drawn.as_ref(), &new)?;
            $drawn = Some(new);
        }
    }};
}

/// What the page is drawn in, one after the other. Together they are a long task for a phone, so that a page which opens has
/// its parts drawn with pauses between them.
const PARTS: [Part; 5] = [Drawn::look, Drawn::picture, Drawn::session, Drawn::console, Drawn::around];

/// Draws what changed in a part of the page, and is told whether the scrubber is held.
type Part = fn(&mut Drawn, &Refs, &State, bool) -> Result<(), Error>;

impl Drawn {
    /// Draws what changed.
    pub(super) fn draw(&mut self, refs: &Refs, state: &State, held: bool) -> Result<(), Error> {
        PARTS.iter().try_for_each(|part| part(self, refs, state, held))
    }

    /// Draws what changed in the n-th part; whether there is one.
    pub(super) fn draw_part(&mut self, n: usize, refs: &Refs, state: &State) -> Result<bool, Error> {
        let part = PARTS.get(n);
        part.map_or(Ok(()), |part| part(self, refs, state, false))?;
        Ok(part.is_some())
    }

    fn look(&mut self, refs: &Refs, state: &State, _: bool) -> Result<(), Error> {
        self.seen = Some(picture(refs, state));
        Ok(())
    }

    fn picture(&mut self, refs: &Refs, state: &State, held: bool) -> Result<(), Error> {
        // What is played or dragged is drawn as it comes; jumps travel.
        draw!(self.still, state.playing() || held, |_, still: &bool| {
            set_or_remove(&refs.lanes, "data-still", still.then_some(""))
        });
        if let Some(seen) = self.seen.take() {
            draw!(self.stage, seen, |old, new| stage::draw(refs, old, new));
        }
        Ok(())
    }

    fn session(&mut self, refs: &Refs, state: &State, _: bool) -> Result<(), Error> {
        draw!(self.readout, view::readout(state), |old, new| panels::readout(refs, old, new));
        draw!(self.transport, view::transport(state), |_, new| panels::transport(refs, new));
        draw!(self.steps, view::steps(state), |old, new| {
            self.step = panels::steps(refs, old, new)?;
            Ok::<(), Error>(())
        });
        Ok(())
    }

    fn console(&mut self, refs: &Refs, state: &State, _: bool) -> Result<(), Error> {
        draw!(self.clients, (view::clients(state), state.new_worker().is_some()), |_, new: &(Vec<_>, bool)| {
            panels::clients(refs, &new.0, new.1)
        });
        let opens = |old: Option<&EntryLine>, new: &EntryLine| {
            old.is_some_and(|old| old.offers.is_empty()) && !new.offers.is_empty()
        };
        draw!(self.entry_line, entry_line(state), |old, new| {
            // The words take room from the log; what was said last stays in sight.
            self.scroll_log |= opens(old, new);
            self.show_words |= opens(old, new);
            panels::entry_line(refs, new)
        });
        draw!(self.earlier, view::earlier(state), |_, new: &String| {
            refs.console_earlier.set_text_content(Some(new));
            show(&refs.console_earlier, !new.is_empty())
        });
        draw!(self.console, view::console(state), |old, new| panels::console(refs, old, new));
        Ok(())
    }

    fn around(&mut self, refs: &Refs, state: &State, _: bool) -> Result<(), Error> {
        draw!(self.verdicts, verdicts(state), |old, new| explorer::draw(refs, old, new));
        // Programs come with the rest of the engine, when the panel comes into sight; see www/boot.js.
        if refs.snippets.has_attribute("data-seen") {
            draw!(self.program, wanted(state), |_, new| snippets::draw(refs, new));
        }
        draw!(self.dress, (state.theme(), state.view()), |_, new: &(Theme, View)| panels::dress(refs, new.0, new.1));
        // The reader moves the thumb himself, further perhaps than the clock goes.
        panels::thumb(refs, state.player().now());
        // What stands there when the page opens was not news.
        let first = self.spoken.is_none();
        draw!(self.spoken, (view::spoken_count(state), view::spoken(state)), |_, new: &(usize, String)| {
            // Of two that sound alike the second is told by a space that nobody hears.
            let mark = if new.0.is_multiple_of(2) { "" } else { "\u{a0}" };
            refs.live.set_text_content(Some(&if first { String::new() } else { format!("{}{mark}", new.1) }));
            Ok::<(), Error>(())
        });
        // What is measured comes last: the page is laid out once.
        if let Some(step) = self.step.take() {
            panels::scroll_into(&refs.steps, &step);
        }
        if std::mem::take(&mut self.show_words) {
            panels::into_sight(&refs.words);
        }
        if std::mem::take(&mut self.scroll_log) {
            refs.console_log.set_scroll_top(refs.console_log.scroll_height());
        }
        Ok(())
    }
}
