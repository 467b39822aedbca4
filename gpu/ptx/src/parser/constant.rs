//! Constant expressions.
//!
//! PTX ISA 4.5.3 to 4.5.5. Integers are 64 bits wide. They are signed unless a suffix, a cast or
//! their size makes them unsigned. The result of an operator is unsigned if an operand is;
//! comparisons return a signed 0 or 1. Arithmetic wraps, as the ISA's table implies. Floating-point
//! constants can only have signs.

use super::cursor::Cursor;
use crate::ast::Position;
use crate::error::ParseError;
use crate::lexer::Token;

/// The value of a constant.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) enum Constant {
    Int(Int),
    F32(u32),
    F64(u64),
}

/// 64 bits, and whether they are signed.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) struct Int {
    pub(super) bits: u64,
    unsigned: bool,
}

const DEPTH: usize = 64;

#[derive(Clone, Copy, PartialEq)]
enum Operator {
    Or,
    And,
    BitOr,
    BitXor,
    BitAnd,
    Equal,
    NotEqual,
    Less,
    LessEqual,
    Greater,
    GreaterEqual,
    Left,
    Right,
    Add,
    Subtract,
    Multiply,
    Divide,
    Remainder,
}

/// The precedence of `+` and `-`. An expression of at least this precedence may follow a symbol.
const ADDITIVE: u8 = 9;

impl Operator {
    /// Returns the operator at the start of the text, its length in bytes, and its precedence.
    fn read(rest: &str) -> Option<(Operator, usize, u8)> {
        use Operator::*;
        let bytes = rest.as_bytes();
        Some(match (bytes.first()?, bytes.get(1).copied().unwrap_or(0)) {
            (b'|', b'|') => (Or, 2, 1),
            (b'&', b'&') => (And, 2, 2),
            (b'|', _) => (BitOr, 1, 3),
            (b'^', _) => (BitXor, 1, 4),
            (b'&', _) => (BitAnd, 1, 5),
            (b'=', b'=') => (Equal, 2, 6),
            (b'!', b'=') => (NotEqual, 2, 6),
            (b'<', b'<') => (Left, 2, 8),
            (b'>', b'>') => (Right, 2, 8),
            (b'<', b'=') => (LessEqual, 2, 7),
            (b'>', b'=') => (GreaterEqual, 2, 7),
            (b'<', _) => (Less, 1, 7),
            (b'>', _) => (Greater, 1, 7),
            (b'+', _) => (Add, 1, ADDITIVE),
            (b'-', _) => (Subtract, 1, ADDITIVE),
            (b'*', _) => (Multiply, 1, 10),
            (b'/', _) => (Divide, 1, 10),
            (b'%', _) => (Remainder, 1, 10),
            _ => return None,
        })
    }

    fn apply(self, a: Int, b: Int, at: Position) -> Result<Int, ParseError> {
        use Operator::*;
        let unsigned = a.unsigned || b.unsigned;
        let (x, y) = (a.bits, b.bits);
        let (sx, sy) = (x as i64, y as i64);
        let order = if unsigned { x.cmp(&y) } else { sx.cmp(&sy) };
        let by_zero = || ParseError::Range {
            what: "the divisor",
            value: 0,
            allowed: "anything but 0",
            at,
        };
        let truth = |truth: bool| Int {
            bits: truth.into(),
            unsigned: false,
        };
        let value = |bits| Int { bits, unsigned };
        // The result of a shift has the type of the shifted value. A count of 64 or more leaves
        // only the sign.
        let count = u32::try_from(y).unwrap_or(u32::MAX);
        Ok(match self {
            Or => truth(x != 0 || y != 0),
            And => truth(x != 0 && y != 0),
            Equal => truth(x == y),
            NotEqual => truth(x != y),
            Less => truth(order.is_lt()),
            LessEqual => truth(order.is_le()),
            Greater => truth(order.is_gt()),
            GreaterEqual => truth(order.is_ge()),
            BitOr => value(x | y),
            BitXor => value(x ^ y),
            BitAnd => value(x & y),
            Left => Int {
                bits: x.checked_shl(count).unwrap_or(0),
                unsigned: a.unsigned,
            },
            Right if a.unsigned => Int {
                bits: x.checked_shr(count).unwrap_or(0),
                unsigned: true,
            },
            Right => Int {
                bits: (sx >> count.min(63)) as u64,
                unsigned: false,
            },
            Add => value(x.wrapping_add(y)),
            Subtract => value(x.wrapping_sub(y)),
            Multiply => value(x.wrapping_mul(y)),
            Divide if unsigned => value(x.checked_div(y).ok_or_else(by_zero)?),
            Remainder if unsigned => value(x.checked_rem(y).ok_or_else(by_zero)?),
            Divide | Remainder if y == 0 => return Err(by_zero()),
            Divide => value(sx.wrapping_div(sy) as u64),
            Remainder => value(sx.wrapping_rem(sy) as u64),
        })
    }
}

impl<'a> Cursor<'a> {
    /// Parses a whole constant expression.
    pub(super) fn constant(&mut self) -> Result<Constant, ParseError> {
        // Almost every constant is a single literal.
        match self.token {
            Token::F32(bits) => {
                self.advance()?;
                Ok(Constant::F32(bits))
            }
            Token::F64(bits) => {
                self.advance()?;
                Ok(Constant::F64(bits))
            }
            _ => self.conditional(0),
        }
    }

    /// Parses an integer constant expression.
    pub(super) fn integer(&mut self, expected: &'static str) -> Result<i64, ParseError> {
        if !self.at_constant() {
            return Err(self.unexpected(expected));
        }
        let value = self.conditional(0)?;
        self.int(value).map(|int| int.bits as i64)
    }

    /// Parses `+ ...` or `- ...` after a symbol or register in an address. Returns the sum
    /// of these terms.
    pub(super) fn offset(&mut self) -> Result<i64, ParseError> {
        let mut offset = 0_i64;
        loop {
            let negative = match self.token {
                Token::Mark(b'+') => false,
                Token::Mark(b'-') => true,
                _ => return Ok(offset),
            };
            self.advance()?;
            let value = self.binary(ADDITIVE + 1, 0)?;
            let value = self.int(value)?.bits as i64;
            offset = if negative {
                offset.wrapping_sub(value)
            } else {
                offset.wrapping_add(value)
            };
        }
    }

    /// Returns whether a constant can begin here.
    pub(super) fn at_constant(&self) -> bool {
        matches!(
            self.token,
            Token::Int(..)
                | Token::F32(_)
                | Token::F64(_)
                | Token::Mark(b'-' | b'+' | b'~' | b'!' | b'(')
                | Token::Word("WARP_SZ")
        )
    }

    fn conditional(&mut self, depth: usize) -> Result<Constant, ParseError> {
        let condition = self.binary(1, depth)?;
        if !self.at(b'?') {
            return Ok(condition);
        }
        let condition = self.int(condition)?;
        self.advance()?;
        self.check_depth(depth)?;
        let yes = self.conditional(depth + 1)?;
        self.expect(b':', "`:` of a conditional constant")?;
        let no = self.conditional(depth + 1)?;
        Ok(if condition.bits != 0 { yes } else { no })
    }

    /// Parses operators whose precedence is at least `least`.
    fn binary(&mut self, least: u8, depth: usize) -> Result<Constant, ParseError> {
        self.check_depth(depth)?;
        let mut left = self.unary(depth)?;
        while let Token::Mark(_) = self.token {
            let Some((operator, marks, strength)) = Operator::read(self.rest()) else {
                break;
            };
            if strength < least {
                break;
            }
            let a = self.int(left)?;
            for _ in 0..marks {
                self.advance()?;
            }
            let at = self.position;
            let b = self.binary(strength + 1, depth + 1)?;
            left = Constant::Int(operator.apply(a, self.int(b)?, at)?);
        }
        Ok(left)
    }

    fn unary(&mut self, depth: usize) -> Result<Constant, ParseError> {
        self.check_depth(depth)?;
        let value = match self.token {
            Token::Int(bits, unsigned) => Constant::Int(Int { bits, unsigned }),
            Token::F32(bits) => Constant::F32(bits),
            Token::F64(bits) => Constant::F64(bits),
            // PTX ISA 4.5.2: a predefined integer constant.
            Token::Word("WARP_SZ") => Constant::Int(Int {
                bits: 32,
                unsigned: false,
            }),
            Token::Mark(b'(') => {
                self.advance()?;
                return self.parenthesis(depth);
            }
            Token::Mark(mark @ (b'+' | b'-' | b'~' | b'!')) => {
                self.advance()?;
                let value = self.unary(depth + 1)?;
                return self.signed(mark, value);
            }
            _ => return Err(self.unexpected("a constant")),
        };
        self.advance()?;
        Ok(value)
    }

    /// Parses the text after `(`: a cast or an expression.
    fn parenthesis(&mut self, depth: usize) -> Result<Constant, ParseError> {
        let unsigned = match self.token {
            Token::Dotted("s64") => Some(false),
            Token::Dotted("u64") => Some(true),
            _ => None,
        };
        let Some(unsigned) = unsigned else {
            let value = self.conditional(depth + 1)?;
            self.expect(b')', "`)` of a constant")?;
            return Ok(value);
        };
        self.advance()?;
        self.expect(b')', "`)` of a cast")?;
        let value = self.unary(depth + 1)?;
        Ok(Constant::Int(Int {
            bits: self.int(value)?.bits,
            unsigned,
        }))
    }

    fn signed(&self, mark: u8, value: Constant) -> Result<Constant, ParseError> {
        Ok(match (mark, value) {
            (b'+', value) => value,
            (b'-', Constant::F32(bits)) => Constant::F32(bits ^ 1 << 31),
            (b'-', Constant::F64(bits)) => Constant::F64(bits ^ 1 << 63),
            (b'-', Constant::Int(int)) => Constant::Int(Int {
                bits: int.bits.wrapping_neg(),
                ..int
            }),
            (b'~', value) => {
                let int = self.int(value)?;
                Constant::Int(Int {
                    bits: !int.bits,
                    ..int
                })
            }
            (_, value) => Constant::Int(Int {
                bits: (self.int(value)?.bits == 0).into(),
                unsigned: false,
            }),
        })
    }

    fn int(&self, value: Constant) -> Result<Int, ParseError> {
        match value {
            Constant::Int(int) => Ok(int),
            _ => Err(self.unexpected("an integer constant before this")),
        }
    }

    fn check_depth(&self, depth: usize) -> Result<(), ParseError> {
        if depth <= DEPTH {
            return Ok(());
        }
        Err(ParseError::TooDeep {
            what: "constant expressions",
            limit: DEPTH,
            at: self.position,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn value(source: &str) -> i64 {
        Cursor::new(source).unwrap().integer("a constant").unwrap()
    }

    #[test]
    fn operators_bind_as_in_c() {
        for (source, expected) in [
            ("1+2*3", 7),
            ("(1+2)*3", 9),
            ("1<<4|1", 17),
            ("7-2-1", 4),
            ("-8/2", -4),
            ("~0", -1),
            ("!5", 0),
            ("5 > 3 ? 10 : 20", 10),
            ("0 ? 1 : 0 ? 2 : 3", 3),
            ("1 == 1 && 2 != 2", 0),
            ("-1 >> 1", -1),
            ("(.u64)-1 >> 63", 1),
            ("-1 < 1", 1),
            ("-1 < 1U", 0),
            ("0x8000000000000000 / -1", 0),
            ("WARP_SZ-1", 31),
            ("1 << 100", 0),
            ("- - 4", 4),
            ("10 % 4", 2),
            ("6 ^ 3 & 1", 7),
        ] {
            assert_eq!(value(source), expected, "{source}");
        }
    }

    #[test]
    fn the_least_integer_divided_by_minus_one_wraps() {
        assert_eq!(value("(.s64)0x8000000000000000 / -1"), i64::MIN);
    }

    #[test]
    fn zero_divides_nothing_and_depth_is_bounded() {
        assert!(matches!(
            Cursor::new("1/0").unwrap().integer("x"),
            Err(ParseError::Range { .. })
        ));
        for opening in ["(", "-", "1+(", "1?", "(.u64)", "~"] {
            let source = opening.repeat(100_000);
            assert!(
                matches!(
                    Cursor::new(&source).unwrap().integer("x"),
                    Err(ParseError::TooDeep { .. })
                ),
                "{opening}"
            );
        }
    }
}
