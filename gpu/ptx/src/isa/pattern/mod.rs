//! The notation of the rows, after parsing: modifiers as groups of alternatives, operands as
//! shapes with types.

mod notation;

use std::sync::OnceLock;

use super::{Decoder, Row, Successors, table};
use crate::ast::{Instruction, Modifier, Opcode, Type};

pub use notation::SETS;
use notation::read;

/// One place in the sequence of modifiers.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Group {
    /// One of these alternatives, each of one word or several in a row.
    One {
        /// The alternatives, each of one word or several in a row.
        words: Vec<Vec<Modifier>>,
        /// Whether it may be absent.
        optional: bool,
    },
    /// Any words, to the end.
    Rest,
}

impl Group {
    /// Returns the words that may be here, as text.
    pub fn alternatives(&self) -> Vec<String> {
        match self {
            Group::One { words, .. } => {
                let spelling = |sequence: &Vec<Modifier>| {
                    sequence.iter().map(|word| format!(".{word}")).collect()
                };
                words.iter().map(spelling).collect()
            }
            Group::Rest => Vec::new(),
        }
    }

    /// Returns the alternatives, including no words if the group is optional. For [`Group::Rest`],
    /// it returns no words.
    pub fn choices(&self) -> Vec<&[Modifier]> {
        match self {
            Group::Rest => vec![&[]],
            Group::One { words, optional } => {
                let absent: Option<&[Modifier]> = optional.then_some(&[]);
                let present = words.iter().map(Vec::as_slice);
                absent.into_iter().chain(present).collect()
            }
        }
    }
}

/// The kinds of operands that a slot accepts.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Shape {
    /// `d`: a register that is written; `d=0` has the instruction's first type.
    Destination,
    /// `d_`: a register that is written, or `_`.
    DestinationOrSink,
    /// `s`: a register or constant that is read.
    Source,
    /// `m`: a source, special register or address of a symbol.
    Any,
    /// `i`: a constant.
    Constant,
    /// `p`: a predicate register that is written, or `_`.
    Predicate,
    /// `pp`: one such predicate, or two of them, `p|q`.
    PredicateOrPair,
    /// `p|p`: two such predicates.
    PredicatePair,
    /// `d|p?`: a destination, alone or with a predicate.
    DestinationAndMaybe,
    /// `d|p`: a destination with a predicate.
    DestinationAnd,
    /// `q`: a predicate that is read and may be negated, or a constant.
    Condition,
    /// `pred`: a predicate register that is read.
    PredicateSource,
    /// `A`: an address.
    Address,
    /// `D`: destinations. `.v2`, `.v4`, `.v8` give their number, or the number in
    /// the notation: `D4`.
    Destinations(Option<u8>),
    /// `D4|p?`: this many destinations, alone or with a predicate.
    DestinationsAndMaybe(u8),
    /// `e`: offsets of a fetch in texels, one for each axis of its geometry.
    TexelOffsets,
    /// `S`: sources, with their number as for destinations.
    Sources(Option<u8>),
    /// `pack`: a vector whose elements together have the size of the type.
    Pack,
    /// `unpack`: such a vector that is written.
    Unpack,
    /// `T`: a texture or surface and coordinates, `[tex, {x, y}]`.
    Texture,
    /// `M`: a tensor map and coordinates, `[map, {x, y}]`. `.1d` to `.5d` give the number of
    /// coordinates. `M5` has five.
    TensorMap(Option<u8>),
    /// `W`: the accumulators of a warpgroup. The shape and D's type give their number.
    Accumulators,
    /// `O`: offsets in a filter, two fewer than the dimensions.
    FilterOffsets,
    /// `grad`: a vector of gradients.
    Gradient,
    /// `r`: a register that is read.
    Register,
    /// `v`: in a video instruction, a register, or a byte or half of one, `%r1.b0`; or a constant.
    Part,
    /// `-v`: such an operand that may be negated.
    SignedPart,
    /// `-s`: a register, negated.
    Minus,
    /// `dv`: a byte or half of a register that is written.
    PartDestination,
    /// `v2`, `v4`: a register. It may have a selector of halves or bytes from it and
    /// its neighbour, `%r1.h32`.
    Elements(u8),
    /// `dv2`, `dv4`: a register. It may have a selector of the halves or bytes that
    /// are written, `%r1.b20`.
    ElementsDestination(u8),
    /// `sink`: a result that is discarded, `_`.
    Sink,
    /// `label`: a label of an instruction.
    Label,
    /// `targets`: the label of a `.branchtargets`.
    Targets,
    /// `args`: a list in parentheses.
    Arguments,
    /// `callee`: the name of a function or a register with its address.
    Callee,
    /// `table`: the label of a prototype or of call targets.
    Table,
}

/// The type of an operand.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Typed {
    /// The operand has no type that is checked.
    No,
    /// `=0`, `=1`: the instruction's first, second, ... type.
    Of(u8),
    /// `=0*2`: twice as wide as that type.
    TwiceOf(u8),
    /// `=u32`: this type.
    Is(Type),
    /// `=b32!`: this type, and no other of its size.
    Exactly(Type),
    /// `=ptr`: a type of 32 or 64 bits.
    Pointer,
}

/// One operand of a row.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Slot {
    /// The kinds of operands that it accepts.
    pub shape: Shape,
    /// The type that its operand must have.
    pub typed: Typed,
    /// `+`: the register may be wider than the type (ISA 9.4.1).
    pub wider: bool,
    /// `?`: may be absent.
    pub optional: bool,
    /// `if(word)`: the operand is present if and only if this modifier is.
    pub with: Option<Modifier>,
}

/// A row of the instruction table, after its notation was parsed.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Pattern {
    /// The index in [`patterns`]. An instruction stores it to refer to its row.
    pub index: u16,
    /// The row of the instruction table.
    pub row: &'static Row,
    /// The places for modifiers, in order.
    pub groups: Vec<Group>,
    /// The places for operands, in order; `None` takes any operands.
    pub slots: Option<Vec<Slot>>,
}

impl Pattern {
    /// Returns the modifiers of every instance: all combinations of the alternatives in
    /// the row's places.
    pub fn instances(&self) -> Vec<Vec<Modifier>> {
        let mut instances: Vec<Vec<Modifier>> = vec![Vec::new()];
        for group in &self.groups {
            let choices = group.choices();
            let longer = instances.iter().flat_map(|words| {
                choices
                    .iter()
                    .map(move |&choice| [words.as_slice(), choice].concat())
            });
            instances = longer.collect();
        }
        instances
    }

    /// Returns whether the first operand receives an instance's whole result and is not read.
    pub fn writes_first(&self) -> bool {
        let first = self.slots.as_ref().and_then(|slots| slots.first());
        first.is_some_and(|slot| {
            matches!(
                slot.shape,
                Shape::Destination
                    | Shape::DestinationOrSink
                    | Shape::DestinationAndMaybe
                    | Shape::DestinationAnd
                    | Shape::Destinations(_)
                    | Shape::DestinationsAndMaybe(_)
                    | Shape::PartDestination
                    | Shape::ElementsDestination(_)
                    | Shape::Unpack
                    | Shape::Predicate
                    | Shape::PredicateOrPair
                    | Shape::PredicatePair
            )
        })
    }

    /// Returns whether these modifiers are an instance of the row.
    pub fn takes(&self, modifiers: &[Modifier]) -> bool {
        takes(&self.groups, modifiers)
    }
}

/// Returns whether `groups` accept exactly `modifiers`. Few groups are optional, so trying both
/// ways costs little.
fn takes(groups: &[Group], modifiers: &[Modifier]) -> bool {
    let Some((group, rest)) = groups.split_first() else {
        return modifiers.is_empty();
    };
    let Group::One { words, optional } = group else {
        return true;
    };
    let present = |sequence: &Vec<Modifier>| {
        modifiers
            .strip_prefix(&sequence[..])
            .is_some_and(|after| takes(rest, after))
    };
    words.iter().any(present) || *optional && takes(rest, modifiers)
}

/// Returns every row of the instruction table, in the order of the table.
pub fn patterns() -> &'static [Pattern] {
    static PATTERNS: OnceLock<Vec<Pattern>> = OnceLock::new();
    PATTERNS.get_or_init(|| {
        (0..)
            .zip(table())
            .map(|(index, row)| read(index, row))
            .collect()
    })
}

/// Returns the row of an instruction, or `None` before [`check`](super::check()) has found it.
pub fn found(instruction: &Instruction) -> Option<&'static Pattern> {
    patterns().get(usize::from(instruction.row?))
}

/// Returns the part of the decoder that handles an instruction. The checker must have
/// found its row.
pub fn decoder(instruction: &Instruction) -> Option<Decoder> {
    found(instruction)?.row.decoder
}

/// Returns the successors of an instruction in the control flow.
pub fn successors(instruction: &Instruction) -> Successors {
    decoder(instruction).map_or(Successors::Next, Decoder::successors)
}

/// Returns the rows of an opcode.
pub fn of(opcode: Opcode) -> &'static [&'static Pattern] {
    static INDEX: OnceLock<Vec<Vec<&'static Pattern>>> = OnceLock::new();
    let index = INDEX.get_or_init(|| {
        let mut index = vec![Vec::new(); Opcode::ALL.len()];
        patterns()
            .iter()
            .for_each(|pattern| index[pattern.row.opcode as usize].push(pattern));
        index
    });
    &index[opcode as usize]
}
