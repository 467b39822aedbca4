//! The body of a function: flat lists of instructions, registers, variables and labels.

use super::{Instruction, LabelId, Operand, Prototype, Slice, Variable};
use crate::ParseError;
use crate::position::Position;
use crate::types::Type;

/// The body of a function.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Body<'a> {
    /// Instructions, in text order. Labels contain indices into this list.
    pub instructions: Vec<Instruction>,
    /// Operands of all instructions; see [`Body::operands`].
    pub operands: Vec<Operand<'a>>,
    /// Elements of vectors, lists and argument lists; see [`Body::elements`].
    pub elements: Vec<Operand<'a>>,
    /// Registers that the body uses, in the order of first use.
    pub registers: Vec<Register<'a>>,
    /// Variables declared in the body, all scopes.
    pub variables: Vec<Variable<'a>>,
    /// Labels of all kinds, all scopes.
    pub labels: Vec<Label<'a>>,
    /// The `.callprototype` declarations of the body.
    pub prototypes: Vec<Prototype<'a>>,
    /// The `.branchtargets` lists of the body.
    pub branch_targets: Vec<Vec<LabelId>>,
    /// The `.calltargets` lists of the body.
    pub call_targets: Vec<Vec<&'a str>>,
    /// `.loc` directives, in text order.
    pub locations: Vec<Location<'a>>,
    /// `.reg` declarations, in text order.
    pub register_declarations: Vec<RegisterDeclaration<'a>>,
    /// All items in text order, for the printer.
    pub items: Vec<Item<'a>>,
    /// The first instruction that could not be read, in text of a version after
    /// [`NEWEST`](crate::NEWEST) or in text that was read by
    /// [`parse_leniently`](crate::parse_leniently). It is left out of the body, so the body must
    /// not run.
    pub unknown: Option<Unknown>,
    /// Where the closing brace is in the text.
    pub end: Position,
}

impl<'a> Body<'a> {
    /// Returns the operands of an instruction of this body.
    pub fn operands(&self, instruction: &Instruction) -> &[Operand<'a>] {
        self.operands
            .get(instruction.operands.range())
            .unwrap_or(&[])
    }

    /// Returns the elements of a vector, list or argument list of this body.
    pub fn elements(&self, slice: Slice) -> &[Operand<'a>] {
        self.elements.get(slice.range()).unwrap_or(&[])
    }

    /// Returns the source line that applies to an instruction of this body.
    pub fn location(&self, instruction: &Instruction) -> Option<&Location<'a>> {
        self.locations.get(instruction.location? as usize)
    }
}

/// An instruction that could not be read.
#[derive(Clone, PartialEq, Debug)]
pub struct Unknown {
    /// Why it could not be read.
    pub error: ParseError,
    /// The `.loc` directive that applies: an index into [`Body::locations`].
    pub location: Option<u32>,
}

/// A declaration, label, scope or instruction of a body.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Item<'a> {
    /// The beginning of a scope, `{`.
    ScopeBegin,
    /// The end of a scope, `}`.
    ScopeEnd,
    /// An index into [`Body::register_declarations`].
    Registers(u32),
    /// An index into [`Body::variables`].
    Variable(u32),
    /// An index into [`Body::labels`].
    Label(LabelId),
    /// An index into [`Body::instructions`].
    Instruction(u32),
    /// An index into [`Body::locations`].
    Location(u32),
    /// `.pragma "text"`, a hint for the compiler.
    Pragma(&'a str),
}

/// `.reg .ty name;` or `.reg .ty name<count>;`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct RegisterDeclaration<'a> {
    /// The register's name, or the prefix of the names.
    pub name: &'a str,
    /// For `name<count>`: registers `name0` to `name(count-1)`.
    pub count: Option<u32>,
    /// The registers' type.
    pub ty: Type,
    /// 2 or 4 for `.v2`, `.v4`; otherwise 1.
    pub vector: u8,
}

/// A register that the body uses.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Register<'a> {
    /// The name of the register, as written.
    pub name: &'a str,
    /// The type that it is declared with.
    pub ty: Type,
    /// 2 or 4 for a vector register; otherwise 1.
    pub vector: u8,
}

/// A label and what it refers to.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Label<'a> {
    /// The label's name. Labels of different scopes may have the same name.
    pub name: &'a str,
    /// The instruction or the list that the label refers to.
    pub target: Target,
    /// Where the label is defined in the text.
    pub position: Position,
}

/// The item that a label refers to.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Target {
    /// The instruction of this index; one past the last for a label at the end.
    Instruction(u32),
    /// An index into [`Body::prototypes`].
    Prototype(u32),
    /// An index into [`Body::branch_targets`].
    BranchTargets(u32),
    /// An index into [`Body::call_targets`].
    CallTargets(u32),
}

/// `.loc file line column [, function_name label[+offset], inlined_at file line column]`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Location<'a> {
    /// The number of a `.file` directive.
    pub file: u32,
    /// The line in that file, from 1.
    pub line: u32,
    /// The column, from 1, in bytes.
    pub column: u32,
    /// For inlined code: the function's name label with its offset, and the place of the call.
    pub inlined: Option<Inlined<'a>>,
}

/// The second half of a `.loc` of inlined code.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Inlined<'a> {
    /// The label of the function's name in the section of debug strings.
    pub function_name: &'a str,
    /// Bytes that are added to the label's address.
    pub offset: i64,
    /// File, line and column of the call.
    pub at: (u32, u32, u32),
}
