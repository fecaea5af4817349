//! Random commands on the real server and on `hotkv serve`, reply by reply: several clients, expiry, WATCH and MULTI.
//!
//! `REDIS_URL` names the real server, whose databases are emptied. `scripts/differential.sh` runs it.
//!
//! Time passes on both as it does outside, so it is divided into ticks: keys fall due in the middle between two of them,
//! and commands are sent right after one. A difference counts when it is there each time the commands are run; what is
//! told then is the shortest list of commands that still differs.

#![allow(clippy::disallowed_methods)] // the real server goes by the time of day, and so does this

mod serving;

use std::env;
use std::fmt::Write as _;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use hotkv_playground::command::syntax::{Choice, Node, parse};
use hotkv_playground::command::{GROUPS, Spec};
use hotkv_playground::engine::{Rng, quoted};

use serving::{Client, Raw, Server};

/// How many commands are compared when `COMMANDS` does not say.
const COMMANDS: usize = 200_000;
/// Commands of one run.
const RUN: usize = 30;
/// Runs at a time, each with two databases of its own.
const WORKERS: usize = 8;
/// The time between two ticks.
const TICK: Duration = Duration::from_millis(40);
/// How many milliseconds replies that tell a time may be apart.
const NEAR: i64 = 19;
/// How often a difference must come again before it counts.
const AGAIN: usize = 3;

/// The groups that are compared.
const COMPARED: [&str; 4] = ["string", "expiry", "generic", "transactions"];
/// Commands of other groups that are compared. DBSIZE is not: the real one counts keys that are past their deadline.
const COMPARED_TOO: [&str; 6] = ["SELECT", "SWAPDB", "FLUSHDB", "RESET", "PING", "ECHO"];
/// What is not: what goes by chance, by an order that means nothing, by how values are shared, or by when a key was used.
const LEFT_OUT: [&str; 5] = ["randomkey", "scan", "object|refcount", "object|idletime", "object|freq"];

/// One thing that is done.
#[derive(Clone, Debug)]
enum Step {
    /// A client sends a command.
    Send(usize, Vec<Vec<u8>>),
    /// Until the next tick.
    Wait,
}

/// Makes runs.
struct Maker {
    rng: Rng,
    worker: usize,
}

impl Maker {
    fn below(&mut self, bound: usize) -> usize {
        (self.rng.next_u64() % bound as u64) as usize
    }

    fn pick<T: Copy>(&mut self, of: &[T]) -> T {
        of[self.below(of.len())]
    }

    fn run(&mut self, specs: &[&'static Spec]) -> Vec<Step> {
        let mut steps = Vec::new();
        while steps.len() < RUN {
            if self.below(15) == 0 {
                steps.push(Step::Wait);
            }
            let client = self.below(3);
            let spec = match self.below(12) {
                0 => specs.iter().find(|spec| spec.name() == "MULTI").unwrap(),
                1 | 2 => specs.iter().find(|spec| spec.name() == "EXEC").unwrap(),
                3 => specs.iter().find(|spec| spec.name() == "WATCH").unwrap(),
                4 | 5 => specs.iter().find(|spec| spec.name() == "SET").unwrap(),
                6 => specs.iter().find(|spec| spec.name() == "DELEX").unwrap(),
                _ => self.pick(specs),
            };
            let mut words = self.sentence(spec);
            if self.below(12) == 0 {
                self.spoil(&mut words);
            }
            if is_apart(&words) {
                continue;
            }
            steps.push(Step::Send(client, words));
        }
        steps
    }

    /// Does to a sentence what people do: leaves a word out, says one twice or in another place, or another word; and what
    /// programs do: ends one with a NUL byte. The name stays, or is no command's at all; a NUL byte behind one is seldom
    /// overlooked by the real server, as its hashes fall, and behind that of a subcommand often.
    fn spoil(&mut self, words: &mut Vec<Vec<u8>>) {
        let at = self.below(words.len());
        match self.below(5) {
            0 if at > 0 => drop(words.remove(at)),
            1 => words.insert(at, words[at].clone()),
            2 if at > 0 => {
                let to = 1 + self.below(words.len() - 1);
                words.swap(at, to);
            }
            3 if at > 1 => {
                words[at].extend_from_slice(self.pick(&[&b"\0"[..], b"\0x", b"\0 of more than sixteen bytes"]));
            }
            _ => words[at] = self.pick(&[&b""[..], b"x", b"-1", b"NX", b"EX", b"100", b"\xff\x00"]).to_vec(),
        }
    }

    fn sentence(&mut self, spec: &Spec) -> Vec<Vec<u8>> {
        let mut words = vec![spec.syntax.split(' ').next().unwrap().as_bytes().to_vec()];
        let forms = parse(spec.syntax);
        let form = forms[self.below(forms.len())].clone();
        self.form(&form, &mut words);
        if spec.name() == "INCRBYFLOAT" {
            // The real one adds 80-bit floats, so that big numbers end in other digits: small ones, in a key of their own.
            words[1] = b"float".to_vec();
            words[2] = self.pick(&[&b"0.5"[..], b"-1.25", b"1.5e2", b"x", b"inf"]).to_vec();
        }
        words
    }

    fn form(&mut self, form: &[Node], words: &mut Vec<Vec<u8>>) {
        for node in form {
            match node {
                Node::Word(word) => words.push(word.as_bytes().to_vec()),
                Node::Argument(name) => {
                    let word = self.argument(name);
                    words.push(word);
                }
                Node::Optional(Choice { forms, repeats }) => {
                    for _ in 0..if *repeats { 3 } else { 1 } {
                        if self.below(2) == 0 {
                            let form = forms[self.below(forms.len())].clone();
                            self.form(&form, words);
                        }
                    }
                }
            }
        }
    }

    fn argument(&mut self, name: &str) -> Vec<u8> {
        let word: &[u8] = match name {
            "key" | "newkey" | "source" | "destination" | "key1" | "key2" => {
                self.pick(&[&b"k"[..], b"l", b"lock:m", b"a name that is longer than twenty-two bytes"])
            }
            "pattern" => self.pick(&[&b"*"[..], b"l*", b"?", b"[kl]", b"a*s"]),
            "milliseconds" => self.pick(&[&b"20"[..], b"60", b"100000", b"0", b"-5", b"x"]),
            "seconds" => self.pick(&[&b"100"[..], b"1000000", b"0", b"-1", b"9223372036854775807"]),
            "unix-milliseconds" => self.pick(&[&b"@20"[..], b"@60", b"@100000", b"1", b"0"]),
            "unix-seconds" => self.pick(&[&b"33177117420"[..], b"1", b"0"]),
            "digest" => self.pick(&[&b"b6acb9d84a38ff74"[..], b"0123456789abcdef", b"short"]),
            "numkeys" => self.pick(&[&b"1"[..], b"2", b"0", b"x"]),
            "increment" | "decrement" => self.pick(&[&b"1"[..], b"-7", b"0.5", b"1.5e2", b"9223372036854775807", b"x"]),
            "offset" | "start" | "end" | "min-match-len" => self.pick(&[&b"0"[..], b"1", b"-1", b"-3", b"40", b"x"]),
            "destination-db" | "db" | "index" | "index1" | "index2" => {
                let own = [2 * self.worker, 2 * self.worker + 1];
                return self.pick(&own).to_string().into_bytes();
            }
            _ => self.pick(&[&b"v"[..], b"Hello world", b"10", b"3.5", b"", b"-0", b"tok-a81f", b"\x00\xff\r\n"]),
        };
        word.to_vec()
    }
}

/// Whether the real server has no such command (DIGEST with another word, and the digests that it makes), or answers it
/// twice (SET with GET and a digest of a wrong length).
fn is_apart(words: &[Vec<u8>]) -> bool {
    let text = |word: &Vec<u8>| word.split(|byte| *byte == 0).next().unwrap_or_default().to_ascii_uppercase();
    let is = |word: &Vec<u8>, name: &str| text(word) == name.as_bytes();
    let digests = words.windows(2).filter(|pair| is(&pair[0], "IFDEQ") || is(&pair[0], "IFDNE"));
    let twice = digests.clone().any(|pair| pair[1].len() != 16) && words.iter().any(|word| is(word, "GET"));
    twice || is(&words[0], "DIGEST") && words.len() > 2
}

/// A reply that is a number.
fn number(reply: &Raw) -> Option<i64> {
    if reply.mark == b':' { std::str::from_utf8(&reply.text).ok()?.parse().ok() } else { None }
}

/// Whether two replies to a command are the same: times may be apart a little, and names come in any order.
fn same(words: &[Vec<u8>], one: &Raw, other: &Raw) -> bool {
    let name = words[0].to_ascii_uppercase();
    if let (Some(one), Some(other)) = (number(one), number(other)) {
        let apart = match name.as_slice() {
            b"PTTL" | b"PEXPIRETIME" if one > 0 && other > 0 => NEAR,
            b"TTL" | b"EXPIRETIME" if one >= 0 && other >= 0 => 1,
            _ => 0,
        };
        return (one - other).abs() <= apart;
    }
    let sorted = |raw: &Raw| {
        let mut texts: Vec<_> = raw.parts.iter().map(|part| part.text.clone()).collect();
        texts.sort();
        texts
    };
    if name == b"KEYS" && one.mark == b'*' {
        return one.mark == other.mark && sorted(one) == sorted(other);
    }
    // An error of ours is text; what is none in it stands for itself in the real one.
    let text = |raw: &Raw| String::from_utf8_lossy(&raw.text).into_owned();
    one == other || one.mark == b'-' && other.mark == b'-' && text(one) == text(other)
}

/// Two servers, and the databases of a worker on each.
struct Pair {
    /// Three clients of each.
    servers: [Vec<Client>; 2],
    worker: usize,
}

/// What a run came to: each command, and what both said to it.
type Told = Vec<(usize, Vec<Vec<u8>>, [Raw; 2])>;

impl Pair {
    fn send(&mut self, client: usize, words: &[&str]) {
        let words: Vec<_> = words.iter().map(|word| word.as_bytes().to_vec()).collect();
        for server in &mut self.servers {
            server[client].send(&words);
        }
    }

    /// Runs steps on both from nothing; what was told, up to the first difference, and whether there is one.
    fn run(&mut self, steps: &[Step]) -> (Told, bool) {
        for client in 0..3 {
            self.send(client, &["RESET"]);
            for db in [2 * self.worker + 1, 2 * self.worker] {
                self.send(client, &["SELECT", &db.to_string()]);
                self.send(client, &["FLUSHDB"]);
            }
        }
        let (start, day) = (Instant::now(), SystemTime::now().duration_since(UNIX_EPOCH).unwrap().as_millis());
        let (mut told, mut queues) = (Vec::new(), [const { Vec::<Vec<Vec<u8>>>::new() }; 3]);
        let mut ticks = 0;
        for step in steps {
            let Step::Send(client, words) = step else {
                ticks += 1;
                thread::sleep((TICK * ticks).saturating_sub(start.elapsed()));
                continue;
            };
            let instant = |word: &Vec<u8>| match word.strip_prefix(b"@") {
                Some(ms) => {
                    let (ms, rest) = ms.split_at(ms.iter().take_while(|byte| byte.is_ascii_digit()).count());
                    let ms: u128 = std::str::from_utf8(ms).unwrap().parse().unwrap();
                    [(day + (TICK * ticks).as_millis() + ms).to_string().as_bytes(), rest].concat()
                }
                None => word.clone(),
            };
            let words: Vec<_> = words.iter().map(instant).collect();
            let replies = self.servers.each_mut().map(|server| server[*client].send(&words));
            let [one, other] = &replies;
            let queue = &mut queues[*client];
            let alike = if words[0].eq_ignore_ascii_case(b"EXEC") && one.mark == b'*' && one.parts.len() == queue.len()
            {
                one.mark == other.mark
                    && one.parts.len() == other.parts.len()
                    && queue.iter().zip(one.parts.iter().zip(&other.parts)).all(|(words, (a, b))| same(words, a, b))
            } else {
                same(&words, one, other)
            };
            if one.text == b"QUEUED" {
                queue.push(words.clone());
            } else if ["EXEC", "DISCARD", "RESET"].iter().any(|name| words[0].eq_ignore_ascii_case(name.as_bytes())) {
                queue.clear();
            }
            told.push((*client, words, replies));
            if !alike {
                return (told, true);
            }
        }
        (told, false)
    }

    /// Whether steps differ each time.
    fn differs(&mut self, steps: &[Step]) -> bool {
        (0..AGAIN).all(|_| self.run(steps).1)
    }

    /// The fewest of the steps that still differ, as a transcript.
    fn shrink(&mut self, mut steps: Vec<Step>) -> String {
        let mut at = steps.len();
        while at > 0 {
            at -= 1;
            let step = steps.remove(at);
            if !self.differs(&steps) {
                steps.insert(at, step);
            }
        }
        let (told, _) = self.run(&steps);
        let mut text = String::new();
        for (client, words, [ours, real]) in told {
            let words: Vec<_> = words.iter().map(|word| quoted(word)).collect();
            let name = ["A", "B", "C"][client];
            let _ = writeln!(text, "{name}> {}\n  ours {}\n  real {}", words.join(" "), ours.show(), real.show());
        }
        let waits = steps.iter().filter(|step| matches!(step, Step::Wait)).count();
        let _ = writeln!(text, "({waits} waits of {} ms in it)", TICK.as_millis());
        text
    }
}

#[test]
#[ignore = "needs a real server, which REDIS_URL names: scripts/differential.sh"]
fn both_servers_say_the_same() {
    let url = env::var("REDIS_URL").expect("REDIS_URL names the real server");
    let real = url.strip_prefix("redis://").unwrap_or(&url).trim_end_matches('/');
    let number = |name: &str| env::var(name).ok().map(|text| text.parse::<u64>().expect("a number"));
    let wanted = number("COMMANDS").map_or(COMMANDS, |number| number as usize);
    let seed = number("SEED").unwrap_or_else(|| getrandom::u64().unwrap());
    let ours = Server::start(&[]);
    let specs: Vec<&'static Spec> = GROUPS
        .iter()
        .flat_map(|group| group.specs().map(move |spec| (group.name, spec)))
        .filter(|(group, spec)| COMPARED.contains(group) || COMPARED_TOO.contains(&spec.name()))
        .flat_map(|(_, spec)| std::iter::once(spec).chain(spec.subcommands()))
        .filter(|spec| spec.subcommands().is_empty() && !LEFT_OUT.contains(&spec.full_name().as_str()))
        .collect();
    let (done, specs, address) = (AtomicUsize::new(0), &specs, &ours.address);
    let found: Vec<String> = thread::scope(|scope| {
        let workers = (0..WORKERS).map(|worker| {
            let done = &done;
            scope.spawn(move || {
                let clients = |address: &str| (0..3).map(|_| Client::connect(address)).collect();
                let mut pair = Pair { servers: [clients(address), clients(real)], worker };
                let mut maker = Maker { rng: Rng::new(seed.wrapping_add(worker as u64)), worker };
                while done.load(Ordering::Relaxed) < wanted {
                    let steps = maker.run(specs);
                    let (told, differs) = pair.run(&steps);
                    done.fetch_add(told.len(), Ordering::Relaxed);
                    if differs && pair.differs(&steps) {
                        done.store(wanted, Ordering::Relaxed);
                        return Some(pair.shrink(steps));
                    }
                }
                None
            })
        });
        let workers: Vec<_> = workers.collect();
        workers.into_iter().filter_map(|worker| worker.join().expect("a worker that ends")).collect()
    });
    let done = done.into_inner();
    assert!(found.is_empty(), "differences, with SEED={seed}:\n{}", found.join("\n"));
    println!("{done} commands, no difference (SEED={seed})");
}
