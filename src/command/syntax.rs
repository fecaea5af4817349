//! Syntax lines: the one line of a command from which arity, help, hints, completion and generated tests are derived.
//!
//! `SET key value [NX | XX] [GET]`: words in capitals stand for themselves, words in small letters for an argument,
//! `[…]` may be left out, `|` separates alternatives, and `...` at the end of a bracket lets it repeat.

use std::fmt;

/// One piece of a syntax line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Node {
    /// A word that stands for itself.
    Word(&'static str),
    /// An argument, by its name.
    Argument(&'static str),
    /// A bracket: what may be left out.
    Optional(Choice),
}

/// Alternatives, and whether one after the other may be chosen.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Choice {
    /// The alternatives, each a sequence.
    pub forms: Vec<Vec<Node>>,
    /// Whether it may repeat.
    pub repeats: bool,
}

impl fmt::Display for Node {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Word(word) | Self::Argument(word) => f.write_str(word),
            Self::Optional(choice) => {
                let forms: Vec<String> = choice.forms.iter().map(|form| sequence(form)).collect();
                write!(f, "[{}{}]", forms.join(" | "), if choice.repeats { " ..." } else { "" })
            }
        }
    }
}

/// Writes nodes one after the other.
fn sequence(nodes: &[Node]) -> String {
    nodes.iter().map(Node::to_string).collect::<Vec<_>>().join(" ")
}

/// Reads a syntax line: the forms that may follow the command's name. Bars outside brackets separate whole forms.
pub fn parse(syntax: &'static str) -> Vec<Vec<Node>> {
    let mut tokens = tokens(syntax).skip(1);
    choice(&mut tokens).forms
}

/// Reads up to the bracket that closes, or to the end.
fn choice(tokens: &mut impl Iterator<Item = &'static str>) -> Choice {
    let mut forms = vec![Vec::new()];
    let mut repeats = false;
    while let Some(token) = tokens.next() {
        let node = match token {
            "]" => break,
            "|" => {
                forms.push(Vec::new());
                continue;
            }
            "..." => {
                repeats = true;
                continue;
            }
            "[" => Node::Optional(choice(tokens)),
            word if word.bytes().all(|byte| byte.is_ascii_uppercase() || byte.is_ascii_digit() || byte == b'-') => {
                Node::Word(word)
            }
            name => Node::Argument(name),
        };
        if let Some(form) = forms.last_mut() {
            form.push(node);
        }
    }
    Choice { forms, repeats }
}

/// The tokens of a syntax line: words, brackets and bars.
fn tokens(syntax: &'static str) -> impl Iterator<Item = &'static str> {
    syntax.split(' ').flat_map(|word| {
        let open = word.len() - word.trim_start_matches('[').len();
        let core = word.trim_matches(['[', ']']);
        let close = word.len() - word.trim_end_matches(']').len();
        std::iter::repeat_n("[", open)
            .chain(std::iter::once(core).filter(|core| !core.is_empty()))
            .chain(std::iter::repeat_n("]", close))
    })
}

/// How many words a command takes, its name included, in the way the server states it: exactly `n`, or at least
/// `-n` when negative.
pub fn arity(syntax: &'static str) -> i32 {
    let required = |form: &Vec<Node>| form.iter().filter(|node| !matches!(node, Node::Optional(_))).count();
    let forms = parse(syntax);
    let least = forms.iter().map(required).min().unwrap_or(0);
    let open_ended = forms.iter().any(|form| required(form) != least || form.len() != required(form));
    let words = least as i32 + 1;
    if open_ended { -words } else { words }
}

/// What may still follow the words typed after a command's name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rest {
    /// What must come next, in order.
    pub required: Vec<Node>,
    /// What may come, in any order.
    pub optional: Vec<Choice>,
}

impl Rest {
    /// Follows the words typed so far; `None` when they do not fit the line. Options may stand in any order, as the
    /// server takes them.
    pub fn after(syntax: &'static str, words: &[&str]) -> Option<Self> {
        parse(syntax).into_iter().find_map(|form| {
            let mut rest = Self { required: Vec::new(), optional: Vec::new() };
            rest.add(form);
            words.iter().all(|word| rest.take(word)).then_some(rest)
        })
    }

    /// Splits a form into what it needs and what it may have.
    fn add(&mut self, form: Vec<Node>) {
        for node in form {
            match node {
                Node::Optional(choice) => self.optional.push(choice),
                node => self.required.push(node),
            }
        }
    }

    /// Takes one word; whether it fits.
    fn take(&mut self, word: &str) -> bool {
        if !self.required.is_empty() {
            let next = self.required.remove(0);
            return fits(&next, word);
        }
        // Words that stand for themselves come before arguments, which are anything.
        let found = [true, false].into_iter().find_map(|literal| {
            self.optional.iter().enumerate().find_map(|(index, choice)| {
                let form = choice.forms.iter().find(|form| {
                    form.first().is_some_and(|first| matches!(first, Node::Word(_)) == literal && fits(first, word))
                })?;
                Some((index, form.clone()))
            })
        });
        let Some((index, form)) = found else { return false };
        if !self.optional[index].repeats {
            self.optional.remove(index);
        }
        self.add(form.into_iter().skip(1).collect());
        true
    }

    /// The words that may stand next for themselves.
    pub fn words(&self) -> Vec<&'static str> {
        let first = self.required.first();
        let forms = self.optional.iter().filter(|_| first.is_none()).flat_map(|choice| &choice.forms);
        let heads = first.into_iter().chain(forms.filter_map(|form| form.first()));
        heads.filter_map(|node| if let Node::Word(word) = node { Some(*word) } else { None }).collect()
    }

    /// The argument that may stand next.
    pub fn argument(&self) -> Option<&'static str> {
        let first = self.required.first();
        let mut forms = self.optional.iter().filter(|_| first.is_none()).flat_map(|choice| &choice.forms);
        match first.or_else(|| forms.find_map(|form| form.first().filter(|node| matches!(node, Node::Argument(_))))) {
            Some(Node::Argument(name)) => Some(name),
            _ => None,
        }
    }
}

impl fmt::Display for Rest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let optional = self.optional.iter().map(|choice| Node::Optional(choice.clone()));
        let nodes: Vec<Node> = self.required.iter().cloned().chain(optional).collect();
        f.write_str(&sequence(&nodes))
    }
}

fn fits(node: &Node, word: &str) -> bool {
    match node {
        Node::Word(expected) => expected.eq_ignore_ascii_case(word),
        Node::Argument(_) => true,
        Node::Optional(_) => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SET: &str = "SET key value [NX | XX] [GET] [EX seconds | PX milliseconds | KEEPTTL]";

    #[test]
    fn arity_of_lines() {
        for (syntax, expected) in [
            ("GET key", 2),
            ("DBSIZE", 1),
            ("PING [message]", -1),
            ("DEL key [key ...]", -2),
            (SET, -3),
            ("DELEX key [IFEQ value | IFNE value]", -2),
            ("CLOCK NOW | NEXT", 2),
            ("CLOCK NOW | ADVANCE time | NEXT", -2),
            ("CLIENT SETNAME connection-name", 3),
            ("CLIENT NO-TOUCH mode", 3),
        ] {
            assert_eq!(arity(syntax), expected, "{syntax}");
        }
    }

    #[test]
    fn lines_are_written_as_they_are_read() {
        for spec in super::super::all_with_subcommands() {
            let forms: Vec<String> = parse(spec.syntax).iter().map(|form| sequence(form)).collect();
            let name = spec.syntax.split(' ').next().unwrap_or_default();
            assert_eq!(format!("{name} {}", forms.join(" | ")).trim(), spec.syntax);
        }
    }

    #[test]
    fn what_may_follow() {
        for (syntax, typed, rest) in [
            (SET, "", Some("key value [NX | XX] [GET] [EX seconds | PX milliseconds | KEEPTTL]")),
            (SET, "k", Some("value [NX | XX] [GET] [EX seconds | PX milliseconds | KEEPTTL]")),
            (SET, "k v nx", Some("[GET] [EX seconds | PX milliseconds | KEEPTTL]")),
            (SET, "k v PX", Some("milliseconds [NX | XX] [GET]")),
            (SET, "k v PX 30000 NX", Some("[GET]")),
            (SET, "k v NX XX", None),
            (SET, "k v FOO", None),
            ("DEL key [key ...]", "a b", Some("[key ...]")),
            ("CLOCK NOW | ADVANCE time | NEXT", "ADVANCE", Some("time")),
            ("CLOCK NOW | ADVANCE time | NEXT", "NOW", Some("")),
            ("MSET key value [key value ...]", "a 1 b", Some("value [key value ...]")),
            ("PING [message]", "hi", Some("")),
            ("PING [message]", "hi there", None),
        ] {
            let words: Vec<&str> = typed.split_whitespace().collect();
            let found = Rest::after(syntax, &words).map(|rest| rest.to_string());
            assert_eq!(found.as_deref(), rest, "{syntax}: {typed}");
        }
    }
}
