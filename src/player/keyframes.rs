//! Places of a session that are kept whole, so that going back does not begin at the start.
//!
//! They follow from what was played and decide nothing: without them every seek ends in the same place, only later.

use crate::engine::Millis;
use crate::transcript::Runner;

/// How many items lie between two keyframes at least.
const APART: usize = 32;
/// How much memory all keyframes may take, reckoned as the engine does, in bytes.
const MAX_BYTES: usize = 64 * 1024 * 1024;

/// Where the session stood before an item.
#[derive(Clone, Debug)]
pub(super) struct Keyframe {
    /// The item.
    pub(super) index: usize,
    /// The server and its clients.
    pub(super) runner: Runner,
    /// How many entries the log had.
    pub(super) log: usize,
}

/// The keyframes of a session, the first place first.
#[derive(Clone, Debug)]
pub(super) struct Keyframes {
    frames: Vec<Keyframe>,
    apart: usize,
}

impl Default for Keyframes {
    fn default() -> Self {
        Self { frames: Vec::new(), apart: APART }
    }
}

/// What is kept does not tell where a session stands.
impl PartialEq for Keyframes {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

impl Eq for Keyframes {}

impl Keyframes {
    /// Keeps a place if the last one that is kept lies far enough before it.
    pub(super) fn keep(&mut self, index: usize, runner: &Runner, log: usize) {
        let last = self.frames.last().map_or(0, |frame| frame.index);
        if index < last + self.apart {
            return;
        }
        self.frames.push(Keyframe { index, runner: runner.clone(), log });
        // What is too much thins out: every other one goes, and the next ones are kept less often.
        while self.bytes() > MAX_BYTES {
            self.apart *= 2;
            let mut stays = false;
            self.frames.retain(|_| {
                stays = !stays;
                !stays
            });
        }
    }

    fn bytes(&self) -> usize {
        self.frames.iter().map(|frame| frame.runner.engine().used_memory()).sum()
    }

    /// The last place at or before an item.
    pub(super) fn before_item(&self, index: usize) -> Option<&Keyframe> {
        self.frames.iter().rfind(|frame| frame.index <= index)
    }

    /// The last place at or before an instant of the engine's clock.
    pub(super) fn before_instant(&self, at: Millis) -> Option<&Keyframe> {
        self.frames.iter().rfind(|frame| frame.runner.engine().now() <= at)
    }

    /// Forgets the places after an item, which are not what they were.
    pub(super) fn cut(&mut self, index: usize) {
        self.frames.retain(|frame| frame.index <= index);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::Options;

    #[test]
    fn places_are_kept_apart_and_thin_out() {
        let mut frames = Keyframes::default();
        let mut runner = Runner::new(Options::default());
        for index in 0..1_000 {
            frames.keep(index, &runner, 0);
        }
        assert_eq!(frames.frames.len(), 31);
        assert_eq!(frames.before_item(100).map(|frame| frame.index), Some(96));
        assert_eq!(frames.before_item(31).map(|frame| frame.index), None);
        frames.cut(64);
        assert_eq!(frames.frames.iter().map(|frame| frame.index).collect::<Vec<_>>(), [32, 64]);
        // Ten MiB each: six fit.
        runner.command("A", &format!("SETRANGE k {} x", 10 << 20)).unwrap();
        for index in 65..2_000 {
            frames.keep(index, &runner, 0);
        }
        assert!(frames.bytes() <= MAX_BYTES && frames.frames.len() > 2, "{} bytes", frames.bytes());
        assert!(frames.frames.is_sorted_by_key(|frame| frame.index));
    }
}
