//! The syntax lines against the handlers: what a line allows is never a syntax error, and what it does not allow is
//! always an error.

use hotkv_playground::command::syntax::{Choice, Node, parse};
use hotkv_playground::command::{Spec, all_with_subcommands};
use hotkv_playground::engine::{Clock, Options, Rng};
use hotkv_playground::transcript::{PLAIN_CLIENT, Runner};

/// How many sentences are made of each line.
const SENTENCES: usize = 120;

/// Makes sentences of a syntax line.
struct Maker {
    rng: Rng,
}

impl Maker {
    fn below(&mut self, bound: usize) -> usize {
        (self.rng.next_u64() % bound as u64) as usize
    }

    /// A sentence: the name, then one of the forms with some of its options, in any order.
    fn sentence(&mut self, spec: &Spec) -> Vec<String> {
        let mut words: Vec<String> = vec![spec.syntax.split(' ').next().unwrap().to_owned()];
        let forms = parse(spec.syntax);
        let form = forms[self.below(forms.len())].clone();
        self.form(spec, &form, &mut words);
        words
    }

    fn form(&mut self, spec: &Spec, form: &[Node], words: &mut Vec<String>) {
        let mut options = Vec::new();
        for node in form {
            match node {
                Node::Word(word) => words.push((*word).to_owned()),
                Node::Argument(name) => words.push(argument(spec, name)),
                Node::Optional(choice) => options.push(choice),
            }
        }
        while !options.is_empty() {
            let at = self.below(options.len());
            let choice = options.swap_remove(at);
            self.option(spec, choice, words);
        }
    }

    fn option(&mut self, spec: &Spec, choice: &Choice, words: &mut Vec<String>) {
        // The pairs of MSETEX are counted by a number before them, which says one.
        let counted = spec.name() == "MSETEX" && choice.repeats;
        for _ in 0..if choice.repeats { 3 } else { 1 } {
            if counted || self.below(2) == 0 {
                return;
            }
            let form = choice.forms[self.below(choice.forms.len())].clone();
            self.form(spec, &form, words);
        }
    }
}

/// A word that an argument of that name may be.
fn argument(spec: &Spec, name: &str) -> String {
    let word = match (spec.full_name().as_str(), name) {
        ("client|setinfo", "option") => "LIB-NAME",
        ("command|list", "kind") => "PATTERN",
        ("command|getkeys", "command") => "GET",
        ("config|get" | "config|set", "parameter") => "databases",
        ("config|set", "value") => "16",
        (_, "mode") => "ON",
        (_, "type") => {
            if spec.name() == "LIST" {
                "normal"
            } else {
                "string"
            }
        }
        (_, "digest") => "0123456789abcdef",
        (_, "username") => "default",
        (_, "protover") => "2",
        (_, "time") => "5s",
        (_, "cursor" | "offset" | "index1" | "start" | "end") => "0",
        (
            _,
            "numkeys" | "index" | "index2" | "db" | "destination-db" | "increment" | "decrement" | "id"
            | "min-match-len",
        ) => "1",
        (_, "seconds" | "milliseconds" | "count" | "speed") => "100",
        (_, "unix-seconds") => "33177117420",
        (_, "unix-milliseconds") => "33177117420000",
        _ => "word",
    };
    word.to_owned()
}

fn reply(words: &[String]) -> String {
    let mut runner = Runner::new(Options { clock: Clock::Ticking, ..Options::default() });
    runner.command(PLAIN_CLIENT, "SET word value").unwrap();
    runner.command(PLAIN_CLIENT, &words.join(" ")).unwrap().reply.into_owned()
}

#[test]
fn what_a_line_allows_is_never_a_syntax_error() {
    let mut maker = Maker { rng: Rng::new(1) };
    for spec in all_with_subcommands().filter(|spec| spec.subcommands().is_empty()) {
        for _ in 0..SENTENCES {
            let words = maker.sentence(spec);
            let reply = reply(&words);
            for error in ["syntax error", "wrong number of arguments", "Unsupported option", "unknown", "Syntax error"]
            {
                assert!(!reply.contains(error), "{}: {words:?}: {reply}", spec.syntax);
            }
        }
    }
}

#[test]
fn what_a_line_does_not_allow_is_an_error() {
    let mut maker = Maker { rng: Rng::new(2) };
    // These take any words.
    let open = |spec: &Spec| {
        let ends_open = parse(spec.syntax)
            .iter()
            .any(|form| form.last().is_some_and(|node| matches!(node, Node::Optional(Choice { repeats: true, .. }))));
        ends_open || spec.name() == "QUIT"
    };
    for spec in all_with_subcommands().filter(|spec| spec.subcommands().is_empty() && !open(spec)) {
        for _ in 0..SENTENCES {
            let mut words = maker.sentence(spec);
            let full = words.len();
            words.extend(["BOGUS", "WORDS", "HERE"].map(str::to_owned));
            let error = reply(&words);
            assert!(error.starts_with("(error)"), "{words:?}: {error}");
            // A sentence cut short below what is needed is one too.
            let least = spec.arity().unsigned_abs() as usize;
            words.truncate(full.min(least.saturating_sub(1)).max(1));
            if words.len() < least && words.len() >= spec.full_name().split('|').count() {
                assert!(reply(&words).contains("wrong number of arguments"), "{words:?}: {}", reply(&words));
            }
        }
    }
}
