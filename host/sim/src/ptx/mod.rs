//! PTX text: abstract syntax, parser and printer.
//!
//! Source: PTX ISA 8.x and 9.0, chapters 4 to 11.

pub mod ast;
mod error;
mod lexer;
mod parser;
mod position;
mod print;
mod selector;
mod types;
mod words;

pub use error::ParseError;
pub use parser::parse;
pub use print::print;

/// The newest PTX version whose words are known: that of CUDA 13.5 (ptxas 13.5.37 reads versions
/// up to 9.5).
///
/// Text of a later version is also read. An unknown word makes only its function unusable, and not
/// the whole module; see [`ast::Body::unknown`].
pub const NEWEST: (u32, u32) = (9, 5);
