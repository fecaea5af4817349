//! What is said beside a program, in the languages of the page. Texts stand in `notes/`; the page fetches none of them by
//! itself.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::{Client, Server};
use crate::later::later;

/// A language of the page.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum Language {
    /// English.
    #[default]
    #[serde(rename = "en")]
    English,
    /// Portuguese.
    #[serde(rename = "pt-BR")]
    Portuguese,
    /// Spanish.
    #[serde(rename = "es")]
    Spanish,
}

impl Language {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::English, Self::Portuguese, Self::Spanish];

    /// Its tag.
    pub fn tag(self) -> &'static str {
        match self {
            Self::English => "en",
            Self::Portuguese => "pt-BR",
            Self::Spanish => "es",
        }
    }

    /// The language of that tag.
    pub fn tagged(tag: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|language| language.tag() == tag)
    }

    fn json(self) -> &'static str {
        let json = match self {
            Self::English => later!(include_str!("notes/en.json")),
            Self::Portuguese => later!(include_str!("notes/pt-BR.json")),
            Self::Spanish => later!(include_str!("notes/es.json")),
        };
        json.get()
    }
}

/// All texts of a language.
pub(super) fn texts(language: Language) -> BTreeMap<String, String> {
    serde_json::from_str(language.json()).expect("the notes are part of the build")
}

/// A text.
pub(super) fn text(language: Language, key: &str) -> String {
    texts(language).remove(key).unwrap_or_else(|| key.to_owned())
}

/// The notes for a client and a server, the nearest first.
pub(super) fn of(client: Client, server: Server, language: Language) -> Vec<String> {
    let mut texts = texts(language);
    keys(client, server).into_iter().filter_map(|key| texts.remove(key)).collect()
}

/// The names of the notes for a client and a server.
pub(super) fn keys(client: Client, server: Server) -> Vec<&'static str> {
    use Client::{GoRedis, Ioredis, Jedis, NodeRedis, RedisCli, RedisPy, RedisRs};
    use Server::{Older, Redis, Valkey};
    let compares = server != Older;
    let rows = [
        ("cli-bash", client == RedisCli),
        ("py-python", client == RedisPy),
        ("node-node", client == NodeRedis),
        ("io-node", client == Ioredis),
        ("go-go", client == GoRedis),
        ("rs-rust", client == RedisRs),
        ("jedis-java", client == Jedis),
        ("py-none", client == RedisPy && server == Redis),
        ("py-px", client == RedisPy),
        ("py-digest", client == RedisPy && server == Redis),
        ("node-positional", client == NodeRedis),
        ("node-delex", client == NodeRedis && server == Redis),
        ("node-digest", client == NodeRedis && server == Redis),
        ("io-typings", client == Ioredis && compares),
        ("io-prefix", client == Ioredis && compares),
        ("go-expiration", client == GoRedis),
        ("go-mode", client == GoRedis && server == Redis),
        ("go-digest", client == GoRedis && server == Redis),
        ("rs-binary", client == RedisRs && compares),
        ("rs-nx", client == RedisRs && compares),
        ("jedis-null", client == Jedis && compares),
        ("cli-silent", client == RedisCli),
        ("experimental", compares && matches!(client, RedisPy | NodeRedis | GoRedis | Jedis)),
        ("server-redis", server == Redis),
        ("server-valkey", server == Valkey),
        ("server-older", server == Older),
        ("fence", true),
        ("cluster", true),
    ];
    rows.into_iter().filter_map(|(key, told)| told.then_some(key)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn every_text_is_used_and_every_text_that_is_used_is_there() {
        let mut used: BTreeSet<&str> = ["needs", "ttl", "ttl-none", "name"].into();
        for client in Client::ALL {
            for server in Server::ALL {
                used.extend(keys(client, server));
            }
        }
        for language in Language::ALL {
            let there = texts(language);
            assert_eq!(there.keys().map(String::as_str).collect::<BTreeSet<_>>(), used, "{}", language.tag());
        }
    }
}
