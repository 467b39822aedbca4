//! One instruction to judge: a sample of the table, and the code around it.

use lanewise_sim::isa::Row;
use lanewise_sim::isa::sample::{Register, Sample, Usage};
use lanewise_sim::ptx::ast::{Modifier, Opcode, Type};

/// The lowest PTX version and target of a module. They are needed for loads of 128 bits and
/// createpolicy, which kernels around a sample use.
pub(crate) const LEAST: ((u32, u32), u32) = ((8, 3), 80);

/// The number of threads in a block.
pub const BLOCK: usize = 128;
/// The number of threads in a case.
pub const THREADS: usize = 32 * BLOCK;
/// The name of the table of constants that some modules have.
pub const TABLE_NAME: &str = "table";
/// The size in bytes of a thread's cell: memory of its own that the instruction works on.
pub const CELL: usize = 64;

/// The section of the ISA that describes special registers.
const SPECIAL_REGISTERS: &str = "10 Special Registers";

/// The way in which a kernel runs an instruction and makes its effect visible.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Harness {
    /// Loads the instruction's registers and stores the registers that it writes.
    Registers,
    /// The same, where the address leads to the thread's cell in this state space.
    Memory(CellSpace),
    /// Runs the instruction in a chain of matrix instructions, from memory to memory.
    Matrix,
    /// For an asynchronous instruction: runs the code that it needs before it, and waits after it.
    Sequence,
    /// Accesses textures or surfaces.
    Image,
    /// The result is specific to the machine, such as an address or a count. It is judged by what a
    /// program can do with it.
    Use,
    /// The instruction runs. The only visible facts are that it has no other effect, and
    /// where control goes.
    Runs,
    /// The instruction ends the kernel. The errors are compared.
    Fault,
    /// Such a kernel cannot judge it, for this reason.
    None(&'static str),
}

/// The state space of the memory that a case's addresses lead to.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum CellSpace {
    /// The output buffer in global memory, which the kernel may write.
    Global,
    /// The input, which the kernel does not write. This is for the read-only path.
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
    /// The row that the instruction is an instance of.
    pub row: &'static Row,
    /// The instruction and its registers.
    pub sample: Sample,
    /// The way in which the kernel runs the instruction.
    pub harness: Harness,
    /// The special register that the instruction reads, if that register is judged.
    pub special: Option<&'static str>,
}

/// The size in bytes of an operand in a thread's record.
pub const PLACE: usize = 16;

impl Case {
    /// Returns whether the instruction has a modifier.
    pub fn has(&self, word: Modifier) -> bool {
        self.sample.words.contains(&word)
    }

    /// Returns the instruction's types in order: that of the result, then those of operands
    /// where they differ.
    pub fn types(&self) -> Vec<Type> {
        self.sample
            .words
            .iter()
            .filter_map(|&word| Type::of(word))
            .collect()
    }

    /// Returns the registers of one usage with their numbers.
    pub fn registers(&self, usage: Usage) -> impl Iterator<Item = (usize, Register)> + '_ {
        let all = self.sample.registers.iter().copied().enumerate();
        all.filter(move |(_, register)| register.usage == usage)
    }

    /// Returns the section of the ISA that describes the instruction.
    pub fn section(&self) -> &'static str {
        match self.special {
            Some(_) => SPECIAL_REGISTERS,
            None => self.row.section.title(),
        }
    }

    /// Returns whether the instruction reads the carry flag of the instruction before it.
    pub fn carry_in(&self) -> bool {
        matches!(self.row.opcode, Opcode::Addc | Opcode::Subc | Opcode::Madc)
    }

    /// Returns whether the instruction sets the carry flag.
    pub fn carry_out(&self) -> bool {
        self.has(Modifier::Cc)
    }

    /// Returns the type of the value in memory, if the instruction works on memory.
    pub fn cell_type(&self) -> Type {
        self.types().last().copied().unwrap_or(Type::B32)
    }
}
