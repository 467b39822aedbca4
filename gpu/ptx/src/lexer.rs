//! Divides text into tokens. It reads bytes and does not copy text.
//!
//! PTX ISA 4.2 "Comments", 4.4 "Identifiers", 4.5 "Constants". A dotted word (`.global`,
//! `.L2::128B`, `.1d`) is one token, so an instruction consists of an identifier and dotted words.
//! Line and column are counted while blanks are skipped.

use super::ast::Position;
use super::error::{ParseError, excerpt};

/// A token. Its text is borrowed from the source.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) enum Token<'a> {
    /// A name, a register with its `%`, or the sink `_`.
    Word(&'a str),
    /// `.word`, without the dot.
    Dotted(&'a str),
    /// An integer, and whether its suffix or its size makes it unsigned.
    Int(u64, bool),
    /// Bits of `0fXXXXXXXX`.
    F32(u32),
    /// Bits of `0dXXXXXXXXXXXXXXXX` or of a decimal.
    F64(u64),
    /// The text between quotes.
    Text(&'a str),
    /// One punctuation byte.
    Mark(u8),
    /// The end of the text.
    End,
}

/// Classes of bytes.
const WORD: u8 = 1; // letters, digits, `_`, `$`
const BLANK: u8 = 2;
const MARK: u8 = 4;

static CLASS: [u8; 256] = {
    let (mut class, mut byte) = ([0; 256], 0);
    while byte < 256 {
        class[byte] = match byte as u8 {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'_' | b'$' => WORD,
            b' ' | b'\t' | b'\r' | b'\n' | 0x0b | 0x0c => BLANK,
            b',' | b';' | b':' | b'{' | b'}' | b'[' | b']' | b'(' | b')' | b'<' | b'>' | b'+'
            | b'-' | b'!' | b'~' | b'|' | b'&' | b'^' | b'*' | b'/' | b'%' | b'?' | b'=' | b'@' => {
                MARK
            }
            _ => 0,
        };
        byte += 1;
    }
    class
};

pub(super) struct Lexer<'a> {
    source: &'a str,
    /// The offset of the next byte.
    at: usize,
    line: u32,
    /// The offset of the first byte of the line.
    line_start: usize,
}

impl<'a> Lexer<'a> {
    pub(super) fn new(source: &'a str) -> Self {
        Lexer {
            source,
            at: 0,
            line: 1,
            line_start: 0,
        }
    }

    pub(super) fn source(&self) -> &'a str {
        self.source
    }

    /// Returns the offset of the first byte after the last token.
    pub(super) fn offset(&self) -> usize {
        self.at
    }

    fn byte(&self, ahead: usize) -> u8 {
        // 0 is in no class, so every token ends at the end of the text.
        self.source
            .as_bytes()
            .get(self.at + ahead)
            .copied()
            .unwrap_or(0)
    }

    fn position(&self) -> Position {
        self.position_of(self.at)
    }

    /// Returns the position of an offset on the current line.
    fn position_of(&self, offset: usize) -> Position {
        Position {
            line: self.line,
            column: (offset - self.line_start + 1) as u32,
        }
    }

    /// Skips blanks and comments.
    fn skip(&mut self) -> Result<(), ParseError> {
        loop {
            match self.byte(0) {
                b'\n' => {
                    self.at += 1;
                    self.line += 1;
                    self.line_start = self.at;
                }
                b'/' if self.byte(1) == b'/' => {
                    let rest = &self.source.as_bytes()[self.at..];
                    self.at += rest
                        .iter()
                        .position(|&byte| byte == b'\n')
                        .unwrap_or(rest.len());
                }
                b'/' if self.byte(1) == b'*' => self.skip_comment()?,
                byte if CLASS[usize::from(byte)] == BLANK => self.at += 1,
                _ => return Ok(()),
            }
        }
    }

    fn skip_comment(&mut self) -> Result<(), ParseError> {
        let begin = self.position();
        self.at += 2;
        loop {
            match self.byte(0) {
                b'*' if self.byte(1) == b'/' => {
                    self.at += 2;
                    return Ok(());
                }
                b'\n' => {
                    self.at += 1;
                    self.line += 1;
                    self.line_start = self.at;
                }
                0 if self.at >= self.source.len() => {
                    return Err(ParseError::Unterminated {
                        what: "a comment",
                        at: begin,
                    });
                }
                _ => self.at += 1,
            }
        }
    }

    /// Returns the next token, its position and the offset of its first byte.
    pub(super) fn next(&mut self) -> Result<(Token<'a>, Position, usize), ParseError> {
        self.skip()?;
        let (start, position) = (self.at, self.position());
        let token = match self.byte(0) {
            b'0'..=b'9' => self.number(start)?,
            b'.' if CLASS[usize::from(self.byte(1))] == WORD => {
                self.at += 1;
                self.dotted();
                Token::Dotted(&self.source[start + 1..self.at])
            }
            b'%' if CLASS[usize::from(self.byte(1))] == WORD => {
                self.at += 1;
                self.word();
                Token::Word(&self.source[start..self.at])
            }
            b'"' => self.text(position)?,
            byte => match CLASS[usize::from(byte)] {
                WORD => {
                    self.word();
                    Token::Word(&self.source[start..self.at])
                }
                MARK => {
                    self.at += 1;
                    Token::Mark(byte)
                }
                _ => match self
                    .source
                    .get(start..)
                    .and_then(|rest| rest.chars().next())
                {
                    None => Token::End,
                    Some('#') => {
                        return Err(ParseError::Unsupported {
                            what: "a preprocessor line (`#`)",
                            help: "run a preprocessor first",
                            at: position,
                        });
                    }
                    Some(character) => {
                        return Err(ParseError::Character {
                            character,
                            at: position,
                        });
                    }
                },
            },
        };
        Ok((token, position, start))
    }

    /// Skips letters, digits, `_` and `$`.
    fn word(&mut self) {
        while CLASS[usize::from(self.byte(0))] == WORD {
            self.at += 1;
        }
    }

    /// Skips a word whose parts are separated by `::`.
    fn dotted(&mut self) {
        self.word();
        while self.byte(0) == b':'
            && self.byte(1) == b':'
            && CLASS[usize::from(self.byte(2))] == WORD
        {
            self.at += 2;
            self.word();
        }
    }

    /// Reads a string. A backslash escapes the byte after it. A string ends on its line.
    fn text(&mut self, begin: Position) -> Result<Token<'a>, ParseError> {
        self.at += 1;
        let start = self.at;
        loop {
            match self.byte(0) {
                b'"' => {
                    self.at += 1;
                    return Ok(Token::Text(&self.source[start..self.at - 1]));
                }
                b'\\' if self.byte(1) == b'"' || self.byte(1) == b'\\' => self.at += 2,
                b'\n' | 0 => {
                    return Err(ParseError::Unterminated {
                        what: "a string",
                        at: begin,
                    });
                }
                _ => self.at += 1,
            }
        }
    }

    fn number(&mut self, start: usize) -> Result<Token<'a>, ParseError> {
        let (radix, digits) = match (self.byte(0), self.byte(1)) {
            (b'0', b'f' | b'F') => return self.float_bits(start, 8),
            (b'0', b'd' | b'D') => return self.float_bits(start, 16),
            (b'0', b'x' | b'X') => (16, start + 2),
            (b'0', b'b' | b'B') => (2, start + 2),
            (b'0', b'0'..=b'9') => (8, start + 1),
            _ => (10, start),
        };
        self.word();
        if matches!(radix, 8 | 10) && self.is_decimal(start) {
            return self.decimal(start);
        }
        let text = &self.source[digits..self.at];
        let (text, suffixed) = match text.strip_suffix('U') {
            Some(text) => (text, true),
            None => (text, false),
        };
        let mut value = 0_u64;
        if text.is_empty() {
            return Err(self.bad_number(start, "it has no digits"));
        }
        for digit in text.chars() {
            let Some(digit) = digit.to_digit(radix) else {
                return Err(
                    self.bad_number(start, "it has a character that is no digit of its base")
                );
            };
            value = match value
                .checked_mul(u64::from(radix))
                .and_then(|value| value.checked_add(u64::from(digit)))
            {
                Some(value) => value,
                None => return Err(self.bad_number(start, "it does not fit in 64 bits")),
            };
        }
        Ok(Token::Int(value, suffixed || value > i64::MAX as u64))
    }

    /// Returns whether a fraction or an exponent follows the digits that were read.
    fn is_decimal(&self, start: usize) -> bool {
        let after_dot = usize::from(self.byte(1));
        let read = &self.source.as_bytes()[start..self.at];
        let digits = read.iter().take_while(|byte| byte.is_ascii_digit()).count();
        (digits == read.len()
            && self.byte(0) == b'.'
            && (CLASS[after_dot] != WORD || self.byte(1).is_ascii_digit()))
            || (digits < read.len() && matches!(read[digits], b'e' | b'E'))
    }

    /// Reads a decimal constant: digits, a fraction, an exponent.
    fn decimal(&mut self, start: usize) -> Result<Token<'a>, ParseError> {
        if self.byte(0) == b'.' {
            self.at += 1;
            self.word();
        }
        if matches!(self.source.as_bytes()[self.at - 1], b'e' | b'E')
            && matches!(self.byte(0), b'+' | b'-')
        {
            self.at += 1;
            self.word();
        }
        let text = &self.source[start..self.at];
        match text.parse::<f64>() {
            Ok(value) => Ok(Token::F64(value.to_bits())),
            Err(_) => Err(self.bad_number(start, "it is not of the form 1.5 or 1.5e3")),
        }
    }

    /// Reads `0f` with 8, or `0d` with 16 hexadecimal digits.
    fn float_bits(&mut self, start: usize, digits: usize) -> Result<Token<'a>, ParseError> {
        self.word();
        let text = &self.source[start + 2..self.at];
        match u64::from_str_radix(text, 16) {
            Ok(bits) if text.len() == digits && digits == 8 => Ok(Token::F32(bits as u32)),
            Ok(bits) if text.len() == digits => Ok(Token::F64(bits)),
            _ if digits == 8 => {
                Err(self.bad_number(start, "`0f` takes exactly 8 hexadecimal digits"))
            }
            _ => Err(self.bad_number(start, "`0d` takes exactly 16 hexadecimal digits")),
        }
    }

    fn bad_number(&self, start: usize, why: &'static str) -> ParseError {
        ParseError::Number {
            text: excerpt(&self.source[start..self.at]),
            why,
            at: self.position_of(start),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tokens(source: &str) -> Result<Vec<Token<'_>>, ParseError> {
        let mut lexer = Lexer::new(source);
        let mut tokens = Vec::new();
        loop {
            match lexer.next()?.0 {
                Token::End => return Ok(tokens),
                token => tokens.push(token),
            }
        }
    }

    #[test]
    fn instructions_are_words_and_dotted_words() {
        use Token::*;
        assert_eq!(
            tokens("ld.global.L2::128B.v2.f32 {%f1, _}, [$x+-4]; // end").unwrap(),
            [
                Word("ld"),
                Dotted("global"),
                Dotted("L2::128B"),
                Dotted("v2"),
                Dotted("f32"),
                Mark(b'{'),
                Word("%f1"),
                Mark(b','),
                Word("_"),
                Mark(b'}'),
                Mark(b','),
                Mark(b'['),
                Word("$x"),
                Mark(b'+'),
                Mark(b'-'),
                Int(4, false),
                Mark(b']'),
                Mark(b';'),
            ]
        );
    }

    #[test]
    fn numbers_of_every_base() {
        use Token::*;
        assert_eq!(
            tokens("0 017 0x1F 0b101 42U 18446744073709551615 0f3F800000 0d3ff0000000000000 1.5 2e3 1.25e-2 8. 0.5").unwrap(),
            [
                Int(0, false), Int(15, false), Int(31, false), Int(5, false), Int(42, true), Int(u64::MAX, true),
                F32(0x3f80_0000), F64(0x3ff0_0000_0000_0000), F64(1.5_f64.to_bits()), F64(2e3_f64.to_bits()),
                F64(1.25e-2_f64.to_bits()), F64(8_f64.to_bits()), F64(0.5_f64.to_bits()),
            ]
        );
    }

    #[test]
    fn bad_text_is_an_error_with_its_place() {
        for (source, line, column) in [
            ("\n  \u{e9}", 2, 3),
            ("a\0", 1, 2),
            ("/* \n never", 1, 1),
            (" \"open\n\"", 1, 2),
            ("08", 1, 1),
            ("0x", 1, 1),
            ("18446744073709551616", 1, 1),
            ("0f3F80", 1, 1),
            ("12ab", 1, 1),
            ("1e", 1, 1),
            ("a \\ b", 1, 3),
            ("#define", 1, 1),
        ] {
            let error = tokens(source).unwrap_err();
            assert_eq!(
                error.position(),
                Some(Position { line, column }),
                "{source:?}: {error}"
            );
        }
    }
}
