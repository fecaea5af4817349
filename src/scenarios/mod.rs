//! The gallery: sessions as plain text, in the order in which they are shown. Each is also a test.

use std::fmt;

use crate::later::{Later, later};

/// One session of the gallery.
#[derive(Clone, Copy)]
pub struct Scenario {
    /// The stable id: links and locales name it.
    pub id: &'static str,
    text: Text,
}

#[derive(Clone, Copy)]
enum Text {
    AtOnce(&'static str),
    Later(&'static Later<&'static str>),
}

impl Scenario {
    /// The transcript.
    pub fn text(self) -> &'static str {
        match self.text {
            Text::AtOnce(text) => text,
            Text::Later(text) => text.get(),
        }
    }
}

impl PartialEq for Scenario {
    fn eq(&self, other: &Self) -> bool {
        self.id == other.id
    }
}

impl Eq for Scenario {}

impl fmt::Debug for Scenario {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Scenario").field(&self.id).finish()
    }
}

macro_rules! scenarios {
    ($first:literal, $($id:literal),* $(,)?) => {
        &[
            Scenario { id: $first, text: Text::AtOnce(include_str!(concat!($first, ".hotkv"))) },
            $(Scenario { id: $id, text: Text::Later(later!(include_str!(concat!($id, ".hotkv")))) }),*
        ]
    };
}

/// All sessions.
pub const SCENARIOS: &[Scenario] = scenarios![
    "scheduled-jobs",
    "fleet",
    "payments",
    "cache-stampede",
    "owner-crashes",
    "plain-del",
    "extend",
    "digest",
    "digest-sha256",
    "late-writer",
];

/// The session that opens when none is named.
pub const DEFAULT: Scenario = SCENARIOS[0];

/// Finds a session by id.
pub fn find(id: &str) -> Option<Scenario> {
    SCENARIOS.iter().copied().find(|scenario| scenario.id == id)
}
