//! Small changes to PTX text that leave most of it valid: lines are moved, operands exchanged,
//! numbers replaced by unusual ones.
//!
//! Random bytes rarely get past the lexer, but these changes reach the decoder and the machine. The
//! fuzz target `run` shares them with the test of the same name, which needs no fuzzer.

/// Numbers at which sizes, offsets and counts go wrong.
const NUMBERS: [&str; 16] = [
    "0",
    "1",
    "2",
    "3",
    "4",
    "7",
    "8",
    "16",
    "31",
    "32",
    "33",
    "255",
    "4096",
    "65536",
    "2147483647",
    "18446744073709551615",
];

/// Random numbers by SplitMix64.
pub struct Random(pub u64);

impl Random {
    fn bits(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// A number below `limit`, or 0.
    pub fn below(&mut self, limit: usize) -> usize {
        (self.bits() % limit.max(1) as u64) as usize
    }
}

/// The text with one change. `other` lends lines.
pub fn mutate(text: &str, other: &str, random: &mut Random) -> String {
    let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
    if lines.is_empty() {
        return other.to_owned();
    }
    let at = random.below(lines.len());
    let to = random.below(lines.len());
    match random.below(16) {
        0 => drop(lines.remove(at)),
        1 => {
            let line = lines[at].clone();
            lines.insert(to, line);
        }
        2 => lines.swap(at, to),
        3 => {
            let lent: Vec<&str> = other.lines().collect();
            if !lent.is_empty() {
                lines.insert(to, lent[random.below(lent.len())].to_owned());
            }
        }
        4..8 => change(&mut lines, random, is_operand, |all, random| {
            all[random.below(all.len())].clone()
        }),
        8..11 => change(&mut lines, random, is_number, |_, random| {
            NUMBERS[random.below(NUMBERS.len())].to_owned()
        }),
        11..15 => change(&mut lines, random, is_modifier, |all, random| {
            all[random.below(all.len())].clone()
        }),
        _ => change(&mut lines, random, is_modifier, |_, _| String::new()),
    }
    lines.join("\n")
}

/// Replaces one token of a kind by what `by` makes from all tokens of that kind.
fn change(
    lines: &mut [String],
    random: &mut Random,
    is: fn(&str) -> bool,
    by: impl Fn(&[String], &mut Random) -> String,
) {
    let mut places = Vec::new();
    let mut all = Vec::new();
    for (number, line) in lines.iter().enumerate() {
        for (start, token) in tokens(line) {
            if is(token) {
                places.push((number, start, token.len()));
                all.push(token.to_owned());
            }
        }
    }
    if places.is_empty() {
        return;
    }
    let (line, start, length) = places[random.below(places.len())];
    let new = by(&all, random);
    lines[line].replace_range(start..start + length, &new);
}

/// Words of a line with where they start: a modifier begins with its dot, a register with
/// its percent sign.
fn tokens(line: &str) -> Vec<(usize, &str)> {
    let in_word = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '$' | ':');
    let mut tokens = Vec::new();
    let mut start = None;
    for (at, c) in line.char_indices().chain([(line.len(), ' ')]) {
        if !in_word(c)
            && let Some(start) = start.take()
        {
            tokens.push((start, &line[start..at]));
        }
        if start.is_none() && (in_word(c) || c == '.' || c == '%') {
            start = Some(at);
        }
    }
    tokens
}

fn is_operand(token: &str) -> bool {
    token.len() > 1 && token.starts_with('%') || is_number(token)
}

fn is_number(token: &str) -> bool {
    token.starts_with(|c: char| c.is_ascii_digit())
}

fn is_modifier(token: &str) -> bool {
    token.len() > 1 && token.starts_with('.')
}
