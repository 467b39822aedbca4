//! The function that is being decoded. The decoders of its instructions add to it.

use std::collections::HashMap;

use super::arrays::NamedVariable;
use super::code::Code;
use super::problem::{Result, invalid};
use super::symbols::Symbols;
use crate::machine::meeting::together::{MeetingPoint, OperandPlace};
use crate::machine::op::{Handler, Op};
use crate::machine::program::{
    Area, CallSite, Class, Function, LocalArray, OpInfo, PresetRow, Scope, Value,
};
use crate::ptx::ast::{self, Body, Instruction, LabelId, Opcode, Operand, Type};

/// The largest frame, in bytes. Offsets of predicates must fit in 24 bits, and host
/// memory is finite.
const LARGEST: u32 = 1 << 26;

/// The operands of an operation, before the operation is added: `Operands::to(d).a(row)`.
#[derive(Debug, Clone, Copy)]
pub(super) struct Operands {
    d: u32,
    a: u32,
    b: u32,
    c: u32,
    aux: u32,
}

/// Functions that return the operands with one of them set.
macro_rules! setters {
    ($($name:ident),*) => {
        $(pub(super) const fn $name(mut self, $name: u32) -> Self {
            self.$name = $name;
            self
        })*
    };
}

impl Operands {
    /// No operand at all.
    pub(super) const NONE: Self = Self {
        d: 0,
        a: 0,
        b: 0,
        c: 0,
        aux: 0,
    };

    /// Returns operands with this destination.
    pub(super) const fn to(d: u32) -> Self {
        Self { d, ..Self::NONE }
    }

    setters!(a, b, c, aux);
}

/// A function that is being decoded.
pub(super) struct Builder<'a, 'm> {
    pub(super) symbols: &'m Symbols<'a>,
    pub(super) function: &'m ast::Function<'a>,
    pub(super) body: &'m Body<'a>,
    pub(super) code: Code,
    /// Frame offset of each register: a word for predicates, a row for others.
    pub(super) registers: Vec<u32>,
    /// Frame areas of `.param` variables: parameters, returns, and the variables of the body.
    pub(super) params: Vec<Area>,
    pub(super) returns: Vec<Area>,
    pub(super) areas: Vec<Option<Area>>,
    /// Local addresses of `.local` variables of the body, as offsets in the
    /// function's local memory.
    pub(super) locals: Vec<Option<u32>>,
    /// Local addresses of the parameters whose address is taken. They are copied there when
    /// the function begins.
    pub(super) param_copies: Vec<Option<u32>>,
    pub(super) rows: HashMap<(Value, u32), u32>,
    pub(super) out: Function,
    /// Branches whose target is not known yet: operation and label.
    pub(super) jumps: Vec<(usize, LabelId)>,
    /// Index of the first operation of each instruction; one more for the end.
    pub(super) starts: Vec<u32>,
    pub(super) guard: u32,
    pub(super) info: OpInfo,
    pub(super) words: u32,
    /// Indices of this function's branch tables whose labels are not resolved yet.
    pub(super) tables: Vec<usize>,
    /// The module of the function, for names that are local to a text.
    pub(super) module: usize,
}

impl<'a, 'm> Builder<'a, 'm> {
    /// Returns an instruction's operands, if there are `N` of them.
    pub(super) fn operands<const N: usize>(&self, i: &Instruction) -> Result<&'m [Operand<'a>; N]> {
        let operands = self.body.operands(i);
        operands.try_into().or_else(|_| {
            let found = operands.len();
            invalid(format!("expected {N} operands, found {found}"))
        })
    }

    /// Reserves bytes of the frame.
    pub(super) fn reserve(&mut self, bytes: u32) -> Result<u32> {
        let offset = self.out.frame;
        self.out.frame = offset + bytes.next_multiple_of(128);
        if self.out.frame > LARGEST {
            return invalid("more registers than the machine has room for");
        }
        Ok(offset)
    }

    /// Returns the row that contains `value` in lanes of `width` bytes. Makes it at the first call.
    pub(super) fn constant(&mut self, value: Value, width: u64) -> Result<u32> {
        let width = width.max(4) as u32;
        if let Some(&offset) = self.rows.get(&(value, width)) {
            return Ok(offset);
        }
        let offset = self.reserve(row_bytes(u64::from(width)))?;
        self.rows.insert((value, width), offset);
        self.out.rows.push(PresetRow {
            offset,
            width,
            value,
        });
        Ok(offset)
    }

    /// Returns a predicate for results that nothing reads.
    pub(super) fn no_predicate(&self) -> u32 {
        self.words
    }

    /// Returns two predicates for values that one operation of an instruction passes to the next.
    pub(super) fn scratch_predicates(&self) -> [u32; 2] {
        [self.words + 4, self.words + 8]
    }

    /// Adds an operation.
    pub(super) fn emit(&mut self, run: Handler, o: Operands) {
        let Operands { d, a, b, c, aux } = o;
        self.code.ops.push(Op {
            run,
            guard: self.guard,
            d,
            a,
            b,
            c,
            aux,
        });
        self.code.infos.push(self.info);
        self.info.first = false;
    }

    /// Sets the next operation's kind of access or control flow.
    pub(super) fn classify(&mut self, class: Class, bytes: u64) {
        self.info.class = class;
        self.info.bytes = bytes as u8;
    }

    /// Marks the next operation's addresses as multicast memory.
    pub(super) fn multicast(&mut self) {
        self.info.multicast = true;
    }

    /// Sets whether the next operation is a load through the first-level cache.
    pub(super) fn through_l1(&mut self, through: bool) {
        self.info.through_l1 = through;
    }

    /// Sets whether the next operation is a load of read-only data.
    pub(super) fn read_only(&mut self, is: bool) {
        self.info.read_only = is;
    }

    /// Sets the memory order and the scope of the next operation, from the instruction's words.
    pub(super) fn orders(&mut self, i: &Instruction) {
        use ast::Modifier as M;
        let has = |word| i.modifiers.has(word);
        self.info.releases = has(M::Release) || has(M::AcqRel);
        self.info.acquires = has(M::Acquire) || has(M::AcqRel);
        self.info.narrow = has(M::Cta);
        self.info.cas = has(M::Cas);
        self.info.volatile = has(M::Volatile);
        // Atomics without these words are relaxed, with device scope. Volatile accesses are
        // relaxed, with system scope.
        let atomic = matches!(i.opcode, Opcode::Atom | Opcode::Red)
            || i.opcode == Opcode::Multimem && has(M::Red);
        let strong = [
            M::Relaxed,
            M::Acquire,
            M::Release,
            M::AcqRel,
            M::Volatile,
            M::Mmio,
        ];
        let strong = atomic || strong.into_iter().any(has);
        self.info.scope = strong.then(|| match () {
            () if has(M::Cta) => Scope::Block,
            () if has(M::Cluster) => Scope::Cluster,
            () if has(M::Sys) || has(M::Volatile) => Scope::System,
            () => Scope::Device,
        });
    }

    /// Sets the memory order and the scope of a fence.
    pub(super) fn fences(&mut self, i: &Instruction) {
        use ast::Modifier as M;
        self.orders(i);
        let info = &mut self.info;
        info.class = Class::Fence;
        info.sc = i.opcode == Opcode::Membar || i.modifiers.has(M::Sc);
        let one = info.releases != info.acquires;
        (info.releases, info.acquires) = match one {
            true => (info.releases, info.acquires),
            false => (true, true),
        };
        info.scope = Some(match () {
            () if i.modifiers.has(M::Cta) => Scope::Block,
            () if i.modifiers.has(M::Cluster) => Scope::Cluster,
            () if i.modifiers.has(M::Sys) => Scope::System,
            () => Scope::Device,
        });
    }

    /// Marks the next operation, which belongs to `i`, as one at which lanes exchange values, with
    /// its results and sources.
    pub(super) fn meets(
        &mut self,
        i: &Instruction,
        results: &[OperandPlace],
        sources: &[OperandPlace],
    ) {
        let mut words: Vec<&str> = i.modifiers.iter().map(|word| word.name()).collect();
        words.sort_unstable();
        words.insert(0, i.opcode.name());
        self.code.meetings.push(MeetingPoint {
            op: self.code.ops.next() as u32,
            words: words.join("."),
            results: results.to_vec(),
            sources: sources.to_vec(),
        });
    }

    /// Marks the operations of the last instruction as accesses of this array.
    pub(super) fn accesses(&mut self, meant: NamedVariable) -> Result<()> {
        let first = self.starts.last().copied().unwrap_or(0);
        let ops = first..self.code.ops.next() as u32;
        match meant {
            NamedVariable::Shared(array) => {
                self.code.arrays.extend(ops.map(|op| (op, array)));
            }
            NamedVariable::Local(index) => {
                let (Some(variable), Some(&Some(place))) = (
                    self.body.variables.get(index as usize),
                    self.locals.get(index as usize),
                ) else {
                    return Ok(());
                };
                let array = LocalArray {
                    name: variable.name.into(),
                    size: variable.size(),
                    row: self.constant(Value::Local(place), 8)?,
                };
                let arrays = &mut self.code.local_arrays;
                arrays.extend(ops.map(|op| (op, array.clone())));
            }
        }
        Ok(())
    }

    /// Marks the operations of the last instruction as copies to and from these shared arrays.
    pub(super) fn copies(&mut self, arrays: [Option<u32>; 2]) {
        let first = self.starts.last().copied().unwrap_or(0);
        let ops = first..self.code.ops.next() as u32;
        self.code.copied_arrays.extend(ops.map(|op| (op, arrays)));
    }

    /// Records that the next operation jumps to `label`.
    pub(super) fn jump_to(&mut self, label: LabelId) {
        self.jumps.push((self.code.ops.next(), label));
    }

    /// Adds a list of frame offsets.
    pub(super) fn list(&mut self, offsets: &[u32]) -> u32 {
        self.code.lists.extend(offsets.iter().copied())
    }

    /// Adds a call site.
    pub(super) fn call_site(&mut self, site: CallSite) -> u32 {
        self.code.calls.push(site)
    }

    /// Adds a branch table. It is filled with operations when all of them are known.
    pub(super) fn table(&mut self, labels: &[LabelId]) -> u32 {
        let table = self.code.tables.push(labels.to_vec());
        self.tables.push(table as usize);
        table
    }
}

/// Returns the float type of decimal constants. It is the type that is read, which comes last. The
/// exception is a sum of f32 and a half, in which only the f32 can be a constant.
pub(super) fn literal_type(i: &Instruction) -> Option<Type> {
    let mut types = i.modifiers.types();
    let ty = match i.opcode {
        Opcode::Add | Opcode::Sub | Opcode::Fma => types.next(),
        _ => types.last(),
    };
    ty.filter(|ty| ty.class() == ast::Class::Float)
}

/// Returns the bytes of a row whose lanes have `size` bytes.
pub(super) fn row_bytes(size: u64) -> u32 {
    (size.max(4) as u32) * 32
}
