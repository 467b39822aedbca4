//! A recursive-descent parser of PTX text, with one token of look-ahead.
//!
//! PTX ISA chapter 4. Names are resolved during parsing, because PTX declares all names before
//! their use, except for labels. Time and memory are linear in the length of the text: nesting has
//! limits, and declared sizes are checked but never allocated.

mod body;
mod constant;
mod cursor;
mod instruction;
mod module;
mod names;
mod section;
mod variable;

#[cfg(test)]
mod tests;

use super::ast::Module;
use super::error::ParseError;

/// Reads a module.
///
/// # Errors
///
/// The first part of the text that is not PTX, with its place.
///
/// ```
/// let module = lanewise_ptx::parse(".version 8.0\n.target sm_90\n.address_size 64\n.visible .entry nothing() { ret; }")?;
/// assert_eq!(module.functions[0].name, "nothing");
/// # Ok::<(), lanewise_ptx::ParseError>(())
/// ```
pub fn parse(source: &str) -> Result<Module<'_>, ParseError> {
    // Positions, indices and lengths have 32 bits.
    const LIMIT: usize = u32::MAX as usize / 2;
    if source.len() > LIMIT {
        return Err(ParseError::TooLong {
            bytes: source.len(),
            limit: LIMIT,
        });
    }
    module::module(source)
}
