//! Sections with data for a debugger.

use crate::position::Position;

/// `.section name { ... }`: data for a debugger.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Section<'a> {
    /// The section's name, with the dot.
    pub name: &'a str,
    /// The contents, in order.
    pub data: Vec<Datum<'a>>,
    /// Where the section begins in the text.
    pub position: Position,
}

/// One entry of a section: a label or a number.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Datum<'a> {
    /// A label with the address of the next entry.
    Label(&'a str),
    /// A number, or several of one size.
    Number {
        /// The size in bits: 8, 16, 32 or 64.
        bits: u8,
        /// The number itself.
        number: Number<'a>,
    },
}

/// A number in a section: a constant, an address or a difference of labels.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Number<'a> {
    /// A constant number.
    Value(i128),
    /// The address of a label, a variable or a section, plus an offset.
    Address {
        /// The name of the label, variable or section; a section's with its dot.
        symbol: &'a str,
        /// The offset in bytes.
        offset: u64,
    },
    /// The distance between two labels in bytes, `to - from`.
    Distance {
        /// The label after the last byte.
        to: &'a str,
        /// The label before the first byte.
        from: &'a str,
    },
}
