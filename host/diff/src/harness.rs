//! How an instruction is judged: selects the [`Harness`] for a row and the words of its instance.

use lanewise_sim::isa::sample::Sample;
use lanewise_sim::isa::{Decoder, Row};
use lanewise_sim::ptx::ast::{Modifier, Opcode};

use crate::case::{CellSpace, Harness};
use crate::surroundings::by_use;

/// Returns how an instruction is judged. The row's decoder determines it, except for instructions
/// judged by use. Each decoder is named, so that a new one cannot be forgotten.
pub fn of(row: &Row, sample: &Sample) -> Harness {
    use Decoder::*;
    let opcode = row.opcode;
    let has = |word| sample.words.contains(&word);
    let Some(decoder) = row.decoder else {
        return Harness::None("the machine does not run it");
    };
    match decoder {
        _ if by_use::works_for(opcode, sample) => Harness::Use,
        AddressConversion | AddressTest | AddressInCluster | RankOfAddress | Stack
        | WarpgroupMultiply | WarpgroupOrder => Harness::Use,
        TextureFetch | ImageQuery | ImageType | SurfaceLoad | SurfaceStore | SurfaceReduce => {
            Harness::Image
        }
        TensorCopy | TensorMapReplace | TensorMapPublish => Harness::None(
            "a tensor map is the driver's own: the driver's conformance rows and the machine's tests use some",
        ),
        Multimem => Harness::None(
            "memory of several devices under one address: the machine's and the driver's tests make some",
        ),
        Transfer | Atomic if has(Modifier::Async) => Harness::None(
            "nothing in the kernel says when a store to global memory that nobody waits for is done",
        ),
        Transfer | Atomic | BulkFill | MatrixRows => Harness::Memory(space(opcode, sample)),
        Mbarrier | MbarrierWait | MbarrierCount | CopyOfThread | CopyCommit | CopyWait
        | CopyArrive | BulkCopy | StoreToCluster => Harness::Sequence,
        MatrixTile => Harness::Matrix,
        MatrixMultiply if opcode == Opcode::Wmma => Harness::Matrix,
        Hint => match opcode {
            Opcode::Cp => Harness::Sequence,
            Opcode::Pmevent => Harness::Runs,
            _ => Harness::Memory(space(opcode, sample)),
        },
        // A policy is opaque, so there is nothing to compare.
        CachePolicy if has(Modifier::Range) => Harness::Memory(CellSpace::Input),
        CachePolicy | Branch | IndexedBranch | Call | Return | Exit | Sleep | GridDependency
        | Fence | WarpBarrier | ClusterBarrier => Harness::Runs,
        Barrier if !has(Modifier::Red) => Harness::Runs,
        Trap | Breakpoint => Harness::Fault,
        Registers | CompareToPredicate | CompareToNumber | TestNumber | LogicOfPredicates
        | LogicWithTest | SelectByPredicate | SelectBySign | Convert | ConvertFour | Move
        | Barrier | Shuffle | Vote | Match | Redux | ActiveLanes | Elect | MatrixMultiply
        | MatrixTranspose | Video => Harness::Registers,
    }
}

/// Returns the space that an instruction works in. Generic addresses lead to global memory.
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
