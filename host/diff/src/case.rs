//! One instruction to judge: a sample of the table, and what is put around it.

use lanewise_sim::isa::Row;
use lanewise_sim::isa::sample::{Register, Sample, Usage};
use lanewise_sim::ptx::ast::{Modifier, Opcode, Type};

/// The least PTX version and target: loads of 128 bits and createpolicy, which kernels around a
/// sample use.
pub(crate) const LEAST: ((u32, u32), u32) = ((8, 3), 80);

/// Threads of a block.
pub const BLOCK: usize = 128;
/// Threads of a case.
pub const THREADS: usize = 32 * BLOCK;
/// The table of constants that some modules have.
pub const TABLE_NAME: &str = "table";
/// Bytes of memory that each thread has of its own for the instruction to work on.
pub const CELL: usize = 64;

/// The section of the ISA that describes special registers.
const SPECIAL_REGISTERS: &str = "10 Special Registers";

/// What a kernel puts around an instruction.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Harness {
    /// Loads its registers and stores what it writes.
    Registers,
    /// The same, with each thread's cell in a state space for the address to lead to.
    Memory(CellSpace),
    /// In a chain of matrix instructions, from memory to memory.
    Matrix,
    /// Asynchronous: with what it needs before it and a wait behind it.
    Sequence,
    /// Through textures or surfaces.
    Image,
    /// What it gives is the machine's own business, an address or a count: judged by what a program
    /// can do with it.
    Use,
    /// It runs; that it has no other effect, and goes where it should, is all there is to see.
    Runs,
    /// It ends the kernel; with which error is what is compared.
    Fault,
    /// It cannot be judged by such a kernel, for this reason.
    None(&'static str),
}

/// The memory that a case's addresses lead to.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum CellSpace {
    /// The output buffer in global memory, which the kernel may write.
    Global,
    /// The input, which the kernel does not write: for the read-only path.
    Input,
    /// Shared memory of the block.
    Shared,
    /// Memory in the local state space.
    Local,
    /// A table of constants.
    Constant,
    /// The memory of the kernel's parameters.
    Parameter,
}

/// One instruction to judge.
#[derive(Clone, Debug)]
pub struct Case {
    /// The row that it is an instance of.
    pub row: &'static Row,
    /// The instruction and its registers.
    pub sample: Sample,
    /// What is put around it.
    pub harness: Harness,
    /// The special register that it reads, if that is what is judged.
    pub special: Option<&'static str>,
}

/// Bytes of an operand's place in a thread's record.
pub const PLACE: usize = 16;

impl Case {
    /// Whether a modifier is among the instruction's.
    pub fn has(&self, word: Modifier) -> bool {
        self.sample.words.contains(&word)
    }

    /// The instruction's types, in order: of the result, then of operands where they differ.
    pub fn types(&self) -> Vec<Type> {
        self.sample
            .words
            .iter()
            .filter_map(|&word| Type::of(word))
            .collect()
    }

    /// The registers with their numbers, of one usage.
    pub fn registers(&self, usage: Usage) -> impl Iterator<Item = (usize, Register)> + '_ {
        let all = self.sample.registers.iter().copied().enumerate();
        all.filter(move |(_, register)| register.usage == usage)
    }

    /// The section of the ISA that describes it.
    pub fn section(&self) -> &'static str {
        match self.special {
            Some(_) => SPECIAL_REGISTERS,
            None => self.row.section.title(),
        }
    }

    /// Whether it reads the carry flag of the instruction before it.
    pub fn carry_in(&self) -> bool {
        matches!(self.row.opcode, Opcode::Addc | Opcode::Subc | Opcode::Madc)
    }

    /// Whether it sets the carry flag.
    pub fn carry_out(&self) -> bool {
        self.has(Modifier::Cc)
    }

    /// The type of what is in memory, where the instruction works on memory.
    pub fn cell_type(&self) -> Type {
        self.types().last().copied().unwrap_or(Type::B32)
    }
}
