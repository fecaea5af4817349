//! Links: a session, where it stands, and what the reader made of it, in what follows the `#` of an address.
//!
//! `v=1&s=plain-del&t=20400&i=12&r=7&c=1f2e3d4c&z=…`: `v` is the version of this form, `s` the session of the gallery, `t`
//! the playhead in milliseconds since its start. `i` is how many items were played, where `t` leaves that open. Of an
//! edited session, and of one that is in no gallery, `z` is the text ([`Player::to_edited_text`]), deflated without a
//! header and written as base64url, and `c` the first 8 digits of the text's XXH3. `r` is the seed of tokens that were
//! drawn. Unknown keys are ignored. The browser deflates and inflates; here text is text.

use std::fmt::Write;

use super::{State, replaying, view};
use crate::engine::{Clock, Options, digest, format_duration};
use crate::player::{Place, Player, Session};
use crate::scenarios::{self, Scenario};
use crate::transcript::Diagnostic;

/// The version of links that is written and read.
const VERSION: u32 = 1;
/// The longest link that is read, in characters after the `#`.
pub const MAX_LINK: usize = 64 * 1024;
/// The longest text that may come out of a link, in bytes.
pub const MAX_TEXT: usize = 128 * 1024;
/// The most items that a session from outside may have.
pub const MAX_ITEMS: usize = 2_000;

/// Why a link, or another text from outside, cannot be opened.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LinkError {
    /// It was cut off or changed on its way.
    Damaged,
    /// A later version made it.
    Newer,
    /// It holds more than a session may.
    TooLong,
    /// It names a session that is not there.
    Unknown,
}

impl LinkError {
    /// Its name among the sentences of the page's banner.
    pub fn name(self) -> &'static str {
        match self {
            Self::Damaged => "link-damaged",
            Self::Newer => "link-newer",
            Self::TooLong => "link-long",
            Self::Unknown => "link-unknown",
        }
    }
}

/// A session to open: what a link says, or a host page.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Opening {
    /// The session of the gallery.
    pub(super) scenario: Option<Scenario>,
    /// The text of an edited session, or of one of its own.
    pub(super) text: Option<String>,
    /// Where it stands; with its first step done when nothing is said.
    pub(super) place: Place,
    /// The seed of its tokens.
    pub(super) seed: Option<u64>,
    /// Whether the page kept it itself, as long as the reader made it.
    own: bool,
}

impl Opening {
    /// Reads what follows the `#` of an address, with the text that came out of its `z`, if it has one. `None` where it is
    /// no link: an anchor, or nothing.
    pub fn parse(fragment: &str, text: Option<&str>) -> Result<Option<Self>, LinkError> {
        if fragment.len() > MAX_LINK || text.is_some_and(|text| text.len() > MAX_TEXT) {
            return Err(LinkError::TooLong);
        }
        Self::read(fragment, text, false)
    }

    /// Reads what the page kept itself ([`kept`], [`place`]), however long it is.
    pub fn parse_own(fragment: &str, text: Option<&str>) -> Result<Option<Self>, LinkError> {
        Self::read(fragment, text, true)
    }

    fn read(fragment: &str, text: Option<&str>, own: bool) -> Result<Option<Self>, LinkError> {
        let pairs: Vec<(&str, &str)> = fragment.split('&').filter_map(|pair| pair.split_once('=')).collect();
        let get = |key: &str| pairs.iter().find(|(name, _)| *name == key).map(|(_, value)| *value);
        if !["v", "s", "z"].iter().any(|key| get(key).is_some()) {
            return Ok(None);
        }
        let version: u32 = number(get("v"))?.ok_or(LinkError::Damaged)?;
        if version != VERSION {
            return Err(if version > VERSION { LinkError::Newer } else { LinkError::Damaged });
        }
        let scenario = get("s").map(|id| scenarios::find(id).ok_or(LinkError::Unknown)).transpose()?;
        let packed = get("z").is_some();
        if packed != text.is_some() || packed && get("c") != text.map(checksum).as_deref() {
            return Err(LinkError::Damaged);
        }
        let text = text.map(str::to_owned);
        let place = Place { at: number(get("t"))?, index: number(get("i"))? };
        let opening = Self { scenario, text, place, seed: number(get("r"))?, own };
        opening.player(0).map(|_| Some(opening))
    }

    /// A session of the gallery, or a text that is a transcript.
    pub(super) fn of_text(text: &str) -> Result<Self, LinkError> {
        if text.len() > MAX_TEXT {
            return Err(LinkError::TooLong);
        }
        let opening = Self { text: Some(text.to_owned()), ..Self::default() };
        opening.player(0).map(|_| opening)
    }

    /// A session of the gallery by its name.
    pub(super) fn of_scenario(id: &str) -> Result<Self, LinkError> {
        Ok(Self { scenario: Some(scenarios::find(id).ok_or(LinkError::Unknown)?), ..Self::default() })
    }

    /// The same with a seed; what stands in documentation is played with the same one each time.
    pub(super) fn with_seed(self, seed: u64) -> Self {
        Self { seed: Some(seed), ..self }
    }

    /// What could not be read in its text.
    pub(super) fn diagnostics(&self) -> Vec<Diagnostic> {
        self.player(0).map_or_else(|_| Vec::new(), |opened| opened.diagnostics)
    }

    /// The session at its start.
    pub(super) fn player(&self, seed: u64) -> Result<Opened, LinkError> {
        let options = Options { seed: self.seed.unwrap_or(seed), clock: Clock::Ticking, ..Options::default() };
        let story = self.scenario.map(|scenario| Session::parse(scenario.text()).0);
        let opened = match (&self.text, story) {
            (None, story) => {
                let player = Player::new(story.unwrap_or_default(), options);
                Opened { player, scenario: self.scenario, diagnostics: Vec::new() }
            }
            (Some(text), story) => {
                let (player, known, diagnostics) = Player::from_edited_text(text, story, options);
                Opened { player, scenario: self.scenario.filter(|_| known), diagnostics }
            }
        };
        match opened.player.items().len() {
            0 => Err(LinkError::Damaged),
            items if items > MAX_ITEMS && !self.own => Err(LinkError::TooLong),
            _ => Ok(opened),
        }
    }
}

/// What an [`Opening`] gives.
pub(super) struct Opened {
    /// The session, at its start.
    pub(super) player: Player,
    /// The session of the gallery that it is.
    pub(super) scenario: Option<Scenario>,
    /// What could not be read in its text.
    pub(super) diagnostics: Vec<Diagnostic>,
}

/// A number of a link; not being one is damage.
fn number<T: std::str::FromStr>(value: Option<&str>) -> Result<Option<T>, LinkError> {
    value.map(|value| value.parse().map_err(|_| LinkError::Damaged)).transpose()
}

/// What tells a text from one that was changed on its way.
fn checksum(text: &str) -> String {
    let mut digits = digest::xxh3(text.as_bytes());
    digits.truncate(8);
    digits
}

/// A link to what the page shows.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Link {
    /// What follows the `#`, but for the text.
    pub fragment: String,
    /// The text, to be deflated and put behind it as `&z=`.
    pub text: Option<String>,
    /// The element that shows the session on a page of somebody else's.
    pub element: String,
    /// Whether it holds more than would be opened again.
    pub too_long: bool,
}

/// The element for a page of documentation: a session of the gallery by its name, another one as its transcript. Blank
/// lines keep Markdown from taking the transcript for prose.
fn element(player: &Player, scenario: Option<Scenario>) -> String {
    let at = format_duration(player.now());
    if let Some(scenario) = scenario.filter(|_| !player.is_edited()) {
        return format!("<hotkv-play scenario=\"{}\" start-at=\"{at}\"></hotkv-play>\n", scenario.id);
    }
    let text = view::markup(&player.to_transcript());
    let seed = player.drawn_seed().map_or_else(String::new, |seed| format!(" seed=\"{seed}\""));
    format!("<hotkv-play start-at=\"{at}\"{seed}>\n\n<pre>\n{text}</pre>\n\n</hotkv-play>\n")
}

/// The link to a session of the gallery, at its start.
pub(super) fn address(scenario: Scenario) -> String {
    format!("v={VERSION}&s={}", scenario.id)
}

/// The session for the page to keep: a link to it, but for where it stands, and its text. Unlike a link to be shared it is made
/// without playing anything, and is as long as the session.
pub fn kept(state: &State) -> (String, Option<String>) {
    let scenario = state.scenario.filter(|_| state.replay.is_none());
    let player = state.player();
    let mut fragment = scenario.map_or_else(|| format!("v={VERSION}"), address);
    let _ = write!(fragment, "&r={}", player.seed());
    let text = (scenario.is_none() || player.is_edited()).then(|| player.to_edited_text(scenario.is_some()));
    if let Some(text) = &text {
        let _ = write!(fragment, "&c={}&z=", checksum(text));
    }
    (fragment, text)
}

/// Where the session stands, as the rest of such a link.
pub fn place(state: &State) -> String {
    let player = state.player();
    format!("&t={}&i={}", player.now(), player.position().index)
}

/// The link to the session as it stands.
pub(super) fn link(state: &State) -> Link {
    let player = state.player();
    let scenario = state.scenario.filter(|_| state.replay.is_none());
    let mut fragment = scenario.map_or_else(|| format!("v={VERSION}"), address);
    let _ = write!(fragment, "&t={}", player.now());
    // Whether whoever opens it comes to the same place by the instant alone.
    let place = Place { at: Some(player.now()), index: None };
    let mut there = player.clone();
    there.go_to_place(Place { at: None, index: Some(0) });
    while there.approach(place) {}
    there.go_to_place(place);
    if there.position() != player.position() {
        let _ = write!(fragment, "&i={}", player.position().index);
    }
    if let Some(seed) = player.drawn_seed() {
        let _ = write!(fragment, "&r={seed}");
    }
    let mut text = (scenario.is_none() || player.is_edited()).then(|| player.to_edited_text(scenario.is_some()));
    if let (Some(text), Some(replay)) = (&mut text, replaying(state)) {
        // A schedule has no words of its own for what it shows.
        text.insert_str(0, &format!("{}\n\n", replay.why));
    }
    if let Some(text) = &text {
        let _ = write!(fragment, "&c={}", checksum(text));
    }
    let too_long = player.items().len() > MAX_ITEMS || text.as_ref().is_some_and(|text| text.len() > MAX_TEXT);
    Link { fragment, text, element: element(player, scenario), too_long }
}
