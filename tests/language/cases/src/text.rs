//! Characters, strings and UTF-8.

use crate::{Out, Random};

crate::case::subject! {
    /// Characters and strings.
    text: char_classes, char_case, char_digits, char_conversions, char_utf8, char_utf16, char_escapes, utf8_valid, utf8_lossy_chunks,
    chars, char_indices, bytes, boundaries, slices, find, split, split_once, split_whitespace, lines, trim, strip, replace_char,
    compare, ascii_case, parse_integer, parse_float, parse_bool_char, repeat_concat, rsplit_rev, matches, c_strings, from_str
}

const SENTENCE: &str = "warp 32: Grüße, 世界! \t 𝄞 clef\nlane 0x1f, block -7 ";

/// A text of a few characters of every width, in an array.
fn word(random: &mut Random, bytes: &mut [u8; 32]) -> usize {
    let mut end = 0;
    for _ in 0..random.below(8) {
        end += random.char().encode_utf8(&mut bytes[end..]).len();
    }
    end
}

/// Runs `case` with such a text.
fn with_word(random: &mut Random, case: impl FnOnce(&mut Random, &str)) {
    let mut bytes = [0; 32];
    let end = word(random, &mut bytes);
    if let Ok(text) = core::str::from_utf8(&bytes[..end]) {
        case(random, text);
    }
}

fn char_classes(random: &mut Random, out: &mut Out<'_>) {
    let c = random.char();
    out.put([
        c.is_alphabetic(),
        c.is_numeric(),
        c.is_alphanumeric(),
        c.is_whitespace(),
        c.is_control(),
    ]);
    out.put([
        c.is_ascii(),
        c.is_ascii_digit(),
        c.is_ascii_punctuation(),
        c.is_uppercase(),
        c.is_lowercase(),
    ]);
}

fn char_case(random: &mut Random, out: &mut Out<'_>) {
    let c = random.char();
    out.put([c.to_ascii_uppercase(), c.to_ascii_lowercase()]);
    c.to_uppercase().for_each(|c| out.put(c));
    c.to_lowercase().for_each(|c| out.put(c));
    'ß'.to_uppercase().for_each(|c| out.put(c));
}

fn char_digits(random: &mut Random, out: &mut Out<'_>) {
    let c = char::from(random.u8() % 128);
    out.put((c.to_digit(10), c.to_digit(16), c.to_digit(36)));
    out.put((
        char::from_digit(random.u32() % 20, 10),
        char::from_digit(random.u32() % 40, 36),
    ));
}

fn char_conversions(random: &mut Random, out: &mut Out<'_>) {
    out.put((
        char::from_u32(random.u32()),
        char::from_u32(random.u32() % 0x11_0000),
        u8::try_from(random.char()).ok(),
    ));
    out.put(char::from(random.u8()));
    out.put(char::REPLACEMENT_CHARACTER);
}

fn char_utf8(random: &mut Random, out: &mut Out<'_>) {
    let c = random.char();
    let mut bytes = [0; 4];
    out.put(c.encode_utf8(&mut bytes) as &str);
    out.put(c.len_utf8());
}

fn char_utf16(random: &mut Random, out: &mut Out<'_>) {
    let mut units = [0; 2];
    out.put(random.char().encode_utf16(&mut units) as &[u16]);
    let units: [u16; 6] = random.array(|r| r.u16() | 0xd000);
    char::decode_utf16(units).for_each(|c| out.put(c.map_err(|error| error.unpaired_surrogate())));
}

fn char_escapes(random: &mut Random, out: &mut Out<'_>) {
    let c = random.char();
    c.escape_unicode().for_each(|c| out.put(c));
    c.escape_default().for_each(|c| out.put(c));
    c.escape_debug().for_each(|c| out.put(c));
}

fn utf8_valid(random: &mut Random, out: &mut Out<'_>) {
    let bytes: [u8; 5] =
        random.array(|r| [0x41, 0xc3, 0xa4, 0xe4, 0xb8, 0x96, 0xf0, 0xff][r.below(8)]);
    out.put(core::str::from_utf8(&bytes).map_err(|error| (error.valid_up_to(), error.error_len())));
}

fn utf8_lossy_chunks(random: &mut Random, out: &mut Out<'_>) {
    let bytes: [u8; 9] =
        random.array(|r| [0x41, 0xc3, 0xa4, 0xe4, 0xb8, 0x96, 0xf0, 0xff][r.below(8)]);
    for chunk in bytes.utf8_chunks() {
        out.put(chunk.valid());
        out.put(chunk.invalid());
    }
}

fn chars(random: &mut Random, out: &mut Out<'_>) {
    with_word(random, |_, text| {
        text.chars().for_each(|c| out.put(c));
        out.put((
            text.chars().count(),
            text.chars().next_back(),
            text.chars().nth(2),
        ));
        text.chars().rev().for_each(|c| out.put(c));
    });
}

fn char_indices(random: &mut Random, out: &mut Out<'_>) {
    with_word(random, |_, text| {
        text.char_indices().for_each(|(i, c)| out.put((i, c)))
    });
}

fn bytes(random: &mut Random, out: &mut Out<'_>) {
    with_word(random, |_, text| {
        out.put(
            text.bytes()
                .fold(0u32, |hash, byte| hash.wrapping_mul(31) ^ u32::from(byte)),
        );
        out.put((text.len(), text.is_empty(), text.is_ascii()));
    });
}

fn boundaries(random: &mut Random, out: &mut Out<'_>) {
    let i = random.below(SENTENCE.len() + 3);
    out.put(SENTENCE.is_char_boundary(i));
    out.put((
        SENTENCE.get(i..).map(str::len),
        SENTENCE.get(..i).map(str::len),
    ));
    out.put(
        SENTENCE
            .split_at_checked(i)
            .map(|(a, b)| (a.len(), b.len())),
    );
}

fn slices(random: &mut Random, out: &mut Out<'_>) {
    let start = random.below(8);
    out.put(&SENTENCE[start..8]);
    out.put(&SENTENCE[..=start]);
}

fn find(random: &mut Random, out: &mut Out<'_>) {
    let c = ['ü', '界', '𝄞', 'z', ' '][random.below(5)];
    out.put((SENTENCE.find(c), SENTENCE.rfind(c), SENTENCE.contains(c)));
    let word = ["lane", "Grüße", "warp", "none", ""][random.below(5)];
    out.put((
        SENTENCE.find(word),
        SENTENCE.rfind(word),
        SENTENCE.starts_with(word),
    ));
    out.put(SENTENCE.find(|c: char| c.is_ascii_digit()));
}

fn split(random: &mut Random, out: &mut Out<'_>) {
    let at = [' ', ',', '界', 'x'][random.below(4)];
    SENTENCE.split(at).for_each(|part| out.put(part.len()));
    SENTENCE.splitn(3, at).for_each(|part| out.put(part.len()));
    SENTENCE
        .split(&[',', ':'][..])
        .for_each(|part| out.put(part.chars().count()));
    SENTENCE
        .split_terminator("e")
        .for_each(|part| out.put(part.len()));
}

fn split_once(random: &mut Random, out: &mut Out<'_>) {
    let at = [": ", "lane", "?", ", "][random.below(4)];
    out.put(SENTENCE.split_once(at).map(|(a, b)| (a.len(), b.len())));
    out.put(SENTENCE.rsplit_once(at).map(|(a, b)| (a.len(), b.len())));
}

fn split_whitespace(random: &mut Random, out: &mut Out<'_>) {
    SENTENCE
        .split_whitespace()
        .skip(random.below(4))
        .for_each(|word| out.put(word.len()));
    SENTENCE
        .split_ascii_whitespace()
        .for_each(|word| out.put(word.len()));
}

fn lines(random: &mut Random, out: &mut Out<'_>) {
    SENTENCE.lines().for_each(|line| out.put(line.len()));
    let text = ["a\r\nb\n\nc", "\n", "", "one"][random.below(4)];
    text.lines().for_each(|line| out.put(line));
}

fn trim(random: &mut Random, out: &mut Out<'_>) {
    let text = ["  a b ", "\u{3000}wide\u{2003}", "xxaxx", ""][random.below(4)];
    out.put(text.trim());
    out.put([
        text.trim_start().len(),
        text.trim_end().len(),
        text.trim_matches('x').len(),
    ]);
    out.put(text.trim_start_matches(char::is_alphabetic).len());
}

fn strip(random: &mut Random, out: &mut Out<'_>) {
    let text = ["sm_90a", "sm_80", "compute_90", ""][random.below(4)];
    out.put(text.strip_prefix("sm_").map(str::len));
    out.put(
        text.strip_suffix(|c: char| c.is_ascii_lowercase())
            .map(str::len),
    );
}

fn replace_char(random: &mut Random, out: &mut Out<'_>) {
    let mut bytes = *b"threads, blocks, grids";
    let from = bytes[random.below(22)];
    bytes
        .iter_mut()
        .filter(|byte| **byte == from)
        .for_each(|byte| *byte = b'#');
    out.put(core::str::from_utf8(&bytes).unwrap_or_default());
}

fn compare(random: &mut Random, out: &mut Out<'_>) {
    let words = ["block", "blocks", "Block", "", "界", "grid"];
    let (a, b) = (words[random.below(6)], words[random.below(6)]);
    out.put((a.cmp(b), a == b, a < b, a.eq_ignore_ascii_case(b)));
}

fn ascii_case(random: &mut Random, out: &mut Out<'_>) {
    let mut bytes = *b"Warp And LANE";
    if random.bool() {
        bytes.make_ascii_uppercase();
    } else {
        bytes[random.below(13)..].make_ascii_lowercase();
    }
    out.put(&bytes[..]);
    out.put(bytes.escape_ascii().count());
}

fn parse_integer(random: &mut Random, out: &mut Out<'_>) {
    let text = [
        "0",
        "-1",
        "+77",
        "255",
        "256",
        "340282366920938463463374607431768211455",
        "12 ",
        "",
        "-",
        "00012",
    ][random.below(10)];
    out.put((
        text.parse::<u8>().ok(),
        text.parse::<i8>().ok(),
        text.parse::<i32>().ok(),
        text.parse::<u128>().ok(),
    ));
    out.put((
        u32::from_str_radix(text, 7).ok(),
        i64::from_str_radix(text, 36).ok(),
    ));
}

fn parse_float(random: &mut Random, out: &mut Out<'_>) {
    let text = [
        "0",
        "-0.0",
        "3.25",
        "1e10",
        "1e-45",
        "3.4028236e38",
        "1e400",
        "inf",
        "-Infinity",
        "NaN",
        ".5",
        "5.",
        "1e",
        "x",
        "0.1",
        "123456789.123456789",
        "2.2250738585072011e-308",
        "1.7976931348623157e308",
        "9007199254740993",
    ][random.below(19)];
    out.put((text.parse::<f32>().ok(), text.parse::<f64>().ok()));
}

fn parse_bool_char(random: &mut Random, out: &mut Out<'_>) {
    let text = ["true", "false", "True", "t", "界", ""][random.below(6)];
    out.put((text.parse::<bool>().ok(), text.parse::<char>().ok()));
}

fn repeat_concat(random: &mut Random, out: &mut Out<'_>) {
    use core::fmt::Write;
    let mut text = crate::buffer::Text::<64>::new();
    for _ in 0..random.below(9) {
        out.put(text.write_str("grüße ").is_ok());
    }
    out.put(text.as_str());
}

fn rsplit_rev(random: &mut Random, out: &mut Out<'_>) {
    SENTENCE.rsplit(',').for_each(|part| out.put(part.len()));
    SENTENCE
        .rsplitn(random.below(4), ' ')
        .for_each(|part| out.put(part.len()));
    SENTENCE
        .split_inclusive(' ')
        .rev()
        .for_each(|part| out.put(part.len()));
}

fn matches(random: &mut Random, out: &mut Out<'_>) {
    let word = ["a", "l", "ß", " "][random.below(4)];
    out.put(SENTENCE.matches(word).count());
    SENTENCE.match_indices(word).for_each(|(i, _)| out.put(i));
    SENTENCE
        .rmatch_indices(char::is_uppercase)
        .for_each(|(i, _)| out.put(i));
}

fn c_strings(random: &mut Random, out: &mut Out<'_>) {
    use core::ffi::CStr;
    let bytes: [u8; 6] = random.array(|r| [b'a', b'b', 0][r.below(3)]);
    let text = CStr::from_bytes_until_nul(&bytes);
    out.put(text.ok().map(|text| text.to_bytes().len()));
    out.put(c"literal".to_str().unwrap_or_default());
    // SAFETY: a literal ends in zero.
    let counted = unsafe { CStr::from_ptr(core::hint::black_box(c"counted").as_ptr()) };
    out.put(counted.to_bytes());
}

fn from_str(random: &mut Random, out: &mut Out<'_>) {
    struct Version(u8, u8);
    impl core::str::FromStr for Version {
        type Err = u8;
        fn from_str(text: &str) -> Result<Version, u8> {
            let (major, minor) = text.split_once('.').ok_or(1)?;
            Ok(Version(
                major.parse().map_err(|_| 2)?,
                minor.parse().map_err(|_| 3)?,
            ))
        }
    }
    let text = ["9.0", "10.3", "8", ".1", "1.x", "300.1"][random.below(6)];
    out.put(
        text.parse::<Version>()
            .map(|Version(major, minor)| (major, minor)),
    );
}
