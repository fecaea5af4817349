//! Patterns of KEYS, as the server matches them: `*`, `?`, `[a-z]`, `[^a]` and `\` before any of these.

/// How many stars with something behind them a pattern may have; the server gives up on more, and nothing fits.
const MAX_STARS: usize = 1_000;

/// Whether `text` as a whole fits `pattern`. Takes at most time of the order of the two lengths multiplied: on a
/// mismatch only the last `*` is tried again, which is enough because an earlier one cannot help.
pub fn matches(pattern: &[u8], text: &[u8]) -> bool {
    // The server never begins on an empty text; a star alone it does not even match.
    if text.is_empty() {
        return pattern.is_empty() || pattern == b"*";
    }
    let (mut p, mut t) = (0, 0);
    let mut retry: Option<(usize, usize)> = None;
    let mut stars = 0;
    while t < text.len() {
        let fits = match pattern.get(p) {
            Some(b'*') => {
                p += pattern[p..].iter().take_while(|byte| **byte == b'*').count();
                stars += usize::from(p < pattern.len());
                if stars > MAX_STARS {
                    return false;
                }
                retry = Some((p, t));
                continue;
            }
            Some(_) => one(&pattern[p..], text[t]),
            None => None,
        };
        if let Some(width) = fits {
            p += width;
            t += 1;
        } else if let Some((star, from)) = retry {
            p = star;
            t = from + 1;
            retry = Some((star, t));
        } else {
            return false;
        }
    }
    pattern[p.min(pattern.len())..].iter().all(|&byte| byte == b'*')
}

/// Matches one byte against the head of the pattern; the width of that head when it fits.
fn one(pattern: &[u8], byte: u8) -> Option<usize> {
    match pattern {
        [b'?', ..] => Some(1),
        [b'[', class @ ..] => {
            let (fits, width) = class_holds(class, byte);
            fits.then_some(1 + width)
        }
        [b'\\', literal, ..] => (*literal == byte).then_some(2),
        [literal, ..] => (*literal == byte).then_some(1),
        [] => None,
    }
}

/// Whether a class (what follows `[`) holds the byte, and its width up to and including `]`. A class that is not
/// closed ends with the pattern; a range may stand in either order.
fn class_holds(class: &[u8], byte: u8) -> (bool, usize) {
    let negated = class.first() == Some(&b'^');
    let mut at = usize::from(negated);
    let mut holds = false;
    loop {
        match &class[at..] {
            [] => return (holds != negated, at),
            [b']', ..] => return (holds != negated, at + 1),
            [b'\\', literal, ..] => {
                holds |= *literal == byte;
                at += 2;
            }
            [from, b'-', to, ..] => {
                // Bytes have a sign where the server compares them.
                let (from, to, byte) = (from.cast_signed(), to.cast_signed(), byte.cast_signed());
                holds |= (from.min(to)..=from.max(to)).contains(&byte);
                at += 3;
            }
            [literal, ..] => {
                holds |= *literal == byte;
                at += 1;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn more_stars_than_the_server_follows() {
        let text = b"a".repeat(2_000);
        for (pattern, fits) in [
            ("*?".repeat(1_000), true),
            ("*?".repeat(1_001), false),
            ("*?".repeat(1_000) + "*", true),
            ("*".repeat(5_000) + "a", true),
        ] {
            assert_eq!(matches(pattern.as_bytes(), &text), fits, "{} bytes", pattern.len());
        }
    }

    #[test]
    fn patterns() {
        for (pattern, text, fits) in [
            ("*", "", true),
            ("", "", true),
            ("", "a", false),
            ("h?llo", "hello", true),
            ("h*llo", "heeeello", true),
            ("h[ae]llo", "hillo", false),
            ("h[^e]llo", "hallo", true),
            ("h[^e]llo", "hello", false),
            ("[e-a]", "c", true),
            ("[!e]", "!", true),
            ("[!e]", "a", false),
            ("\\*", "*", true),
            ("\\*", "a", false),
            ("a\\", "a\\", true),
            ("[abc", "c", true),
            ("[\\]]", "]", true),
            ("a*b*c", "a-b-b-c", true),
            ("a*b*c", "a-b-b-d", false),
            ("**a", "ba", true),
            ("**", "", false),
            ("**", "a", true),
            ("a", "ab", false),
        ] {
            assert_eq!(matches(pattern.as_bytes(), text.as_bytes()), fits, "{pattern} {text}");
        }
    }

    #[test]
    fn ranges_compare_signed_bytes() {
        assert!(matches(b"[a-\xff]", b"-") && matches(b"[a-\xff]", b"\xff") && !matches(b"[a-\xff]", b"b"));
    }

    #[test]
    fn a_pathological_pattern_ends() {
        let pattern = "a*".repeat(2_000) + "b";
        assert!(!matches(pattern.as_bytes(), "a".repeat(20_000).as_bytes()));
    }
}
