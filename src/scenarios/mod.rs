//! The gallery: sessions as plain text, in the order in which they are shown. Each is also a test.

/// One session of the gallery.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Scenario {
    /// The stable id: links and locales name it.
    pub id: &'static str,
    /// The transcript.
    pub text: &'static str,
}

macro_rules! scenarios {
    ($($id:literal),* $(,)?) => {
        &[$(Scenario { id: $id, text: include_str!(concat!($id, ".hotkv")) }),*]
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
