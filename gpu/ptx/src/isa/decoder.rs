//! The part of the decoder that handles an instruction, and properties that follow from it. Both
//! are columns of the table.

/// The part of the decoder that handles a row's instances. The decoder's dispatch has one arm for
/// each of these, and a test compares every row with it.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Decoder {
    /// Registers in, a register out. The operation is found in the decoder's own table,
    /// by the spelling.
    Registers,
    /// `setp`: a comparison whose result is one predicate or two.
    CompareToPredicate,
    /// `set`: a comparison whose result is a number.
    CompareToNumber,
    /// `testp`: a property of one number.
    TestNumber,
    /// `and.pred` and similar instructions.
    LogicOfPredicates,
    /// `lop3` with `.and` or `.or`: a value, and whether it is zero.
    LogicWithTest,
    /// `selp`: one of two values, by a predicate.
    SelectByPredicate,
    /// `slct`: one of two values, by a sign.
    SelectBySign,
    /// `cvt` of one number to one number.
    Convert,
    /// `cvt.rs` of four numbers to one register.
    ConvertFour,
    /// `mov`, with its packing and unpacking forms.
    Move,
    /// An instruction that only affects caches, profilers or register files. It does nothing here.
    Hint,
    /// `griddepcontrol`: for a launch that may begin before the launch ahead of it has ended.
    GridDependency,
    /// Loads and stores of memory of any space: `ld`, `ldu`, `st`.
    Transfer,
    /// The atomics `atom` and `red`, on memory of any space.
    Atomic,
    /// Loads, stores and reductions of memory of several devices at once: `multimem`.
    Multimem,
    /// `cvta`: between generic addresses and those of a space.
    AddressConversion,
    /// `isspacep`: whether a generic address lies in a space.
    AddressTest,
    /// `mapa`: an address in another block's shared memory.
    AddressInCluster,
    /// `getctarank`: the block that a shared address belongs to.
    RankOfAddress,
    /// Local memory of a size that is computed at run time: `stacksave`, `stackrestore`, `alloca`.
    Stack,
    /// A cache policy, which is one opaque value here: `createpolicy`.
    CachePolicy,
    /// Texels through a texture: `tex`, and four of them by `tld4`.
    TextureFetch,
    /// Queries of a texture or surface: `txq`, `suq`.
    ImageQuery,
    /// Whether a handle is that of a texture, a sampler or a surface: `istypep`.
    ImageType,
    /// A load through a surface: `suld`.
    SurfaceLoad,
    /// A store through a surface, formatted or not: `sust`.
    SurfaceStore,
    /// A reduction through a surface: `sured`.
    SurfaceReduce,
    /// A branch to one label: `bra`.
    Branch,
    /// A branch by a table of labels: `brx.idx`.
    IndexedBranch,
    /// A call by name or through a pointer: `call`.
    Call,
    /// The return from a function, which ends a kernel: `ret`.
    Return,
    /// The end of a thread: `exit`.
    Exit,
    /// An end of the launch with an error: `trap`.
    Trap,
    /// A breakpoint for a debugger: `brkpt`. There is no debugger here.
    Breakpoint,
    /// A pause in which other threads can run: `nanosleep`.
    Sleep,
    /// The barriers of a block: `bar`, `barrier`.
    Barrier,
    /// The barrier of some lanes of a warp: `bar.warp.sync`.
    WarpBarrier,
    /// The barrier of a cluster: `barrier.cluster`.
    ClusterBarrier,
    /// Memory fences: `membar` and `fence`.
    Fence,
    /// Values from other lanes: `shfl`.
    Shuffle,
    /// A predicate over lanes, or their ballot: `vote`.
    Vote,
    /// Which lanes hold the same value: `match`.
    Match,
    /// A reduction over lanes: `redux`.
    Redux,
    /// The mask of the active lanes: `activemask`.
    ActiveLanes,
    /// The choice of one active lane: `elect`.
    Elect,
    /// A product of matrices in a warp's registers: `mma`, `wmma.mma`.
    MatrixMultiply,
    /// A matrix between memory and fragments: `wmma.load`, `wmma.store`.
    MatrixTile,
    /// Rows of matrices between shared memory and registers: `ldmatrix`, `stmatrix`.
    MatrixRows,
    /// The transposition of a matrix in a warp's registers: `movmatrix`.
    MatrixTranspose,
    /// A product of matrices by four warps: `wgmma.mma_async`.
    WarpgroupMultiply,
    /// `wgmma.fence`, `.commit_group`, `.wait_group`.
    WarpgroupOrder,
    /// `cp.async` of 4, 8 or 16 bytes by each thread.
    CopyOfThread,
    /// The end of a group of copies: `cp.async.commit_group` and `cp.async.bulk.commit_group`.
    CopyCommit,
    /// `cp.async.wait_group`, `.wait_all`, `cp.async.bulk.wait_group`.
    CopyWait,
    /// An mbarrier's arrival once copies are done: `cp.async.mbarrier.arrive`.
    CopyArrive,
    /// A copy or reduction of many bytes: `cp.async.bulk`, `cp.reduce.async.bulk`.
    BulkCopy,
    /// A fill of many bytes of shared memory with zeros: `st.bulk`.
    BulkFill,
    /// Stores from registers to another block's shared memory: `st.async`, `red.async`.
    StoreToCluster,
    /// `mbarrier.init`, `.inval`, `.arrive`, `.expect_tx` and similar instructions.
    Mbarrier,
    /// Whether a phase of an mbarrier has ended: `mbarrier.test_wait`, `.try_wait`.
    MbarrierWait,
    /// The number of pending arrivals in a state of an mbarrier: `mbarrier.pending_count`.
    MbarrierCount,
    /// `cp.async.bulk.tensor`, its reductions and prefetches.
    TensorCopy,
    /// A change of one field of a tensor map: `tensormap.replace`.
    TensorMapReplace,
    /// A copy of a tensor map to global memory, with a fence that makes
    /// it visible: `tensormap.cp_fenceproxy`.
    TensorMapPublish,
    /// Video instructions (PTX ISA 9.7.18), scalar and SIMD.
    Video,
}

/// The successors of an instruction in the control flow.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub enum Successors {
    /// The next instruction.
    #[default]
    Next,
    /// The label in its operand. Also the next instruction, if it has a guard.
    Label,
    /// The labels in its table. Also the next instruction, if it has a guard.
    Table,
    /// The function that it calls. Also the next instruction, if that function returns.
    Callee,
    /// No instruction of its function, except the next one if it has a guard.
    None,
}

impl Decoder {
    /// Returns whether such an instruction only computes registers from registers, in
    /// each lane separately.
    pub const fn is_arithmetic(self) -> bool {
        matches!(
            self,
            Decoder::Registers
                | Decoder::CompareToPredicate
                | Decoder::CompareToNumber
                | Decoder::TestNumber
                | Decoder::LogicOfPredicates
                | Decoder::LogicWithTest
                | Decoder::SelectByPredicate
                | Decoder::SelectBySign
                | Decoder::Convert
                | Decoder::ConvertFour
                | Decoder::Move
                | Decoder::AddressConversion
                | Decoder::AddressTest
                | Decoder::Video
        )
    }

    /// Returns the successors of such an instruction.
    pub const fn successors(self) -> Successors {
        match self {
            Decoder::Branch => Successors::Label,
            Decoder::IndexedBranch => Successors::Table,
            Decoder::Call => Successors::Callee,
            Decoder::Return | Decoder::Exit | Decoder::Trap | Decoder::Breakpoint => {
                Successors::None
            }
            _ => Successors::Next,
        }
    }
}
