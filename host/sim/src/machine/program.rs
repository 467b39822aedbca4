//! The decoder's result: operations with numbered operands, and the tables that they refer to.
//!
//! A function's frame holds, in this order: words (the predicate that is always true, the
//! carry flag, the predicates), rows of constants and special registers, rows of registers,
//! and the areas of `.param` variables. Words and constant rows are filled when the frame is
//! made; see [`PresetRow`].

use std::sync::{Arc, OnceLock};

use crate::isa::{Architecture, Successors};
use crate::kernel::Kernel;
use crate::load_error::LoadError;
use crate::machine::asynchronous::CopySite;
use crate::machine::asynchronous::bulk::BulkSite;
use crate::machine::asynchronous::tensor::TensorSite;
use crate::machine::asynchronous::tensor_map::{PublishSite, ReplaceSite};
use crate::machine::checks::init::flow::Flows;
use crate::machine::checks::memory::bounds::ArrayBounds;
use crate::machine::checks::watchers::KeptWatchers;
use crate::machine::compute::matrix::Product;
use crate::machine::compute::track::RegisterUse;
use crate::machine::compute::warpgroup::WarpgroupSite;
use crate::machine::image::ImageSite;
use crate::machine::meeting::together::{MeetingPoint, OperandPlace};
use crate::machine::memory::multimem::MultimemSite;
use crate::machine::memory::tile::Tile;
use crate::machine::op::Op;
use crate::ptx::ast::SpecialRegister;
use crate::semantics::video::Video;

/// Decoded code and its tables. Shared by all instances of a module.
#[derive(Debug, Default)]
pub(crate) struct Program {
    /// All functions' operations, one after another; each function ends with one that leaves it.
    pub(crate) ops: Vec<Op>,
    /// For each operation, the facts that reports and counters need.
    pub(crate) infos: Vec<OpInfo>,
    /// Functions with a body.
    pub(crate) functions: Vec<Function>,
    /// Call sites: `aux` of a call.
    pub(crate) calls: Vec<CallSite>,
    /// Lists of frame offsets: vector operands.
    pub(crate) lists: Vec<u32>,
    /// Texture and surface instructions: `aux` of their operations.
    pub(crate) images: Vec<ImageSite>,
    /// Targets of `brx.idx`, as indices of operations.
    pub(crate) tables: Vec<Vec<u32>>,
    /// Asynchronous copies of threads.
    pub(crate) copies: Vec<CopySite>,
    /// Asynchronous copies in bulk, stores and reductions.
    pub(crate) bulks: Vec<BulkSite>,
    /// Copies and reductions of boxes of tensors.
    pub(crate) tensors: Vec<TensorSite>,
    /// Changes of tensor maps.
    pub(crate) replaces: Vec<ReplaceSite>,
    /// Copies of tensor maps to global memory.
    pub(crate) publishes: Vec<PublishSite>,
    /// Multiplications of matrices.
    pub(crate) products: Vec<Product>,
    /// Multiplications of warpgroups.
    pub(crate) warpgroups: Vec<WarpgroupSite>,
    /// The names of the registers that they use.
    pub(crate) tracked: Vec<String>,
    /// The accesses of operations to those registers, by the operation's number. The list may be
    /// shorter than `ops`.
    pub(crate) touches: Vec<Option<Box<RegisterUse>>>,
    /// Matrices that go between memory and registers.
    pub(crate) tiles: Vec<Tile>,
    /// Accesses of multicast memory.
    pub(crate) multimems: Vec<MultimemSite>,
    /// The forms of video instructions.
    pub(crate) videos: Vec<Video>,
    /// Instructions that may converge lanes of a warp from different places, by operation.
    pub(crate) meetings: Vec<MeetingPoint>,
    /// Module variables, in order; [`Value::Symbol`] names them by index.
    pub(crate) variables: Vec<Variable>,
    /// Operations whose address is computed from the address of one shared variable, with the
    /// variable's index; sorted by operation.
    pub(crate) arrays: Vec<(u32, u32)>,
    /// The shared variables that the two addresses of an asynchronous copy are computed from: first
    /// what is written, then what is read.
    pub(crate) copied_arrays: Vec<(u32, [Option<u32>; 2])>,
    /// Operations whose address is computed from the address of one local variable.
    pub(crate) local_arrays: Vec<(u32, LocalArray)>,
    /// Loads that may take their value after a later store of their thread, by operation.
    pub(crate) late: Vec<LateLoad>,
    /// How each instruction's results come from what it reads.
    pub(crate) flows: Flows,
    /// The kernels, each with the index of its function.
    pub(crate) kernels: Vec<(Kernel, usize)>,
    /// Static shared memory of each kernel's function.
    pub(crate) shared: Vec<(usize, u32)>,
    /// Whether something calls `vprintf`.
    pub(crate) prints: bool,
    /// Whether the program reads the address of the shared memory that the system reserves.
    pub(crate) asks_for_reserved: bool,
    /// Whether something calls `malloc`.
    pub(crate) heap: bool,
    /// Whether something launches kernels.
    pub(crate) launches: bool,
    /// Source lines that `.loc` names.
    pub(crate) sources: Vec<SourceLine>,
    /// Files that `.file` names.
    pub(crate) files: Vec<String>,
    /// The PTX text, for reports.
    pub(crate) text: Arc<str>,
    /// Where each line of the text begins. It is computed when a line is first requested.
    pub(crate) line_starts: OnceLock<Box<[usize]>>,
    /// Which checks and counters look at each operation, for each combination that a
    /// launch has requested.
    pub(crate) watchers: KeptWatchers,
    /// The bounds of each operation's shared array. They are computed by the first launch that is
    /// checked for accesses outside of arrays.
    pub(crate) array_bounds: OnceLock<Box<[ArrayBounds]>>,
    /// The newest architecture that a `.target` names.
    pub(crate) target: Option<Architecture>,
    /// The newest `.version`, if it is later than all known versions.
    pub(crate) newer: Option<(u32, u32)>,
}

impl Program {
    /// Returns a line of the text, counted from 1, and an empty string past the end. Reports and
    /// schedules call this often.
    pub(crate) fn line(&self, number: u32) -> &str {
        let starts = self.line_starts.get_or_init(|| {
            let after_each = self.text.match_indices('\n').map(|(at, _)| at + 1);
            std::iter::once(0).chain(after_each).collect()
        });
        let start = starts.get((number as usize).saturating_sub(1));
        let rest = start.map_or("", |&start| &self.text[start..]);
        rest.lines().next().unwrap_or_default()
    }
}

/// A line of the source.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct SourceLine {
    /// The file, by index into [`Program::files`].
    pub(crate) file: u32,
    /// The line, from 1.
    pub(crate) line: u32,
    /// The column, from 1; 0 where it is not known.
    pub(crate) column: u32,
    /// For inlined code, the line of the call, as one more than an index into [`Program::sources`].
    /// 0 for other code.
    pub(crate) inlined_at: u32,
}

/// What reports and counters need to know about an operation.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct OpInfo {
    /// Line in the PTX.
    pub(crate) line: u32,
    /// Where in the line the instruction begins, in bytes from 1; 0 if it is in no line.
    pub(crate) column: u32,
    /// One more than an index into [`Program::sources`]; 0 for none.
    pub(crate) source: u32,
    /// Its effect on memory or control, for counters and checks.
    pub(crate) class: Class,
    /// Bytes that one lane accesses.
    pub(crate) bytes: u8,
    /// Whether it is a load through the first-level cache.
    pub(crate) through_l1: bool,
    /// Whether it is a load through the read-only path (`.nc`), which may not see writes.
    pub(crate) read_only: bool,
    /// Whether it releases what the thread did before, in the memory model's sense.
    pub(crate) releases: bool,
    /// Whether it acquires what another thread released.
    pub(crate) acquires: bool,
    /// Whether its scope is the block.
    pub(crate) narrow: bool,
    /// Whether it is `.volatile`.
    pub(crate) volatile: bool,
    /// Whether it is a volatile load that a loop repeats until the value changes.
    pub(crate) polls: bool,
    /// The scope of a strong operation or of a fence.
    pub(crate) scope: Option<Scope>,
    /// Whether it is a `fence.sc`.
    pub(crate) sc: bool,
    /// Whether it is a compare-and-swap, which writes nothing if the comparison fails.
    pub(crate) cas: bool,
    /// Whether its addresses are those of multicast memory.
    pub(crate) multicast: bool,
    /// Whether this operation is the first of its PTX instruction. Some instructions take several.
    pub(crate) first: bool,
    /// The operations that may come next.
    pub(crate) successors: Successors,
}

/// What an operation does that is worth counting or checking.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) enum Class {
    /// It works on registers alone.
    #[default]
    Plain,
    /// A branch whose guard is the condition, to a place other than the function's end.
    Branch,
    /// A branch by index.
    Indexed,
    /// A barrier of the block.
    Barrier,
    /// It reads memory of this class.
    Load(SpaceClass),
    /// It reads rows of matrices, each of 16 bytes, from shared memory.
    Rows,
    /// It writes memory of this class.
    Store(SpaceClass),
    /// It reads and writes memory as one step.
    Atomic(SpaceClass),
    /// It orders accesses to memory.
    Fence,
}

/// A load or an atomic that may be performed later than its place among the operations.
#[derive(Debug)]
pub(crate) struct LateLoad {
    /// The operation's number.
    pub(crate) op: u32,
    /// The operations before which it must be performed.
    pub(crate) until: Vec<u32>,
    /// Fences after a store. The load may be performed before them, so that they acquire
    /// what it read.
    pub(crate) fences: Vec<u32>,
}

/// The threads for which a strong operation establishes an order.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) enum Scope {
    /// `.cta`: the threads of a block.
    Block,
    /// `.cluster`: the threads of a cluster.
    Cluster,
    /// `.gpu`: the threads of a device.
    Device,
    /// `.sys`: all threads, the host's and other devices' included.
    System,
}

/// The memory that an address belongs to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum SpaceClass {
    /// Memory in the global state space.
    Global,
    /// Memory in the shared state space.
    Shared,
    /// Memory in the local state space.
    Local,
    /// Constant memory and parameters.
    Constant,
    /// The memory that the generic address leads to.
    Generic,
}

/// A function's frame and entry.
#[derive(Debug, Clone, Default)]
pub(crate) struct Function {
    pub(crate) name: String,
    /// Index of its first operation.
    pub(crate) start: u32,
    /// The size of its frame in bytes, a multiple of 128.
    pub(crate) frame: u32,
    /// The size in bytes of the words at the frame's start.
    pub(crate) words: u32,
    /// Rows to fill when the frame is made.
    pub(crate) rows: Vec<PresetRow>,
    /// Registers that are cleared when the frame is made, because they might be read before they
    /// are written: offset, and bytes of a lane.
    pub(crate) cleared: Vec<(u32, u32)>,
    /// Its registers except predicates: offset, and bytes of a lane.
    pub(crate) registers: Vec<OperandPlace>,
    /// Bytes of local memory that its variables take.
    pub(crate) local: u32,
    /// The areas of its parameters.
    pub(crate) params: Vec<Area>,
    /// The areas of its results.
    pub(crate) returns: Vec<Area>,
    /// Whether it is a kernel.
    pub(crate) entry: bool,
    /// Whether it launches kernels itself.
    pub(crate) launches: bool,
    /// Whether it has instructions that read shared memory through the asynchronous proxy. For a
    /// kernel: whether any function that it may reach has them.
    pub(crate) reads_asynchronously: bool,
    /// Why it cannot run, if something in it is not modelled. Its code is then one operation
    /// that reports this.
    pub(crate) refused: Option<LoadError>,
}

/// A local variable that addresses are computed from.
#[derive(Debug, Clone)]
pub(crate) struct LocalArray {
    pub(crate) name: Arc<str>,
    /// How many bytes it has.
    pub(crate) size: u64,
    /// The frame's row with its address, in 64 bits.
    pub(crate) row: u32,
}

/// A row that is filled when a frame is made.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct PresetRow {
    /// Its offset in the frame.
    pub(crate) offset: u32,
    /// Bytes of one lane's value: 4, 8 or 16.
    pub(crate) width: u32,
    /// The value that each lane gets.
    pub(crate) value: Value,
}

/// What a constant row holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum Value {
    /// The same bits in every lane.
    Bits(u128),
    /// The address of a module variable, plus an offset.
    Symbol(u32, i64),
    /// A special register, component by index.
    Special(SpecialRegister, u8),
    /// The local address of a variable of the frame.
    Local(u32),
    /// The shared address at which dynamic shared memory starts, plus an offset.
    DynamicShared(i64),
}

/// A `.param` variable in a frame: one row of 32 words for every four bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct Area {
    /// Its offset in the frame.
    pub(crate) offset: u32,
    /// How many bytes it has.
    pub(crate) size: u32,
}

/// A call: which function, and which areas go in and come back.
#[derive(Debug, Clone, Default)]
pub(crate) struct CallSite {
    /// The function, for direct calls.
    pub(crate) function: Option<usize>,
    /// Arguments in the caller's frame.
    pub(crate) arguments: Vec<Area>,
    /// The places of results in the caller's frame.
    pub(crate) results: Vec<Area>,
}

/// A module variable.
#[derive(Debug, Clone)]
pub(crate) struct Variable {
    pub(crate) name: String,
    /// Where it lives.
    pub(crate) space: VariableSpace,
    /// How many bytes it has.
    pub(crate) size: u64,
    /// The alignment of its address, in bytes.
    pub(crate) align: u64,
    /// Its initial bytes. The image is shorter than `size` if the rest is zero.
    pub(crate) image: Vec<u8>,
    /// Addresses that the image contains.
    pub(crate) addresses: Vec<ImageAddress>,
    /// Whether the host can find it by its name.
    pub(crate) visible: bool,
}

/// The memory of a module variable.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum VariableSpace {
    /// Memory in the global state space.
    Global,
    /// Global memory that the host shares.
    Managed,
    /// Memory in the constant state space.
    Constant,
    /// Static shared memory, at this shared offset counted from the block's first byte.
    Shared(u32),
    /// Dynamic shared memory, which lies after the static.
    DynamicShared,
    /// A function, by its index.
    Function(usize),
    /// No memory: a handle that the host binds a texture or surface to.
    Reference(Reference),
}

/// The kind of object that a reference variable takes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Reference {
    /// A reference to a texture, `.texref`.
    Texture,
    /// A reference to a surface, `.surfref`.
    Surface,
}

/// An address in a variable's image.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct ImageAddress {
    /// The offset in the image, in bytes.
    pub(crate) at: usize,
    /// The number of bytes that are stored there.
    pub(crate) width: usize,
    pub(crate) variable: u32,
    /// A constant that is added to the variable's address.
    pub(crate) offset: i64,
    /// Whether shared addresses are made generic.
    pub(crate) generic: bool,
    /// The right shift before storing (`0xff00(sym)` keeps one byte).
    pub(crate) shift: u32,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_is_found_by_its_number() {
        let program = Program {
            text: Arc::from("a\n\nbc\r\nd"),
            ..Program::default()
        };
        let lines: Vec<&str> = (1..=5).map(|number| program.line(number)).collect();
        assert_eq!(lines, ["a", "", "bc", "d", ""]);
        assert_eq!(Program::default().line(1), "");
    }
}
