//! What is asked of a lock, and what a search says to it.

/// The properties, in the order in which they are told.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Property {
    /// Never are two workers inside at once.
    MutualExclusion,
    /// No command deletes the lock, or writes over it, while another worker holds it.
    NoForeignRelease,
    /// No command moves the deadline of a lock that another worker holds and goes on holding.
    NoForeignRenewal,
    /// From every state some continuation leads to one without the lock's key.
    NoStuckLock,
    /// The resource never takes a write older than one that it has taken; age is the order of acquisition.
    FencedWrites,
}

impl Property {
    /// All of them.
    pub const ALL: [Self; 5] =
        [Self::MutualExclusion, Self::NoForeignRelease, Self::NoForeignRenewal, Self::NoStuckLock, Self::FencedWrites];

    /// Its name on the command line, in JSON and in the page.
    pub fn name(self) -> &'static str {
        match self {
            Self::MutualExclusion => "mutual-exclusion",
            Self::NoForeignRelease => "no-foreign-release",
            Self::NoForeignRenewal => "no-foreign-renewal",
            Self::NoStuckLock => "no-stuck-lock",
            Self::FencedWrites => "fenced-writes",
        }
    }

    /// The mark of a step that breaks it; none for what only all states together tell.
    pub fn mark(self) -> Option<u32> {
        match self {
            Self::MutualExclusion => Some(1),
            Self::NoForeignRelease => Some(1 << 1),
            Self::NoForeignRenewal => Some(1 << 2),
            Self::NoStuckLock => None,
            Self::FencedWrites => Some(1 << 3),
        }
    }
}

/// What should happen in some schedule at least, so that what holds is not said of nothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sometimes {
    /// A worker takes the lock.
    Acquired,
    /// A worker ends its work.
    Worked,
}

impl Sometimes {
    /// All of them.
    pub const ALL: [Self; 2] = [Self::Acquired, Self::Worked];

    /// Its name on the command line and in JSON.
    pub fn name(self) -> &'static str {
        match self {
            Self::Acquired => "acquired",
            Self::Worked => "worked",
        }
    }

    /// The mark of a step in which it happens.
    pub fn mark(self) -> u32 {
        match self {
            Self::Acquired => 1 << 4,
            Self::Worked => 1 << 5,
        }
    }
}

/// What a search says to a property.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// It holds in all states.
    Holds,
    /// It does not; the shortest schedule that breaks it has so many steps.
    Broken {
        /// How many.
        steps: usize,
    },
    /// It was not broken in the states searched, and not all were.
    Unfinished,
}

impl Verdict {
    /// Its name on the command line, in JSON and in the page.
    pub fn name(self) -> &'static str {
        match self {
            Self::Holds => "holds",
            Self::Broken { .. } => "broken",
            Self::Unfinished => "unfinished",
        }
    }
}
