//! `printf`'s format language, over the argument buffer of a kernel's `vprintf`.
//!
//! CUDA C++ Programming Guide, "Formatted Output: Format Specifiers":
//! `%[flags][width][.precision][size]type` with flags `# 0 - + ' '`, sizes `h l ll hh z j t`, types
//! `% c d i o u x X p s n a A e E f F g G`. Arguments lie in the buffer after C's default
//! promotions, each aligned to its size: 4 bytes for `int`, 8 for `long`, `long long`, pointers and
//! `double`. The result follows the host's C library, so that output is comparable with a GPU's,
//! which is formatted on the host as well.

/// A request of the formatter to its caller.
pub(in crate::machine) enum FormatRequest {
    /// The next argument, of this many bytes.
    Bytes(usize),
    /// The string at this address.
    Text(u64),
}

/// One conversion's flags, width and precision.
#[derive(Debug, Default, Clone, Copy)]
struct Spec {
    left: bool,
    plus: bool,
    space: bool,
    alternate: bool,
    zero: bool,
    width: usize,
    precision: Option<usize>,
}

/// The limit of widths and precisions. Larger ones are reduced to it, because they would
/// only cost memory.
const WIDEST: usize = 4096;

/// Returns the text, and the number of arguments that it used. None if an argument could
/// not be read.
pub(in crate::machine) fn format(
    text: &[u8],
    mut get: impl FnMut(FormatRequest) -> Option<Vec<u8>>,
) -> Option<(Vec<u8>, i32)> {
    let (mut out, mut taken, mut at) = (Vec::with_capacity(text.len() + 16), 0, 0);
    while at < text.len() {
        if text[at] != b'%' {
            out.push(text[at]);
            at += 1;
            continue;
        }
        let start = at;
        at += 1;
        let spec = Spec::read(text, &mut at, &mut get)?;
        let size_at = at;
        while matches!(
            text.get(at),
            Some(b'h' | b'l' | b'z' | b'j' | b't' | b'q' | b'L')
        ) {
            at += 1;
        }
        let size = &text[size_at..at];
        let wide = matches!(size, b"l" | b"ll" | b"z" | b"j" | b"t" | b"q");
        let Some(&kind) = text.get(at) else {
            out.extend_from_slice(&text[start..]);
            break;
        };
        at += 1;
        let word = if wide { 8 } else { 4 };
        match kind {
            b'%' => out.push(b'%'),
            _ if spec.argument(&mut out, (kind, size, word), &mut get)? => taken += 1,
            // This is not a conversion. It is printed unchanged, as C libraries do.
            _ => out.extend_from_slice(&text[start..at]),
        }
    }
    Some((out, taken))
}

/// Reads the digits at `at` as a number.
fn number(text: &[u8], at: &mut usize) -> usize {
    let mut value = 0usize;
    while let Some(digit) = text.get(*at).filter(|d| d.is_ascii_digit()) {
        value = (value * 10 + usize::from(digit - b'0')).min(WIDEST);
        *at += 1;
    }
    value
}

/// Converts little-endian bytes, at most eight, to a number.
fn integer(bytes: &[u8]) -> u64 {
    bytes
        .iter()
        .rev()
        .fold(0, |value, &byte| value << 8 | u64::from(byte))
}

impl Spec {
    /// Reads the flags, the width and the precision at `at`.
    fn read(
        text: &[u8],
        at: &mut usize,
        get: &mut impl FnMut(FormatRequest) -> Option<Vec<u8>>,
    ) -> Option<Self> {
        let mut spec = Spec::default();
        while let Some(&flag) = text.get(*at) {
            match flag {
                b'-' => spec.left = true,
                b'+' => spec.plus = true,
                b' ' => spec.space = true,
                b'#' => spec.alternate = true,
                b'0' => spec.zero = true,
                _ => break,
            }
            *at += 1;
        }
        if text.get(*at) == Some(&b'*') {
            let width = integer(&get(FormatRequest::Bytes(4))?) as i32;
            spec.left |= width < 0;
            spec.width = (width.unsigned_abs() as usize).min(WIDEST);
            *at += 1;
        } else {
            spec.width = number(text, at);
        }
        if text.get(*at) == Some(&b'.') {
            *at += 1;
            if text.get(*at) == Some(&b'*') {
                let precision = integer(&get(FormatRequest::Bytes(4))?) as i32;
                spec.precision = usize::try_from(precision).ok().map(|p| p.min(WIDEST));
                *at += 1;
            } else {
                spec.precision = Some(number(text, at));
            }
        }
        Some(spec)
    }

    /// Prints the next argument. Returns false if there is no such conversion. `word` is the number
    /// of bytes of an integer.
    fn argument(
        &self,
        out: &mut Vec<u8>,
        (kind, size, word): (u8, &[u8], usize),
        get: &mut impl FnMut(FormatRequest) -> Option<Vec<u8>>,
    ) -> Option<bool> {
        match kind {
            b'd' | b'i' => {
                let raw = get(FormatRequest::Bytes(word))?;
                let value = match size {
                    b"hh" => i64::from(integer(&raw) as i8),
                    b"h" => i64::from(integer(&raw) as i16),
                    _ if word == 8 => integer(&raw) as i64,
                    _ => i64::from(integer(&raw) as i32),
                };
                let sign = if value < 0 { "-" } else { self.plus_sign() };
                self.number(out, sign, value.unsigned_abs().to_string());
            }
            b'u' | b'x' | b'X' | b'o' => {
                let raw = integer(&get(FormatRequest::Bytes(word))?);
                let value = match size {
                    b"hh" => raw & 0xff,
                    b"h" => raw & 0xffff,
                    _ => raw,
                };
                let (prefix, digits) = match kind {
                    b'u' => ("", value.to_string()),
                    b'x' => ("0x", format!("{value:x}")),
                    b'X' => ("0X", format!("{value:X}")),
                    _ => ("0", format!("{value:o}")),
                };
                let prefix = if self.alternate && value != 0 {
                    prefix
                } else {
                    ""
                };
                self.number(out, prefix, digits);
            }
            b'c' => {
                let value = integer(&get(FormatRequest::Bytes(4))?) as u8;
                self.pad(out, &[value]);
            }
            b's' => {
                let address = integer(&get(FormatRequest::Bytes(8))?);
                let value = if address == 0 {
                    b"(null)".to_vec()
                } else {
                    get(FormatRequest::Text(address))?
                };
                let shown = self.precision.map_or(value.len(), |p| p.min(value.len()));
                self.pad(out, &value[..shown]);
            }
            b'p' => {
                let value = integer(&get(FormatRequest::Bytes(8))?);
                let shown = if value == 0 {
                    "(nil)".to_string()
                } else {
                    format!("{value:#x}")
                };
                self.pad(out, shown.as_bytes());
            }
            b'e' | b'E' | b'f' | b'F' | b'g' | b'G' | b'a' | b'A' => {
                let value = f64::from_bits(integer(&get(FormatRequest::Bytes(8))?));
                self.float(out, kind, value);
            }
            b'n' => drop(get(FormatRequest::Bytes(8))?),
            _ => return Some(false),
        }
        Some(true)
    }

    fn plus_sign(&self) -> &'static str {
        match (self.plus, self.space) {
            (true, _) => "+",
            (false, true) => " ",
            _ => "",
        }
    }

    /// Appends text, padded with spaces.
    fn pad(&self, out: &mut Vec<u8>, text: &[u8]) {
        let fill = self.width.saturating_sub(text.len());
        if !self.left {
            out.resize(out.len() + fill, b' ');
        }
        out.extend_from_slice(text);
        if self.left {
            out.resize(out.len() + fill, b' ');
        }
    }

    /// Appends an integer. The precision is the minimum number of digits, and it turns off
    /// the flag `0`.
    fn number(&self, out: &mut Vec<u8>, sign: &str, digits: String) {
        let digits = match self.precision {
            Some(0) if digits == "0" => String::new(),
            Some(precision) => format!("{digits:0>precision$}"),
            None => digits,
        };
        self.signed(out, sign, &digits, self.zero && self.precision.is_none());
    }

    fn signed(&self, out: &mut Vec<u8>, sign: &str, digits: &str, zero: bool) {
        if zero && !self.left {
            let width = self.width.saturating_sub(sign.len());
            out.extend_from_slice(format!("{sign}{digits:0>width$}").as_bytes());
        } else {
            self.pad(out, format!("{sign}{digits}").as_bytes());
        }
    }

    fn float(&self, out: &mut Vec<u8>, kind: u8, value: f64) {
        let upper = kind.is_ascii_uppercase();
        let sign = if value.is_sign_negative() {
            "-"
        } else {
            self.plus_sign()
        };
        let magnitude = value.abs();
        let digits = if magnitude.is_nan() {
            "nan".into()
        } else if magnitude.is_infinite() {
            "inf".into()
        } else {
            match kind.to_ascii_lowercase() {
                b'f' => {
                    let point = if self.alternate && self.precision == Some(0) {
                        "."
                    } else {
                        ""
                    };
                    format!("{magnitude:.*}{point}", self.precision.unwrap_or(6))
                }
                b'e' => exponent(magnitude, self.precision.unwrap_or(6)),
                b'a' => hexadecimal(magnitude, self.precision),
                _ => general(
                    magnitude,
                    self.precision.unwrap_or(6).max(1),
                    self.alternate,
                ),
            }
        };
        let digits = if upper { digits.to_uppercase() } else { digits };
        self.signed(out, sign, &digits, self.zero && magnitude.is_finite());
    }
}

/// Formats the number as `d.ddde±dd`.
fn exponent(value: f64, precision: usize) -> String {
    let shown = format!("{value:.precision$e}");
    let (mantissa, power) = shown.split_once('e').unwrap_or((&shown, "0"));
    let power: i32 = power.parse().unwrap_or(0);
    format!(
        "{mantissa}e{}{:02}",
        if power < 0 { '-' } else { '+' },
        power.abs()
    )
}

/// `%g`: formats as `%e` if the exponent is below -4 or not below the precision, otherwise as `%f`.
/// Trailing zeros are removed.
fn general(value: f64, precision: usize, keep: bool) -> String {
    let scientific = exponent(value, precision - 1);
    let power: i32 = scientific
        .split_once('e')
        .and_then(|(_, p)| p.parse().ok())
        .unwrap_or(0);
    let trim = |digits: &str| {
        if keep || !digits.contains('.') {
            return digits.to_string();
        }
        digits
            .trim_end_matches('0')
            .trim_end_matches('.')
            .to_string()
    };
    if power < -4 || power >= precision as i32 {
        let (mantissa, power) = scientific.split_once('e').unwrap_or((&scientific, "+00"));
        format!("{}e{power}", trim(mantissa))
    } else {
        trim(&format!(
            "{value:.*}",
            (precision as i32 - 1 - power).max(0) as usize
        ))
    }
}

/// Formats the number in hexadecimal, as `0x1.8p+1`.
fn hexadecimal(value: f64, precision: Option<usize>) -> String {
    let bits = value.to_bits();
    let (mut fraction, biased) = (bits & ((1 << 52) - 1), (bits >> 52) as i32 & 0x7ff);
    let (mut lead, power) = match (biased, fraction) {
        (0, 0) => (0u64, 0),
        (0, _) => (0, -1022),
        _ => (1, biased - 1023),
    };
    let mut digits = 13;
    if let Some(precision) = precision.filter(|&p| p < 13) {
        // Round to even at the last digit that is kept.
        let drop = 4 * (13 - precision as u32);
        let (half, rest) = (1u64 << (drop - 1), fraction & ((1 << drop) - 1));
        let kept = (lead << 52 | fraction) >> drop;
        let rounded = kept + u64::from(rest > half || (rest == half && kept & 1 == 1));
        lead = rounded >> (4 * precision);
        fraction = rounded & ((1u64 << (4 * precision)) - 1);
        digits = precision;
    }
    let mut shown = if digits == 0 {
        String::new()
    } else {
        format!("{fraction:0digits$x}")
    };
    match precision {
        Some(precision) => shown.extend(std::iter::repeat_n('0', precision.saturating_sub(13))),
        None => shown.truncate(shown.trim_end_matches('0').len()),
    }
    let point = if shown.is_empty() { "" } else { "." };
    format!("0x{lead}{point}{shown}p{power:+}")
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Formats with arguments of eight or four bytes, and one string at address 1.
    fn run(text: &str, arguments: &[&[u8]]) -> String {
        let mut arguments = arguments.iter();
        let (out, _) = format(text.as_bytes(), |need| match need {
            FormatRequest::Bytes(size) => {
                let bytes = arguments.next()?;
                assert_eq!(bytes.len(), size, "{text}");
                Some(bytes.to_vec())
            }
            FormatRequest::Text(1) => Some(b"text".to_vec()),
            FormatRequest::Text(_) => None,
        })
        .expect("arguments can be read");
        String::from_utf8(out).expect("UTF-8")
    }

    #[test]
    fn integers_follow_c() {
        let int = |i: i32| i.to_le_bytes();
        for (format, value, expected) in [
            ("%d", -5, "-5"),
            ("%5d|", 42, "   42|"),
            ("%-5d|", 42, "42   |"),
            ("%05d", -42, "-0042"),
            ("%+d", 7, "+7"),
            ("% d", 7, " 7"),
            ("%.3d", 7, "007"),
            ("%6.3d", 7, "   007"),
            ("%u", -1, "4294967295"),
            ("%x", 255, "ff"),
            ("%#X", 255, "0XFF"),
            ("%o", 8, "10"),
            ("%c", 65, "A"),
            ("%hhd", 300, "44"),
            ("%hd", 70000, "4464"),
            ("%08x", 0xbeef, "0000beef"),
            ("100%% %d", 1, "100% 1"),
        ] {
            assert_eq!(run(format, &[&int(value)]), expected, "{format} of {value}");
        }
        assert_eq!(
            run(
                "%lld %llu",
                &[&(-1i64).to_le_bytes(), &u64::MAX.to_le_bytes()]
            ),
            "-1 18446744073709551615"
        );
        assert_eq!(run("%*d", &[&int(4), &int(7)]), "   7");
    }

    #[test]
    fn floats_follow_c() {
        for (format, value, expected) in [
            ("%f", 1.5, "1.500000"),
            ("%.2f", 2.345, "2.35"),
            ("%8.3f|", -1.5, "  -1.500|"),
            ("%08.3f", -1.5, "-001.500"),
            ("%e", 12345.678, "1.234568e+04"),
            ("%g", 0.0001, "0.0001"),
            ("%g", 0.00001, "1e-05"),
            ("%g", 1e6, "1e+06"),
            ("%g", 100000.0, "100000"),
            ("%a", 3.0, "0x1.8p+1"),
            ("%.1a", 1.99, "0x2.0p+0"),
            ("%f", f64::INFINITY, "inf"),
            ("%F", f64::NAN, "NAN"),
        ] {
            assert_eq!(
                run(format, &[&f64::to_le_bytes(value)]),
                expected,
                "{format} of {value}"
            );
        }
    }

    #[test]
    fn strings_and_oddities() {
        assert_eq!(run("<%s>", &[&1u64.to_le_bytes()]), "<text>");
        assert_eq!(run("<%6.2s>", &[&1u64.to_le_bytes()]), "<    te>");
        assert_eq!(run("%s", &[&0u64.to_le_bytes()]), "(null)");
        assert_eq!(run("%p", &[&0x1000u64.to_le_bytes()]), "0x1000");
        assert_eq!(run("50% yes", &[]), "50% yes");
        assert_eq!(run("end %", &[]), "end %");
    }
}
