//! Ages and fencing numbers by rank: what counts is who was earlier, not when.

use crate::worker::MAX_WORKERS;

/// Different numbers in order, few of them; 0 is none.
pub(super) struct Ranks {
    sorted: [i64; MAX_WORKERS + 1],
    count: usize,
}

impl Ranks {
    pub(super) fn of(numbers: impl Iterator<Item = i64>) -> Self {
        let mut ranks = Self { sorted: [0; MAX_WORKERS + 1], count: 0 };
        numbers.for_each(|number| ranks.add(number));
        ranks
    }

    pub(super) fn add(&mut self, number: i64) {
        let known = &self.sorted[..self.count];
        if number == 0 || known.contains(&number) {
            return;
        }
        let mut place = self.count;
        while place > 0 && self.sorted[place - 1] > number {
            self.sorted[place] = self.sorted[place - 1];
            place -= 1;
        }
        self.sorted[place] = number;
        self.count += 1;
    }

    /// The place of a number, from 1.
    pub(super) fn rank(&self, number: i64) -> u32 {
        let smaller = self.sorted[..self.count].iter().filter(|&&known| known < number).count();
        if number == 0 { 0 } else { smaller as u32 + 1 }
    }
}

/// How fencing numbers are told: by rank as long as the counter is past them all, so that the next one drawn is greater
/// than any; as they are when somebody set it back.
pub(super) struct Numbers {
    ranks: Ranks,
    ranked: bool,
}

impl Numbers {
    pub(super) fn of(ranks: Ranks, counter: Option<i64>) -> Self {
        let first = ranks.sorted[..ranks.count].first().is_none_or(|&first| first > 0);
        let last = ranks.sorted[..ranks.count].last();
        let ranked = first && last.is_none_or(|&last| counter.is_some_and(|counter| counter >= last));
        // A counter below 0 draws numbers that ranks cannot tell from none.
        Self { ranks, ranked: ranked && counter.is_none_or(|counter| counter >= 0) }
    }

    pub(super) fn told(&self, number: i64) -> i64 {
        if !self.ranked {
            return number;
        }
        // The counter, when it is past them all, counts as the last one.
        i64::from(self.ranks.rank(number)).min(self.ranks.count as i64)
    }
}
