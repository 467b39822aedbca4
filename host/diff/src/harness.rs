//! How an instruction is judged: which of the ways of [`Harness`] a row and the words of its instance ask for.

use lanewise_sim::isa::Row;
use lanewise_sim::isa::sample::Sample;
use lanewise_sim::ptx::ast::{Modifier, Opcode};

use crate::case::{CellSpace, Harness};
use crate::image;
use crate::surroundings::by_use;

/// How an instruction is judged.
pub fn of(row: &Row, sample: &Sample) -> Harness {
    use Opcode::*;
    let opcode = row.opcode;
    let has = |word| sample.words.contains(&word);
    match opcode {
        _ if image::works_on(row) => Harness::Image,
        Cp | Tensormap if opcode == Tensormap || has(Modifier::Tensor) => Harness::None(
            "a tensor map is the driver's own: the driver's conformance rows and the machine's tests use some",
        ),
        Multimem => Harness::None(
            "memory of several devices under one address: the machine's and the driver's tests make some",
        ),
        _ if by_use::works_for(opcode, sample) => Harness::Use,
        Mbarrier | Cp => Harness::Sequence,
        St | Red if has(Modifier::MbarrierCompleteTxBytes) => Harness::Sequence,
        St | Red if has(Modifier::Async) => Harness::None(
            "nothing in the kernel says when a store to global memory that nobody waits for is done",
        ),
        Wmma => Harness::Matrix,
        Trap | Brkpt => Harness::Fault,
        Cvt if sample.instruction.starts_with("cvt.sat.u8.u8") => {
            Harness::None("`.sat` where nothing can leave its range is no PTX")
        }
        Ld | Ldu | St | Atom | Red | Ldmatrix | Stmatrix | Prefetch | Prefetchu => {
            Harness::Memory(space(opcode, sample))
        }
        Applypriority => Harness::Memory(CellSpace::Input),
        // A policy is opaque: nothing to compare.
        Createpolicy if has(Modifier::Range) => Harness::Memory(CellSpace::Input),
        Bra | Brx | Call | Ret | Exit | Fence | Membar | Griddepcontrol | Nanosleep | Pmevent
        | Createpolicy => Harness::Runs,
        Bar | Barrier if !has(Modifier::Red) => Harness::Runs,
        _ => Harness::Registers,
    }
}

/// The space that an instruction works in; generic addresses lead to global memory.
fn space(opcode: Opcode, sample: &Sample) -> CellSpace {
    use Modifier::*;
    let has = |word| sample.words.contains(&word);
    let matrix = matches!(opcode, Opcode::Ldmatrix | Opcode::Stmatrix);
    if matrix || has(Bulk) || has(Shared) || has(SharedCta) || has(SharedCluster) {
        CellSpace::Shared
    } else if has(Local) {
        CellSpace::Local
    } else if has(Const) {
        CellSpace::Constant
    } else if has(Param) || has(ParamEntry) {
        CellSpace::Parameter
    } else if matches!(opcode, Opcode::St | Opcode::Atom | Opcode::Red) {
        CellSpace::Global
    } else {
        CellSpace::Input
    }
}
