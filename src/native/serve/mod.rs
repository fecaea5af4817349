//! `hotkv serve`: the engine behind TCP, for learning and for tests of lock code, with a clock that clients can move.
//!
//! One thread runs everything: commands, sockets and the expiry of keys take turns, and none waits for more than a slice
//! of the others' work.

mod clock;
mod connection;
mod hub;
mod log;

use std::cell::RefCell;
use std::io;
use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::rc::Rc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, LazyLock};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use clap::{Args, ValueEnum};
use tokio::io::AsyncWriteExt;
use tokio::net::{TcpListener, TcpStream};
use tokio::runtime::Builder;
use tokio::sync::{Notify, watch};
use tokio::task::{JoinSet, LocalSet, yield_now};
use tokio::time::{interval, sleep, timeout};
use tracing::{debug, info, warn};
use tracing_subscriber::filter::LevelFilter;

use super::cli::{Failure, print};
use crate::command::MAX_WORDS;
use crate::engine::{Millis, parse_size};
use crate::resp;
use clock::{Moment, Ticker};
use connection::Connection;
use hub::{Hub, Limits};

/// How often keys expire that fall due while nobody asks for them.
const SWEEP_EVERY: Duration = Duration::from_millis(100);
/// How long a connection may take to send its last replies when the server stops.
const GRACE: Duration = Duration::from_secs(2);
/// When a client that says nothing is asked whether it is still there.
const KEEPALIVE: Duration = Duration::from_mins(5);
/// Descriptors that the process needs beside one a client.
const OTHER_FILES: u64 = 32;

/// Answer clients of the Redis protocol over TCP.
///
/// For learning, and for tests of your own lock code: with `--clock simulated` nothing expires until a client sends CLOCK
/// ADVANCE, CLOCK NEXT or CLOCK RUN, so that tests need not wait. Not for production: nothing is kept on disk.
#[derive(Args)]
pub(super) struct Serve {
    /// The address to listen at.
    #[arg(long, default_value_t = IpAddr::V4(Ipv4Addr::LOCALHOST), value_name = "IP")]
    bind: IpAddr,
    /// The port; 0 takes a free one and tells which.
    #[arg(long, default_value_t = 6380)]
    port: u16,
    /// What moves time.
    #[arg(long, value_enum, default_value_t = ClockKind::Real)]
    clock: ClockKind,
    /// The most clients.
    #[arg(long, default_value_t = 10_000, value_name = "COUNT", value_parser = clap::value_parser!(u32).range(1..))]
    max_clients: u32,
    /// The most memory for keys, such as 64mb.
    #[arg(long, default_value = "1gb", value_name = "SIZE", value_parser = size)]
    max_memory: usize,
    /// The most bytes of one request.
    #[arg(long, default_value = "600mb", value_name = "SIZE", value_parser = size)]
    max_request: usize,
    /// The most memory for what comes in and goes out, of all connections together.
    #[arg(long, default_value = "1gb", value_name = "SIZE", value_parser = size)]
    max_buffers: usize,
    /// Hang up on clients that say nothing for so many seconds; 0 never does.
    #[arg(long, default_value_t = 0, value_name = "SECONDS")]
    timeout: u64,
    /// The seed of TOKEN and RANDOMKEY; by chance when not told.
    #[arg(long)]
    seed: Option<u64>,
    /// What is logged to standard error.
    #[arg(long, value_enum, default_value_t = Level::Info)]
    log: Level,
}

/// What moves a server's time.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum ClockKind {
    /// The time of day.
    Real,
    /// Clients, by CLOCK.
    Simulated,
}

/// What is logged.
#[derive(Clone, Copy, ValueEnum)]
enum Level {
    /// Nothing.
    Off,
    /// What went wrong.
    Warn,
    /// That, and when the server starts and stops.
    Info,
    /// That, and each connection.
    Debug,
}

/// The least that an option may allow, in bytes: what a request of the usual size takes.
const LEAST: usize = 64 * 1024;

/// Reads a size that serves something.
fn size(text: &str) -> Result<usize, String> {
    let bytes = parse_size(text).filter(|bytes| *bytes >= LEAST);
    bytes.ok_or_else(|| "a size is a whole number of bytes, or of kb, mb or gb, and 64kb at least".to_owned())
}

/// This instant. The one place that asks for it.
#[allow(clippy::disallowed_methods)] // what is below is given it
fn moment() -> Moment {
    static START: LazyLock<Instant> = LazyLock::new(Instant::now);
    let day = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    Moment { day: Millis::try_from(day.as_millis()).unwrap_or(Millis::MAX), running: START.elapsed() }
}

/// Serves until the process is told to stop.
pub(super) fn serve(wanted: &Serve) -> Result<(), Failure> {
    let level = match wanted.log {
        Level::Off => LevelFilter::OFF,
        Level::Warn => LevelFilter::WARN,
        Level::Info => LevelFilter::INFO,
        Level::Debug => LevelFilter::DEBUG,
    };
    let log = log::Log::start();
    let lines = log.lines();
    tracing_subscriber::fmt()
        .with_writer(move || lines.clone())
        .with_ansi(false)
        .with_target(false)
        .with_max_level(level)
        .init();
    let seed = wanted.seed.map_or_else(getrandom::u64, Ok);
    let seed = seed.map_err(|error| Failure::Told(format!("no seed: {error}")))?;
    let ticker = match wanted.clock {
        ClockKind::Real => Ticker::Real,
        ClockKind::Simulated => Ticker::STANDING,
    };
    let limits = Limits {
        request: resp::Limits { words: MAX_WORDS, word: wanted.max_request.min(MAX_WORD), request: wanted.max_request },
        clients: room_for(wanted.max_clients),
        buffers: wanted.max_buffers,
    };
    let hub = Rc::new(RefCell::new(Hub::new(ticker, moment(), seed, wanted.max_memory, limits)));
    let runtime = Builder::new_current_thread().enable_all().build();
    let runtime = runtime.map_err(|error| Failure::Told(format!("serve: {error}")))?;
    let ended = LocalSet::new().block_on(&runtime, run(wanted, hub));
    log.end();
    ended
}

/// The longest word, in bytes: as long as a value may be.
const MAX_WORD: usize = 512 * 1024 * 1024;

/// Asks the system for as many open files as clients need; how many clients there is room for.
fn room_for(wanted: u32) -> usize {
    let files = u64::from(wanted) + OTHER_FILES;
    let granted = rlimit::increase_nofile_limit(files).unwrap_or(files);
    if granted >= files {
        return wanted as usize;
    }
    let clients = granted.saturating_sub(OTHER_FILES).max(1);
    warn!(wanted, clients, "the system allows fewer open files; so many clients are served");
    clients as usize
}

/// Tells of the first signal to stop. The second one ends the process at once, whatever it does: one thread may be busy with a
/// command that takes long.
fn heed(signal: Arc<Notify>) -> Result<(), ctrlc::Error> {
    /// The status of a process that a signal ended, as shells have it.
    const INTERRUPTED: i32 = 130;
    let told = AtomicBool::new(false);
    ctrlc::set_handler(move || {
        if told.swap(true, Ordering::Relaxed) {
            std::process::exit(INTERRUPTED);
        }
        signal.notify_one();
    })
}

async fn run(wanted: &Serve, hub: Rc<RefCell<Hub>>) -> Result<(), Failure> {
    let address = SocketAddr::new(wanted.bind, wanted.port);
    let told = |error: io::Error| Failure::Told(format!("{address}: {error}"));
    let listener = TcpListener::bind(address).await.map_err(told)?;
    let address = listener.local_addr().map_err(told)?;
    let signal = Arc::new(Notify::new());
    heed(Arc::clone(&signal)).map_err(|error| Failure::Told(format!("signals: {error}")))?;
    let clock = match wanted.clock {
        ClockKind::Real => "real clock",
        ClockKind::Simulated => "simulated clock, which stands until CLOCK ADVANCE, NEXT or RUN",
    };
    if !wanted.bind.is_loopback() {
        warn!("{address} can be reached from other machines, and everybody who reaches it can read and write");
    }
    match print(&format!("hotkv: listening on {address}; {clock}; for learning and tests, not for production\n")) {
        // Nobody reads where it listens, and it serves all the same.
        Ok(()) | Err(Failure::Unread) => {}
        Err(error) => return Err(error),
    }
    let (stop, stopped) = watch::channel(());
    let mut connections = JoinSet::new();
    let sweeper = tokio::task::spawn_local(sweep(Rc::clone(&hub)));
    let idle = (wanted.timeout > 0).then(|| Duration::from_secs(wanted.timeout));
    loop {
        tokio::select! {
            () = signal.notified() => break,
            Some(_) = connections.join_next() => {}
            accepted = listener.accept() => match accepted {
                Ok((stream, from)) => greet(&hub, stream, from, idle, &stopped, &mut connections),
                Err(error) => {
                    // Mostly there are too many open files; some close sooner or later.
                    warn!(%error, "a connection could not be accepted");
                    sleep(SWEEP_EVERY).await;
                }
            },
        }
    }
    info!(clients = hub.borrow().connected(), "stopping");
    drop(listener);
    sweeper.abort();
    drop(stop);
    let gone = async { while connections.join_next().await.is_some() {} };
    if timeout(GRACE, gone).await.is_err() {
        warn!(clients = connections.len(), "some clients did not read their last replies");
    }
    Ok(())
}

/// Takes a connection in, or tells that there are too many.
fn greet(
    hub: &Rc<RefCell<Hub>>,
    mut stream: TcpStream,
    from: SocketAddr,
    idle: Option<Duration>,
    stopped: &watch::Receiver<()>,
    connections: &mut JoinSet<()>,
) {
    // Small replies go at once, and a client that vanished is noticed. A socket that allows neither serves all the same.
    let keepalive = socket2::TcpKeepalive::new().with_time(KEEPALIVE);
    if let Err(error) =
        stream.set_nodelay(true).and_then(|()| socket2::SockRef::from(&stream).set_tcp_keepalive(&keepalive))
    {
        debug!(%from, %error, "a socket keeps its own ways");
    }
    if let Some(connection) = Connection::open(hub, from) {
        debug!(%from, clients = hub.borrow().connected(), "connected");
        connections.spawn_local(connection.serve(stream, idle, stopped.clone()));
        return;
    }
    warn!(%from, "too many clients");
    connections.spawn_local(async move {
        // Who is turned away may be gone before it is told.
        let _ = stream.write_all(b"-ERR max number of clients reached\r\n").await;
    });
}

/// Lets keys expire that are due, a slice at a time, so that clients come in between.
async fn sweep(hub: Rc<RefCell<Hub>>) {
    let mut every = interval(SWEEP_EVERY);
    loop {
        every.tick().await;
        while hub.borrow_mut().sweep(moment()) {
            yield_now().await;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{LEAST, size};

    #[test]
    fn sizes() {
        for (text, bytes) in
            [("65536", LEAST), ("70000b", 70_000), ("64kb", LEAST), ("70k", 70_000), ("3MB", 3 << 20), ("1gb", 1 << 30)]
        {
            assert_eq!(size(text), Ok(bytes), "{text}");
        }
        for text in ["", "0", "65535", "63kb", "65k", "mb", "-1", "1tb", "1.5gb", "99999999999999gb", "1 gb"] {
            assert!(size(text).is_err(), "{text}");
        }
    }
}
