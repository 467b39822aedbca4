//! Functions: their signature, directives and body.

use super::{Attribute, Body, Directive, Variable};
use crate::position::Position;
use crate::types::Linkage;

/// An entry point or a function.
#[derive(Clone, PartialEq, Debug)]
pub struct Function<'a> {
    /// The function's name.
    pub name: &'a str,
    /// Whether it is an `.entry` (a kernel) and not a `.func`.
    pub entry: bool,
    /// Which modules can see the name.
    pub linkage: Linkage,
    /// The return parameter: at most one.
    pub returns: Vec<Variable<'a>>,
    /// The parameters in the order of the text.
    pub params: Vec<Variable<'a>>,
    /// Performance and other directives between the parameters and the body.
    pub directives: Vec<Directive<'a>>,
    /// The entries of `.attribute(...)`.
    pub attributes: Vec<Attribute>,
    /// `None` for a forward declaration.
    pub body: Option<Body<'a>>,
    /// Where the name is in the text.
    pub position: Position,
}
