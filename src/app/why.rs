//! Why a reply is what it is: what the coach says of it, else what the command does.

use super::{Locale, State};
use crate::command::{self, Spec};
use crate::player::{Played, What};
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
    remark.or_else(|| Some(explained(&state.locale, played)))
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
