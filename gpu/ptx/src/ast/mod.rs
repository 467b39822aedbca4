//! The abstract syntax of a PTX module, with resolved names.
//!
//! PTX ISA chapters 4 (syntax), 5 (spaces, types, variables), 6 (operands), 7 (functions) and 11
//! (directives). Text is borrowed from the source. A function's body is flat: the parser resolves
//! scopes and numbers registers in the order of their first use. All operands are in one array, and
//! instructions contain ranges of it. [`Body::items`] contains what only the printer needs: the
//! order of declarations, labels, scopes and instructions in the text.

mod body;
mod function;
mod index;
mod instruction;
mod module;
mod operand;
mod section;
mod signature;
mod variable;

pub use body::{
    Body, Inlined, Item, Label, Location, Register, RegisterDeclaration, Target, Unknown,
};
pub use function::Function;
pub use index::{LabelId, RegisterId, Slice};
pub use instruction::{Guard, Instruction, Modifiers};
pub use module::{Alias, Declared, File, Module};
pub use operand::{Base, Indexed, Operand, Symbol};
pub use section::{Datum, Number, Section};
pub use signature::{Directive, Prototype};
pub use variable::{AddressOf, Attribute, Initializer, Pointer, Variable};

pub use super::position::Position;
pub use super::selector::Selector;
pub use super::types::{Class, Linkage, Space, Type};
pub use super::words::{Component, Modifier, Opcode, SpecialRegister};
