//! `hotkv serve` over TCP: what clients ask, what strangers do to a server, and how it stops.

mod serving;

use std::fs;
use std::io::{ErrorKind, Read, Write};
use std::net::{Shutdown, TcpStream};
use std::process::{Command, Stdio};

use serving::{Client, Raw, Server, request};

/// What a server says before it hangs up.
fn last_words(client: &mut Client) -> String {
    let mut rest = Vec::new();
    match client.0.read_to_end(&mut rest) {
        Ok(_) => {}
        // What was sent after the hanging up is answered so.
        Err(error) if error.kind() == ErrorKind::ConnectionReset => {}
        Err(error) => panic!("the server did not hang up: {error}"),
    }
    String::from_utf8_lossy(&rest).into_owned()
}

/// That a server is well and serves others.
fn is_well(server: &Server) {
    let mut client = Client::connect(&server.address);
    assert_eq!(client.send(&["PING"]).show(), "+PONG");
}

/// The memory that a server has taken at most, in bytes.
fn most_memory(server: &Server) -> u64 {
    let status = fs::read_to_string(format!("/proc/{}/status", server.process.id())).unwrap();
    let line = status.lines().find(|line| line.starts_with("VmHWM:")).unwrap();
    line.split_whitespace().nth(1).unwrap().parse::<u64>().unwrap() * 1024
}

#[test]
fn a_lock_and_a_clock_that_clients_move() {
    let server = Server::start(&["--clock", "simulated"]);
    let (mut a, mut b) = (Client::connect(&server.address), Client::connect(&server.address));
    for (client, line, reply) in [
        (0, "SET lock:billing-run tok-a81f NX PX 30000", "+OK"),
        (1, "SET lock:billing-run tok-b22c NX PX 30000", "$-1"),
        (0, "CLOCK ADVANCE 12s", ":1893456012000"),
        (1, "PTTL lock:billing-run", ":18000"),
        (0, "SET lock:billing-run tok-a81f IFEQ tok-a81f PX 30000", "+OK"),
        (1, "DELEX lock:billing-run IFEQ tok-b22c", ":0"),
        (0, "DELEX lock:billing-run IFEQ tok-a81f", ":1"),
        (1, "SET lock:billing-run tok-b22c NX PX 30000", "+OK"),
        (0, "CLOCK NEXT", ":1893456042001"),
        (0, "TIME", "$\"1893456042\" $\"1000\""),
        (1, "GET lock:billing-run", "$-1"),
        (1, "CLOCK NEXT", "$-1"),
    ] {
        let client = if client == 0 { &mut a } else { &mut b };
        assert_eq!(client.send(&line.split(' ').collect::<Vec<_>>()).show(), reply, "{line}");
    }
}

#[test]
fn the_time_of_day_is_nobodys_to_move() {
    let server = Server::start(&[]);
    let mut client = Client::connect(&server.address);
    assert_eq!(client.send(&["CLOCK", "NOW"]).mark, b':');
    for words in [&["CLOCK", "ADVANCE", "1s"][..], &["CLOCK", "NEXT"], &["CLOCK", "RUN"], &["CLOCK", "PAUSE"]] {
        assert!(client.send(words).show().starts_with("-ERR CLOCK moves a simulated clock alone"), "{words:?}");
    }
    let [now, set] = ["TIME", "EXPIRETIME"].map(|name| {
        client.send(&["SET", "k", "v", "EX", "100"]);
        let reply = if name == "TIME" { client.send(&[name]) } else { client.send(&[name, "k"]) };
        let text = if name == "TIME" { reply.parts[0].text.clone() } else { reply.text };
        String::from_utf8(text).unwrap().parse::<i64>().unwrap()
    });
    assert!((100..=102).contains(&(set - now)), "{set} and {now}");
}

#[test]
fn both_protocols_pipelines_and_lines_typed_by_hand() {
    let server = Server::start(&["--clock", "simulated"]);
    let mut client = Client::connect(&server.address);
    client.write(b"PING\r\nSET 'a b' \"x\\x00y\"\nGET \"a b\"\r\n\r\nEXISTS nothing\n");
    let replies: Vec<_> = (0..4).map(|_| Raw::read(&mut client.0).show()).collect();
    assert_eq!(replies, ["+PONG", "+OK", "$\"x\\x00y\"", ":0"]);
    let hello = client.send(&["HELLO", "3"]);
    assert_eq!((hello.mark, hello.parts.len()), (b'%', 14));
    assert_eq!(client.send(&["GET", "nothing"]).show(), "_");
    assert_eq!(client.send(&["INFO", "memory"]).mark, b'=');
    client.write(&request(&["SET", "n", "0"]));
    client.write(&request(&["INCR", "n"]).repeat(10_000));
    assert_eq!(Raw::read(&mut client.0).show(), "+OK");
    for n in 1..=10_000 {
        assert_eq!(Raw::read(&mut client.0).show(), format!(":{n}"));
    }
    client.write(&[request(&["CLIENT", "REPLY", "SKIP"]), request(&["PING"]), request(&["ECHO", "heard"])].concat());
    assert_eq!(Raw::read(&mut client.0).show(), "$\"heard\"");
    assert_eq!(client.send(&["RESET"]).show(), "+RESET");
    assert_eq!(client.send(&["GET", "nothing"]).show(), "$-1");
    client.write(b"QUIT\r\nPING\r\n");
    assert_eq!(last_words(&mut client), "+OK\r\n");
}

#[test]
fn numbers_of_clients_are_never_given_twice() {
    let server = Server::start(&["--clock", "simulated"]);
    let mut first = Client::connect(&server.address);
    assert_eq!(first.send(&["CLIENT", "ID"]).show(), ":1");
    let mut second = Client::connect(&server.address);
    second.send(&["CLIENT", "SETNAME", "second"]);
    second.send(&["WATCH", "k"]);
    second.write(b"QUIT\r\n");
    assert_eq!(last_words(&mut second), "+OK\r\n");
    let mut third = Client::connect(&server.address);
    assert_eq!(third.send(&["CLIENT", "ID"]).show(), ":3");
    let list = String::from_utf8(third.send(&["CLIENT", "LIST"]).text).unwrap();
    let numbers: Vec<&str> = list.lines().filter_map(|line| line.split(' ').next()).collect();
    assert_eq!(numbers, ["id=3", "id=1"].map(str::to_owned).iter().rev().map(String::as_str).collect::<Vec<_>>());
    assert!(!list.contains("second") && !list.contains("watch=1"), "{list}");
}

#[test]
fn a_monitor_sees_what_others_send() {
    let server = Server::start(&["--clock", "simulated"]);
    let (mut monitor, mut other) = (Client::connect(&server.address), Client::connect(&server.address));
    assert_eq!(monitor.send(&["MONITOR"]).show(), "+OK");
    other.send(&["SET", "k", "v"]);
    let from = other.0.get_ref().local_addr().unwrap();
    assert_eq!(Raw::read(&mut monitor.0).show(), format!("+1893456000.000000 [0 {from}] \"SET\" \"k\" \"v\""));
    let info = String::from_utf8(other.send(&["CLIENT", "INFO"]).text).unwrap();
    assert!(info.starts_with(&format!("id=2 addr={from} name= ")), "{info}");
}

#[test]
fn a_page_in_a_browser_cannot_send_commands() {
    let server = Server::start(&[]);
    for head in ["POST / HTTP/1.1\r\n", "GET / HTTP/1.1\r\nHost: 127.0.0.1\r\n", "hOsT: x\n"] {
        let mut page = Client::connect(&server.address);
        page.write(format!("{head}\r\nSET stolen 1\r\n").as_bytes());
        last_words(&mut page);
        assert_eq!(Client::connect(&server.address).send(&["EXISTS", "stolen"]).show(), ":0", "{head}");
    }
}

#[test]
fn a_log_that_nobody_reads_holds_up_nothing() {
    for gone in [false, true] {
        let mut process = Command::new(env!("CARGO_BIN_EXE_hotkv"))
            .args(["serve", "--port", "0", "--max-clients", "1"])
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let (address, unread) = (Server::address(&mut process), process.stderr.take());
        let unread = if gone { None } else { unread };
        let mut server = Server { process, address };
        let mut client = Client::connect(&server.address);
        assert_eq!(client.send(&["PING"]).show(), "+PONG");
        // Each is told of in the log, which has room for a part of it.
        for _ in 0..1_500 {
            assert_eq!(last_words(&mut Client::connect(&server.address)), "-ERR max number of clients reached\r\n");
        }
        assert_eq!(client.send(&["PING"]).show(), "+PONG");
        stop(&server, "TERM");
        assert_eq!(server.process.wait().unwrap().code(), Some(0));
        drop(unread);
    }
}

#[test]
fn a_server_whose_address_nobody_reads_serves_all_the_same() {
    // The port is one that another server just had. Should somebody else get it first, there are others.
    let serves = (0..10).any(|_| {
        let taken = Server::start(&[]);
        let address = taken.address.clone();
        drop(taken);
        let port = address.rsplit(':').next().unwrap();
        let mut process = Command::new(env!("CARGO_BIN_EXE_hotkv"))
            .args(["serve", "--port", port, "--log", "off"])
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        drop(process.stdout.take());
        let mut server = Server { process, address };
        loop {
            if server.process.try_wait().unwrap().is_some() {
                return false;
            }
            if TcpStream::connect(&server.address).is_ok() {
                is_well(&server);
                return true;
            }
        }
    });
    assert!(serves);
}

/// Sends a signal to a server.
fn stop(server: &Server, signal: &str) {
    let sent = Command::new("kill").args([&format!("-{signal}"), &server.process.id().to_string()]).status();
    assert!(sent.unwrap().success());
}

#[test]
fn what_is_no_request_is_told_and_ends_the_connection() {
    let server = Server::start(&["--max-request", "1mb"]);
    let long = "1".repeat(70_000);
    for (bytes, error) in [
        ("*x\r\n".to_owned(), "invalid multibulk length"),
        ("*1048577\r\n".to_owned(), "invalid multibulk length"),
        ("*2147483648\r\n".to_owned(), "invalid multibulk length"),
        ("*1\r\n:1\r\n".to_owned(), "expected '$', got ':'"),
        ("*1\r\n$-1\r\n".to_owned(), "invalid bulk length"),
        ("*1\r\n$1048577\r\n".to_owned(), "invalid bulk length"),
        (format!("*3\r\n$600000\r\n{}\r\n$600000\r\n", "a".repeat(600_000)), "too big request"),
        ("GET \"k\r\n".to_owned(), "unbalanced quotes in request"),
        (format!("*{long}"), "too big mbulk count string"),
        (format!("*1\r\n${long}"), "too big bulk count string"),
        (long, "too big inline request"),
    ] {
        let mut client = Client::connect(&server.address);
        // What came before is answered.
        client.write(b"PING\r\n");
        client.write(bytes.as_bytes());
        let told = last_words(&mut client);
        assert_eq!(told, format!("+PONG\r\n-ERR Protocol error: {error}\r\n"), "{}", &bytes[..bytes.len().min(30)]);
    }
    is_well(&server);
}

#[test]
fn requests_that_never_end_hold_up_nobody() {
    let server = Server::start(&[]);
    let half: Vec<Client> = ["*3\r\n$3\r\nSET\r\n$1\r\n", "*2\r\n$3\r\nGET\r\n$536870912\r\nabc", "PIN", "*", "$"]
        .iter()
        .map(|bytes| {
            let mut client = Client::connect(&server.address);
            client.write(bytes.as_bytes());
            client
        })
        .collect();
    is_well(&server);
    drop(half);
    is_well(&server);
    // A client that has said all and hears on is answered.
    let mut client = Client::connect(&server.address);
    client.write(b"PING\r\n*1\r\n$4\r\nPI");
    client.0.get_ref().shutdown(Shutdown::Write).unwrap();
    assert_eq!(last_words(&mut client), "+PONG\r\n");
    // One that announces much takes no memory for it.
    assert!(most_memory(&server) < 64 << 20);
}

#[test]
fn requests_take_no_more_memory_than_there_is() {
    let server = Server::start(&["--max-buffers", "8mb"]);
    let mut greedy = Client::connect(&server.address);
    greedy.write(b"*2\r\n$4\r\nECHO\r\n$100000000\r\n");
    let piece = vec![b'a'; 1 << 20];
    // The server may hang up in the middle of it.
    let sent = (0..100).take_while(|_| greedy.0.get_mut().write_all(&piece).is_ok()).count();
    assert!(sent < 100);
    assert!(matches!(
        last_words(&mut greedy).as_str(),
        "" | "-ERR this request takes more memory than is left for connections\r\n"
    ));
    is_well(&server);
    assert!(most_memory(&server) < 64 << 20);
    // What was taken is given back.
    let mut next = Client::connect(&server.address);
    assert_eq!(next.send(&["ECHO", "a".repeat(3 << 20).as_str()]).text.len(), 3 << 20);
    // Replies count as well: sixteen times a megabyte is more than there is.
    next.send(&["SET", "k", "a".repeat(1 << 20).as_str()]);
    next.write(&request(&[&["MGET"][..], &["k"; 16]].concat()));
    assert_eq!(last_words(&mut next), "");
    is_well(&server);
}

#[test]
fn a_client_that_never_reads_holds_up_nobody() {
    let server = Server::start(&[]);
    let mut client = Client::connect(&server.address);
    client.send(&["SET", "k", "a".repeat(100_000).as_str()]);
    // Asks for gigabytes as long as the server takes requests.
    let stream = client.0.get_mut();
    stream.set_nonblocking(true).unwrap();
    let asked = request(&["GET", "k"]).repeat(100);
    let mut idle = 0;
    while idle < 100 {
        match stream.write(&asked) {
            Ok(_) => idle = 0,
            Err(error) if error.kind() == ErrorKind::WouldBlock => {
                // Another one is served while nothing moves here.
                is_well(&server);
                idle += 1;
            }
            Err(error) => panic!("{error}"),
        }
    }
    assert!(most_memory(&server) < 64 << 20);
    // It reads after all, and has missed nothing.
    stream.set_nonblocking(false).unwrap();
    assert_eq!(Raw::read(&mut client.0).text.len(), 100_000);
    drop(client);
    is_well(&server);
}

#[test]
fn monitors_that_never_read_are_cut_off() {
    let server = Server::start(&["--max-buffers", "4mb"]);
    let mut monitors: Vec<_> = (0..20).map(|_| Client::connect(&server.address)).collect();
    for monitor in &mut monitors {
        assert_eq!(monitor.send(&["MONITOR"]).show(), "+OK");
    }
    let mut client = Client::connect(&server.address);
    let word = "a".repeat(100_000);
    let alone = |client: &mut Client| {
        String::from_utf8(client.send(&["INFO", "clients"]).text).unwrap().contains("connected_clients:1\r\n")
    };
    let sent = (0..1_000).take_while(|_| {
        client.send(&["ECHO", &word]);
        !alone(&mut client)
    });
    assert!(sent.count() < 1_000, "it is still there");
    assert!(most_memory(&server) < 64 << 20);
    drop(monitors);
    is_well(&server);
}

#[test]
fn four_thousand_connections() {
    rlimit::increase_nofile_limit(4_500).unwrap();
    let server = Server::start(&["--max-clients", "4000"]);
    let mut clients: Vec<Client> = (0..4_000).map(|_| Client::connect(&server.address)).collect();
    for client in &mut clients {
        client.write(b"INCR n\r\n");
    }
    let mut numbers: Vec<i64> = clients
        .iter_mut()
        .map(|client| String::from_utf8(Raw::read(&mut client.0).text).unwrap().parse().unwrap())
        .collect();
    numbers.sort_unstable();
    assert!(numbers.into_iter().eq(1..=4_000));
    // One too many is told so; when one leaves, the next comes in.
    let mut late = Client::connect(&server.address);
    assert_eq!(last_words(&mut late), "-ERR max number of clients reached\r\n");
    let mut leaving = clients.pop().unwrap();
    leaving.write(b"QUIT\r\n");
    assert_eq!(last_words(&mut leaving), "+OK\r\n");
    assert_eq!(Client::connect(&server.address).send(&["INCR", "n"]).show(), ":4001");
    assert!(most_memory(&server) < 200 << 20);
}

#[test]
fn memory_for_keys_is_bounded() {
    let server = Server::start(&["--max-memory", "1mb"]);
    let mut client = Client::connect(&server.address);
    let value = "a".repeat(300_000);
    let replies: Vec<_> = ["a", "b", "c", "d"].map(|key| client.send(&["SET", key, &value]).show()).into();
    assert_eq!(replies[..3], ["+OK"; 3]);
    assert_eq!(replies[3], "-OOM command not allowed when used memory > 'maxmemory'.");
    assert_eq!(client.send(&["GET", "a"]).text.len(), 300_000);
    assert!(client.send(&["CONFIG", "SET", "maxmemory", "2mb"]).show().starts_with("-ERR CONFIG SET failed"));
    assert_eq!(client.send(&["CONFIG", "SET", "maxmemory", "500000"]).show(), "+OK");
    assert_eq!(client.send(&["SET", "a", ""]).mark, b'-');
    assert_eq!(client.send(&["CONFIG", "SET", "maxmemory", "0"]).show(), "+OK");
    assert_eq!(client.send(&["SET", "a", ""]).show(), "+OK");
}

#[test]
fn a_signal_stops_it_after_the_last_reply() {
    for signal in ["INT", "TERM"] {
        let mut server = Server::start(&[]);
        let mut client = Client::connect(&server.address);
        assert_eq!(client.send(&["SET", "k", "v"]).show(), "+OK");
        let silent = TcpStream::connect(&server.address).unwrap();
        stop(&server, signal);
        assert_eq!(server.process.wait().unwrap().code(), Some(0), "{signal}");
        assert_eq!(last_words(&mut client), "");
        drop(silent);
    }
}

#[test]
fn bad_options_and_a_port_that_is_taken() {
    let server = Server::start(&[]);
    let port = server.address.rsplit(':').next().unwrap();
    for (options, error) in [
        (&["--port", port][..], "hotkv: 127.0.0.1:"),
        (&["--port", "66000"], "hotkv: usage: invalid value '66000' for '--port <PORT>'"),
        (&["--bind", "localhost"], "hotkv: usage: invalid value 'localhost' for '--bind <IP>'"),
        (&["--clock", "fast"], "hotkv: usage: invalid value 'fast' for '--clock <CLOCK>'"),
        (&["--max-memory", "lots"], "hotkv: usage: invalid value 'lots' for '--max-memory <SIZE>'"),
        (&["--max-clients", "0"], "hotkv: usage: invalid value '0' for '--max-clients <COUNT>'"),
    ] {
        let ran = Command::new(env!("CARGO_BIN_EXE_hotkv")).arg("serve").args(options).stdin(Stdio::null()).output();
        let ran = ran.unwrap();
        let told = String::from_utf8_lossy(&ran.stderr).into_owned();
        assert_eq!((ran.status.code(), told.lines().count()), (Some(2), 1), "{options:?}: {told}");
        assert!(told.starts_with(error), "{told}");
    }
}
