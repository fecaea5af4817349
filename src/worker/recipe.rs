//! Recipes: the ways to take, keep and give up a lock that people choose between, as programs.

use crate::engine::{Millis, format_duration};

/// How the lock is taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Acquire {
    /// `SET key token NX PX ttl`
    SetNxPx,
    /// `SET key token NX`, which never expires.
    SetNx,
    /// SETNX, then PEXPIRE.
    SetnxExpire,
    /// Not at all.
    None,
}

/// How the lock is kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Renew {
    /// Not at all.
    None,
    /// `PEXPIRE key ttl`, whosever it is.
    Pexpire,
    /// `SET key token IFEQ token PX ttl`
    SetIfeqPx,
}

/// How the lock is given up.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Release {
    /// `DEL key`
    Del,
    /// GET, and DEL if it is the own token.
    GetDel,
    /// `DELEX key IFEQ token`
    DelexIfeq,
    /// `DELEX key IFDEQ digest`
    DelexIfdeq,
    /// WATCH, GET, and DEL in a transaction if it is the own token.
    WatchMultiDel,
    /// Not at all.
    None,
}

impl Acquire {
    /// All of them.
    pub const ALL: [Self; 4] = [Self::SetNxPx, Self::SetNx, Self::SetnxExpire, Self::None];

    /// Its word on the command line and in the page.
    pub fn name(self) -> &'static str {
        match self {
            Self::SetNxPx => "set-nx-px",
            Self::SetNx => "set-nx",
            Self::SetnxExpire => "setnx-expire",
            Self::None => "none",
        }
    }
}

impl Renew {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::None, Self::Pexpire, Self::SetIfeqPx];

    /// Its word on the command line and in the page.
    pub fn name(self) -> &'static str {
        match self {
            Self::None => "none",
            Self::Pexpire => "pexpire",
            Self::SetIfeqPx => "set-ifeq-px",
        }
    }
}

impl Release {
    /// All of them.
    pub const ALL: [Self; 6] =
        [Self::Del, Self::GetDel, Self::DelexIfeq, Self::DelexIfdeq, Self::WatchMultiDel, Self::None];

    /// Its word on the command line and in the page.
    pub fn name(self) -> &'static str {
        match self {
            Self::Del => "del",
            Self::GetDel => "get-del",
            Self::DelexIfeq => "delex-ifeq",
            Self::DelexIfdeq => "delex-ifdeq",
            Self::WatchMultiDel => "watch-multi-del",
            Self::None => "none",
        }
    }
}

/// A choice of all that.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Recipe {
    /// How the lock is taken.
    pub acquire: Acquire,
    /// How it is kept.
    pub renew: Renew,
    /// How it is given up.
    pub release: Release,
    /// How many workers do so; they are called A, B and so on.
    pub workers: usize,
    /// The time to live, in milliseconds. Renewals go out every third of it.
    pub ttl: Millis,
    /// How long the work takes, in milliseconds.
    pub work: Millis,
    /// Within what time a worker that is refused tries again, in milliseconds; `None`: it stops.
    pub retry: Option<Millis>,
    /// Whether fencing numbers are drawn and sent along.
    pub fencing: bool,
}

impl Default for Recipe {
    /// What the command line takes where it is told nothing.
    fn default() -> Self {
        Self {
            acquire: Acquire::SetNxPx,
            renew: Renew::None,
            release: Release::DelexIfeq,
            workers: 2,
            ttl: 30_000,
            work: 12_000,
            retry: Some(5_000),
            fencing: false,
        }
    }
}

impl Recipe {
    /// The programs as text.
    pub fn text(&self) -> String {
        let Self { ttl, work, .. } = *self;
        let mut text = String::from("lock lock:job\n");
        let mut line = |line: &str| {
            text.push_str(line);
            text.push('\n');
        };
        if self.fencing {
            line("counter lock:job:fence");
        }
        let names: Vec<String> =
            (0..self.workers).map(|n| char::from_u32('A' as u32 + n as u32).unwrap_or('Z').to_string()).collect();
        line(&format!("worker {}", names.join(" ")));
        let refused = self.retry.map_or("stop".to_owned(), |time| format!("retry within {}", format_duration(time)));
        let taking = self.taking();
        if self.acquire == Acquire::None {
            for command in &taking {
                line(command);
            }
        } else {
            line(&format!("acquire or {refused}"));
            for command in &taking {
                line(&format!("  {command}"));
            }
        }
        line("enter job");
        if let Some(command) = self.keeping() {
            line(&format!("renew every {}", format_duration((ttl / 3).max(1))));
            line(&format!("  {command}"));
        }
        line(&format!("work {}", format_duration(work)));
        line(if self.fencing { "write fenced" } else { "write" });
        line("leave");
        let releasing = self.releasing();
        if !releasing.is_empty() {
            line("release");
            for command in releasing {
                line(&format!("  {command}"));
            }
        }
        text
    }

    /// What takes the lock, and draws a number with it.
    fn taking(&self) -> Vec<String> {
        let ttl = self.ttl;
        let take = match self.acquire {
            Acquire::SetNxPx => format!("SET lock:job {{token}} NX PX {ttl}"),
            Acquire::SetNx => "SET lock:job {token} NX".to_owned(),
            Acquire::SetnxExpire => "SETNX lock:job {token}".to_owned(),
            Acquire::None => return self.fencing.then(|| "> INCR lock:job:fence".to_owned()).into_iter().collect(),
        };
        let mut commands = if self.fencing {
            vec!["> MULTI".to_owned(), format!("> {take}"), "> INCR lock:job:fence".to_owned(), "? EXEC".to_owned()]
        } else {
            vec![format!("? {take}")]
        };
        if self.acquire == Acquire::SetnxExpire {
            commands.push(format!("> PEXPIRE lock:job {ttl}"));
        }
        commands
    }

    fn keeping(&self) -> Option<String> {
        let ttl = self.ttl;
        match self.renew {
            Renew::None => None,
            Renew::Pexpire => Some(format!("? PEXPIRE lock:job {ttl}")),
            Renew::SetIfeqPx => Some(format!("? SET lock:job {{token}} IFEQ {{token}} PX {ttl}")),
        }
    }

    fn releasing(&self) -> &'static [&'static str] {
        match self.release {
            Release::Del => &["> DEL lock:job"],
            Release::GetDel => &["= GET lock:job", "> DEL lock:job"],
            Release::DelexIfeq => &["> DELEX lock:job IFEQ {token}"],
            Release::DelexIfdeq => &["> DELEX lock:job IFDEQ {digest}"],
            Release::WatchMultiDel => {
                &["> WATCH lock:job", "= GET lock:job", "else > UNWATCH", "> MULTI", "> DEL lock:job", "> EXEC"]
            }
            Release::None => &[],
        }
    }
}
