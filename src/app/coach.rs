//! The coach: why a reply is what it is, and a word when something hazardous has just happened.
//!
//! A rule looks at one event of a command and at what was known before it; the last rules look at the reply alone. The first
//! one that has something to say is heard; the others are silent. Texts are the locale's, under `coach.<rule>`.

use super::Locale;
use crate::engine::{Bytes, ClientId, Event, EventKind, Millis};
use crate::player::{Entry, Played, What, since_start};
use crate::transcript::{Runner, line};

/// What was known of a key before a command.
#[derive(Clone, Debug)]
struct Known {
    db: usize,
    key: Bytes,
    /// When its value was written.
    since: Millis,
    deadline: Option<Millis>,
    /// When it expired, if that is how it ended.
    expired: Option<Millis>,
}

/// A command, one of its events or none of them, and what was known.
struct Case<'a> {
    played: &'a Played,
    /// The command's words.
    words: &'a [String],
    event: Option<&'a Event>,
    /// The instant, since the start of the session.
    at: Millis,
    known: Option<&'a Known>,
    /// Whether the token that was written had been written before.
    used: bool,
    runner: &'a Runner,
    locale: &'a Locale,
}

/// Placeholders and what fills them.
type Values = Vec<(&'static str, String)>;

/// A rule: the name of its text, and the case in which it speaks.
struct Rule {
    text: &'static str,
    speaks: fn(&Case<'_>) -> Option<Values>,
}

/// From what harms others to what explains.
const RULES: &[Rule] = &[
    Rule { text: "coach.foreign-delete", speaks: foreign_delete },
    Rule { text: "coach.foreign-renewal", speaks: foreign_renewal },
    Rule { text: "coach.overwritten", speaks: overwritten },
    Rule { text: "coach.deadline-dropped", speaks: deadline_dropped },
    Rule { text: "coach.seconds", speaks: seconds },
    Rule { text: "coach.no-deadline", speaks: no_deadline },
    Rule { text: "coach.token-twice", speaks: token_twice },
    Rule { text: "coach.at-deadline", speaks: at_deadline },
    Rule { text: "coach.release-late", speaks: release_late },
    Rule { text: "coach.release-gone", speaks: release_gone },
    Rule { text: "coach.not-yours", speaks: not_yours },
    Rule { text: "coach.refused", speaks: refused },
    Rule { text: "coach.refused-for-ever", speaks: refused_for_ever },
    Rule { text: "coach.exec-nothing", speaks: exec_nothing },
    Rule { text: "coach.ttl-for-ever", speaks: ttl_for_ever },
    Rule { text: "coach.none-expired", speaks: none_expired },
    Rule { text: "coach.none", speaks: none },
];

fn foreign_delete(case: &Case<'_>) -> Option<Values> {
    let Some(&EventKind::DeletedByAnother { holder, .. }) = case.kind() else { return None };
    Some(case.command_and(holder))
}

fn foreign_renewal(case: &Case<'_>) -> Option<Values> {
    let Some(&EventKind::Renewed { client, holder, by_token: false, .. }) = case.kind() else { return None };
    (client != holder).then(|| case.command_and(holder))
}

fn overwritten(case: &Case<'_>) -> Option<Values> {
    let Some(&EventKind::Overwritten { holder, .. }) = case.kind() else { return None };
    Some(case.command_and(holder))
}

fn deadline_dropped(case: &Case<'_>) -> Option<Values> {
    matches!(case.kind(), Some(EventKind::Renewed { before: Some(_), after: None, .. }))
        .then(|| vec![("command", case.verb())])
}

/// A number of seconds that looks like milliseconds.
fn seconds(case: &Case<'_>) -> Option<Values> {
    let number = match case.verb().as_str() {
        "EXPIRE" | "SETEX" => case.words.get(2)?,
        "SET" | "GETEX" => case.words.iter().skip_while(|word| !word.eq_ignore_ascii_case("EX")).nth(1)?,
        _ => return None,
    };
    let count = number.parse::<Millis>().ok().filter(|count| *count >= 1_000 && count % 1_000 == 0)?;
    let moved = matches!(case.kind(), Some(EventKind::Granted { .. } | EventKind::Renewed { .. }));
    moved.then(|| vec![("count", count.to_string()), ("minutes", (count / 60).to_string())])
}

fn no_deadline(case: &Case<'_>) -> Option<Values> {
    matches!(case.kind(), Some(EventKind::Granted { deadline: None, .. })).then(Vec::new)
}

fn token_twice(case: &Case<'_>) -> Option<Values> {
    let Some(EventKind::Granted { token, .. }) = case.kind() else { return None };
    case.used.then(|| vec![("token", super::view::shortened(&super::view::visible_bytes(token)))])
}

fn at_deadline(case: &Case<'_>) -> Option<Values> {
    let refused = matches!(case.kind(), Some(EventKind::Refused { holder: Some(_), .. }));
    (refused && case.known?.deadline == Some(case.at)).then(Vec::new)
}

/// A release that named a token which is not the value any more.
fn release_late(case: &Case<'_>) -> Option<Values> {
    let Some(&EventKind::WrongToken { holder, .. }) = case.kind() else { return None };
    let since = case.locale.seconds(case.known?.since);
    (case.verb() == "DELEX").then(|| vec![("holder", case.runner.name(holder).to_owned()), ("since", since)])
}

/// A release of a lock that had expired.
fn release_gone(case: &Case<'_>) -> Option<Values> {
    let expired = case.known?.expired?;
    matches!(case.kind(), Some(EventKind::Missed { .. }))
        .then(|| vec![("command", case.verb()), ("expired", case.locale.seconds(expired))])
}

fn not_yours(case: &Case<'_>) -> Option<Values> {
    let Some(&EventKind::WrongToken { holder, .. }) = case.kind() else { return None };
    Some(vec![("holder", case.runner.name(holder).to_owned()), ("since", case.locale.seconds(case.known?.since))])
}

fn refused(case: &Case<'_>) -> Option<Values> {
    let Some(&EventKind::Refused { holder: Some(holder), .. }) = case.kind() else { return None };
    let left = case.locale.seconds(case.known?.deadline? - case.at);
    Some(vec![("holder", case.runner.name(holder).to_owned()), ("left", left)])
}

fn refused_for_ever(case: &Case<'_>) -> Option<Values> {
    let Some(&EventKind::Refused { holder: Some(holder), .. }) = case.kind() else { return None };
    Some(vec![("holder", case.runner.name(holder).to_owned())])
}

/// An EXEC that did nothing since a watched key had been touched.
fn exec_nothing(case: &Case<'_>) -> Option<Values> {
    case.answers("EXEC", "(nil)").then(Vec::new)
}

fn ttl_for_ever(case: &Case<'_>) -> Option<Values> {
    ["TTL", "PTTL", "EXPIRETIME", "PEXPIRETIME"].iter().any(|verb| case.answers(verb, "(integer) -1")).then(Vec::new)
}

/// A reply that says that there is no such key, and it is known why.
fn none_expired(case: &Case<'_>) -> Option<Values> {
    let expired = case.locale.seconds(case.known?.expired?);
    none(case).map(|values| values.into_iter().chain([("expired", expired)]).collect())
}

/// A reply that says that there is no such key.
fn none(case: &Case<'_>) -> Option<Values> {
    let says = |reply: &'static str| move |verb: &&str| case.answers(verb, reply);
    let gone = ["TTL", "PTTL", "EXPIRETIME", "PEXPIRETIME"].iter().any(says("(integer) -2"))
        || ["GET", "GETDEL", "GETEX", "DIGEST"].iter().any(says("(nil)"))
        || (case.words.len() == 2 && ["DEL", "UNLINK", "DELEX", "EXISTS"].iter().any(says("(integer) 0")))
        || (case.words.len() == 3 && ["EXPIRE", "PEXPIRE"].iter().any(says("(integer) 0")));
    let key = || super::view::shortened(&case.words[1]);
    gone.then(|| vec![("key", key())])
}

impl<'a> Case<'a> {
    /// What happened to the lock.
    fn kind(&self) -> Option<&'a EventKind> {
        self.event.map(|event| &event.kind)
    }

    /// Whether this is that command, and it was answered so; nothing of a lock that was told of.
    fn answers(&self, verb: &str, reply: &str) -> bool {
        self.event.is_none() && self.played.reply == reply && self.verb() == verb
    }

    /// The command's name, and who held the lock.
    fn command_and(&self, holder: ClientId) -> Values {
        vec![("command", self.verb()), ("holder", self.runner.name(holder).to_owned())]
    }

    /// The command's name in capitals.
    fn verb(&self) -> String {
        self.words.first().map_or_else(String::new, |word| word.to_ascii_uppercase())
    }
}

/// What was learnt of keys up to a command.
#[derive(Default)]
struct Memory {
    locks: Vec<Known>,
    tokens: Vec<Bytes>,
}

impl Memory {
    fn find(&self, db: usize, key: &[u8]) -> Option<&Known> {
        self.locks.iter().find(|known| known.db == db && *known.key == *key)
    }

    fn learn(&mut self, event: &Event) {
        let at = since_start(event.at);
        let key = || Known { db: event.db, key: event.key.clone(), since: at, deadline: None, expired: None };
        let index = self.locks.iter().position(|known| known.db == event.db && known.key == event.key);
        if index.is_none() {
            self.locks.push(key());
        }
        let index = index.unwrap_or(self.locks.len() - 1);
        let known = &mut self.locks[index];
        match &event.kind {
            EventKind::Granted { token, deadline, .. } | EventKind::Overwritten { token, deadline, .. } => {
                *known = Known { deadline: deadline.map(since_start), ..key() };
                if !self.tokens.contains(token) {
                    self.tokens.push(token.clone());
                }
            }
            EventKind::Renewed { after, .. } => known.deadline = after.map(since_start),
            EventKind::Expired { .. } => known.expired = Some(at),
            EventKind::Released { .. } | EventKind::DeletedByAnother { .. } => known.expired = None,
            EventKind::Refused { .. }
            | EventKind::WrongToken { .. }
            | EventKind::Missed { .. }
            | EventKind::Read { .. } => {}
        }
    }
}

/// What the coach says to each entry of a log; nothing to most.
pub(super) fn remarks(locale: &Locale, runner: &Runner, log: &[Entry]) -> Vec<Option<String>> {
    let mut memory = Memory::default();
    let remark = |entry: &Entry| match &entry.what {
        What::Command(played) => {
            let words = line::split(&played.line).unwrap_or_default();
            let words: Vec<String> = words.iter().map(|word| String::from_utf8_lossy(word).into_owned()).collect();
            let mut said = None;
            for event in played.events.iter().filter(|event| event.kind.is_lock()) {
                let used = matches!(&event.kind, EventKind::Granted { token, .. } if memory.tokens.contains(token));
                let (known, at) = (memory.find(event.db, &event.key), since_start(event.at));
                let case = Case { played, words: &words, event: Some(event), at, known, used, runner, locale };
                said = said.or_else(|| say(&case));
                memory.learn(event);
            }
            said.or_else(|| {
                // Which database it was nobody says; sessions have one.
                let known = words.get(1).and_then(|key| memory.find(0, key.as_bytes()));
                say(&Case { played, words: &words, event: None, at: entry.at, known, used: false, runner, locale })
            })
        }
        What::Expired(event) => {
            memory.learn(event);
            None
        }
        What::Monitored(_) | What::Act { .. } => None,
    };
    log.iter().map(remark).collect()
}

fn say(case: &Case<'_>) -> Option<String> {
    // What went wrong otherwise is told by its error.
    if case.played.is_error {
        return None;
    }
    RULES.iter().find_map(|rule| {
        let values = (rule.speaks)(case)?;
        let values: Vec<(&str, &str)> = values.iter().map(|(name, value)| (*name, value.as_str())).collect();
        Some(case.locale.fill(rule.text, &values))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::Options;
    use crate::player::{Player, Session};

    /// What is said to each command of a text.
    fn said(text: &str) -> Vec<String> {
        let mut player = Player::new(Session::parse(text).0, Options::default());
        player.go_to_end();
        let log = player.log();
        let remarks = remarks(&Locale::english(), player.runner(), log);
        let commands = log.iter().zip(remarks).filter(|(entry, _)| matches!(entry.what, What::Command(_)));
        commands.map(|(_, remark)| remark.unwrap_or_default()).collect()
    }

    #[test]
    fn each_rule_speaks_in_its_case_and_is_silent_else() {
        let take = "A> SET lock:x a1 NX PX 30000\n";
        for (text, words) in [
            ("", ""),
            ("A> DELEX lock:x IFEQ a1", ""),
            ("A> DEL lock:x", ""),
            ("A> PEXPIRE lock:x 30000", ""),
            ("A> SET lock:x a1 IFEQ a1 PX 30000", ""),
            ("A> PTTL lock:x", ""),
            ("A> SET lock:x a1 NX XX", ""),
            ("B> DEL lock:x", "DEL does not look at the value: the lock that it deleted was A's"),
            ("B> FLUSHALL", "FLUSHALL does not look at the value"),
            ("B> PEXPIRE lock:x 10", "PEXPIRE does not ask whose lock it is"),
            ("B> PERSIST lock:x", "PERSIST does not ask whose lock it is"),
            ("B> SET lock:x b1 PX 30000", "SET wrote over the lock that A held"),
            ("A> SET lock:x a1 IFEQ a1", "SET left the lock without a deadline"),
            ("A> PERSIST lock:x", "PERSIST left the lock without a deadline"),
            ("A> EXPIRE lock:x 30000", "30000 are seconds, some 500 minutes"),
            ("A> SET lock:y a2 NX EX 30000", "30000 are seconds, some 500 minutes"),
            ("A> EXPIRE lock:x 30", ""),
            ("A> SETNX lock:y a2", "The lock has no deadline"),
            ("A> DELEX lock:x IFEQ a1\nA> SET lock:x a1 NX PX 30000", "The token a1 was used before"),
            ("+30s\nB> SET lock:x b1 NX PX 30000", "At its deadline the lock is still held"),
            ("+1s\nB> SET lock:x b1 NX PX 30000", "Refused: A holds the lock, for 29.000 s at most"),
            ("A> PERSIST lock:x\nB> SET lock:x b1 NX", "Refused: A holds the lock, and it has no deadline"),
            ("+30001ms\nB> SET lock:x b1 NX PX 9\nA> DELEX lock:x IFEQ a1", "B holds the lock since 30.001 s"),
            ("+30001ms\nA> DELEX lock:x IFEQ a1", "DELEX found no lock: it expired at 30.001 s"),
            ("+30001ms\nA> PEXPIRE lock:x 5", "PEXPIRE found no lock: it expired at 30.001 s"),
            ("B> SET lock:x b1 IFEQ b0 PX 5", "The value is another: A wrote it at 0.000 s"),
            ("A> GET lock:x", ""),
            ("A> GET other", "There is no key other."),
            ("A> DEL other", "There is no key other."),
            ("A> EXPIRE other 5 NX", ""),
            ("A> SET k 1 PX 5\n+6ms\nA> PTTL k", "There is no key k: it expired at 0.006 s."),
            ("+30001ms\nA> PTTL lock:x", "There is no key lock:x: it expired at 30.001 s."),
            ("A> SET k 1\nA> TTL k", "-1: the key has no deadline."),
            ("A> SET k -1\nA> GET k", ""),
            ("A> WATCH k\nB> SET k 1\nA> MULTI\nA> EXEC", "A watched key was touched"),
            ("A> MULTI\nA> EXEC", ""),
        ] {
            let last = said(&format!("{take}{text}")).pop().unwrap();
            assert!(last.contains(words) && (words.is_empty() == last.is_empty()), "{text}: {last}");
        }
    }

    #[test]
    fn the_stories_are_spoken_to_where_something_happens() {
        let plain_del = said(crate::scenarios::find("plain-del").unwrap().text);
        let spoken = plain_del.iter().filter(|remark| !remark.is_empty()).count();
        assert!(plain_del[2].contains("was B's") && (3..8).contains(&spoken), "{plain_del:#?}");
    }
}
