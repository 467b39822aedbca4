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
    module::module(source, false)
}

/// Reads a module in which single instructions may be mistakes. Of each body, the first instruction
/// that cannot be read is in [`Body::unknown`](crate::ast::Body::unknown).
///
/// # Errors
///
/// The first other part of the text that is not PTX, with its place.
///
/// ```
/// let text = ".version 8.0\n.target sm_90\n.address_size 64\n.entry k() {\naddd.s32 %r1, 2;\nret;\n}";
/// assert!(lanewise_ptx::parse(text).is_err());
/// let module = lanewise_ptx::parse_leniently(text)?;
/// let unknown = module.functions[0].body.as_ref().and_then(|body| body.unknown.as_ref());
/// assert_eq!(unknown.map(|it| it.error.to_string()), Some("no instruction is called `addd`".to_owned()));
/// # Ok::<(), lanewise_ptx::ParseError>(())
/// ```
pub fn parse_leniently(source: &str) -> Result<Module<'_>, ParseError> {
    module::module(source, true)
}
