//! The window on the picture: which stretch of time is seen, how it follows the playhead, and what stands on its axis.

use super::State;
use super::stage::Stage;
use crate::engine::Millis;

/// The least that the whole of a session spans, in milliseconds.
const MIN_WHOLE: Millis = 10_000;
/// The least that a part of it spans: a lock of one millisecond is a tenth of that.
const MIN_PART: Millis = 10;
/// A plot narrower than this shows half of a session, so that its labels find room.
const NARROW_PX: f64 = 430.0;
/// The most ticks on the axis.
const MAX_TICKS: Millis = 14;
/// Room for a label on the axis beside its digits, and for a digit, in pixels.
const TICK_PX: f64 = 20.0;
const DIGIT_PX: f64 = 7.0;
/// Half the width of the flag at now, and of the flag at the deadline, with room for half a tick's label.
const NOW_FLAG_PX: f64 = 36.0;
const DEADLINE_FLAG_PX: f64 = 64.0;
/// Room that the deadline's flag needs between the playhead's and the edge.
pub(super) const DEADLINE_ROOM_PX: f64 = 2.0 * DEADLINE_FLAG_PX + NOW_FLAG_PX;

/// How much of a session is seen.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Zoom {
    /// All of it where there is room, else half of it.
    #[default]
    Auto,
    /// All of it.
    Whole,
    /// A part of it.
    Part {
        /// So many milliseconds.
        span: Millis,
        /// From that instant on, until the playhead goes out of it; `None`: the part where the playhead is.
        from: Option<Millis>,
    },
}

impl Zoom {
    /// The same after the playhead went elsewhere.
    pub(super) fn at(self, now: Millis) -> Self {
        match self {
            Self::Part { span, from: Some(from) } if !(from..=from.saturating_add(span)).contains(&now) => {
                Self::Part { span, from: None }
            }
            other => other,
        }
    }
}

/// A stretch of time, in milliseconds since the start of the session.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Window {
    pub(super) from: Millis,
    pub(super) span: Millis,
    /// What the whole session spans.
    pub(super) whole: Millis,
}

impl Window {
    /// The window of a plot so many pixels wide.
    pub(super) fn of(state: &State, plot_px: f64) -> Self {
        let now = state.player().now();
        let whole = whole(state.player().end().max(now));
        let (span, from) = match state.zoom() {
            Zoom::Auto if plot_px < NARROW_PX => (whole_ticks(whole / 2), None),
            Zoom::Auto | Zoom::Whole => (whole, None),
            Zoom::Part { span, from } => (span, from),
        };
        let span = span.clamp(MIN_PART, whole);
        let from = from.unwrap_or_else(|| following(now, span));
        Self { from: from.clamp(0, whole - span), span, whole }
    }

    pub(super) fn to(&self) -> Millis {
        self.from.saturating_add(self.span)
    }

    pub(super) fn holds(&self, at: Millis) -> bool {
        (self.from..=self.to()).contains(&at)
    }

    /// The instant of it that is nearest.
    pub(super) fn nearest(&self, at: Millis) -> Millis {
        at.clamp(self.from, self.to())
    }

    /// What of a stretch lies within.
    pub(super) fn clip(&self, from: Millis, to: Millis) -> Option<(Millis, Millis)> {
        let (from, to) = (from.max(self.from), to.min(self.to()));
        (from < to).then_some((from, to))
    }
}

/// What holds a session of that length: whole ticks, with room for the last flag at the end.
fn whole(end: Millis) -> Millis {
    whole_ticks(end.saturating_add(end / 12).max(MIN_WHOLE))
}

/// So many milliseconds or a little more.
fn whole_ticks(span: Millis) -> Millis {
    let tick = tick_for(span, MAX_TICKS);
    span.checked_add(tick - 1).map_or(Millis::MAX, |span| span / tick * tick)
}

/// Where a window begins that follows the playhead. It turns like a page, so that nothing moves but time meanwhile.
fn following(now: Millis, span: Millis) -> Millis {
    let page = span / 5 * 3;
    let from = (now / page * page).saturating_sub(span / 12);
    let tick = tick_for(span, MAX_TICKS);
    from.max(0) / tick * tick
}

/// The smallest round distance that needs no more than so many ticks.
fn tick_for(span: Millis, ticks: Millis) -> Millis {
    const ROUND: [Millis; 24] = [
        1, 2, 5, 10, 20, 50, 100, 200, 500, 1_000, 2_000, 5_000, 10_000, 15_000, 30_000, 60_000, 120_000, 300_000,
        600_000, 1_800_000, 3_600_000, 7_200_000, 21_600_000, 86_400_000,
    ];
    let enough = |tick: &Millis| span / tick <= ticks;
    let last = ROUND[ROUND.len() - 1];
    // Past a day, days by powers of two: any 64-bit time needs a few dozen doublings at most.
    ROUND
        .into_iter()
        .find(enough)
        .or_else(|| std::iter::successors(Some(last), |tick| tick.checked_mul(2)).find(enough))
        .unwrap_or(Millis::MAX)
}

/// How milliseconds become pixels.
pub(super) struct Scale {
    pub(super) window: Window,
    pub(super) plot_px: f64,
    px_per_ms: f64,
}

impl Scale {
    pub(super) fn new(window: Window, plot_px: f64) -> Self {
        Self { window, plot_px, px_per_ms: plot_px.max(1.0) / window.span as f64 }
    }

    /// How long a time is.
    pub(super) fn px(&self, ms: Millis) -> f64 {
        ms as f64 * self.px_per_ms
    }

    /// Where an instant is.
    pub(super) fn x(&self, at: Millis) -> f64 {
        self.px(at.saturating_sub(self.window.from))
    }
}

/// A label on the axis.
#[derive(Clone, Debug, PartialEq)]
pub struct Tick {
    /// When, in seconds.
    pub t: f64,
    /// The label.
    pub text: String,
    /// Whether a flag covers it.
    pub quiet: bool,
}

/// The labels on the axis; those under the flags of the playhead, of a deadline, and of one that ends at an instant and is so
/// many pixels wide, are quiet.
pub(super) fn ticks(
    state: &State,
    scale: &Scale,
    deadline: Option<Millis>,
    left_of: Option<(Millis, f64)>,
) -> Vec<Tick> {
    let Scale { window, plot_px, px_per_ms } = scale;
    let (from, to) = (window.from, window.to());
    let text = |at: Millis| state.locale().short_seconds(at);
    let finest = tick_for(window.span, MAX_TICKS);
    let letters = text(to / finest * finest - finest).len().max(text(to / finest * finest).len());
    let label_px = TICK_PX + letters as f64 * DIGIT_PX;
    let step = tick_for(window.span, ((plot_px / label_px) as Millis).clamp(2, MAX_TICKS));
    let near = |at: Millis, flag: Millis, px: f64| (scale.x(at) - scale.x(flag)).abs() < px;
    // A deadline's flag keeps clear of the playhead's, on whichever side has room.
    let now = window.nearest(state.player().now());
    let ms = |px: f64| (px / px_per_ms) as Millis;
    let clear = ms(DEADLINE_FLAG_PX + NOW_FLAG_PX);
    let due = deadline.map(|deadline| {
        let due = window.nearest(deadline);
        let left = to - now < ms(DEADLINE_ROOM_PX);
        if left { due.min(now.saturating_sub(clear)) } else { due.max(now.saturating_add(clear)) }
    });
    (from.checked_add(step - 1).map_or(Millis::MAX, |first| first / step)..=to / step)
        .map(|n| n * step)
        .map(|at| Tick {
            t: super::stage::seconds(at),
            text: text(at),
            // The buttons before the axis leave no room for half a label.
            quiet: (from > 0 && scale.x(at) < TICK_PX / 2.0)
                || near(at, now, NOW_FLAG_PX)
                || due.is_some_and(|due| near(at, due, DEADLINE_FLAG_PX))
                || left_of.is_some_and(|(end, px)| near(at, end, px + DIGIT_PX) && at <= end),
        })
        .collect()
}

impl Stage {
    /// The window shortened by a factor, or lengthened by one below 1; what stands at that part of it, 0 to 1, stays.
    pub fn zoomed(&self, factor: f64, at: f64) -> Zoom {
        let span = self.span / factor;
        if span >= self.whole {
            return Zoom::Whole;
        }
        let span = span.max(MIN_PART as f64 / 1_000.0);
        part(span, self.from + (self.span - span) * at)
    }

    /// The window moved on by so many times its length; all of a session stays as it is.
    pub fn panned(&self, lengths: f64) -> Zoom {
        if self.is_whole() { Zoom::Whole } else { part(self.span, self.from + self.span * lengths) }
    }

    /// All of the session; if it is seen already, as much as there is room for.
    pub fn toggled(&self) -> Zoom {
        if self.is_whole() { Zoom::Auto } else { Zoom::Whole }
    }

    /// Whether all of the session is seen.
    pub fn is_whole(&self) -> bool {
        self.span >= self.whole
    }

    /// Whether nothing shorter can be seen.
    pub fn is_closest(&self) -> bool {
        self.span <= MIN_PART as f64 / 1_000.0
    }

    /// Where in the window the playhead is, 0 to 1; the middle while it is elsewhere.
    pub fn playhead(&self) -> f64 {
        if self.now_inside { (self.now - self.from) / self.span } else { 0.5 }
    }
}

/// A part of a session, from seconds.
fn part(span: f64, from: f64) -> Zoom {
    let ms = |seconds: f64| (seconds * 1_000.0).round() as Millis;
    Zoom::Part { span: ms(span), from: Some(ms(from).max(0)) }
}
