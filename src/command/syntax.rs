//! Syntax lines: the one line of a command from which arity, help and hints are derived.
//!
//! `SET key value [NX | XX] [GET]`: words in capitals stand for themselves, words in small letters for an argument,
//! `[…]` may be left out, `|` separates alternatives and `…` after a group (written `...`) lets it repeat.

/// How many words a command takes, its name included, in the way the server states it: exactly `n`, or at least
/// `-n` when negative. Bars outside brackets separate whole forms of what follows the name.
pub fn arity(syntax: &str) -> i32 {
    // Words of the forms that are read, and of the one being read.
    let mut forms = Vec::new();
    let mut words = 1;
    let mut depth = 0;
    let mut open_ended = false;
    for token in tokens(syntax).skip(1) {
        match token {
            "[" => {
                depth += 1;
                open_ended = true;
            }
            "]" => depth -= 1,
            "..." => open_ended = true,
            _ if depth > 0 => {}
            "|" => forms.push(std::mem::replace(&mut words, 1)),
            _ => words += 1,
        }
    }
    let least = forms.iter().fold(words, |least, form| least.min(*form));
    open_ended |= words != least || forms.iter().any(|form| *form != least);
    if open_ended { -least } else { least }
}

/// The tokens of a syntax line: words, brackets and bars.
fn tokens(syntax: &str) -> impl Iterator<Item = &str> {
    syntax.split(' ').flat_map(|word| {
        let open = word.len() - word.trim_start_matches('[').len();
        let core = word.trim_matches(['[', ']']);
        let close = word.len() - word.trim_end_matches(']').len();
        std::iter::repeat_n("[", open)
            .chain(std::iter::once(core).filter(|core| !core.is_empty()))
            .chain(std::iter::repeat_n("]", close))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arity_of_lines() {
        for (syntax, expected) in [
            ("GET key", 2),
            ("DBSIZE", 1),
            ("PING [message]", -1),
            ("DEL key [key ...]", -2),
            ("SET key value [NX | XX] [GET] [EX seconds | PX milliseconds | KEEPTTL]", -3),
            ("DELEX key [IFEQ value | IFNE value]", -2),
            ("CLOCK NOW | NEXT", 2),
            ("CLOCK NOW | ADVANCE time | NEXT", -2),
        ] {
            assert_eq!(arity(syntax), expected, "{syntax}");
        }
    }
}
