//! Edited sessions that the reader left for another one: undoing brings them back.

use super::State;
use super::explorer::Replay;
use super::msg::Effect;
use super::share;
use crate::player::Player;
use crate::scenarios::Scenario;

/// How many are kept.
const MAX_LEFT: usize = 8;

/// A session that stood on the stage: it, who was typing, and what it was.
#[derive(Debug)]
pub(super) struct Left {
    player: Player,
    client: String,
    scenario: Option<Scenario>,
    replay: Option<Replay>,
}

impl State {
    /// Puts another session on the stage, and gives the one that stood there.
    pub(super) fn show(&mut self, player: Player, scenario: Option<Scenario>) -> Left {
        let player = std::mem::replace(&mut self.player, player);
        let scenario = std::mem::replace(&mut self.scenario, scenario);
        let replay = self.replay.take();
        self.fresh();
        let first = self.first_client();
        let client = std::mem::replace(&mut self.client, first);
        Left { player, client, scenario, replay }
    }

    /// Keeps a session that the reader left, if it was edited.
    pub(super) fn keep(&mut self, left: Left) {
        let before = left.replay.as_ref().map(|replay| &replay.before.0);
        if left.player.is_edited() || before.is_some_and(Player::is_edited) {
            self.left.push(left);
            if self.left.len() > MAX_LEFT {
                self.left.remove(0);
            }
            self.remark("edited.left", Vec::new());
        }
    }

    /// Whether undoing brings back a session that was left.
    pub fn can_return(&self) -> bool {
        !self.left.is_empty() && !self.player.can_undo()
    }

    /// Takes back the last edit of the session; without one, that it took the place of an edited one.
    pub(super) fn undo(&mut self, effects: &mut Vec<Effect>) {
        if self.player.can_undo() {
            return self.player.undo();
        }
        let Some(left) = self.left.pop() else { return };
        self.fresh();
        (self.player, self.client, self.scenario, self.replay) = (left.player, left.client, left.scenario, left.replay);
        effects.extend(self.scenario.map(|scenario| Effect::Address(share::address(scenario))));
    }
}
