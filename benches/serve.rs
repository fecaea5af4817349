//! `hotkv serve` beside the real server, in one run: a lock cycle, SET and GET with and without pipelines, memory a lock, and
//! what a client waits while a million keys fall due.
//!
//! `REDIS_URL` names the real server; its databases are emptied. Rounds take turns, so that a noisy minute meets both. What
//! counts is the ratios. `cargo bench --bench serve -- cycle memory storm` runs some of it.

#![allow(clippy::disallowed_methods)] // it measures time

#[path = "../tests/serving/mod.rs"]
#[allow(dead_code)] // tests look closer at replies
mod serving;

use std::env;
use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::net::TcpStream;
use std::thread;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use serving::{Server, request};

/// Names of locks in a cycle.
const NAMES: usize = 1_000;
/// Connections that send at once.
const CONNECTIONS: usize = 8;
/// How often each is measured.
const ROUNDS: usize = 7;
/// Locks whose memory is measured, and keys that fall due at once.
const MANY: usize = 1_000_000;

/// One of the two that are measured.
struct Peer {
    name: &'static str,
    address: String,
    /// The process of a server of our own; the real one tells its own.
    pid: Option<u32>,
}

/// Reads replies without keeping them: what the client pays is paid beside both servers.
struct Client(BufReader<TcpStream>);

impl Client {
    fn connect(address: &str) -> Self {
        let stream = TcpStream::connect(address).unwrap_or_else(|error| panic!("{address}: {error}"));
        stream.set_nodelay(true).expect("a socket");
        Self(BufReader::with_capacity(1 << 16, stream))
    }

    fn write(&mut self, bytes: &[u8]) {
        self.0.get_mut().write_all(bytes).expect("the server reads");
    }

    /// Reads so many replies of a line, or of a line and a string; the last line.
    fn read(&mut self, replies: usize) -> String {
        let mut line = String::new();
        for _ in 0..replies {
            line.clear();
            self.0.read_line(&mut line).expect("a reply");
            assert!(!line.starts_with('-'), "{line}");
            if line.starts_with('$') && !line.starts_with("$-1") {
                let length: usize = line[1..].trim_end().parse().expect("a length");
                self.0.read_line(&mut line).expect("a string");
                debug_assert!(line.len() > length);
            }
        }
        line
    }

    fn send(&mut self, words: &[&str]) -> String {
        self.write(&request(words));
        self.read(1)
    }
}

/// What is sent for each name, the step's name before it.
fn steps(name: &str) -> [(&'static str, Vec<u8>); 7] {
    [
        ("acquire", request(&["SET", name, "tok-a81f-0123456789", "NX", "PX", "30000"])),
        ("refused", request(&["SET", name, "tok-b22c-0123456789", "NX", "PX", "30000"])),
        ("PTTL", request(&["PTTL", name])),
        ("wrong token", request(&["DELEX", name, "IFEQ", "tok-b22c-0123456789"])),
        ("release", request(&["DELEX", name, "IFEQ", "tok-a81f-0123456789"])),
        ("SET", request(&["SET", name, "tok-a81f-0123456789", "PX", "30000"])),
        ("GET", request(&["GET", name])),
    ]
}

/// Nanoseconds a command of each step, in pipelines of a depth, on several connections at once.
fn cycle(server: &Peer, depth: usize) -> Vec<f64> {
    let mut clients: Vec<_> = (0..CONNECTIONS).map(|_| Client::connect(&server.address)).collect();
    clients[0].send(&["FLUSHALL"]);
    let names: Vec<String> = (0..NAMES).map(|n| format!("lock:{}", n * 7_919 % NAMES)).collect();
    let commands: Vec<_> = names.iter().map(|name| steps(name)).collect();
    (0..commands[0].len())
        .map(|step| {
            let batches: Vec<(usize, Vec<u8>)> = commands
                .chunks(depth)
                .map(|chunk| (chunk.len(), chunk.iter().flat_map(|steps| steps[step].1.clone()).collect()))
                .collect();
            // Each batch once in a pass; steps that change something do it once a pass.
            let passes = if matches!(step, 0 | 4) { 1 } else { 5 };
            let start = Instant::now();
            for _ in 0..passes {
                for group in batches.chunks(CONNECTIONS) {
                    for (client, (_, bytes)) in clients.iter_mut().zip(group) {
                        client.write(bytes);
                    }
                    for (client, (count, _)) in clients.iter_mut().zip(group) {
                        client.read(*count);
                    }
                }
            }
            start.elapsed().as_nanos() as f64 / (passes * NAMES) as f64
        })
        .collect()
}

fn median(mut of: Vec<f64>) -> f64 {
    of.sort_by(f64::total_cmp);
    of[of.len() / 2]
}

fn cycles(servers: &[Peer; 2]) {
    println!("nanoseconds a command, {CONNECTIONS} connections, median of {ROUNDS} rounds");
    println!("{:>5} {:<12} {:>9} {:>9} {:>7}", "-P", "step", servers[0].name, servers[1].name, "ratio");
    for depth in [1, 64] {
        let mut measured = [Vec::new(), Vec::new()];
        for _ in 0..ROUNDS {
            for (server, measured) in servers.iter().zip(&mut measured) {
                measured.push(cycle(server, depth));
            }
        }
        let of = |server: usize, step: usize| median(measured[server].iter().map(|round| round[step]).collect());
        for (step, (name, _)) in steps("").iter().enumerate() {
            let (ours, real) = (of(0, step), of(1, step));
            println!("{depth:>5} {name:<12} {ours:>9.0} {real:>9.0} {:>6.2}×", ours / real);
        }
        let sum = |server: usize| (0..5).map(|step| of(server, step)).sum::<f64>();
        println!(
            "{depth:>5} {:<12} {:>9.0} {:>9.0} {:>6.2}×",
            "the cycle",
            sum(0) / 5.0,
            sum(1) / 5.0,
            sum(0) / sum(1)
        );
    }
}

/// Writes many locks that end at an instant, or so many milliseconds from now.
fn fill(client: &mut Client, option: &str, time: &str) {
    for page in 0..MANY / 1_000 {
        let names: Vec<String> = (0..1_000).map(|n| format!("lock:order-{:07}", page * 1_000 + n)).collect();
        let mut words = vec!["MSETEX", "1000"];
        words.extend(names.iter().flat_map(|name| [name.as_str(), "tok-a81f-0123456789"]));
        words.extend([option, time]);
        client.send(&words);
    }
}

/// The memory of a server's process, in bytes.
fn resident(pid: u32) -> f64 {
    let status = fs::read_to_string(format!("/proc/{pid}/status")).expect("a process of this machine");
    let line = status.lines().find(|line| line.starts_with("VmRSS:")).expect("its memory");
    line.split_whitespace().nth(1).and_then(|number| number.parse::<f64>().ok()).expect("a number") * 1024.0
}

/// The process of the real server, as it tells it.
fn process(address: &str) -> u32 {
    let mut client = Client::connect(address);
    client.write(&request(&["INFO", "server"]));
    let mut line = String::new();
    while client.0.read_line(&mut line).expect("INFO") > 0 {
        if let Some(pid) = line.strip_prefix("process_id:") {
            return pid.trim_end().parse().expect("a number");
        }
        line.clear();
    }
    panic!("{address} tells no process");
}

fn memory(servers: &[Peer; 2]) {
    let bytes = servers.each_ref().map(|server| {
        Client::connect(&server.address).send(&["FLUSHALL"]);
        let pid = server.pid.unwrap_or_else(|| process(&server.address));
        let before = resident(pid);
        let mut client = Client::connect(&server.address);
        fill(&mut client, "PX", "3000000");
        let after = resident(pid);
        client.send(&["FLUSHALL"]);
        (after - before) / MANY as f64
    });
    println!("bytes a lock of {MANY}: {:.0} and {:.0}, {:.2}×", bytes[0], bytes[1], bytes[0] / bytes[1]);
}

/// How long one client waits for each reply, in microseconds, sorted, for some seconds.
fn waits(server: &Peer, seconds: u64) -> Vec<f64> {
    let mut client = Client::connect(&server.address);
    client.send(&["SET", "other", "v"]);
    let asked = request(&["GET", "other"]);
    let mut waits = Vec::new();
    let start = Instant::now();
    while start.elapsed() < Duration::from_secs(seconds) {
        let sent = Instant::now();
        client.write(&asked);
        client.read(1);
        waits.push(sent.elapsed().as_nanos() as f64 / 1_000.0);
    }
    waits.sort_by(f64::total_cmp);
    waits
}

fn storm(servers: &[Peer; 2]) {
    println!("microseconds until a reply: median, 99th and 99.9th percentile, longest");
    for server in servers {
        let mut client = Client::connect(&server.address);
        client.send(&["FLUSHALL"]);
        let told = |what: &str, waits: &[f64]| {
            let at = |part: f64| waits[((waits.len() - 1) as f64 * part) as usize];
            let (half, most) = (at(0.5), at(1.0));
            println!("{:<6} {what:<26} {half:>6.0} {:>6.0} {:>6.0} {most:>8.0}", server.name, at(0.99), at(0.999));
        };
        told("nothing falls due", &waits(server, 4));
        let now = || SystemTime::now().duration_since(UNIX_EPOCH).expect("a clock").as_millis();
        let due = now() + 12_000;
        fill(&mut client, "PXAT", &due.to_string());
        // It begins half a second before they fall due.
        thread::sleep(Duration::from_millis(u64::try_from(due.saturating_sub(now() + 500)).expect("a while")));
        told("a million keys fall due", &waits(server, 4));
    }
}

fn main() {
    let url = env::var("REDIS_URL").expect("REDIS_URL names the real server");
    let address = url.strip_prefix("redis://").unwrap_or(&url).trim_end_matches('/').to_owned();
    let wanted: Vec<String> = env::args().skip(1).filter(|word| !word.starts_with('-')).collect();
    let wants = |what: &str| wanted.is_empty() || wanted.iter().any(|word| word == what);
    let served = Server::start(&[]);
    let ours = Peer { name: "hotkv", address: served.address.clone(), pid: Some(served.process.id()) };
    let servers = [ours, Peer { name: "redis", address, pid: None }];
    if wants("cycle") {
        cycles(&servers);
    }
    if wants("memory") {
        memory(&servers);
    }
    if wants("storm") {
        storm(&servers);
    }
}
