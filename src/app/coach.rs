//! The coach: why a reply is what it is, and a word when something hazardous has just happened.
//!
//! A rule looks at one event of a command and at what was known before it; the last rules look at the reply alone. The first
//! one that has something to say is heard; the others are silent. Texts are the locale's, under `coach.<rule>`.

use rustc_hash::FxHashMap;

use super::Locale;
use crate::command::{self, Flag};
use crate::engine::{Bytes, ClientId, Event, EventKind, Millis};
use crate::player::{Entry, Played, Player, What, since_start};
use crate::transcript::{Runner, line};

/// What was known of a key before a command.
#[derive(Clone, Debug)]
struct Known {
    db: usize,
    key: Bytes,
    /// Whether it was a lock.
    lock: bool,
    /// Since when who holds it holds it.
    held: Millis,
    /// When its value was written.
    written: Millis,
    deadline: Option<Millis>,
    /// How it ended, if it did.
    end: Option<End>,
}

/// How a key ended.
#[derive(Clone, Copy, Debug)]
enum End {
    /// Its deadline passed.
    Expired(Millis),
    /// Its holder gave it up, or somebody who named its value.
    Released(ClientId, Millis),
    /// Another client deleted it.
    Deleted(ClientId, Millis),
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
    Rule { text: "coach.foreign-move", speaks: foreign_move },
    Rule { text: "coach.foreign-delete", speaks: foreign_delete },
    Rule { text: "coach.foreign-persist", speaks: foreign_persist },
    Rule { text: "coach.foreign-renewal", speaks: foreign_renewal },
    Rule { text: "coach.overwritten", speaks: overwritten },
    Rule { text: "coach.written-over", speaks: written_over },
    Rule { text: "coach.deadline-dropped", speaks: deadline_dropped },
    Rule { text: "coach.seconds-hours", speaks: seconds_hours },
    Rule { text: "coach.seconds", speaks: seconds_minutes },
    Rule { text: "coach.no-deadline", speaks: no_deadline },
    Rule { text: "coach.token-twice", speaks: token_twice },
    Rule { text: "coach.at-deadline", speaks: at_deadline },
    Rule { text: "coach.unwanted", speaks: unwanted },
    Rule { text: "coach.own-token", speaks: own_token },
    Rule { text: "coach.release-late", speaks: release_late },
    Rule { text: "coach.release-gone", speaks: release_gone },
    Rule { text: "coach.gone-released", speaks: gone_released },
    Rule { text: "coach.gone-deleted", speaks: gone_deleted },
    Rule { text: "coach.not-yours", speaks: not_yours },
    Rule { text: "coach.refused", speaks: refused },
    Rule { text: "coach.refused-for-ever", speaks: refused_for_ever },
    Rule { text: "coach.exec-nothing", speaks: exec_nothing },
    Rule { text: "coach.ttl-for-ever", speaks: ttl_for_ever },
    Rule { text: "coach.none-expired", speaks: none_expired },
    Rule { text: "coach.none", speaks: none },
    Rule { text: "coach.persist", speaks: persist },
    Rule { text: "coach.no-effect", speaks: no_effect },
    Rule { text: "coach.taken", speaks: taken },
];

/// A command that takes a lock elsewhere, rather than delete it.
fn foreign_move(case: &Case<'_>) -> Option<Values> {
    let moves = ["RENAME", "RENAMENX", "MOVE", "SWAPDB"].contains(&&*case.verb());
    foreign_delete(case).filter(|_| moves)
}

fn foreign_delete(case: &Case<'_>) -> Option<Values> {
    let Some(&EventKind::DeletedByAnother { holder, .. }) = case.kind() else { return None };
    Some(case.command_and(holder))
}

/// A deadline of another that is gone.
fn foreign_persist(case: &Case<'_>) -> Option<Values> {
    let Some(&EventKind::Renewed { after: None, .. }) = case.kind() else { return None };
    foreign_renewal(case)
}

fn foreign_renewal(case: &Case<'_>) -> Option<Values> {
    let Some(&EventKind::Renewed { client, holder, by_token: false, .. }) = case.kind() else { return None };
    (client != holder).then(|| case.command_and(holder))
}

/// A SET that NX would have kept from doing harm.
fn overwritten(case: &Case<'_>) -> Option<Values> {
    written_over(case).filter(|_| case.verb() == "SET")
}

fn written_over(case: &Case<'_>) -> Option<Values> {
    let Some(&EventKind::Overwritten { holder, .. }) = case.kind() else { return None };
    Some(case.command_and(holder))
}

fn deadline_dropped(case: &Case<'_>) -> Option<Values> {
    matches!(case.kind(), Some(EventKind::Renewed { before: Some(_), after: None, .. }))
        .then(|| vec![("command", case.verb())])
}

/// A number of seconds that looks like milliseconds, once a lock has it.
fn seconds(case: &Case<'_>) -> Option<Millis> {
    let number = match case.verb().as_str() {
        "EXPIRE" | "SETEX" => case.words.get(2)?,
        "SET" | "GETEX" => case.words.iter().skip_while(|word| !word.eq_ignore_ascii_case("EX")).nth(1)?,
        _ => return None,
    };
    let count = number.parse::<Millis>().ok().filter(|count| *count >= 1_000 && count % 1_000 == 0)?;
    matches!(case.kind(), Some(EventKind::Granted { .. } | EventKind::Renewed { .. })).then_some(count)
}

fn seconds_hours(case: &Case<'_>) -> Option<Values> {
    const HOUR: Millis = 3_600;
    let count = seconds(case).filter(|count| *count >= 2 * HOUR)?;
    Some(vec![("count", count.to_string()), ("hours", (count.saturating_add(HOUR / 2) / HOUR).to_string())])
}

fn seconds_minutes(case: &Case<'_>) -> Option<Values> {
    let count = seconds(case)?;
    Some(vec![("count", count.to_string()), ("minutes", ((count + 30) / 60).to_string())])
}

fn no_deadline(case: &Case<'_>) -> Option<Values> {
    matches!(case.kind(), Some(EventKind::Granted { deadline: None, .. })).then(Vec::new)
}

fn token_twice(case: &Case<'_>) -> Option<Values> {
    let Some(EventKind::Granted { token, .. }) = case.kind() else { return None };
    let writes = ["SET", "SETNX", "SETEX", "PSETEX", "GETSET", "MSET", "MSETNX"].contains(&&*case.verb());
    (case.used && writes).then(|| vec![("token", super::view::shortened(&super::view::visible_bytes(token)))])
}

fn at_deadline(case: &Case<'_>) -> Option<Values> {
    let refused = matches!(case.kind(), Some(EventKind::Refused { holder: Some(_), .. }));
    (refused && case.known?.deadline == Some(case.at)).then(Vec::new)
}

/// A condition that wants another value than the one that is there.
fn unwanted(case: &Case<'_>) -> Option<Values> {
    let Some(EventKind::WrongToken { .. }) = case.kind() else { return None };
    let option =
        ["IFNE", "IFDNE"].into_iter().find(|option| case.words.iter().any(|word| word.eq_ignore_ascii_case(option)));
    option.map(|option| vec![("option", option.to_owned())])
}

/// A holder that did not name its own value.
fn own_token(case: &Case<'_>) -> Option<Values> {
    let Some(&EventKind::WrongToken { client, holder }) = case.kind() else { return None };
    (client == holder).then(|| vec![("holder", case.runner.name(holder).to_owned())])
}

/// A release that named a token which is not the value any more.
fn release_late(case: &Case<'_>) -> Option<Values> {
    let Some(&EventKind::WrongToken { holder, .. }) = case.kind() else { return None };
    let since = case.locale.seconds(case.known?.held);
    (case.verb() == "DELEX").then(|| vec![("holder", case.runner.name(holder).to_owned()), ("since", since)])
}

/// A release of a lock that had expired.
fn release_gone(case: &Case<'_>) -> Option<Values> {
    let End::Expired(at) = case.missed()? else { return None };
    Some(vec![("command", case.verb()), ("expired", case.locale.seconds(at))])
}

fn gone_released(case: &Case<'_>) -> Option<Values> {
    let End::Released(by, at) = case.missed()? else { return None };
    Some(vec![("holder", case.runner.name(by).to_owned()), ("at", case.locale.seconds(at))])
}

fn gone_deleted(case: &Case<'_>) -> Option<Values> {
    let End::Deleted(by, at) = case.missed()? else { return None };
    Some(vec![("holder", case.runner.name(by).to_owned()), ("at", case.locale.seconds(at))])
}

fn not_yours(case: &Case<'_>) -> Option<Values> {
    let Some(&EventKind::WrongToken { holder, .. }) = case.kind() else { return None };
    Some(vec![("holder", case.runner.name(holder).to_owned()), ("since", case.locale.seconds(case.known?.written))])
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
    let Some(End::Expired(at)) = case.known?.end else { return None };
    none(case).map(|values| values.into_iter().chain([("expired", case.locale.seconds(at))]).collect())
}

/// A reply that says that there is no such key.
fn none(case: &Case<'_>) -> Option<Values> {
    let (words, verb) = (case.words.len(), case.verb());
    let gone = match case.played.reply.as_str() {
        "(integer) -2" => ["TTL", "PTTL", "EXPIRETIME", "PEXPIRETIME"].contains(&&*verb),
        "(nil)" => {
            ["GET", "GETDEL", "GETEX", "DIGEST"].contains(&&*verb)
                || (verb == "SET"
                    && case
                        .words
                        .iter()
                        .skip(3)
                        .any(|word| ["XX", "IFEQ", "IFDEQ"].iter().any(|option| word.eq_ignore_ascii_case(option))))
        }
        "(integer) 0" => {
            (words == 2 && ["DEL", "UNLINK", "EXISTS"].contains(&&*verb))
                || (verb == "DELEX" && case.event.is_none_or(|event| matches!(event.kind, EventKind::Missed { .. })))
                || (words == 3 && ["EXPIRE", "PEXPIRE", "EXPIREAT", "PEXPIREAT"].contains(&&*verb))
        }
        _ => false,
    };
    let key = case.words.get(1).filter(|_| gone && case.says_nothing_of_a_lock())?;
    let key = super::view::shortened(key);
    Some(vec![("key", if key.contains(' ') { format!("\"{key}\"") } else { key })])
}

fn persist(case: &Case<'_>) -> Option<Values> {
    case.answers("PERSIST", "(integer) 0").then(Vec::new)
}

/// A deadline that was to be moved on a condition.
fn no_effect(case: &Case<'_>) -> Option<Values> {
    ["EXPIRE", "PEXPIRE", "EXPIREAT", "PEXPIREAT"].iter().any(|verb| case.answers(verb, "(integer) 0")).then(Vec::new)
}

fn taken(case: &Case<'_>) -> Option<Values> {
    ["COPY", "MOVE", "RENAMENX"].iter().any(|verb| case.answers(verb, "(integer) 0")).then(Vec::new)
}

impl<'a> Case<'a> {
    /// What happened to the lock.
    fn kind(&self) -> Option<&'a EventKind> {
        self.event.map(|event| &event.kind)
    }

    /// Whether this is that command, and it was answered so.
    fn answers(&self, verb: &str, reply: &str) -> bool {
        self.played.reply == reply && self.verb() == verb && self.says_nothing_of_a_lock()
    }

    /// Whether no lock is told of that is there: the rules for those have spoken.
    fn says_nothing_of_a_lock(&self) -> bool {
        self.kind().is_none_or(|kind| {
            matches!(kind, EventKind::Missed { .. } | EventKind::Read { .. } | EventKind::Refused { holder: None, .. })
        })
    }

    /// How a lock ended that was looked for in vain.
    fn missed(&self) -> Option<End> {
        let missed = matches!(self.kind(), Some(EventKind::Missed { .. } | EventKind::Refused { holder: None, .. }));
        self.known.filter(|_| missed)?.end
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

/// What was learnt up to a command.
#[derive(Clone, Debug, Default)]
struct Memory {
    keys: Vec<Known>,
    tokens: Vec<Bytes>,
    /// Which database each client has selected, of those that have selected one.
    databases: FxHashMap<String, usize>,
}

impl Memory {
    fn find(&self, db: usize, key: &[u8]) -> Option<&Known> {
        self.keys.iter().find(|known| known.db == db && *known.key == *key)
    }

    fn database(&self, client: &str) -> usize {
        self.databases.get(client).copied().unwrap_or_default()
    }

    fn learn(&mut self, event: &Event) {
        let at = since_start(event.at);
        let (db, key) = (event.db, event.key.clone());
        let lock = event.kind.is_lock();
        let index = self.keys.iter().position(|known| known.db == db && known.key == key).unwrap_or_else(|| {
            self.keys.push(Known { db, key, lock, held: at, written: at, deadline: None, end: None });
            self.keys.len() - 1
        });
        let known = &mut self.keys[index];
        known.lock = lock;
        match &event.kind {
            EventKind::Granted { token, deadline, .. } | EventKind::Overwritten { token, deadline, .. } => {
                // Who names its own value, and writes another, goes on holding the lock.
                let goes_on =
                    matches!(event.kind, EventKind::Granted { client, previous: Some(before), .. } if client == before);
                if !goes_on {
                    known.held = at;
                }
                (known.written, known.deadline, known.end) = (at, deadline.map(since_start), None);
                if !self.tokens.contains(token) {
                    self.tokens.push(token.clone());
                }
            }
            EventKind::Renewed { after, .. } => known.deadline = after.map(since_start),
            EventKind::Expired { .. } => known.end = Some(End::Expired(at)),
            EventKind::Released { client, .. } => known.end = Some(End::Released(*client, at)),
            EventKind::DeletedByAnother { client, .. } => known.end = Some(End::Deleted(*client, at)),
            EventKind::Refused { .. }
            | EventKind::WrongToken { .. }
            | EventKind::Missed { .. }
            | EventKind::Read { .. } => {}
        }
    }

    /// Learns from a command what events do not tell: the database that it selects, and which keys that are no locks it
    /// may have written.
    fn follow(&mut self, played: &Played, words: &[String]) {
        let verb = words.first().map_or_else(String::new, |word| word.to_ascii_uppercase());
        match (&*verb, &*played.reply) {
            ("SELECT", "OK") => {
                let db = words.get(1).and_then(|word| word.parse().ok()).unwrap_or_default();
                self.databases.insert(played.client.clone(), db);
            }
            ("RESET" | "QUIT", _) => {
                self.databases.remove(&played.client);
            }
            _ => {}
        }
        if command::find(verb.as_bytes()).is_some_and(|spec| spec.flags.contains(&Flag::Write)) {
            let named = |known: &Known| words.iter().skip(1).any(|word| *word.as_bytes() == *known.key);
            self.keys.retain(|known| known.lock || !named(known));
        }
    }
}

/// What the coach says to the entries of a log, kept while the log grows.
#[derive(Clone, Debug, Default)]
pub(super) struct Coach {
    memory: Memory,
    remarks: Vec<Option<String>>,
    /// How often the log had been cut; see [`Player::cuts`].
    cuts: u64,
}

impl Coach {
    /// What is said to each entry, up to where the log was followed; nothing to most.
    pub(super) fn remarks(&self) -> &[Option<String>] {
        &self.remarks
    }

    /// Follows a player's log to its end.
    pub(super) fn follow(&mut self, locale: &Locale, player: &Player) {
        if self.cuts != player.cuts() || self.remarks.len() > player.log().len() {
            *self = Self { cuts: player.cuts(), ..Self::default() };
        }
        for entry in &player.log()[self.remarks.len()..] {
            let remark = self.memory.remark(locale, player.runner(), entry);
            self.remarks.push(remark);
        }
    }
}

impl Memory {
    /// What is said to an entry, and what is learnt from it.
    fn remark(&mut self, locale: &Locale, runner: &Runner, entry: &Entry) -> Option<String> {
        match &entry.what {
            What::Command(played) => {
                let words = line::split(&played.line).unwrap_or_default();
                let words: Vec<String> = words.iter().map(|word| String::from_utf8_lossy(word).into_owned()).collect();
                let mut said = None;
                for event in played.events.iter().filter(|event| event.kind.is_lock()) {
                    let used = matches!(&event.kind, EventKind::Granted { token, .. } if self.tokens.contains(token));
                    let (known, at) = (self.find(event.db, &event.key), since_start(event.at));
                    let case = Case { played, words: &words, event: Some(event), at, known, used, runner, locale };
                    said = said.or_else(|| say(&case));
                    self.learn(event);
                }
                let said = said.or_else(|| {
                    let db = self.database(&played.client);
                    let known = words.get(1).and_then(|key| self.find(db, key.as_bytes()));
                    say(&Case { played, words: &words, event: None, at: entry.at, known, used: false, runner, locale })
                });
                self.follow(played, &words);
                said
            }
            What::Expired(event) => {
                self.learn(event);
                None
            }
            What::Monitored(_) | What::Act { .. } => None,
        }
    }
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
    use crate::player::Session;

    /// What is said to each command of a text.
    fn said(text: &str) -> Vec<String> {
        let mut player = Player::new(Session::parse(text).0, Options::default());
        player.go_to_end();
        let log = player.log();
        let mut coach = Coach::default();
        coach.follow(&Locale::english(), &player);
        let commands = log.iter().zip(coach.remarks).filter(|(entry, _)| matches!(entry.what, What::Command(_)));
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
            ("B> PERSIST lock:x", "PERSIST does not ask whose lock it is: A's lock has no deadline now."),
            ("B> INCRBY lock:n 1\nA> INCR lock:n", "INCR does not ask who holds the lock: it wrote over B's."),
            ("B> RENAME lock:x lock:y", "RENAME does not ask whose lock it is: it took away the lock that A held."),
            ("A> DELEX lock:x IFNE a1", "The value is the one that was named, and IFNE asks for another."),
            ("B> SET lock:x b1 ifdne 0000000000000000", "SET wrote over the lock that A held"),
            ("A> DELEX lock:x IFEQ a0", "A holds the lock itself, with another value than was named."),
            ("+1s\nA> SET lock:x a2 IFEQ a1 PX 9000\nB> DELEX lock:x IFEQ b1", "A has held the lock since 0.000 s"),
            ("+1s\nA> SET lock:x a2 IFEQ a1 PX 9000\nB> SET lock:x b2 IFEQ b1 PX 5", "A wrote it at 1.000 s"),
            ("+1s\nA> DELEX lock:x IFEQ a1\nB> DELEX lock:x IFEQ a1", "There is no lock: A released it at 1.000 s."),
            ("+1s\nB> DEL lock:x\nA> SET lock:x a2 IFEQ a1 PX 5", "There is no lock: B deleted it at 1.000 s."),
            ("A> SET lock:y a2 XX", "There is no key lock:y."),
            ("A> DELEX lock:y IFEQ a1", "There is no key lock:y."),
            ("A> PERSIST other", "There is no such key, or it has no deadline."),
            ("A> EXPIRE other 5 GT", "There is no such key, or the condition does not hold."),
            ("A> COPY other lock:x", "There is a key at the target already, or none at the source."),
            ("A> GET \"a key\"", "There is no key \"a key\"."),
            ("A> SET k 1 PX 5\n+6ms\nA> SET k 2\nA> DEL k\nA> GET k", "There is no key k."),
            ("A> SET k 1 PX 5\n+6ms\nA> SELECT 1\nA> GET k", "There is no key k."),
            ("A> SELECT 1\nA> SET k 1 PX 5\n+6ms\nA> GET k", "There is no key k: it expired at 0.006 s."),
            ("B> SET lock:x b1 PX 30000", "SET wrote over the lock that A held"),
            ("A> SET lock:x a1 IFEQ a1", "SET left the lock without a deadline"),
            ("A> PERSIST lock:x", "PERSIST left the lock without a deadline"),
            ("A> EXPIRE lock:x 30000", "30000 is in seconds: about 8 hours."),
            ("A> SET lock:y a2 NX EX 1000", "1000 is in seconds: about 17 minutes."),
            ("A> EXPIRE lock:x 30", ""),
            ("A> SETNX lock:y a2", "The lock has no deadline"),
            ("A> DELEX lock:x IFEQ a1\nA> SET lock:x a1 NX PX 30000", "The token a1 was used before"),
            ("+30s\nB> SET lock:x b1 NX PX 30000", "At its deadline the lock is still held"),
            ("+1s\nB> SET lock:x b1 NX PX 30000", "Refused: A holds the lock, for another 29.000 s at most"),
            ("A> PERSIST lock:x\nB> SET lock:x b1 NX", "Refused: A holds the lock, and it has no deadline"),
            ("+30001ms\nB> SET lock:x b1 NX PX 9\nA> DELEX lock:x IFEQ a1", "B has held the lock since 30.001 s"),
            ("+30001ms\nA> DELEX lock:x IFEQ a1", "DELEX found no lock: it expired at 30.001 s"),
            ("+30001ms\nA> PEXPIRE lock:x 5", "PEXPIRE found no lock: it expired at 30.001 s"),
            ("B> SET lock:x b1 IFEQ b0 PX 5", "The value is a different one: A wrote it at 0.000 s"),
            ("A> GET lock:x", ""),
            ("A> GET other", "There is no key other."),
            ("A> DEL other", "There is no key other."),
            ("A> SET k 1 PX 5\n+6ms\nA> PTTL k", "There is no key k: it expired at 0.006 s."),
            ("+30001ms\nA> PTTL lock:x", "There is no key lock:x: it expired at 30.001 s."),
            ("A> SET k 1\nA> TTL k", "-1: the key has no deadline."),
            ("A> SET k -1\nA> GET k", ""),
            ("A> WATCH k\nB> SET k 1\nA> MULTI\nA> EXEC", "A watched key changed or expired"),
            ("A> MULTI\nA> EXEC", ""),
        ] {
            let last = said(&format!("{take}{text}")).pop().unwrap();
            assert!(last.contains(words) && (words.is_empty() == last.is_empty()), "{text}: {last}");
        }
    }

    #[test]
    fn the_stories_are_spoken_to_where_something_happens() {
        let plain_del = said(crate::scenarios::find("plain-del").unwrap().text());
        let spoken = plain_del.iter().filter(|remark| !remark.is_empty()).count();
        assert!(plain_del[2].contains("was B's") && (3..8).contains(&spoken), "{plain_del:#?}");
    }
}
