//! Use it: a program in one client library that takes, keeps and gives back the lock of a session.
//!
//! **Invariant.** Plain data in, plain data out: [`snippet`] knows no page, no session and no other module, so that it can
//! stand in a file of its own that is fetched when somebody wants it. Programs are the files beside this one. Where servers
//! differ, lines stand between `only: SERVER…` and `end`, which are comments of the file's language.

mod literal;
mod notes;
mod parts;

use serde::{Deserialize, Serialize};

use crate::later::{Later, later};

pub use literal::Form;
pub use notes::Language;
pub use parts::{Part, parts};

/// What stands in the programs where the lock's name goes, and where that of its counter does.
const NAME: &str = "lock:name";
const FENCE: &str = "lock:name:fence";
/// What stands there where its time to live goes, in milliseconds.
const TTL: &str = "30000";
/// The time to live of the program for a lock that has none.
const USUAL: u64 = 30_000;
/// The times to live that programs can have: shorter ones are over before a reply comes, and of longer ones a third is
/// more than timers can wait for.
const SHORTEST: u64 = 100;
const LONGEST: u64 = 30 * 24 * 60 * 60 * 1_000;
/// The longest name that is written out, in bytes.
const LONGEST_NAME: usize = 512;

/// What is known of the lock.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Facts {
    /// Its key, which need not be text.
    pub lock: Vec<u8>,
    /// Its time to live in milliseconds; 0 where it lives for ever.
    pub ttl: u64,
    /// The language of what is said beside the code.
    pub language: Language,
}

/// A client library.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Client {
    /// The command line, in Bash.
    RedisCli,
    /// Python.
    #[default]
    RedisPy,
    /// JavaScript.
    NodeRedis,
    /// JavaScript.
    Ioredis,
    /// Go.
    GoRedis,
    /// Rust.
    RedisRs,
    /// Java.
    Jedis,
}

/// The server that the program speaks with, by the commands that it has.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Server {
    /// `HotKV`, and Redis from 8.4 on: `SET … IFEQ`, `DELEX … IFEQ`, `DIGEST`.
    #[default]
    Redis,
    /// Valkey from 9.0 on: `SET … IFEQ`, `DELIFEQ`.
    Valkey,
    /// Older ones, which compare in a script.
    Older,
}

/// A program, and what to know of it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Snippet {
    /// The name of its file.
    pub file: String,
    /// The program.
    pub code: String,
    /// What it needs, in words.
    pub needs: String,
    /// The command that gets the client library, or the library's name where there is none.
    pub install: String,
    /// What to take care of, a sentence or two each.
    pub notes: Vec<String>,
}

/// What is fixed of a client.
struct Known {
    name: &'static str,
    /// What people call it, with the oldest version that has the calls.
    called: &'static str,
    version: &'static str,
    install: &'static str,
    file: &'static str,
    form: Form,
    template: &'static Later<&'static str>,
}

impl Client {
    /// All of them.
    pub const ALL: [Self; 7] =
        [Self::RedisCli, Self::RedisPy, Self::NodeRedis, Self::Ioredis, Self::GoRedis, Self::RedisRs, Self::Jedis];

    /// Its name on command lines, in the page and in storage.
    pub fn name(self) -> &'static str {
        self.known().name
    }

    /// The client of that name.
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|client| client.name() == name)
    }

    fn known(self) -> Known {
        match self {
            Self::RedisCli => Known {
                name: "redis-cli",
                called: "redis-cli, Bash",
                version: "5.0",
                install: "apt-get install redis-tools",
                file: "lock.sh",
                form: Form::Cli,
                template: later!(include_str!("lock.sh")),
            },
            Self::RedisPy => Known {
                name: "redis-py",
                called: "redis-py",
                version: "7.1.0",
                install: "pip install 'redis>=7.1.0'",
                file: "lock.py",
                form: Form::Python,
                template: later!(include_str!("lock.py")),
            },
            Self::NodeRedis => Known {
                name: "node-redis",
                called: "node-redis",
                version: "5.10.0",
                install: "npm install 'redis@>=5.10.0'",
                file: "lock.mjs",
                form: Form::JavaScript,
                template: later!(include_str!("node-redis.mjs")),
            },
            Self::Ioredis => Known {
                name: "ioredis",
                called: "ioredis",
                version: "6.0.0",
                install: "npm install 'ioredis@>=6.0.0'",
                file: "lock.mjs",
                form: Form::JavaScript,
                template: later!(include_str!("ioredis.mjs")),
            },
            Self::GoRedis => Known {
                name: "go-redis",
                called: "go-redis",
                version: "9.17.0",
                install: "go get github.com/redis/go-redis/v9@latest",
                file: "main.go",
                form: Form::Go,
                template: later!(include_str!("main.go")),
            },
            Self::RedisRs => Known {
                name: "redis-rs",
                called: "redis-rs",
                version: "1.0.0",
                install: "cargo add redis@1 rand@0.9",
                file: "main.rs",
                form: Form::Rust,
                template: later!(include_str!("main.rs")),
            },
            Self::Jedis => Known {
                name: "jedis",
                called: "Jedis",
                version: "7.1.0",
                install: "redis.clients:jedis:7.1.0",
                file: "LockedWork.java",
                form: Form::Java,
                template: later!(include_str!("LockedWork.java")),
            },
        }
    }
}

impl Server {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::Redis, Self::Valkey, Self::Older];

    /// Its name on command lines, in the page, in storage and in the programs.
    pub fn name(self) -> &'static str {
        match self {
            Self::Redis => "redis",
            Self::Valkey => "valkey",
            Self::Older => "older",
        }
    }

    /// The server of that name.
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|server| server.name() == name)
    }
}

/// The program for a lock.
pub fn snippet(facts: &Facts, client: Client, server: Server) -> Snippet {
    let known = client.known();
    let ttl = if facts.ttl == 0 { USUAL } else { facts.ttl.clamp(SHORTEST, LONGEST) };
    let fence = [&facts.lock, &b":fence"[..]].concat();
    let literals = known.form.literal(&facts.lock).zip(known.form.literal(&fence));
    let literals = literals.filter(|_| facts.lock.len() <= LONGEST_NAME);
    let mut code = only(known.template.get(), server);
    if let Some((lock, fence)) = &literals {
        // The longer one first: it holds the other.
        code = code.replacen(&known.form.place(FENCE), fence, 1).replacen(&known.form.place(NAME), lock, 1);
    }
    code = code.replacen(TTL, &ttl.to_string(), 1);
    let mut notes = notes::of(client, server, facts.language);
    let mut first = |key: &str| notes.insert(0, notes::text(facts.language, key));
    if facts.ttl == 0 {
        first("ttl-none");
    } else if ttl != facts.ttl {
        first("ttl");
    }
    if literals.is_none() {
        first("name");
    }
    let needs = notes::text(facts.language, "needs").replace("{client}", known.called);
    Snippet {
        file: known.file.to_owned(),
        code,
        needs: needs.replace("{version}", known.version),
        install: known.install.to_owned(),
        notes,
    }
}

/// The lines of a template that are for a server.
fn only(template: &str, server: Server) -> String {
    let mut shown = true;
    let mut code = String::with_capacity(template.len());
    for line in template.lines() {
        let comment = line.trim_start().strip_prefix("//").or_else(|| line.trim_start().strip_prefix('#'));
        match comment.map(str::trim) {
            Some("end") => shown = true,
            Some(comment) if comment.starts_with("only: ") => {
                shown = comment.split(' ').any(|name| name == server.name());
            }
            _ if shown => {
                code.push_str(line);
                code.push('\n');
            }
            _ => {}
        }
    }
    code
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_template_has_each_place_once_and_ends_what_it_begins() {
        for client in Client::ALL {
            let Known { name, template, form, .. } = client.known();
            let template = template.get();
            for place in [form.place(NAME), form.place(FENCE), TTL.to_owned()] {
                assert_eq!(template.matches(&place).count(), 1, "{name}: {place}");
            }
            let marks: Vec<&str> = template
                .lines()
                .map(|line| line.trim_start().trim_start_matches(['/', '#']).trim_start())
                .filter(|line| line.starts_with("only: ") || *line == "end")
                .collect();
            assert!(marks.len() > 3, "{name}");
            for pair in marks.chunks(2) {
                let servers: Vec<&str> = pair[0].strip_prefix("only: ").unwrap().split(' ').collect();
                assert!(servers.iter().all(|server| Server::named(server).is_some()), "{name}: {pair:?}");
                assert_eq!(pair.get(1), Some(&"end"), "{name}: {pair:?}");
            }
        }
    }

    #[test]
    fn lines_for_other_servers_are_left_out() {
        let template = "a\n  # only: redis older\nb\n# end\n// only: valkey\nc\n// end\nd\n";
        assert_eq!(Server::ALL.map(|server| only(template, server)), ["a\nb\nd\n", "a\nc\nd\n", "a\nb\nd\n"]);
    }
}
