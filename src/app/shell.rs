//! The console alone, without a session to play: what a terminal and a program use.

use std::borrow::Cow;

use super::state::{CLOCK_FULL, unknown_command};
use super::{Locale, view};
use crate::console::{self, Input};
use crate::engine::{Event, EventKind, Millis, Options};
use crate::transcript::line::{self, LineError};
use crate::transcript::{PLAIN_CLIENT, Ran, Runner};

/// A server, and who is typing.
#[derive(Clone, Debug)]
pub struct Shell {
    runner: Runner,
    client: String,
    locale: Locale,
}

/// What the console says to a line.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Answer {
    /// The reply in redis-cli form, or what a line that is no command gives; empty when it gives nothing.
    pub text: Cow<'static, str>,
    /// What else there is to say: keys that expired, a word on an unknown command.
    pub remarks: Vec<String>,
}

impl Shell {
    /// An empty server; the seed is for its tokens, and its keys may take so much memory, in bytes.
    pub fn new(seed: u64, max_memory: usize) -> Self {
        Self {
            runner: Runner::new(Options { seed, max_memory, ..Options::default() }),
            client: PLAIN_CLIENT.to_owned(),
            locale: Locale::english(),
        }
    }

    /// Who is typing.
    pub fn client(&self) -> &str {
        &self.client
    }

    /// The simulated clock, Unix milliseconds.
    pub fn now(&self) -> Millis {
        self.runner.engine().now()
    }

    /// Takes one line as bytes. Whatever they are, there is an answer.
    pub fn exec_bytes(&mut self, bytes: &[u8]) -> Answer {
        match line::check(bytes) {
            Ok(text) => self.exec(text),
            Err(why) => error(&why.to_string()),
        }
    }

    /// Takes one line.
    pub fn exec(&mut self, text: &str) -> Answer {
        match console::parse(text) {
            Input::Nothing | Input::Clear | Input::Act { .. } => Answer::default(),
            Input::Switch(name) => {
                name.clone_into(&mut self.client);
                Answer::default()
            }
            Input::Command { client, line } => {
                let ran = self.runner.command(client.unwrap_or(&self.client), line);
                self.answer(line, ran)
            }
            Input::Advance(ms) => match self.now().checked_add(ms) {
                Some(to) => Answer { text: "".into(), remarks: self.advance_to(to) },
                None => Answer { text: CLOCK_FULL.into(), remarks: Vec::new() },
            },
            Input::Help(topic) => Answer { text: console::help(topic).into(), remarks: Vec::new() },
            Input::Bad(why) => error(why),
        }
    }

    /// Moves the clock; what expired, in words.
    pub fn advance_to(&mut self, to: Millis) -> Vec<String> {
        self.runner.advance_to(to);
        self.expired()
    }

    /// What is said of what came of a line.
    fn answer(&self, line: &str, ran: Result<Ran, LineError>) -> Answer {
        match ran {
            Ok(Ran { reply, monitored, is_error, .. }) => {
                let mut remarks = self.expired();
                remarks.extend(monitored);
                remarks.extend(is_error.then(|| unknown_command(line)).flatten().map(|said| said.words(&self.locale)));
                Answer { text: reply, remarks }
            }
            Err(why) => error(&why.to_string()),
        }
    }

    fn expired(&self) -> Vec<String> {
        let told =
            |event: &Event| view::expired(&self.locale, &self.runner, event, &String::from_utf8_lossy(&event.key));
        let expiries =
            self.runner.engine().events().iter().filter(|event| matches!(event.kind, EventKind::Expired { .. }));
        expiries.filter_map(told).collect()
    }
}

impl console::Known for Shell {
    fn keys(&self, prefix: &str, most: usize) -> Vec<String> {
        super::entry::keys(&self.runner, &self.client, prefix, most)
    }

    fn tokens(&self, _: &str, _: usize) -> Vec<String> {
        // A terminal keeps no log.
        Vec::new()
    }
}

fn error(why: &str) -> Answer {
    Answer { text: format!("(error) {why}").into(), remarks: Vec::new() }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::{EPOCH, MAX_MEMORY};

    #[test]
    fn lines_and_answers() {
        let mut shell = Shell::new(0, MAX_MEMORY);
        for (line, text, remarks) in [
            ("SET lock:x a NX PX 100", "OK", 0),
            ("B> SET lock:x b NX", "(nil)", 0),
            ("B>", "", 0),
            ("+101ms", "", 1),
            ("SET lock:x b NX", "OK", 0),
            ("GET \"x", "(error) Invalid argument(s): a quote is not closed, or text follows it directly", 0),
            ("LPUSH l 1", "(error) ERR unknown command 'LPUSH', with args beginning with: 'l' '1' ", 1),
            ("-1s", "(error) the clock never runs backwards", 0),
            ("+9223372036854775807", "(error) the clock cannot hold that time", 0),
            ("CLOCK RUN", "(error) ERR CLOCK RUN needs a running clock", 0),
            ("GET a\0", "(error) The line holds the control byte 0; write it as \"\\x00\"", 0),
            ("", "", 0),
        ] {
            let answer = shell.exec(line);
            assert_eq!((&*answer.text, answer.remarks.len()), (text, remarks), "{line}");
        }
        assert_eq!((shell.now(), shell.client()), (EPOCH + 101, "B"));
        assert!(shell.exec_bytes(b"GET \xff").text.starts_with("(error) The line is no UTF-8 text"));
        assert!(shell.exec_bytes(&vec![b'a'; 10 << 20]).text.starts_with("(error) The line has 10485760 bytes"));
        assert_eq!(shell.advance_to(EPOCH), Vec::<String>::new());
    }
}
