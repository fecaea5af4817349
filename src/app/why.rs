//! Why a reply is what it is: what the coach says of it, else what the command does.

use super::view::{shortened, worker_name};
use super::{Locale, State};
use crate::command::{self, Spec};
use crate::engine::EventKind;
use crate::player::{Played, What, since_start};
use crate::transcript::line;

/// What a command does, in the reader's language.
pub(super) fn summary<'a>(locale: &'a Locale, spec: &Spec) -> &'a str {
    let key = format!("summary.{}", spec.full_name());
    // English stands in the table.
    locale.find(&key).unwrap_or(spec.summary)
}

/// What is said to the reply of that entry of the log when somebody asks; nothing where no command was sent.
pub(super) fn why(state: &State, entry: usize) -> Option<String> {
    let What::Command(played) = &state.player().log().get(entry)?.what else { return None };
    let remark = state.coach.remarks().get(entry).cloned().flatten();
    remark.or_else(|| happened(state, played)).or_else(|| Some(explained(&state.locale, played)))
}

/// What a command did to a lock, where all went well.
fn happened(state: &State, played: &Played) -> Option<String> {
    let event = played.events.iter().rev().find(|event| event.kind.is_lock())?;
    let (client, form, to) = match event.kind {
        EventKind::Granted { client, deadline: Some(deadline), .. } => (client, "why.granted", Some(deadline)),
        EventKind::Granted { client, deadline: None, .. } => (client, "why.granted.for-ever", None),
        EventKind::Released { client, .. } => (client, "why.released", None),
        EventKind::Renewed { client, after: Some(after), .. } => (client, "why.renewed", Some(after)),
        _ => return None,
    };
    let name = worker_name(state, state.player().runner().name(client));
    let key = shortened(&String::from_utf8_lossy(&event.key));
    let to = to.map_or_else(String::new, |to| state.locale.seconds(since_start(to)));
    Some(state.locale.fill(form, &[("name", &name), ("key", &key), ("to", &to)]))
}

fn explained(locale: &Locale, played: &Played) -> String {
    let words = line::split(&played.line).unwrap_or_default();
    let Some(spec) = words.first().and_then(|name| command::find(name)) else {
        return locale.text("console.unknown").to_owned();
    };
    let named = |sub: &&Spec| words.get(1).is_some_and(|word| word.eq_ignore_ascii_case(sub.name().as_bytes()));
    let spec = spec.subcommands().iter().find(named).unwrap_or(spec);
    let form = match played.reply.as_str() {
        "QUEUED" => "why.queued",
        reply if reply.starts_with("(error)") => "why.error",
        _ => "why.command",
    };
    locale.fill(form, &[("summary", summary(locale, spec)), ("syntax", spec.syntax)])
}
