//! The parser's position in the tokens, with one token of look-ahead. Its errors name the token
//! that was found.

use crate::ast::Position;
use crate::error::{ParseError, excerpt};
use crate::lexer::{Lexer, Token};

pub(super) struct Cursor<'a> {
    lexer: Lexer<'a>,
    /// The current token.
    pub(super) token: Token<'a>,
    /// The place of the current token.
    pub(super) position: Position,
    start: usize,
}

impl<'a> Cursor<'a> {
    pub(super) fn new(source: &'a str) -> Result<Self, ParseError> {
        let mut lexer = Lexer::new(source);
        let (token, position, start) = lexer.next()?;
        Ok(Cursor {
            lexer,
            token,
            position,
            start,
        })
    }

    /// Moves to the next token and returns the one before it.
    #[inline]
    pub(super) fn advance(&mut self) -> Result<Token<'a>, ParseError> {
        let old = self.token;
        (self.token, self.position, self.start) = self.lexer.next()?;
        Ok(old)
    }

    /// Returns the text from the current token on.
    pub(super) fn rest(&self) -> &'a str {
        &self.lexer.source()[self.start..]
    }

    /// Returns the text of the current token.
    pub(super) fn text(&self) -> &'a str {
        &self.lexer.source()[self.start..self.lexer.offset()]
    }

    /// Returns whether the current token is this mark.
    #[inline]
    pub(super) fn at(&self, mark: u8) -> bool {
        self.token == Token::Mark(mark)
    }

    /// Skips this mark if it is the current token. Returns whether it was.
    #[inline]
    pub(super) fn eat(&mut self, mark: u8) -> Result<bool, ParseError> {
        let found = self.at(mark);
        if found {
            self.advance()?;
        }
        Ok(found)
    }

    /// Skips this mark, or returns an error.
    #[inline]
    pub(super) fn expect(&mut self, mark: u8, expected: &'static str) -> Result<(), ParseError> {
        if self.eat(mark)? {
            Ok(())
        } else {
            Err(self.unexpected(expected))
        }
    }

    /// Reads a word.
    #[inline]
    pub(super) fn word(&mut self, expected: &'static str) -> Result<&'a str, ParseError> {
        match self.token {
            Token::Word(word) => {
                self.advance()?;
                Ok(word)
            }
            _ => Err(self.unexpected(expected)),
        }
    }

    /// Reads a string.
    pub(super) fn string(&mut self, expected: &'static str) -> Result<&'a str, ParseError> {
        match self.token {
            Token::Text(text) => {
                self.advance()?;
                Ok(text)
            }
            _ => Err(self.unexpected(expected)),
        }
    }

    /// Skips this dotted word if it is the current token. Returns whether it was.
    pub(super) fn eat_dotted(&mut self, word: &str) -> Result<bool, ParseError> {
        let found = self.token == Token::Dotted(word);
        if found {
            self.advance()?;
        }
        Ok(found)
    }

    /// Reads an unsigned literal of at most 64 bits.
    pub(super) fn u64(&mut self, expected: &'static str) -> Result<u64, ParseError> {
        match self.token {
            Token::Int(value, _) => {
                self.advance()?;
                Ok(value)
            }
            _ => Err(self.unexpected(expected)),
        }
    }

    /// Reads an unsigned literal of at most 32 bits.
    pub(super) fn u32(&mut self, what: &'static str) -> Result<u32, ParseError> {
        let at = self.position;
        let value = self.u64(what)?;
        value.try_into().map_err(|_| ParseError::Range {
            what,
            value: value.into(),
            allowed: "at most 32 bits",
            at,
        })
    }

    /// Returns the error that something else is required here.
    #[cold]
    pub(super) fn unexpected(&self, expected: &'static str) -> ParseError {
        let found = match self.token {
            Token::End => "the end of the text".to_owned(),
            _ => format!("`{}`", excerpt(self.text())),
        };
        ParseError::Unexpected {
            expected,
            found,
            at: self.position,
        }
    }
}
