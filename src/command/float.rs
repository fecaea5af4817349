//! The sum of INCRBYFLOAT: decimal numbers added exactly and written with at most 17 decimals.
//!
//! The real server adds 80-bit floats where the machine has them. Exact decimals give the same digits wherever those
//! do not run out of bits, and no stray ones where they do; they are also the same on every platform.

use crate::engine::CommandError;

/// How many decimals the server writes.
const DECIMALS: usize = 17;
/// The largest power of ten, either way, that the server's floats reach.
const MAX_EXPONENT: i64 = 4_932;

/// Adds two numbers as they are written.
pub(super) fn add(a: &[u8], b: &[u8]) -> Result<String, CommandError> {
    match (Number::parse(a)?, Number::parse(b)?) {
        (Number::Finite(a), Number::Finite(b)) => Ok(a.plus(&b).write()),
        _ => Err(CommandError::NanOrInfinity),
    }
}

/// A number as the server's `strtold` reads it.
enum Number {
    Finite(Decimal),
    Infinite,
}

/// Decimal digits, least significant first, scaled by a power of ten.
#[derive(Clone, Debug)]
struct Decimal {
    negative: bool,
    /// Digits 0 to 9; the first stands for `10^exponent`.
    digits: Vec<u8>,
    exponent: i64,
}

impl Number {
    fn parse(text: &[u8]) -> Result<Self, CommandError> {
        let (negative, body) = match text {
            [b'-', body @ ..] => (true, body),
            body => (false, body.strip_prefix(b"+").unwrap_or(body)),
        };
        if body.eq_ignore_ascii_case(b"inf") || body.eq_ignore_ascii_case(b"infinity") {
            return Ok(Self::Infinite);
        }
        let decimal = match body {
            [b'0', b'x' | b'X', hex @ ..] => hexadecimal(hex)?,
            _ => decimal(body)?,
        };
        // Past the range of the server's floats a number is infinite, or nothing.
        let magnitude = decimal.exponent.saturating_add(decimal.digits.len() as i64);
        if decimal.digits.iter().any(|&digit| digit > 0) && magnitude > MAX_EXPONENT + 1 {
            return Err(CommandError::NotAFloat);
        }
        Ok(Self::Finite(Decimal { negative, ..decimal }))
    }
}

/// Reads `12`, `1.5`, `.5`, `5.`, `1e3`, `1E-3`.
fn decimal(text: &[u8]) -> Result<Decimal, CommandError> {
    let (mantissa, exponent) = match text.iter().position(|byte| byte.eq_ignore_ascii_case(&b'e')) {
        Some(at) => (&text[..at], exponent(&text[at + 1..])?),
        None => (text, 0),
    };
    let point = mantissa.iter().position(|&byte| byte == b'.').unwrap_or(mantissa.len());
    let fraction = mantissa.get(point + 1..).unwrap_or_default();
    let digits: Vec<u8> = mantissa[..point].iter().chain(fraction).copied().collect();
    if digits.is_empty() || !digits.iter().all(u8::is_ascii_digit) {
        return Err(CommandError::NotAFloat);
    }
    let digits: Vec<u8> = digits.iter().rev().map(|byte| byte - b'0').collect();
    let mut decimal = Decimal { negative: false, digits, exponent: exponent.saturating_sub(fraction.len() as i64) };
    decimal.trim();
    Ok(decimal)
}

/// Reads the digits after `e`, held within what can matter.
fn exponent(text: &[u8]) -> Result<i64, CommandError> {
    let (negative, digits) = match text {
        [b'-', digits @ ..] => (true, digits),
        digits => (false, digits.strip_prefix(b"+").unwrap_or(digits)),
    };
    if digits.is_empty() || !digits.iter().all(u8::is_ascii_digit) {
        return Err(CommandError::NotAFloat);
    }
    let value = digits.iter().fold(0_i64, |sum, byte| (sum * 10 + i64::from(byte - b'0')).min(1 << 40));
    Ok(if negative { -value } else { value })
}

/// Reads what follows `0x`: `ff`, `.8`, `1.8p3`, `1p-10`, as far as 128 bits hold its digits.
fn hexadecimal(text: &[u8]) -> Result<Decimal, CommandError> {
    let (mantissa, exponent) = match text.iter().position(|byte| byte.eq_ignore_ascii_case(&b'p')) {
        Some(at) => (&text[..at], exponent(&text[at + 1..])?),
        None => (text, 0),
    };
    let point = mantissa.iter().position(|&byte| byte == b'.').unwrap_or(mantissa.len());
    let fraction = mantissa.get(point + 1..).unwrap_or_default();
    let digits: String = mantissa[..point].iter().chain(fraction).map(|&byte| char::from(byte)).collect();
    if !digits.bytes().all(|byte| byte.is_ascii_hexdigit()) {
        return Err(CommandError::NotAFloat);
    }
    let mut number = u128::from_str_radix(&digits, 16).map_err(|_| CommandError::NotAFloat)?;
    // The power of two by which the digits are scaled.
    let mut power = if number == 0 { 0 } else { exponent.saturating_sub(4 * fraction.len() as i64) };
    while power < 0 && number.is_multiple_of(2) {
        number /= 2;
        power += 1;
    }
    let scaled = if power < 0 {
        // A half is five tenths.
        u32::try_from(-power).ok().and_then(|halves| 5_u128.checked_pow(halves)?.checked_mul(number))
    } else {
        u32::try_from(power).ok().filter(|bits| *bits <= number.leading_zeros()).map(|bits| number << bits)
    };
    let scaled = scaled.ok_or(CommandError::NotAFloat)?;
    let mut decimal = decimal(scaled.to_string().as_bytes())?;
    decimal.exponent += power.min(0);
    Ok(decimal)
}

impl Decimal {
    /// Drops zeros that say nothing at either end.
    fn trim(&mut self) {
        while self.digits.last() == Some(&0) {
            self.digits.pop();
        }
        let low = self.digits.iter().take_while(|&&digit| digit == 0).count();
        self.digits.drain(..low);
        self.exponent = if self.digits.is_empty() { 0 } else { self.exponent.saturating_add(low as i64) };
    }

    /// Keeps what can show: digits below the last decimal written, but for enough to round by, are dropped.
    fn cut(&mut self) {
        let floor = -(DECIMALS as i64) - 40;
        if self.exponent < floor {
            let drop = (floor - self.exponent).min(self.digits.len() as i64);
            self.digits.drain(..drop as usize);
            self.exponent = if self.digits.is_empty() { 0 } else { floor };
        }
    }

    /// The digit that stands for `10^power`.
    fn digit(&self, power: i64) -> u8 {
        usize::try_from(power - self.exponent).ok().and_then(|at| self.digits.get(at)).copied().unwrap_or(0)
    }

    fn plus(&self, other: &Self) -> Self {
        let (mut a, mut b) = (self.clone(), other.clone());
        a.cut();
        b.cut();
        let low = a.exponent.min(b.exponent);
        let high = (a.exponent + a.digits.len() as i64).max(b.exponent + b.digits.len() as i64);
        let signed = |number: &Self, power| {
            let digit = i16::from(number.digit(power));
            if number.negative { -digit } else { digit }
        };
        let sums: Vec<i16> = (low..high).map(|power| signed(&a, power) + signed(&b, power)).collect();
        // The sign of the sum is that of its highest column that is not zero, once carries cannot turn it.
        let negative = settle(&sums).is_none();
        let digits = settle(&if negative { sums.iter().map(|sum| -sum).collect() } else { sums }).unwrap_or_default();
        let mut sum = Self { negative, digits, exponent: low };
        sum.trim();
        sum
    }

    /// Writes the number without an exponent, rounded half to even at the last decimal, without trailing zeros.
    fn write(&self) -> String {
        let mut rounded = self.clone();
        let last = -(DECIMALS as i64);
        if rounded.exponent < last {
            let drop = ((last - rounded.exponent) as usize).min(rounded.digits.len());
            let reached = rounded.exponent + drop as i64 == last;
            let half = if reached { rounded.digits[drop - 1] } else { 0 };
            let rest = reached && rounded.digits[..drop - 1].iter().any(|&digit| digit > 0);
            rounded.digits.drain(..drop);
            rounded.exponent = last;
            let odd = rounded.digits.first().is_some_and(|digit| digit % 2 == 1);
            if half > 5 || (half == 5 && (rest || odd)) {
                let up = Self { negative: rounded.negative, digits: vec![1], exponent: last };
                rounded = rounded.plus(&up);
            }
            rounded.trim();
        }
        if rounded.digits.is_empty() {
            return "0".to_owned();
        }
        let top = (rounded.exponent + rounded.digits.len() as i64).max(1);
        let mut text = String::new();
        if rounded.negative {
            text.push('-');
        }
        for power in (rounded.exponent.min(0)..top).rev() {
            if power == -1 {
                text.push('.');
            }
            text.push(char::from(b'0' + rounded.digit(power)));
        }
        text
    }
}

/// Turns column sums into digits by carrying; `None` when the sum is negative.
fn settle(sums: &[i16]) -> Option<Vec<u8>> {
    let mut carry = 0;
    let mut digits = Vec::with_capacity(sums.len() + 1);
    for sum in sums {
        let column = sum + carry;
        digits.push(column.rem_euclid(10) as u8);
        carry = column.div_euclid(10);
    }
    if carry < 0 {
        return None;
    }
    digits.push(carry as u8);
    Some(digits)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sums() {
        for (a, b, sum) in [
            ("10.50", "0.1", "10.6"),
            ("0.1", "0.7", "0.8"),
            ("1.5", "-1.5", "0"),
            ("-0", "-0.0", "0"),
            ("7", "-7.5", "-0.5"),
            ("-2", "1.75", "-0.25"),
            ("5.", ".5", "5.5"),
            ("99.99", "0.01", "100"),
            ("0x10", "1", "17"),
            ("0x1.8p3", "0x.8", "12.5"),
            ("-0x1.8", "0X1P+2", "2.5"),
            ("0x1p70", "0x0p99999", "1180591620717411303424"),
            ("0x1p-20", "0", "0.00000095367431641"),
            ("1e3", "+1.5", "1001.5"),
            ("5.0e3", "2.0e2", "5200"),
            ("0", "1e-17", "0.00000000000000001"),
            ("0", "1e-18", "0"),
            ("0", "9e-18", "0.00000000000000001"),
            ("0", "-9e-18", "-0.00000000000000001"),
            ("1e17", "1", "100000000000000001"),
            ("1e18", "-1", "999999999999999999"),
            ("0", "1e-999999999999999999999", "0"),
        ] {
            assert_eq!(add(a.as_bytes(), b.as_bytes()).as_deref(), Ok(sum), "{a} + {b}");
        }
    }

    #[test]
    fn what_is_no_number() {
        for text in [
            "", " 1", "1 ", "abc", "nan", "-nan", "1e", "--1", "1.5.5", "1_0", "1,5", ".", "0x", "0x1g", "1e5000",
            "0xp1", "0x1p", "0x.", "0x1.8.1", "0x1p128", "0x1p-99",
        ] {
            assert_eq!(add(b"1", text.as_bytes()), Err(CommandError::NotAFloat), "{text}");
        }
        for text in ["inf", "-inf", "Infinity"] {
            assert_eq!(add(b"1", text.as_bytes()), Err(CommandError::NanOrInfinity), "{text}");
        }
    }
}
