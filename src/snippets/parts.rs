//! What in a program is comment, text and code, for those who show it. It knows the programs beside it and no whole language.

use super::{Client, Form};

/// What a piece of a program is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Part {
    /// Anything else.
    Code,
    /// A comment, with its marks.
    Comment,
    /// A literal of text, with its quotes.
    Text,
}

/// A client's program in pieces; together they are the program.
pub fn parts(code: &str, client: Client) -> Vec<(Part, &str)> {
    let form = client.known().form;
    let (comment, quotes): (&str, &[&str]) = match form {
        // A shell's double quotes hold commands with quotes of their own.
        Form::Cli => ("#", &["'"]),
        Form::Python => ("#", &["\"\"\"", "\""]),
        Form::JavaScript => ("//", &["'", "\"", "`"]),
        Form::Go => ("//", &["\"", "`"]),
        Form::Rust | Form::Java => ("//", &["\""]),
    };
    let mut parts = Vec::new();
    let (mut told, mut at) = (0, 0);
    while let Some(first) = code[at..].chars().next() {
        let rest = &code[at..];
        let begins_word = form != Form::Cli || code[..at].chars().next_back().is_none_or(char::is_whitespace);
        let (part, length) = if rest.starts_with(comment) && begins_word {
            (Part::Comment, rest.find('\n').unwrap_or(rest.len()))
        } else if comment == "//" && rest.starts_with("/*") {
            (Part::Comment, rest.find("*/").map_or(rest.len(), |end| end + 2))
        } else if let Some(quote) = quotes.iter().find(|quote| rest.starts_with(**quote)) {
            (Part::Text, quoted(rest, quote, form != Form::Cli))
        } else {
            at += first.len_utf8();
            continue;
        };
        if told < at {
            parts.push((Part::Code, &code[told..at]));
        }
        parts.push((part, &rest[..length]));
        at += length;
        told = at;
    }
    if told < code.len() {
        parts.push((Part::Code, &code[told..]));
    }
    parts
}

/// How long a literal is, with its quotes.
fn quoted(text: &str, quote: &str, escapes: bool) -> usize {
    let mut at = quote.len();
    while let Some(next) = text[at..].chars().next() {
        if text[at..].starts_with(quote) {
            return at + quote.len();
        }
        at += next.len_utf8();
        if escapes && next == '\\' {
            at += text[at..].chars().next().map_or(0, char::len_utf8);
        }
    }
    at
}
