//! PTX text: abstract syntax, parser and printer.
//!
//! Source: PTX ISA 8.x and 9.0, chapters 4 to 11.

pub mod ast;
mod types;
mod words;
