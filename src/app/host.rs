//! What a host page says to the playground in its frame, and what it is told: one JSON object a message.
//!
//! In: `{"hotkv": 1, "do": "open" | "play" | "pause" | "seek" | "step" | "reset" | "exec" | "dress", …}`. Out: `{"hotkv":
//! 1, "event": "open" | "failed" | "step" | "pause" | "ended" | "result" | "error", …}`. `www/embed.js` speaks this; so may others.

use serde::{Deserialize, Serialize};
use serde_json::Number;

use super::msg::{Effect, Msg, Theme, View};
use super::share::{LinkError, Opening};
use super::state::open_from_outside;
use super::{State, update};
use crate::engine::{Millis, parse_duration};
use crate::transcript::Diagnostic;

/// The version of the messages.
const VERSION: u32 = 1;
/// The longest message that is read, in bytes: a transcript of the longest kind, with room for its escapes.
pub const MAX_MESSAGE: usize = 512 * 1024;

/// A message as it comes. What a message of its kind does not need is not looked at.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Wire {
    hotkv: u32,
    r#do: String,
    scenario: Option<String>,
    transcript: Option<String>,
    at: Option<String>,
    by: Option<i32>,
    speed: Option<Number>,
    seed: Option<String>,
    autoplay: bool,
    id: Option<u32>,
    line: Option<String>,
    theme: Option<String>,
    view: Option<String>,
}

/// What happened, as a host page is told.
#[derive(Debug, Default, Serialize)]
struct Told<'a> {
    hotkv: u32,
    event: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    id: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    reply: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    message: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    at: Option<Millis>,
    #[serde(skip_serializing_if = "Option::is_none")]
    step: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    steps: Option<usize>,
}

fn tell(told: Told<'_>) -> Effect {
    // A struct of numbers and texts has a JSON form.
    Effect::Tell(serde_json::to_string(&Told { hotkv: VERSION, ..told }).unwrap_or_default())
}

/// What a host page is told about, as it was told last.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Heard {
    step: Option<usize>,
    playing: bool,
    ended: bool,
}

impl Heard {
    pub(super) fn of(state: &State) -> Self {
        Self { step: state.player.current_step(), playing: state.playing, ended: state.player.at_end() }
    }

    /// What a host page is told when this has become that.
    pub(super) fn told(self, state: &State) -> Vec<Effect> {
        let now = Self::of(state);
        let at = Some(state.player.now());
        let mut told = Vec::new();
        if now.step != self.step {
            let steps = Some(state.player.session().steps.len());
            told.push(tell(Told { event: "step", at, step: now.step.map(|step| step + 1), steps, ..Told::default() }));
        }
        if self.playing && !now.playing {
            told.push(tell(Told { event: "pause", at, ..Told::default() }));
            // Who plays on past the end and pauses there has heard of it.
            if now.ended && !self.ended {
                told.push(tell(Told { event: "ended", at, ..Told::default() }));
            }
        }
        told
    }
}

/// The message for a place that a host page names: a step, counted from 1, or an instant with its unit.
fn seek(at: &str) -> Result<Msg, String> {
    let at = at.trim();
    match at.parse::<usize>() {
        Ok(step) => Ok(to_step(step)),
        Err(_) => instant(at)
            .map(Msg::Seek)
            .ok_or_else(|| format!("'{at}' is no step, such as 3, and no instant, such as 12s")),
    }
}

/// The message for a step counted from 1; 0 is the start.
fn to_step(step: usize) -> Msg {
    step.checked_sub(1).map_or(Msg::Start, Msg::Step)
}

/// `12s`, `1.5s`, `500ms`, in milliseconds.
fn instant(text: &str) -> Option<Millis> {
    let Some((whole, rest)) = text.split_once('.') else { return parse_duration(text) };
    let decimals = rest.strip_suffix('s').filter(|decimals| (1..=3).contains(&decimals.len()))?;
    let thousandths = format!("{decimals:0<3}");
    parse_duration(&format!("{whole}s"))?.checked_add(parse_duration(&thousandths)?)
}

/// Handles a message of the host page. One that cannot be understood changes nothing and is answered with an error.
pub(super) fn update_by_host(state: &mut State, json: &str) -> Vec<Effect> {
    let wire = match read(json) {
        Ok(wire) => wire,
        Err(why) => return vec![tell(Told { event: "error", message: Some(&why), ..Told::default() })],
    };
    let (id, opens) = (wire.id, wire.r#do == "open");
    match handle(state, wire) {
        Ok(effects) => effects,
        Err(why) => {
            // The session that is there is not the one that was asked for.
            let event = if opens { "failed" } else { "error" };
            vec![tell(Told { event, id, message: Some(&why), ..Told::default() })]
        }
    }
}

fn read(json: &str) -> Result<Wire, String> {
    if json.len() > MAX_MESSAGE {
        return Err(format!("a message may have {MAX_MESSAGE} bytes, and this one has {}", json.len()));
    }
    let wire: Wire = serde_json::from_str(json).map_err(|error| format!("a message is a JSON object: {error}"))?;
    match wire.hotkv {
        VERSION => Ok(wire),
        other => Err(format!("messages have \"hotkv\": {VERSION}, and this one {other}")),
    }
}

fn handle(state: &mut State, wire: Wire) -> Result<Vec<Effect>, String> {
    let missing = |what: &str| format!("{} needs \"{what}\"", wire.r#do);
    Ok(match wire.r#do.as_str() {
        "play" if !state.playing => update(state, Msg::TogglePlay),
        "pause" if state.playing => update(state, Msg::TogglePlay),
        "play" | "pause" => Vec::new(),
        "reset" => update(state, Msg::Reset),
        "seek" => update(state, seek(wire.at.as_deref().ok_or_else(|| missing("at"))?)?),
        "step" => {
            let by = wire.by.unwrap_or(1);
            let current = state.player.current_step().map_or(0, |step| step as i64 + 1);
            let last = state.player.session().steps.len() as i64;
            update(state, to_step((current + i64::from(by)).clamp(0, last) as usize))
        }
        "exec" => {
            let (Some(id), Some(line)) = (wire.id, &wire.line) else { return Err(missing("id\" and \"line")) };
            let (reply, mut effects) = state.exec(line);
            effects.push(tell(Told { event: "result", id: Some(id), reply: Some(&reply), ..Told::default() }));
            effects
        }
        "dress" => dress(state, &wire)?,
        "open" => open(state, &wire)?,
        other => return Err(format!("'{other}' is none of open, play, pause, seek, step, reset, exec and dress")),
    })
}

fn dress(state: &mut State, wire: &Wire) -> Result<Vec<Effect>, String> {
    let theme = wire.theme.as_deref().map(|name| Theme::named(name).ok_or_else(|| format!("'{name}' is no theme")));
    let view = wire.view.as_deref().map(|name| View::named(name).ok_or_else(|| format!("'{name}' is no view")));
    let (theme, view, speed) = (theme.transpose()?, view.transpose()?, wire.speed.clone().map(speed).transpose()?);
    let msgs = theme.map(Msg::Theme).into_iter().chain(view.map(Msg::View)).chain(speed.map(Msg::Speed));
    Ok(msgs.flat_map(|msg| update(state, msg)).collect())
}

fn speed(speed: Number) -> Result<u32, String> {
    /// Faster than anybody follows, and far from what a clock cannot hold.
    const MAX_SPEED: u32 = 1_000_000;
    // 10.0 is a whole number too.
    let whole = speed.as_f64().filter(|speed| speed.fract() == 0.0 && (1.0..=f64::from(MAX_SPEED)).contains(speed));
    whole.map(|speed| speed as u32).ok_or_else(|| format!("{speed} is no speed: a whole number from 1 to {MAX_SPEED}"))
}

fn open(state: &mut State, wire: &Wire) -> Result<Vec<Effect>, String> {
    let at = wire.at.as_deref().map(seek).transpose()?;
    let opening = match (&wire.transcript, &wire.scenario) {
        (Some(text), _) => Opening::of_text(text),
        (None, Some(id)) => Opening::of_scenario(id),
        (None, None) => return Err("open needs \"transcript\" or \"scenario\"".to_owned()),
    };
    let seed = wire.seed.as_deref().map(|seed| seed.parse().map_err(|_| format!("'{seed}' is no seed")));
    let seed = seed.transpose()?;
    let opening = opening.map(|opening| opening.with_seed(seed.unwrap_or_default()));
    let opening = opening.map_err(|error| match error {
        LinkError::TooLong => "the transcript is too long".to_owned(),
        // Readers see it below the frame; what else can be wrong is for authors, and English.
        LinkError::Unknown => {
            state.locale.fill("host.unknown", &[("scenario", wire.scenario.as_deref().unwrap_or_default())])
        }
        LinkError::Damaged | LinkError::Newer => "the transcript has no command".to_owned(),
    })?;
    let mut effects = dress(state, wire)?;
    for Diagnostic { line, message } in opening.diagnostics() {
        let why = format!("line {line} of the transcript: {message}");
        effects.push(tell(Told { event: "error", message: Some(&why), ..Told::default() }));
    }
    // Told of as one, and not step by step.
    let hosted = std::mem::take(&mut state.hosted);
    // The page around it chose what is played, not the reader: nothing is kept for him. And it waits.
    open_from_outside(state, &opening);
    state.left.clear();
    effects.extend(update(state, Msg::Arrive(usize::MAX)));
    if let Some(at) = at {
        effects.extend(update(state, at));
    }
    if wire.autoplay && !state.playing {
        effects.extend(update(state, Msg::TogglePlay));
    }
    state.hosted = hosted;
    let Heard { step, .. } = Heard::of(state);
    let steps = Some(state.player.session().steps.len());
    let at = Some(state.player.now());
    effects.push(tell(Told { event: "open", at, step: step.map(|step| step + 1), steps, ..Told::default() }));
    Ok(effects)
}
