//! `hotkv snippet`: a program that uses a lock, to be redirected into a file.

use clap::Args;

use super::cli::{Failure, print};
use crate::engine::{Millis, parse_duration};
use crate::snippets::{Client, Facts, Language, Server, snippet};
use crate::transcript::line;

/// The bytes of a name.
#[derive(Clone)]
struct Key(Vec<u8>);

/// What `hotkv snippet` takes.
#[derive(Args)]
pub(super) struct Wanted {
    /// The client library: redis-cli, redis-py, node-redis, ioredis, go-redis, redis-rs or jedis.
    #[arg(long, value_name = "NAME", value_parser = client)]
    client: Client,
    /// The server: redis, which stands for `HotKV` and Redis from 8.4 on, valkey, or older.
    #[arg(long, default_value = "redis", value_name = "NAME", value_parser = server)]
    server: Server,
    /// The name of the lock, quoted as redis-cli does where it is no plain word.
    #[arg(long, default_value = "lock:my-job", value_name = "KEY", value_parser = key)]
    lock: Key,
    /// How long it lives: milliseconds, or a time such as 30s.
    #[arg(long, default_value = "30s", value_name = "TIME", value_parser = ttl)]
    ttl: u64,
    /// The language of the notes: en, pt-BR or es.
    #[arg(long, default_value = "en", value_name = "TAG", value_parser = language)]
    lang: Language,
    /// Print one line of JSON: the program, its file's name, what it needs, and notes.
    #[arg(long)]
    json: bool,
}

fn client(name: &str) -> Result<Client, String> {
    Client::named(name).ok_or_else(|| format!("one of {}", Client::ALL.map(Client::name).join(", ")))
}

fn server(name: &str) -> Result<Server, String> {
    Server::named(name).ok_or_else(|| format!("one of {}", Server::ALL.map(Server::name).join(", ")))
}

fn language(tag: &str) -> Result<Language, String> {
    Language::tagged(tag).ok_or_else(|| format!("one of {}", Language::ALL.map(Language::tag).join(", ")))
}

fn key(text: &str) -> Result<Key, String> {
    match line::split(text).as_deref() {
        Ok([key]) => Ok(Key(key.to_vec())),
        _ => Err("one word; what is none is quoted as redis-cli does".to_owned()),
    }
}

fn ttl(text: &str) -> Result<u64, String> {
    let some = |ms: &Millis| *ms > 0;
    let time = text.parse().ok().or_else(|| parse_duration(text)).filter(some);
    time.and_then(|ms| ms.try_into().ok()).ok_or_else(|| "milliseconds, or 500ms, 12s, 2m, 1h or 1d".to_owned())
}

/// Prints the program.
pub(super) fn print_snippet(wanted: &Wanted) -> Result<(), Failure> {
    let facts = Facts { lock: wanted.lock.0.clone(), ttl: wanted.ttl, language: wanted.lang };
    let snippet = snippet(&facts, wanted.client, wanted.server);
    if !wanted.json {
        return print(&snippet.code);
    }
    let json = serde_json::to_string(&snippet).map_err(|error| Failure::Told(error.to_string()))?;
    print(&format!("{json}\n"))
}
