//! One engine for all connections: requests in, bytes out. It knows no sockets, and time is an argument.

use std::cell::{Cell, RefCell};
use std::io;
use std::rc::Rc;

use tokio::sync::Notify;
use tracing::warn;

use super::clock::{Moment, Ticker};
use crate::command::{Outcome, execute_words};
use crate::engine::{ClientId, Clock, Engine, Options, Reply};
use crate::resp::{self, Requests};

/// What connections may take.
#[derive(Clone, Copy, Debug)]
pub(super) struct Limits {
    /// What one request may ask for.
    pub(super) request: resp::Limits,
    /// The most clients.
    pub(super) clients: usize,
    /// The most memory for what comes in and goes out, of all connections together beyond [`KEPT`] of each, in bytes.
    pub(super) buffers: usize,
}

/// The memory that a connection has for itself, in bytes.
pub(super) const KEPT: usize = 64 * 1024;

/// Replies are sent when so many bytes of them wait, and commands wait until they are.
const FULL: usize = 256 * 1024;

/// The most that waits for a client in MONITOR, in bytes.
const MOST_FED: usize = 32 * 1024 * 1024;

/// How many keys expire in one go while others wait: less than a tenth of a millisecond's work.
const SLICE: usize = 64;

/// What all connections share.
pub(super) struct Hub {
    engine: Engine,
    ticker: Ticker,
    limits: Limits,
    peers: Vec<Option<Rc<Peer>>>,
    /// The memory that connections take beyond their own, in bytes.
    buffers: usize,
}

/// What others do to a connection.
#[derive(Default)]
pub(super) struct Peer {
    /// What it sees of what all clients send.
    feed: RefCell<Vec<u8>>,
    /// There is something new in the feed, or it was cut off.
    pub(super) woken: Notify,
    /// Whether it was cut off.
    cut: Cell<bool>,
}

impl Peer {
    /// Cuts it off; how many bytes waited for it.
    fn cut_off_now(&self) -> usize {
        self.cut.set(true);
        self.woken.notify_one();
        self.feed.take().len()
    }

    /// Waits until it is cut off.
    pub(super) async fn cut_off(&self) -> io::Error {
        while !self.cut.get() {
            self.woken.notified().await;
        }
        io::ErrorKind::ConnectionAborted.into()
    }
}

/// What a connection does next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Next {
    /// Send what there is, and read on.
    Read,
    /// Send what there is, and come back: requests are left.
    Return,
    /// Send what there is, and hang up.
    Close,
}

impl Hub {
    /// An empty server; its keys may take so much memory, in bytes.
    pub(super) fn new(ticker: Ticker, moment: Moment, seed: u64, max_memory: usize, limits: Limits) -> Self {
        let clock = if ticker == Ticker::Real { Clock::Real } else { Clock::Ticking };
        let engine = Engine::new(Options { seed, clock, start: ticker.now(moment), max_memory, silent: true });
        Self { engine, ticker, limits, peers: Vec::new(), buffers: 0 }
    }

    /// What connections may take.
    pub(super) fn limits(&self) -> Limits {
        self.limits
    }

    /// What CLIENT ID answers a connection.
    pub(super) fn number(&self, client: ClientId) -> i64 {
        self.engine.number(client)
    }

    /// How many are connected.
    pub(super) fn connected(&self) -> usize {
        self.engine.connected()
    }

    /// Opens a connection; `None` when there are too many.
    pub(super) fn open(&mut self, address: String) -> Option<(ClientId, Rc<Peer>)> {
        if self.connected() >= self.limits.clients {
            return None;
        }
        let client = self.engine.open_from(address);
        let peer = Rc::new(Peer::default());
        if self.peers.len() <= client.index() {
            self.peers.resize(client.index() + 1, None);
        }
        self.peers[client.index()] = Some(Rc::clone(&peer));
        Some((client, peer))
    }

    /// Closes a connection that took so much memory.
    pub(super) fn close(&mut self, client: ClientId, held: usize) {
        self.engine.hang_up(client);
        let fed = self.peers[client.index()].take().map_or(0, |peer| peer.feed.take().len());
        self.buffers -= held + fed;
    }

    /// Takes what has come for a connection from others, if anything has.
    pub(super) fn feed(&mut self, peer: &Peer) -> io::Result<Option<Vec<u8>>> {
        if peer.cut.get() {
            return Err(io::ErrorKind::ConnectionAborted.into());
        }
        let feed = peer.feed.take();
        self.buffers -= feed.len();
        Ok((!feed.is_empty()).then_some(feed))
    }

    /// Books the memory that a connection holds now in place of what it held before, both beyond its own; whether there
    /// is so much.
    pub(super) fn book(&mut self, before: &mut usize, now: usize) -> bool {
        let now = now.saturating_sub(KEPT);
        self.buffers = self.buffers - *before + now;
        *before = now;
        if now > 0 && self.buffers > self.limits.buffers {
            // Who only listens goes before who asks.
            self.cut_listeners();
        }
        now == 0 || self.buffers <= self.limits.buffers
    }

    /// Cuts off the clients in MONITOR that have not read all that has come for them.
    fn cut_listeners(&mut self) {
        for (n, peer) in self.peers.iter().enumerate() {
            let Some(peer) = peer.as_ref().filter(|peer| !peer.feed.borrow().is_empty()) else { continue };
            self.buffers -= peer.cut_off_now();
            warn!(client = self.engine.number(ClientId::nth(n)), "a client in MONITOR does not read, and is cut off");
        }
    }

    /// Runs the requests that have come, and puts the replies behind each other, as long as they are not too many.
    pub(super) fn run(&mut self, client: ClientId, requests: &mut Requests, out: &mut Vec<u8>, moment: Moment) -> Next {
        let now = self.ticker.now(moment);
        while out.len() < FULL {
            // Nobody waits for keys to expire: they are invisible, and go in slices of their own.
            let run = |words: &[&[u8]]| {
                (!is_a_browser(words)).then(|| execute_words(&mut self.engine, client, words, now, 0))
            };
            let outcome = match requests.take(run) {
                Ok(Some(outcome)) => outcome,
                Ok(None) => return Next::Read,
                Err(error) => {
                    resp::write(&Reply::Error(format!("ERR {error}")), self.engine.client(client).protocol, out);
                    return Next::Close;
                }
            };
            let Some(Outcome { reply, clock, close, monitored }) = outcome else {
                warn!(client = self.engine.number(client), "a request of HTTP: a page is not to send commands");
                return Next::Close;
            };
            self.ticker.follow(self.engine.now(), clock, moment);
            if let Some(line) = monitored {
                self.show(client, &line, out);
            }
            let length = reply.size();
            if length > FULL && self.buffers.saturating_add(length) > self.limits.buffers {
                warn!(
                    client = self.engine.number(client),
                    bytes = length,
                    "a reply is longer than there is memory for"
                );
                return Next::Close;
            }
            resp::write(&reply, self.engine.client(client).protocol, out);
            if close {
                return Next::Close;
            }
        }
        Next::Return
    }

    /// Shows a command to those that see everything.
    fn show(&mut self, from: ClientId, line: &str, out: &mut Vec<u8>) {
        for client in self.engine.monitors() {
            let line = Reply::status(line.to_owned());
            let protocol = self.engine.client(client).protocol;
            if client == from {
                resp::write(&line, protocol, out);
            } else if let Some(Some(peer)) = self.peers.get(client.index()) {
                let mut feed = peer.feed.borrow_mut();
                let before = feed.len();
                if before + line.size() > MOST_FED || self.buffers + line.size() > self.limits.buffers {
                    drop(feed);
                    warn!(client = self.engine.number(client), "a client in MONITOR does not read, and is cut off");
                    self.buffers -= peer.cut_off_now();
                } else if !peer.cut.get() {
                    resp::write(&line, protocol, &mut feed);
                    self.buffers += feed.len() - before;
                    peer.woken.notify_one();
                }
            }
        }
    }

    /// Lets some keys expire that are due; whether more are.
    pub(super) fn sweep(&mut self, moment: Moment) -> bool {
        let now = self.ticker.now(moment);
        self.engine.advance_some(now, SLICE);
        !self.engine.is_swept()
    }
}

/// Whether a request is a line of HTTP, which a page of anybody's can make a browser send here, with commands behind it. The real
/// server hangs up on these two as well, and one of them comes before any body.
fn is_a_browser(words: &[&[u8]]) -> bool {
    words.first().is_some_and(|word| word.eq_ignore_ascii_case(b"POST") || word.eq_ignore_ascii_case(b"HOST:"))
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    const LIMITS: Limits = Limits {
        request: resp::Limits { words: 10_000, word: 1 << 20, request: 1 << 20 },
        clients: 2,
        buffers: 1 << 20,
    };
    const NOW: Moment = Moment { day: 0, running: Duration::ZERO };

    fn hub() -> Hub {
        Hub::new(Ticker::STANDING, NOW, 0, 1 << 24, LIMITS)
    }

    /// Sends lines; what is answered, and what is next.
    fn send(hub: &mut Hub, client: ClientId, lines: &str) -> (String, Next) {
        let (mut requests, mut out) = (Requests::new(LIMITS.request), Vec::new());
        requests.room().extend_from_slice(lines.as_bytes());
        let next = hub.run(client, &mut requests, &mut out, NOW);
        (String::from_utf8(out).unwrap(), next)
    }

    #[test]
    fn no_command_waits_for_keys_to_expire() {
        let mut hub = hub();
        let (client, _) = hub.open(String::new()).unwrap();
        let keys = 10 * SLICE;
        for n in 0..keys {
            send(&mut hub, client, &format!("SET k{n} v PX 10\n"));
        }
        // They are gone at once, and none of them was touched for it.
        assert_eq!(send(&mut hub, client, "CLOCK ADVANCE 11\nGET k7\n").0, ":1893456000011\r\n$-1\r\n");
        assert_eq!(hub.engine.expired_keys(), (0, 0));
        for slice in 1..=10 {
            assert_eq!(hub.sweep(NOW), slice < 10);
            assert_eq!(hub.engine.expired_keys(), ((slice * SLICE) as u64, 0));
            assert_eq!(send(&mut hub, client, "DBSIZE\n").0, ":0\r\n");
        }
        assert_eq!(hub.engine.used_memory(), 0);
    }

    #[test]
    fn what_is_next() {
        let mut hub = hub();
        let (client, _) = hub.open(String::new()).unwrap();
        let value = "a".repeat(1_000);
        assert_eq!(send(&mut hub, client, &format!("SET k {value}\nGE")), ("+OK\r\n".to_owned(), Next::Read));
        // Requests wait until their replies are sent.
        let (told, next) = send(&mut hub, client, &"GET k\n".repeat(300));
        assert_eq!((told.matches("$1000").count(), next), (FULL.div_ceil(1_000 + 9), Next::Return));
        assert_eq!(send(&mut hub, client, "QUIT\nPING\n"), ("+OK\r\n".to_owned(), Next::Close));
        let error = "-ERR Protocol error: invalid multibulk length\r\n".to_owned();
        assert_eq!(send(&mut hub, client, "*x\r\nPING\n"), (error, Next::Close));
        // A reply for which there is no memory is no reply.
        let many = format!("MGET{}\n", " k".repeat(2_000));
        assert_eq!(send(&mut hub, client, &many), (String::new(), Next::Close));
    }

    #[test]
    fn clients_and_their_memory_are_counted() {
        let mut hub = hub();
        let (first, _) = hub.open(String::new()).unwrap();
        assert!(hub.open(String::new()).is_some() && hub.open(String::new()).is_none());
        let mut held = 0;
        assert!(hub.book(&mut held, KEPT));
        assert_eq!(held, 0);
        assert!(hub.book(&mut held, KEPT + (1 << 20)));
        assert!(!hub.book(&mut held, KEPT + (1 << 20) + 1));
        hub.close(first, held);
        assert_eq!((hub.connected(), hub.buffers), (1, 0));
        assert!(hub.open(String::new()).is_some());
    }
}
