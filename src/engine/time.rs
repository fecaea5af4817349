//! Instants and durations: whole milliseconds, and the way they are written.

/// An instant in Unix milliseconds, or a duration in milliseconds.
pub type Millis = i64;

/// Where the simulated clock starts: 2030-01-01T00:00:00Z.
pub const EPOCH: Millis = 1_893_456_000_000;

/// The units of a written duration, in milliseconds.
const UNITS: [(&str, Millis); 5] = [("ms", 1), ("s", 1_000), ("m", 60_000), ("h", 3_600_000), ("d", 86_400_000)];

/// Reads `500`, `500ms`, `30s`, `2m`, `1h` or `1d`; a bare number is milliseconds.
///
/// `None` for anything else: signs, fractions, spaces, unknown units and what does not fit in 64 bits.
pub fn parse_duration(text: &str) -> Option<Millis> {
    let digits = text.bytes().take_while(u8::is_ascii_digit).count();
    let (number, unit) = text.split_at(digits);
    let factor = if unit.is_empty() { 1 } else { UNITS.iter().find(|(name, _)| *name == unit)?.1 };
    number.parse::<Millis>().ok()?.checked_mul(factor)
}

/// Writes a duration with the largest unit that keeps it whole: `30s`, `1500ms`, `2m`.
pub fn format_duration(ms: Millis) -> String {
    let (unit, factor) = UNITS.iter().rev().find(|(_, factor)| ms != 0 && ms % factor == 0).unwrap_or(&UNITS[0]);
    format!("{}{unit}", ms / factor)
}

/// Writes milliseconds as seconds with three decimals: `20.400`.
pub fn format_seconds(ms: Millis) -> String {
    let sign = if ms < 0 { "-" } else { "" };
    let ms = ms.unsigned_abs();
    format!("{sign}{}.{:03}", ms / 1_000, ms % 1_000)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn durations_read_and_written() {
        for (text, ms) in [("500", 500), ("500ms", 500), ("30s", 30_000), ("2m", 120_000), ("1h", 3_600_000), ("0", 0)]
        {
            assert_eq!(parse_duration(text), Some(ms), "{text}");
            assert_eq!(parse_duration(&format_duration(ms)), Some(ms), "{text}");
        }
        for text in ["", "s", "-1", "+1", "1.5s", "1 s", "1x", "30S", "9223372036854775808", "9223372036854775807s"] {
            assert_eq!(parse_duration(text), None, "{text}");
        }
        assert_eq!(format_duration(90_000), "90s");
        assert_eq!(format_duration(1_500), "1500ms");
    }

    #[test]
    fn seconds_have_three_decimals() {
        assert_eq!(format_seconds(20_400), "20.400");
        assert_eq!(format_seconds(5), "0.005");
        assert_eq!(format_seconds(-1_001), "-1.001");
        assert_eq!(format_seconds(i64::MIN), "-9223372036854775.808");
    }
}
