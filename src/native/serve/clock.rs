//! The clock of a server: the time of day, or one that clients move.

use std::time::Duration;

use crate::command::ClockRequest;
use crate::engine::{EPOCH, Millis};

/// An instant outside.
#[derive(Clone, Copy, Debug)]
pub(super) struct Moment {
    /// The time of day, Unix milliseconds.
    pub(super) day: Millis,
    /// How long the process has run, by a clock that nobody sets.
    pub(super) running: Duration,
}

/// Tells an engine's time from an instant outside.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Ticker {
    /// The time of day.
    Real,
    /// A clock that stands, or runs from somewhere at a speed.
    Simulated {
        /// What it showed when it last began to run.
        from: Millis,
        /// When that was, and how many simulated milliseconds a real one has; `None` while it stands.
        running: Option<(Duration, u32)>,
    },
}

impl Ticker {
    /// A simulated clock that stands at its beginning.
    pub(super) const STANDING: Self = Self::Simulated { from: EPOCH, running: None };

    /// What it shows.
    pub(super) fn now(self, moment: Moment) -> Millis {
        match self {
            Self::Real => moment.day,
            Self::Simulated { from, running: None } => from,
            Self::Simulated { from, running: Some((since, speed)) } => {
                let passed = moment.running.saturating_sub(since).as_millis().saturating_mul(u128::from(speed));
                from.saturating_add(Millis::try_from(passed).unwrap_or(Millis::MAX))
            }
        }
    }

    /// Goes on from what an engine's clock shows, which a command may have moved, and does what one asked.
    pub(super) fn follow(&mut self, engine: Millis, request: Option<ClockRequest>, moment: Moment) {
        let shown = self.now(moment);
        let Self::Simulated { from, running } = self else { return };
        let speed = match request {
            None if engine <= shown => return,
            None => running.map(|(_, speed)| speed),
            Some(ClockRequest::Pause) => None,
            Some(ClockRequest::Run(speed)) => Some(speed),
        };
        *from = engine.max(shown);
        *running = speed.map(|speed| (moment.running, speed));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(ms: u64) -> Moment {
        Moment { day: 1_000 + ms as Millis, running: Duration::from_millis(ms) }
    }

    #[test]
    fn the_time_of_day_is_nobodys_to_move() {
        let mut ticker = Ticker::Real;
        ticker.follow(5_000_000, Some(ClockRequest::Pause), at(0));
        assert_eq!(ticker.now(at(7)), 1_007);
    }

    #[test]
    fn a_simulated_clock_stands_runs_and_jumps() {
        let mut ticker = Ticker::STANDING;
        assert_eq!(ticker.now(at(90_000)), EPOCH);
        // A command moved the engine's clock.
        ticker.follow(EPOCH + 500, None, at(90_000));
        assert_eq!(ticker.now(at(95_000)), EPOCH + 500);
        ticker.follow(EPOCH + 500, Some(ClockRequest::Run(10)), at(100_000));
        assert_eq!(ticker.now(at(100_100)), EPOCH + 1_500);
        // An engine that lags behind changes nothing; one that jumped ahead is gone on from, at the same speed.
        ticker.follow(EPOCH + 600, None, at(100_100));
        assert_eq!(ticker.now(at(100_100)), EPOCH + 1_500);
        ticker.follow(EPOCH + 9_000, None, at(100_100));
        assert_eq!(ticker.now(at(100_200)), EPOCH + 10_000);
        ticker.follow(EPOCH + 9_000, Some(ClockRequest::Pause), at(100_200));
        assert_eq!(ticker.now(at(200_000)), EPOCH + 10_000);
    }
}
