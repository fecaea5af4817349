//! Sizes in bytes, as the real server's settings have them.

/// Reads a size: a whole number of bytes, or of `k`, `m`, `g` (of 1,000 each) or `kb`, `mb`, `gb` (of 1,024 each), in any case.
pub fn parse_size(text: &str) -> Option<usize> {
    let text = text.to_ascii_lowercase();
    let digits = text.trim_end_matches(|c: char| c.is_ascii_alphabetic());
    let unit = match &text[digits.len()..] {
        "" | "b" => 1,
        "k" => 1_000,
        "kb" => 1 << 10,
        "m" => 1_000_000,
        "mb" => 1 << 20,
        "g" => 1_000_000_000,
        "gb" => 1 << 30,
        _ => return None,
    };
    digits.parse::<usize>().ok()?.checked_mul(unit)
}
