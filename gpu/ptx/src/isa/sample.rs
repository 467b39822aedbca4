//! Instances of a row, as PTX text. They are the input of tests of the decoder, the coverage page,
//! ptxas and GPUs.

use std::fmt::Write;

use super::pattern::{Group, Pattern, Shape, Slot, Typed};
use super::{Target, needs};
use crate::ast::{Modifier, Opcode, Type};

/// One instance of a row.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Sample {
    /// The instruction, from its opcode to its `;`.
    pub instruction: String,
    /// A module with one kernel `sample` that contains the instruction. Its version and target are
    /// those of the row, or `least`.
    pub module: String,
    /// The modifiers of the instruction, in the row's order.
    pub words: Vec<Modifier>,
    /// The registers of the instruction, in order: `%x0`, `%x1`, ...
    pub registers: Vec<Register>,
    /// The PTX version that it requires.
    pub version: (u32, u32),
    /// The GPU that it requires.
    pub target: Target,
}

/// A register of a sample.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Register {
    /// The type that it is declared with.
    pub declared: Type,
    /// The type as which the instruction reads or writes its bits.
    pub value: Type,
    /// What the instruction does with it.
    pub usage: Usage,
    /// The index of the operand that it is, or that it is an element of; from 0.
    pub operand: usize,
}

/// What an instruction does with a register.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Usage {
    /// The instruction writes it.
    Write,
    /// The instruction reads its value.
    Read,
    /// The instruction reads it as an address.
    Address,
    /// The instruction reads it as a cache policy.
    Policy,
    /// The instruction reads it as a texture's or surface's handle or coordinate.
    Texture,
}

/// Returns instances in which each alternative of each group of modifiers occurs at least once. The
/// other groups have their first alternative or are absent. The version and target are those of the
/// row, but not lower than the given ones (an assembler may not know older ones).
pub fn samples(pattern: &Pattern, least_version: (u32, u32), least_sm: u32) -> Vec<Sample> {
    let mut samples: Vec<Sample> = Vec::new();
    let choices: Vec<Vec<&[Modifier]>> = pattern.groups.iter().map(Group::choices).collect();
    let first: Vec<usize> = vec![0; choices.len()];
    let mut add = |picked: &[usize], selected: usize| {
        let words: Vec<Modifier> = picked
            .iter()
            .zip(&choices)
            .flat_map(|(&index, choices)| choices[index])
            .copied()
            .collect();
        let sample = sample(pattern, &words, selected, least_version, least_sm);
        if !samples.contains(&sample) {
            samples.push(sample);
        }
    };
    add(&first, 0);
    for (group, choices) in choices.iter().enumerate() {
        for index in 1..choices.len() {
            let mut picked = first.clone();
            picked[group] = index;
            add(&picked, 0);
        }
    }
    // Each selection of bytes and halves, combined with other types each time.
    for selected in 1..ways_to_select(pattern) {
        let pick = |(group, choices): (usize, &Vec<_>)| (selected >> group) % choices.len();
        let picked: Vec<usize> = choices.iter().enumerate().map(pick).collect();
        add(&picked, selected);
    }
    samples
}

/// Returns every instance: all combinations of alternatives. The selections of bytes and
/// halves take turns.
pub fn every_sample(pattern: &Pattern, least_version: (u32, u32), least_sm: u32) -> Vec<Sample> {
    let combinations = pattern.instances();
    let ways = ways_to_select(pattern);
    let numbered = combinations.iter().enumerate();
    numbered
        .map(|(number, words)| sample(pattern, words, number % ways, least_version, least_sm))
        .collect()
}

/// Returns one instance: the row with these modifiers. The row need not accept them.
pub fn instance(
    pattern: &Pattern,
    words: &[Modifier],
    least_version: (u32, u32),
    least_sm: u32,
) -> Sample {
    sample(pattern, words, 0, least_version, least_sm)
}

/// The selectors that samples of a video instruction have after the destination, the first and
/// the second source.
const PARTS: [[&str; 3]; 7] = [
    ["h1", "", ""],
    ["b0", "b3", "h0"],
    ["b2", "h1", "b1"],
    ["h0", "b2", ""],
    ["b1", "h0", "b0"],
    ["b3", "b1", "b2"],
    ["h1", "b0", "h1"],
];
const HALVES: [[&str; 3]; 5] = [
    ["", "", ""],
    ["h0", "h31", "h02"],
    ["h1", "h22", "h13"],
    ["h10", "h33", "h20"],
    ["", "h10", "h01"],
];
const BYTES: [[&str; 3]; 6] = [
    ["", "", ""],
    ["b20", "b7012", "b3456"],
    ["b3", "b0000", "b7777"],
    ["b321", "b1735", ""],
    ["b10", "b5264", "b0123"],
    ["b310", "b6420", "b7531"],
];

/// Returns the number of selections of bytes and halves for the row's operands.
fn ways_to_select(pattern: &Pattern) -> usize {
    let slots = pattern.slots.iter().flatten();
    let ways = slots.map(|slot| match slot.shape {
        Shape::Part | Shape::SignedPart | Shape::PartDestination => PARTS.len(),
        Shape::Elements(2) => HALVES.len(),
        Shape::Elements(_) => BYTES.len(),
        _ => 1,
    });
    ways.max().unwrap_or(1)
}

fn sample(
    pattern: &Pattern,
    words: &[Modifier],
    selected: usize,
    least_version: (u32, u32),
    least_sm: u32,
) -> Sample {
    let row = pattern.row;
    let mut instruction = row.opcode.name().to_owned();
    for word in words {
        instruction.push('.');
        instruction.push_str(word.name());
    }
    let mut maker = Maker {
        words,
        opcode: row.opcode,
        types: words.iter().filter_map(|&word| Type::of(word)).collect(),
        registers: Vec::new(),
        usage: Usage::Read,
        slot: 0,
        selected,
    };
    let mut operands = Vec::new();
    let slots = pattern.slots.as_deref().unwrap_or(&[]);
    for slot in slots
        .iter()
        .filter(|slot| slot.with.is_none_or(|word| words.contains(&word)))
    {
        if !slot.optional || row.opcode == Opcode::Pmevent {
            maker.slot = operands.len();
            maker.usage = usage(slot, operands.len());
            operands.push(maker.operand(slot));
        }
    }
    // A call's list of results includes its own comma, and empty lists are left out.
    let operands = operands
        .into_iter()
        .filter(|operand| !operand.is_empty())
        .collect::<Vec<_>>()
        .join(", ");
    let separator = if operands.is_empty() { "" } else { " " };
    let _ = write!(instruction, "{separator}{operands};");
    let mut declarations = String::new();
    for (number, register) in maker.registers.iter().enumerate() {
        let ty = register.declared.name();
        let _ = writeln!(declarations, "    .reg .{ty} %x{number};");
    }
    let needs = needs(row, words);
    let (version, sm) = (needs.0.max(least_version), needs.1.sm.max(least_sm));
    let suffix = if row.target.specific { "a" } else { "" };
    let module = format!(
        "\
.version {}.{}
.target sm_{sm}{suffix}
.address_size 64
.func callee() {{ ret; }}
.entry sample(.param .align 16 .b8 parameter[128])
{{
    .param .align 16 .b8 argument[128];
{declarations}list: .branchtargets next;
    {instruction}
next:
    ret;
}}
",
        version.0, version.1
    );
    Sample {
        instruction,
        module,
        words: words.to_vec(),
        registers: maker.registers,
        version,
        target: Target { sm, ..needs.1 },
    }
}

/// Returns how the operand of a slot is used. Only the first operand is written. A later one that
/// must be a register is read.
fn usage(slot: &Slot, index: usize) -> Usage {
    match slot.shape {
        Shape::Address | Shape::TensorMap(_) => Usage::Address,
        Shape::Texture | Shape::Gradient => Usage::Texture,
        _ if slot.with == Some(Modifier::L2CacheHint) => Usage::Policy,
        Shape::Destination
        | Shape::DestinationOrSink
        | Shape::DestinationAndMaybe
        | Shape::DestinationAnd
        | Shape::Destinations(_)
        | Shape::DestinationsAndMaybe(_)
        | Shape::Predicate
        | Shape::PredicateOrPair
        | Shape::PredicatePair
        | Shape::Unpack
        | Shape::PartDestination
        | Shape::ElementsDestination(_)
            if index == 0 =>
        {
            Usage::Write
        }
        _ => Usage::Read,
    }
}

/// Makes operands and the registers in them.
struct Maker<'a> {
    words: &'a [Modifier],
    opcode: Opcode,
    types: Vec<Type>,
    registers: Vec<Register>,
    /// How the current operand is used.
    usage: Usage,
    slot: usize,
    /// The number of the selection of bytes and halves.
    selected: usize,
}

impl Maker<'_> {
    fn register(&mut self, ty: Type) -> String {
        self.register_of(ty, ty)
    }

    /// Adds a register that is declared with one type and contains values of another.
    fn register_of(&mut self, declared: Type, value: Type) -> String {
        self.registers.push(Register {
            declared,
            value,
            usage: self.usage,
            operand: self.slot,
        });
        format!("%x{}", self.registers.len() - 1)
    }

    /// Returns the type of a slot's register, and the type of the values in it.
    fn typed(&self, slot: &Slot) -> (Type, Type) {
        let ty = match slot.typed {
            Typed::Of(index) => self
                .types
                .get(usize::from(index))
                .copied()
                .unwrap_or(Type::B32),
            Typed::TwiceOf(index) => match self.types.get(usize::from(index)).map(|ty| ty.size()) {
                Some(2) => Type::B32,
                _ => Type::B64,
            },
            Typed::Is(ty) | Typed::Exactly(ty) => ty,
            Typed::Pointer => Type::B64,
            Typed::No => Type::B32,
        };
        (register_type(ty, slot.wider), ty)
    }

    fn many(&mut self, count: Option<u8>, (ty, value): (Type, Type)) -> String {
        let vector = self.words.iter().find_map(|word| match word {
            Modifier::V2 => Some(2),
            Modifier::V4 => Some(4),
            Modifier::V8 => Some(8),
            _ => None,
        });
        if count.is_none() && vector.is_none() {
            return self.register_of(ty, value);
        }
        let registers: Vec<_> = (0..count.or(vector).unwrap_or(1))
            .map(|_| self.register_of(ty, value))
            .collect();
        format!("{{{}}}", registers.join(", "))
    }

    fn operand(&mut self, slot: &Slot) -> String {
        let (ty, value) = self.typed(slot);
        match slot.shape {
            Shape::Destination
            | Shape::DestinationOrSink
            | Shape::Source
            | Shape::Any
            | Shape::Register
            | Shape::DestinationAndMaybe => self.register_of(ty, value),
            Shape::Part | Shape::PartDestination => self.part(&PARTS, (ty, value)),
            Shape::SignedPart => {
                // The sign is on the first factor, on the second, or on both. Both signs together
                // are no negation.
                let negated = (self.selected % 4) & self.slot.min(2) != 0;
                format!(
                    "{}{}",
                    if negated { "-" } else { "" },
                    self.part(&PARTS, (ty, value))
                )
            }
            Shape::Minus => format!("-{}", self.register_of(ty, value)),
            Shape::Elements(2) | Shape::ElementsDestination(2) => self.part(&HALVES, (ty, value)),
            Shape::Elements(_) | Shape::ElementsDestination(_) => self.part(&BYTES, (ty, value)),
            Shape::Constant => self.constant(),
            Shape::Predicate
            | Shape::PredicateOrPair
            | Shape::Condition
            | Shape::PredicateSource => self.register(Type::Pred),
            Shape::PredicatePair => self.pair(Type::Pred, Type::Pred),
            Shape::DestinationAnd => self.pair(ty, value),
            Shape::Address => self.address(),
            Shape::Destinations(count) | Shape::Sources(count) => self.many(count, (ty, value)),
            Shape::DestinationsAndMaybe(count) => self.many(Some(count), (ty, value)),
            Shape::TexelOffsets => {
                self.vector(super::operands::texel_offsets(self.words), Type::S32)
            }
            Shape::Pack | Shape::Unpack => {
                let half = match ty.size() {
                    2 => Type::B8,
                    4 => Type::B16,
                    8 => Type::B32,
                    _ => Type::B64,
                };
                format!("{{{}, {}}}", self.register(half), self.register(half))
            }
            Shape::Texture => self.texture(),
            Shape::TensorMap(count) => {
                let map = self.register(Type::B64);
                self.usage = Usage::Read;
                let coordinates =
                    self.vector(count.map_or(self.tensor_rank(), usize::from), Type::S32);
                format!("[{map}, {coordinates}]")
            }
            Shape::Accumulators => {
                let count = u8::try_from(super::operands::accumulators(self.words)).ok();
                self.many(count, (ty, value))
            }
            Shape::FilterOffsets => self.vector(self.tensor_rank().saturating_sub(2), Type::U16),
            Shape::Gradient => self.many(Some(self.dimensions().0), (Type::F32, Type::F32)),
            Shape::Sink => "_".to_owned(),
            Shape::Label => "next".to_owned(),
            Shape::Targets => "list".to_owned(),
            Shape::Arguments => String::new(),
            Shape::Callee => "callee".to_owned(),
            Shape::Table => String::new(),
        }
    }

    fn tensor_rank(&self) -> usize {
        let words = self.words.iter().copied();
        words
            .filter_map(super::operands::dimensions)
            .next()
            .unwrap_or(1)
    }

    fn vector(&mut self, count: usize, ty: Type) -> String {
        let registers: Vec<_> = (0..count).map(|_| self.register(ty)).collect();
        format!("{{{}}}", registers.join(", "))
    }

    /// Adds a register with a selector.
    fn part(&mut self, ways: &[[&str; 3]], (ty, value): (Type, Type)) -> String {
        let register = self.register_of(ty, value);
        match ways[self.selected % ways.len()][self.slot.min(2)] {
            "" => register,
            selector => format!("{register}.{selector}"),
        }
    }

    fn pair(&mut self, ty: Type, value: Type) -> String {
        let first = self.register_of(ty, value);
        format!("{first}|{}", self.register(Type::Pred))
    }

    /// Returns an address. Parameters can only be accessed by name.
    fn address(&mut self) -> String {
        let has = |word| self.words.contains(&word);
        if has(Modifier::ParamFunc) || has(Modifier::Param) && self.opcode == Opcode::St {
            "[argument]".to_owned()
        } else if has(Modifier::Param) || has(Modifier::ParamEntry) {
            "[parameter]".to_owned()
        } else {
            format!("[{}]", self.register(Type::B64))
        }
    }

    /// Returns a constant that the instruction's own rules allow.
    fn constant(&self) -> String {
        let value = match self.opcode {
            Opcode::Cp if self.words.contains(&Modifier::WaitGroup) => 0,
            Opcode::Cp => 16,
            Opcode::Applypriority | Opcode::Discard | Opcode::Fence => 128,
            Opcode::Tensormap if self.words.contains(&Modifier::CpFenceproxy) => 128,
            Opcode::Setmaxnreg => 64,
            Opcode::Wgmma if self.words.contains(&Modifier::Sp) && self.slot == 4 => 0,
            // A selector that every shape has; also the only value that `st.bulk` can store.
            Opcode::Mma | Opcode::St => 0,
            _ => 1,
        };
        value.to_string()
    }

    /// Returns the number of gradients of a texture, and the number of elements of its coordinates.
    fn dimensions(&self) -> (u8, u8) {
        use Modifier::*;
        self.words
            .iter()
            .find_map(|word| match word {
                D1 => Some((1, 1)),
                D2 => Some((2, 2)),
                D3 => Some((4, 4)),
                A1d => Some((1, 2)),
                A2d => Some((2, 4)),
                Cube => Some((4, 4)),
                Acube | A2dms | D2ms => Some((4, 4)),
                _ => None,
            })
            .unwrap_or((1, 1))
    }

    fn texture(&mut self) -> String {
        let surface = matches!(self.opcode, Opcode::Suld | Opcode::Sust | Opcode::Sured);
        let ty = match self.types.get(1) {
            Some(&ty) if !surface => ty,
            _ => Type::B32,
        };
        let mut coordinates: Vec<_> = (0..self.dimensions().1)
            .map(|_| self.register(ty))
            .collect();
        // The index of a layer is an integer for every type of coordinates.
        if self
            .words
            .iter()
            .any(|word| matches!(word, Modifier::A1d | Modifier::A2d | Modifier::Acube))
        {
            coordinates[0] = self.register(Type::U32);
        }
        let coordinates = format!("{{{}}}", coordinates.join(", "));
        // The texture or surface is an object, and its handle is in a register, as in CUDA.
        format!("[{}, {coordinates}]", self.register(Type::U64))
    }
}

/// Returns the type of a register for values of a type. Packed and small floats are in
/// registers of bits.
fn register_type(ty: Type, wider: bool) -> Type {
    use Type::*;
    match ty {
        B8 | U8 | S8 if wider => B16,
        F16 | F32 | F64 | Pred | B128 => ty,
        U16 | U32 | U64 | S16 | S32 | S64 => ty,
        _ => match ty.size() {
            1 => B8,
            2 => B16,
            4 => B32,
            _ => B64,
        },
    }
}
