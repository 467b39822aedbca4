//! PTX text: abstract syntax, parser and printer.
//!
//! Source: PTX ISA 8.x and 9.0, chapters 4 to 11.

pub mod ast;
mod error;
mod lexer;
mod parser;
mod print;
mod selector;
mod types;
mod words;

pub use error::ParseError;
pub use parser::parse;
pub use print::print;
