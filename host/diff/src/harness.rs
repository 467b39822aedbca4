//! How an instruction is judged: what a kernel puts around it.

use lanewise_sim::isa::sample::Sample;
use lanewise_sim::ptx::ast::{Modifier, Opcode};

use crate::{by_use, image};

/// What a kernel puts around an instruction.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Harness {
    /// Loads its registers and stores what it writes.
    Registers,
    /// The same, with each thread's cell in a state space for the address to lead to.
    Memory(Space),
    /// In a chain of matrix instructions, from memory to memory.
    Matrix,
    /// Asynchronous: with what it needs before it and a wait behind it.
    Sequence,
    /// Through textures or surfaces.
    Image,
    /// What it gives is the machine's own business, an address or a count: judged by what a program can do with it.
    Use,
    /// It runs; that it has no other effect, and goes where it should, is all there is to see.
    Runs,
    /// It ends the kernel; with which error is what is compared.
    Fault,
    /// It cannot be judged by such a kernel, for this reason.
    None(&'static str),
}

/// Where the cells are.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Space {
    /// The output, writable.
    Global,
    /// The input, which the kernel does not write: for the read-only path.
    Input,
    /// Shared memory of the block.
    Shared,
    /// Local memory.
    Local,
    /// A table of constants.
    Constant,
    /// The kernel's parameters.
    Parameter,
}

/// How an instruction is judged.
pub fn of(opcode: Opcode, sample: &Sample) -> Harness {
    use Opcode::*;
    let has = |word| sample.words.contains(&word);
    match opcode {
        _ if image::works_on(opcode) => match image::why_not(opcode, sample) {
            Some(why) => Harness::None(why),
            None => Harness::Image,
        },
        Cp | Tensormap if opcode == Tensormap || has(Modifier::Tensor) => Harness::None(
            "a tensor map is the driver's own: the driver's conformance rows and the machine's tests use some",
        ),
        _ if by_use::works_for(opcode, sample) => Harness::Use,
        Mbarrier | Cp => Harness::Sequence,
        St | Red if has(Modifier::Async) => Harness::Sequence,
        Wmma => Harness::Matrix,
        Trap | Brkpt => Harness::Fault,
        Cvt if sample.instruction.starts_with("cvt.sat.u8.u8") => {
            Harness::None("`.sat` where nothing can leave its range is no PTX")
        }
        Ld | Ldu | St | Atom | Red | Ldmatrix | Stmatrix | Prefetch | Prefetchu => {
            Harness::Memory(space(opcode, sample))
        }
        Applypriority => Harness::Memory(Space::Input),
        // A policy is opaque: nothing to compare.
        Createpolicy if has(Modifier::Range) => Harness::Memory(Space::Input),
        Bra | Brx | Call | Ret | Exit | Fence | Membar | Griddepcontrol | Nanosleep | Pmevent
        | Createpolicy => Harness::Runs,
        Bar | Barrier if !has(Modifier::Red) => Harness::Runs,
        _ => Harness::Registers,
    }
}

/// The space that an instruction works in; generic addresses lead to global memory.
fn space(opcode: Opcode, sample: &Sample) -> Space {
    use Modifier::*;
    let has = |word| sample.words.contains(&word);
    let matrix = matches!(opcode, Opcode::Ldmatrix | Opcode::Stmatrix);
    if matrix || has(Bulk) || has(Shared) || has(SharedCta) || has(SharedCluster) {
        Space::Shared
    } else if has(Local) {
        Space::Local
    } else if has(Const) {
        Space::Constant
    } else if has(Param) || has(ParamEntry) {
        Space::Parameter
    } else if matches!(opcode, Opcode::St | Opcode::Atom | Opcode::Red) {
        Space::Global
    } else {
        Space::Input
    }
}
