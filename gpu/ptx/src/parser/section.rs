//! Debug sections: data that the assembler passes to a debugger.
//!
//! PTX ISA 11.5.3, `.section`: numbers of 8 to 64 bits, labels, and values that only the assembler
//! can compute: an address (of a label in code or data, of a variable, of a section) with or
//! without an offset, and the distance between two labels. Names are kept as written and are not
//! looked up, because the simulator does not use them.

use super::module::Parser;
use crate::ast::{Datum, Number, Section};
use crate::error::ParseError;
use crate::lexer::Token;
use crate::parser::cursor::Cursor;

const VALUE: &str = "a number, a label or the name of a section";

impl<'a> Parser<'a> {
    /// Parses `.section name { ... }`.
    pub(super) fn section(&mut self) -> Result<(), ParseError> {
        let position = self.cursor.position;
        self.cursor.advance()?;
        let name = self.cursor.name("the name of a section")?;
        self.cursor.expect(b'{', "`{` of a section")?;
        let mut data = Vec::new();
        while !self.cursor.eat(b'}')? {
            match self.cursor.token {
                Token::End => {
                    return Err(ParseError::Unterminated {
                        what: "a section",
                        at: position,
                    });
                }
                Token::Word(label) => {
                    self.cursor.advance()?;
                    self.cursor.expect(b':', "`:` after a label")?;
                    data.push(Datum::Label(label));
                }
                _ => self.cursor.numbers(&mut data)?,
            }
        }
        self.module.sections.push(Section {
            name,
            data,
            position,
        });
        Ok(())
    }
}

impl<'a> Cursor<'a> {
    /// Parses `.b8 1, 2`: numbers of one width.
    fn numbers(&mut self, data: &mut Vec<Datum<'a>>) -> Result<(), ParseError> {
        let bits = match self.token {
            Token::Dotted("b8") => 8,
            Token::Dotted("b16") => 16,
            Token::Dotted("b32") => 32,
            Token::Dotted("b64") => 64,
            _ => return Err(self.unexpected("`.b8`, `.b16`, `.b32`, `.b64`, a label or `}`")),
        };
        self.advance()?;
        loop {
            let number = self.number(bits)?;
            data.push(Datum::Number { bits, number });
            if !self.eat(b',')? {
                return Ok(());
            }
        }
    }

    fn number(&mut self, bits: u8) -> Result<Number<'a>, ParseError> {
        let at = self.position;
        let negative = self.eat(b'-')?;
        if negative || matches!(self.token, Token::Int(..)) {
            let value = i128::from(self.u64(VALUE)?);
            let value = if negative { -value } else { value };
            // The value may be signed or unsigned, if it fits (ISA 11.5.3).
            let fits = value >= -(1 << (bits - 1)) && value < 1 << bits;
            return match fits {
                true => Ok(Number::Value(value)),
                false => Err(ParseError::Range {
                    what: "a number of a section",
                    value,
                    allowed: "what fits into its bits, signed or unsigned",
                    at,
                }),
            };
        }
        let symbol = self.name(VALUE)?;
        if self.eat(b'+')? {
            let offset = self.u64("an offset")?;
            return Ok(Number::Address { symbol, offset });
        }
        if self.eat(b'-')? {
            let from = self.name("the label to measure from")?;
            return Ok(Number::Distance { to: symbol, from });
        }
        Ok(Number::Address { symbol, offset: 0 })
    }

    /// Parses a word or a dotted word, as written.
    fn name(&mut self, expected: &'static str) -> Result<&'a str, ParseError> {
        if !matches!(self.token, Token::Word(_) | Token::Dotted(_)) {
            return Err(self.unexpected(expected));
        }
        let name = self.text();
        self.advance()?;
        Ok(name)
    }
}
