//! The engine for programs: `Playground`. No logic: convert, call, convert.

use std::borrow::Cow;

use js_sys::Error;
use serde::{Deserialize, Serialize};
use wasm_bindgen::JsValue;
use wasm_bindgen::prelude::wasm_bindgen;

use crate::app::Shell;
use crate::engine::{MAX_MEMORY, Millis};
use crate::transcript::{self, parse};

/// The shapes that `check` returns and the constructor takes, for those who write TypeScript.
#[wasm_bindgen(typescript_custom_section)]
const TYPES: &str = r"
export interface PlaygroundOptions {
  /** Seed of TOKEN's generator; 0 when left out. */
  seed?: number;
  /** The most memory that keys and values may take, in bytes; 64 MiB when left out. */
  maxMemory?: number;
}
export interface Mismatch {
  /** The line of the command, counted from 1. */
  line: number;
  /** The command, with its prompt. */
  command: string;
  /** The reply that the text tells; null when it tells none. */
  expected: string | null;
  /** The reply that the engine gave. */
  actual: string;
}
export interface Diagnostic { line: number; message: string; }
export interface CheckResult { ok: boolean; mismatches: Mismatch[]; diagnostics: Diagnostic[]; }
";

#[wasm_bindgen]
extern "C" {
    /// What the constructor takes.
    #[wasm_bindgen(typescript_type = "PlaygroundOptions")]
    pub type PlaygroundOptions;
    /// What `check` returns.
    #[wasm_bindgen(typescript_type = "CheckResult")]
    pub type CheckResult;
}

#[derive(Default, Deserialize)]
#[serde(deny_unknown_fields, default, rename_all = "camelCase")]
struct Options {
    seed: u64,
    max_memory: Option<usize>,
}

#[derive(Serialize)]
struct Check {
    ok: bool,
    mismatches: Vec<Mismatch>,
    diagnostics: Vec<Diagnostic>,
}

#[derive(Serialize)]
struct Mismatch {
    line: usize,
    command: String,
    expected: Option<String>,
    actual: String,
}

#[derive(Serialize)]
struct Diagnostic {
    line: usize,
    message: String,
}

/// A lock engine of one's own: a server in memory whose clock stands until it is moved.
#[wasm_bindgen]
pub struct Playground {
    shell: Shell,
    replies: Replies,
}

/// Short replies that were given, as the strings of JavaScript that they became: most replies come again and again, and
/// making such a string takes longer than a command.
#[derive(Default)]
struct Replies(Vec<(Cow<'static, str>, JsValue)>);

impl Replies {
    /// How many are kept before all are let go.
    const MOST: usize = 16;
    /// The longest that is kept, in bytes.
    const LONGEST: usize = 32;

    fn give(&mut self, text: Cow<'static, str>) -> JsValue {
        if let Some((_, known)) = self.0.iter().find(|(known, _)| *known == text) {
            return known.clone();
        }
        let made = JsValue::from_str(&text);
        if text.len() <= Self::LONGEST {
            if self.0.len() == Self::MOST {
                self.0.clear();
            }
            self.0.push((text, made.clone()));
        }
        made
    }
}

#[wasm_bindgen]
impl Playground {
    /// An empty server. Options that are not known are an error.
    #[wasm_bindgen(constructor)]
    pub fn new(options: Option<PlaygroundOptions>) -> Result<Playground, Error> {
        let options: Options = match options {
            Some(options) => from_js(&options.into())?,
            None => Options::default(),
        };
        let shell = Shell::new(options.seed, options.max_memory.unwrap_or(MAX_MEMORY));
        Ok(Self { shell, replies: Replies::default() })
    }

    /// Runs a line as typed in the console and returns the reply in redis-cli form.
    #[wasm_bindgen(unchecked_return_type = "string")]
    pub fn exec(&mut self, line: &str) -> JsValue {
        // Half a surrogate pair arrives as this character, and must not be taken for text that was meant.
        if !line.is_ascii() && line.contains(char::REPLACEMENT_CHARACTER) {
            return JsValue::from_str(&format!("(error) {STAND_IN}"));
        }
        self.replies.give(self.shell.exec(line).text)
    }

    /// Lets milliseconds pass and returns what happened, a sentence each. They must be whole, and none is negative.
    pub fn advance(&mut self, ms: f64) -> Result<Vec<String>, Error> {
        let to = (ms.fract() == 0.0 && (0.0..=MAX_SAFE_INTEGER).contains(&ms))
            .then(|| self.shell.now().checked_add(ms as Millis))
            .flatten()
            .ok_or_else(|| Error::new("advance takes whole milliseconds, 0 or more"))?;
        Ok(self.shell.advance_to(to))
    }

    /// The simulated clock, Unix milliseconds.
    pub fn now(&self) -> f64 {
        self.shell.now() as f64
    }

    /// Runs a transcript on a fresh server and compares each reply with the one that the text tells.
    pub fn check(&self, text: &str) -> Result<CheckResult, Error> {
        let (records, diagnostics) = parse(text);
        let mismatches = transcript::check(&records);
        let result = Check {
            ok: mismatches.is_empty() && diagnostics.is_empty(),
            mismatches: mismatches
                .into_iter()
                .map(|transcript::Mismatch { line, command, expected, actual }| Mismatch {
                    line,
                    command,
                    expected,
                    actual,
                })
                .collect(),
            diagnostics: diagnostics
                .into_iter()
                .map(|transcript::Diagnostic { line, message }| Diagnostic { line, message })
                .collect(),
        };
        Ok(wasm_bindgen::JsCast::unchecked_into(to_js(&result)?))
    }

    /// The release of this engine.
    #[allow(clippy::unused_self)] // a method for those who hold one, as the others are
    pub fn version(&self) -> String {
        env!("CARGO_PKG_VERSION").to_owned()
    }
}

/// What is said of a line with the character that stands where text was lost.
const STAND_IN: &str =
    r#"The line holds U+FFFD, which stands for text that was lost; write it as "\xef\xbf\xbd" where it is meant"#;

/// The largest number that JavaScript counts exactly.
const MAX_SAFE_INTEGER: f64 = 9_007_199_254_740_991.0;

fn from_js<T: for<'a> Deserialize<'a>>(value: &JsValue) -> Result<T, Error> {
    let json = js_sys::JSON::stringify(value).map_err(super::dom::error)?;
    serde_json::from_str(&String::from(json)).map_err(|error| Error::new(&error.to_string()))
}

fn to_js(value: &impl Serialize) -> Result<JsValue, Error> {
    let json = serde_json::to_string(value).map_err(|error| Error::new(&error.to_string()))?;
    js_sys::JSON::parse(&json).map_err(super::dom::error)
}
