//! A `hotkv serve` for a test, and replies as they come over a socket.

use std::io::{BufRead, BufReader, Write};
use std::net::TcpStream;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use hotkv_playground::engine::quoted;

/// A server that ends with the test.
pub(crate) struct Server {
    pub(crate) process: Child,
    pub(crate) address: String,
}

impl Server {
    /// Starts one on a free port.
    pub(crate) fn start(options: &[&str]) -> Self {
        let mut process = Command::new(env!("CARGO_BIN_EXE_hotkv"))
            .args(["serve", "--port", "0", "--log", "off"])
            .args(options)
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let address = Self::address(&mut process);
        Self { process, address }
    }

    /// Where it listens, as it tells on its first line.
    pub(crate) fn address(process: &mut Child) -> String {
        let mut line = String::new();
        BufReader::new(process.stdout.take().unwrap()).read_line(&mut line).unwrap();
        let address = line.split("listening on ").nth(1).and_then(|rest| rest.split(';').next());
        address.expect("an address").to_owned()
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        // One that has ended cannot be ended again.
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

/// A connection to a server.
pub(crate) struct Client(pub(crate) BufReader<TcpStream>);

impl Client {
    /// Connects. A reply that does not come fails the test.
    pub(crate) fn connect(address: &str) -> Self {
        let stream = TcpStream::connect(address).unwrap_or_else(|error| panic!("{address}: {error}"));
        stream.set_nodelay(true).unwrap();
        stream.set_read_timeout(Some(Duration::from_mins(1))).unwrap();
        Self(BufReader::new(stream))
    }

    /// Sends bytes as they are.
    pub(crate) fn write(&mut self, bytes: &[u8]) {
        self.0.get_mut().write_all(bytes).unwrap();
    }

    /// Sends a command and reads its reply.
    pub(crate) fn send(&mut self, words: &[impl AsRef<[u8]>]) -> Raw {
        self.write(&request(words));
        Raw::read(&mut self.0)
    }
}

/// A command as a client library sends it.
pub(crate) fn request(words: &[impl AsRef<[u8]>]) -> Vec<u8> {
    let mut request = format!("*{}\r\n", words.len()).into_bytes();
    for word in words {
        let word = word.as_ref();
        request.extend_from_slice(format!("${}\r\n", word.len()).as_bytes());
        request.extend_from_slice(word);
        request.extend_from_slice(b"\r\n");
    }
    request
}

/// A reply as it came: its mark, its text or length, and what is in it.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Raw {
    pub(crate) mark: u8,
    pub(crate) text: Vec<u8>,
    pub(crate) parts: Vec<Raw>,
    /// Whether it is no value, in RESP2.
    missing: bool,
}

impl Raw {
    /// Reads one reply.
    pub(crate) fn read(stream: &mut impl BufRead) -> Self {
        let mut line = Vec::new();
        stream.read_until(b'\n', &mut line).expect("a reply");
        assert!(line.ends_with(b"\r\n"), "no reply but {line:?}");
        line.truncate(line.len() - 2);
        let (mark, mut text) = (line[0], line[1..].to_vec());
        let count: i64 = std::str::from_utf8(&text).ok().and_then(|text| text.parse().ok()).unwrap_or(-1);
        let mut parts = Vec::new();
        match mark {
            b'$' | b'=' if count >= 0 => {
                text = vec![0; count as usize + 2];
                stream.read_exact(&mut text).expect("the rest of a reply");
                text.truncate(count as usize);
            }
            b'*' => parts = (0..count).map(|_| Self::read(stream)).collect(),
            b'%' => parts = (0..2 * count).map(|_| Self::read(stream)).collect(),
            _ => {}
        }
        let missing = count < 0 && matches!(mark, b'$' | b'*');
        Self { mark, text, parts, missing }
    }

    /// For people: `+OK`, `:1`, parts one after the other.
    pub(crate) fn show(&self) -> String {
        if !self.parts.is_empty() {
            return self.parts.iter().map(Self::show).collect::<Vec<_>>().join(" ");
        }
        match std::str::from_utf8(&self.text) {
            Ok(text) if self.mark != b'$' || self.missing => format!("{}{text}", char::from(self.mark)),
            _ => format!("{}{}", char::from(self.mark), quoted(&self.text)),
        }
    }
}
