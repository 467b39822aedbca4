//! A module: its header, and lists of its declarations.

use super::{Function, Section, Variable};
use crate::position::Position;

/// A PTX module.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Module<'a> {
    /// The numbers of `.version major.minor`.
    pub version: (u32, u32),
    /// `.target`: the architecture first, then options such as `debug` or `texmode_independent`.
    pub targets: Vec<&'a str>,
    /// `.address_size`: 32 or 64.
    pub address_size: u32,
    /// `.file` directives, in order.
    pub files: Vec<File<'a>>,
    /// Module-scope variables, in order. A name may be declared several times and defined once.
    pub variables: Vec<Variable<'a>>,
    /// Entry points and functions, in order. Forward declarations have no body.
    pub functions: Vec<Function<'a>>,
    /// `.alias name, of`.
    pub aliases: Vec<Alias<'a>>,
    /// Module-scope `.pragma` strings.
    pub pragmas: Vec<&'a str>,
    /// Debug sections, in order.
    pub sections: Vec<Section<'a>>,
    /// The order of variables, functions and aliases in the text.
    pub order: Vec<Declared>,
}

/// One module-scope declaration: an index into the list of its kind.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Declared {
    /// An index into [`Module::variables`].
    Variable(u32),
    /// An index into [`Module::functions`].
    Function(u32),
    /// An index into [`Module::aliases`].
    Alias(u32),
}

/// `.file index "name" [, timestamp, size]`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct File<'a> {
    /// The number with which `.loc` refers to the file.
    pub index: u32,
    /// The path between the quotes. Escapes are kept as written.
    pub name: &'a str,
    /// Timestamp and size, if the directive has them.
    pub stamp: Option<(u64, u64)>,
}

/// `.alias name, of;`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Alias<'a> {
    /// The new name.
    pub name: &'a str,
    /// The function that the new name stands for.
    pub of: &'a str,
    /// Where the directive is in the text.
    pub position: Position,
}
