//! PTX as text and tree: parser, printer, and the table of instructions.
//!
//! The simulator runs what this crate reads. The builder finds here which PTX version a module
//! needs, and which instructions do not exist.
//!
//! | module | what it is |
//! | --- | --- |
//! | [`parse`], [`parse_leniently`], [`print`](fn@print), [`print_instruction`] | text to tree, and tree to text |
//! | [`ast`] | the tree |
//! | [`isa`] | all instructions, with the PTX version and the GPUs that have each |
//!
//! Source: PTX ISA 8.x and 9.0, chapters 4 to 11.

pub mod ast;
mod error;
pub mod isa;
mod lexer;
mod parser;
mod position;
mod print;
mod selector;
mod types;
mod words;

pub use error::ParseError;
pub use parser::{parse, parse_leniently};
pub use print::{print, print_instruction};

/// The version of this crate, which is part of what compiled code depends on.
pub const VERSION: &str = env!("CARGO_PKG_VERSION");

/// The newest PTX version whose words are known: that of CUDA 13.5 (ptxas 13.5.37 reads versions
/// up to 9.5).
///
/// Text of a later version is also read. An unknown word makes only its function unusable, and not
/// the whole module; see [`ast::Body::unknown`].
pub const NEWEST: (u32, u32) = (9, 5);
