//! The abstract syntax of a PTX module, names resolved.
//!
//! PTX ISA chapters 4 (syntax), 5 (spaces, types, variables), 6 (operands), 7 (functions) and 11 (directives). Text is
//! borrowed from the source. A function's body is flat: scopes are resolved while parsing, registers are numbered in
//! the order of their first use, operands lie in one array to which instructions hold ranges. [`Body::items`] keeps
//! what only the printer needs: the order of declarations, labels, scopes and instructions in the text.

pub use super::position::Position;
pub use super::selector::Selector;
pub use super::types::{Class, Linkage, Space, Type};
pub use super::words::{Component, Modifier, Opcode, SpecialRegister};

/// A PTX module as its text says it.
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
    /// Module-scope variables, in order; a name may be declared several times and defined once.
    pub variables: Vec<Variable<'a>>,
    /// Entry points and functions, in order; forward declarations have no body.
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
    /// One of them: an index into [`Module::variables`].
    Variable(u32),
    /// One of them: an index into [`Module::functions`].
    Function(u32),
    /// One of them: an index into [`Module::aliases`].
    Alias(u32),
}

/// `.file index "name" [, timestamp, size]`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct File<'a> {
    /// The number by which `.loc` names the file.
    pub index: u32,
    /// The path between the quotes, escapes as written.
    pub name: &'a str,
    /// Timestamp and size, where given.
    pub stamp: Option<(u64, u64)>,
}

/// `.section name { ... }`: data for a debugger.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Section<'a> {
    /// Its name, with the dot.
    pub name: &'a str,
    /// What it holds, in order.
    pub data: Vec<Datum<'a>>,
    /// The place in the text where it begins.
    pub position: Position,
}

/// One entry of a section.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Datum<'a> {
    /// A label before what follows.
    Label(&'a str),
    /// A number, or several of one size.
    Number {
        /// How wide it is: 8, 16, 32 or 64.
        bits: u8,
        /// The value that is written there.
        number: Number<'a>,
    },
}

/// A number of a section.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Number<'a> {
    /// A value, as it is written.
    Value(i128),
    /// The address of a label, a variable or a section, and what is added to it.
    Address {
        /// What is named; a section with its dot.
        symbol: &'a str,
        /// Bytes that are added to it.
        offset: u64,
    },
    /// How far one label is from another.
    Distance {
        /// The label behind the last byte.
        to: &'a str,
        /// The label before the first byte.
        from: &'a str,
    },
}

/// `.alias name, of;`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Alias<'a> {
    /// The name that it adds.
    pub name: &'a str,
    /// The function that it names.
    pub of: &'a str,
    /// Where in the text it stands.
    pub position: Position,
}

/// A variable of any space but `.reg`, or a parameter of any kind.
#[derive(Clone, PartialEq, Debug)]
pub struct Variable<'a> {
    /// Its name; parameters of prototypes may be `_`.
    pub name: &'a str,
    /// The state space that the variable is in.
    pub space: Space,
    /// The constant bank of the old form `.const[n]`.
    pub bank: Option<u32>,
    /// Who sees its name.
    pub linkage: Linkage,
    /// `.align n`; without it the natural alignment of the type.
    pub align: Option<u32>,
    /// Type of one element.
    pub ty: Type,
    /// 2, 4 or 8 for `.v2`, `.v4`, `.v8`; otherwise 1.
    pub vector: u8,
    /// Array dimensions, outermost first; `None` for `[]`.
    pub dims: Vec<Option<u64>>,
    /// What follows `=`.
    pub initializer: Option<Initializer<'a>>,
    /// `.ptr [space] [.align n]`, on kernel parameters.
    pub pointer: Option<Pointer>,
    /// What its `.attribute(...)` lists.
    pub attributes: Vec<Attribute>,
    /// The register that a parameter declared `.reg` is, in functions with a body.
    pub register: Option<RegisterId>,
    /// Where the name stands.
    pub position: Position,
}

impl Variable<'_> {
    /// Bytes of one element (a whole vector counts as one element).
    pub fn element_size(&self) -> u64 {
        self.ty.size() * u64::from(self.vector)
    }

    /// Bytes of the whole variable. An unsized outermost dimension takes its length from the initializer, and is
    /// empty without one. The parser has checked that this does not overflow.
    pub fn size(&self) -> u64 {
        let listed = match &self.initializer {
            Some(Initializer::List(list)) => list.len() as u64,
            _ => 0,
        };
        self.dims.iter().fold(self.element_size(), |size, dim| {
            size.saturating_mul(dim.unwrap_or(listed))
        })
    }

    /// The alignment in bytes: as declared, else that of the type.
    pub fn alignment(&self) -> u64 {
        self.align.map_or(self.element_size().max(1), u64::from)
    }
}

/// `.ptr` on a kernel parameter: what the pointer is known to point at.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Pointer {
    /// The space; `None` is generic.
    pub space: Option<Space>,
    /// The alignment of what it points at.
    pub align: Option<u32>,
}

/// One entry of `.attribute(...)`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Attribute {
    /// The attribute `.managed`: managed memory.
    Managed,
    /// The attribute `.unified(a, b)`, with its two numbers.
    Unified(u64, u64),
}

/// What a variable holds at first.
#[derive(Clone, PartialEq, Debug)]
pub enum Initializer<'a> {
    /// `{ ... }`; nested for more than one dimension. Missing elements are zero.
    List(Vec<Initializer<'a>>),
    /// An integer, two's complement in 64 bits.
    Int(i64),
    /// The bits of a `0f` constant.
    F32(u32),
    /// The bits of a `0d` or decimal constant.
    F64(u64),
    /// The address of a symbol.
    Address(AddressOf<'a>),
}

/// `sym`, `sym+offset`, `generic(sym)+offset` or `mask(sym)` in an initializer.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct AddressOf<'a> {
    /// The variable or function.
    pub symbol: &'a str,
    /// Added to its address.
    pub offset: i64,
    /// Whether the address is made generic.
    pub generic: bool,
    /// `0xFF00(sym)`: the byte of the address that this mask keeps, shifted down.
    pub mask: Option<u64>,
    /// Where in the text it stands.
    pub position: Position,
}

/// An entry point or a function.
#[derive(Clone, PartialEq, Debug)]
pub struct Function<'a> {
    /// Its name, as it is written in its source.
    pub name: &'a str,
    /// `.entry` rather than `.func`.
    pub entry: bool,
    /// Who sees its name.
    pub linkage: Linkage,
    /// What it returns; at most one.
    pub returns: Vec<Variable<'a>>,
    /// The parameters in the order of the text.
    pub params: Vec<Variable<'a>>,
    /// Performance and other directives between the parameters and the body.
    pub directives: Vec<Directive<'a>>,
    /// What its `.attribute(...)` lists.
    pub attributes: Vec<Attribute>,
    /// `None` for a forward declaration.
    pub body: Option<Body<'a>>,
    /// Where the name stands.
    pub position: Position,
}

/// A directive of a function.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Directive<'a> {
    /// `.maxntid x, y, z` (missing dimensions are 1).
    MaxThreads([u32; 3]),
    /// `.reqntid x, y, z`.
    RequiredThreads([u32; 3]),
    /// The directive `.minnctapersm n`.
    MinBlocksPerSm(u32),
    /// The directive `.maxnctapersm n`.
    MaxBlocksPerSm(u32),
    /// The directive `.maxnreg n`.
    MaxRegisters(u32),
    /// `.reqnctapercluster x, y, z`.
    RequiredCluster([u32; 3]),
    /// The directive `.explicitcluster`.
    ExplicitCluster,
    /// The directive `.maxclusterrank n`.
    MaxClusterRank(u32),
    /// The directive `.blocksareclusters`.
    BlocksAreClusters,
    /// The directive `.noreturn`.
    NoReturn,
    /// The directive `.abi_preserve n`.
    AbiPreserve(u32),
    /// The directive `.abi_preserve_control n`.
    AbiPreserveControl(u32),
    /// The directive `.pragma "text"`.
    Pragma(&'a str),
}

/// A register of one function: an index into [`Body::registers`].
pub type RegisterId = u32;
/// An index into [`Body::labels`].
pub type LabelId = u32;

/// The body of a function.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Body<'a> {
    /// Instructions, in text order; labels hold indices into this.
    pub instructions: Vec<Instruction>,
    /// Operands of all instructions; see [`Body::operands`].
    pub operands: Vec<Operand<'a>>,
    /// Elements of vectors, lists and argument lists; see [`Body::elements`].
    pub elements: Vec<Operand<'a>>,
    /// Registers that are used, in the order of first use.
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
    /// Everything in text order, for the printer.
    pub items: Vec<Item<'a>>,
    /// The first instruction that could not be read, in text of a version after [`NEWEST`](super::NEWEST). It is
    /// left out of the body, so the body must not run.
    pub unknown: Option<super::ParseError>,
    /// Where the closing brace stands.
    pub end: Position,
}

impl<'a> Body<'a> {
    /// The operands of an instruction of this body.
    pub fn operands(&self, instruction: &Instruction) -> &[Operand<'a>] {
        self.operands
            .get(instruction.operands.range())
            .unwrap_or(&[])
    }

    /// The elements of a vector, list or argument list of this body.
    pub fn elements(&self, slice: Slice) -> &[Operand<'a>] {
        self.elements.get(slice.range()).unwrap_or(&[])
    }

    /// The source line in force at an instruction of this body.
    pub fn location(&self, instruction: &Instruction) -> Option<&Location<'a>> {
        self.locations.get(instruction.location? as usize)
    }
}

/// One thing in a body, in text order.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Item<'a> {
    /// The beginning of a scope, `{`.
    ScopeBegin,
    /// The end of a scope, `}`.
    ScopeEnd,
    /// One of them: an index into [`Body::register_declarations`].
    Registers(u32),
    /// One of them: an index into [`Body::variables`].
    Variable(u32),
    /// One of them: an index into [`Body::labels`].
    Label(LabelId),
    /// One of them: an index into [`Body::instructions`].
    Instruction(u32),
    /// One of them: an index into [`Body::locations`].
    Location(u32),
    /// The directive `.pragma "text"`.
    Pragma(&'a str),
}

/// `.reg .ty name;` or `.reg .ty name<count>;`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct RegisterDeclaration<'a> {
    /// Name, or the prefix of the names.
    pub name: &'a str,
    /// For `name<count>`: registers `name0` to `name(count-1)`.
    pub count: Option<u32>,
    /// The type that it has.
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

/// A label and what it stands before.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Label<'a> {
    /// Name; labels of different scopes may share one.
    pub name: &'a str,
    /// The instruction or the list that the label names.
    pub target: Target,
    /// Where it is defined.
    pub position: Position,
}

/// What a label names.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Target {
    /// The instruction of this index; one past the last for a label at the end.
    Instruction(u32),
    /// One of them: an index into [`Body::prototypes`].
    Prototype(u32),
    /// One of them: an index into [`Body::branch_targets`].
    BranchTargets(u32),
    /// One of them: an index into [`Body::call_targets`].
    CallTargets(u32),
}

/// `label: .callprototype (returns) _ (params) [.noreturn];`.
#[derive(Clone, PartialEq, Debug)]
pub struct Prototype<'a> {
    /// The values that a function of this type returns.
    pub returns: Vec<Variable<'a>>,
    /// The parameters, in order.
    pub params: Vec<Variable<'a>>,
    /// `.noreturn`, `.abi_preserve`, `.abi_preserve_control`.
    pub directives: Vec<Directive<'a>>,
}

/// `.loc file line column [, function_name label[+offset], inlined_at file line column]`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Location<'a> {
    /// Number of a `.file`.
    pub file: u32,
    /// Line in that file.
    pub line: u32,
    /// The column, from 1, in bytes.
    pub column: u32,
    /// For inlined code: the function's name label with its offset, and the place it was inlined at.
    pub inlined: Option<Inlined<'a>>,
}

/// The second half of a `.loc` of inlined code.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Inlined<'a> {
    /// Label in the debug strings.
    pub function_name: &'a str,
    /// Added to the label.
    pub offset: i64,
    /// File, line and column of the call.
    pub at: (u32, u32, u32),
}

/// An instruction: its words, and where its operands are.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Instruction {
    /// `@p` or `@!p`.
    pub guard: Option<Guard>,
    /// The word before the first dot.
    pub opcode: Opcode,
    /// The dotted words after it, in order.
    pub modifiers: Modifiers,
    /// Its operands in [`Body::operands`].
    pub operands: Slice,
    /// Where the opcode stands.
    pub position: Position,
    /// The `.loc` in force: into [`Body::locations`].
    pub location: Option<u32>,
    /// The row of the instruction table that it is an instance of, once [`isa::check`](crate::isa::check()) has found it.
    pub row: Option<u16>,
}

impl Instruction {
    /// The opcode and its modifiers as written.
    pub fn spelling(&self) -> String {
        self.modifiers
            .iter()
            .fold(self.opcode.name().to_owned(), |spelling, word| {
                spelling + "." + word.name()
            })
    }
}

/// `@p` (or `@!p`, negated).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Guard {
    /// The predicate register that decides whether it runs.
    pub register: RegisterId,
    /// Run where it is false.
    pub negated: bool,
}

/// A range of one of the body's arrays.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Slice {
    /// Index of the first.
    pub start: u32,
    /// How many there are.
    pub len: u32,
}

impl Slice {
    /// The same as a range of indices.
    pub fn range(self) -> std::ops::Range<usize> {
        self.start as usize..self.start as usize + self.len as usize
    }
}

/// The dotted words of an instruction, in order; at most [`Modifiers::MAX`]. Dereferences to a slice.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Modifiers {
    len: u8,
    words: [Modifier; Modifiers::MAX],
}

impl Modifiers {
    /// The longest instruction of the ISA (`mma` with block scaling) has 14.
    pub const MAX: usize = 16;

    /// The list without a modifier.
    pub const EMPTY: Modifiers = Modifiers {
        len: 0,
        words: [Modifier::Sync; Modifiers::MAX],
    };

    /// These words; those beyond [`Modifiers::MAX`] are left out.
    pub fn of(words: &[Modifier]) -> Modifiers {
        let mut modifiers = Modifiers::EMPTY;
        for (slot, word) in modifiers.words.iter_mut().zip(words) {
            (*slot, modifiers.len) = (*word, modifiers.len + 1);
        }
        modifiers
    }

    /// Adds one at the end; says no when full.
    #[must_use]
    pub fn push(&mut self, modifier: Modifier) -> bool {
        let Some(slot) = self.words.get_mut(usize::from(self.len)) else {
            return false;
        };
        *slot = modifier;
        self.len += 1;
        true
    }

    /// Whether this word is among them.
    pub fn has(&self, modifier: Modifier) -> bool {
        self.contains(&modifier)
    }

    /// The types among them, in order.
    pub fn types(&self) -> impl Iterator<Item = Type> + '_ {
        self.iter().filter_map(|&modifier| Type::of(modifier))
    }
}

impl std::hash::Hash for Modifiers {
    fn hash<H: std::hash::Hasher>(&self, state: &mut H) {
        // One number, well spread, rather than a call for each word.
        state.write_u64(self.iter().fold(u64::from(self.len), |hash, &word| {
            (hash.rotate_left(11) ^ word as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15)
        }));
    }
}

impl std::ops::Deref for Modifiers {
    type Target = [Modifier];

    fn deref(&self) -> &[Modifier] {
        &self.words[..usize::from(self.len)]
    }
}

/// An operand of an instruction.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Operand<'a> {
    /// A register, `%r1`.
    Register(RegisterId),
    /// A predicate register, negated: `!%p1`.
    Negated(RegisterId),
    /// `%v.x`: one component of a vector register.
    Element(RegisterId, Component),
    /// `%r1.b0`: bytes or halves of a register.
    Part(RegisterId, Selector),
    /// `-%r1`, `-%r1.h0`: a register, or a part of it, negated.
    Minus(RegisterId, Option<Selector>),
    /// `d|p`: destination and a second, predicate destination; either may be [`Operand::Sink`] (`None`).
    Pair(Option<RegisterId>, Option<RegisterId>),
    /// `_`: a result nobody wants, or an absent element.
    Sink,
    /// `%tid.x`, `%laneid`, ...
    Special(SpecialRegister, Option<Component>),
    /// An integer, two's complement in 64 bits; the instruction's type says how many of them count.
    Int(i64),
    /// The bits of a `0f` constant.
    F32(u32),
    /// The bits of a `0d` or decimal constant; where the instruction is of `.f32`, to be rounded to it.
    F64(u64),
    /// A symbol's address as a value (`mov`, `call`), with an offset, or a texture, surface or parameter by its name.
    Symbol(Symbol<'a>, i64),
    /// `%r1+4`: the sum of a register and a constant.
    Sum(RegisterId, i64),
    /// `[base + offset]`.
    Address(Base<'a>, i64),
    /// `array[%r1+2]`: an element of an array, as an address or its value.
    Indexed(Indexed<'a>),
    /// `[a, b, ...]` of textures, surfaces and tensors: the elements.
    List(Slice),
    /// `{a, b, ...}`: the elements.
    Vector(Slice),
    /// `{a, b, c, d}|p`: the elements of a result, and a predicate destination.
    VectorPair(Slice, RegisterId),
    /// `(a, b, ...)` of `call`: the elements. A call always has the operands returns, target, arguments (the lists
    /// possibly empty), and then possibly the label of a prototype or of targets.
    Arguments(Slice),
    /// A label: of an instruction, prototype or target list.
    Label(LabelId),
}

/// An element of an array variable. The index counts elements, those of vectors one by one (as ptxas does).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Indexed<'a> {
    /// The array that is indexed.
    pub symbol: Symbol<'a>,
    /// The register that is a part of the index, if there is one.
    pub register: Option<RegisterId>,
    /// The constant part of the index.
    pub index: i64,
}

/// What an address is counted from.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Base<'a> {
    /// A register that holds the address.
    Register(RegisterId),
    /// A variable or function, by its name.
    Symbol(Symbol<'a>),
    /// Nothing: the offset is the address.
    Absolute,
}

/// A name that is not a register or label.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Symbol<'a> {
    /// A parameter of this function: into [`Function::params`].
    Param(u32),
    /// What this function returns: into [`Function::returns`].
    Return(u32),
    /// A variable of this body: into [`Body::variables`].
    Local(u32),
    /// Anything of module scope, defined here or elsewhere.
    Module(&'a str),
}
