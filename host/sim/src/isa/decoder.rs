//! Which part of the decoder handles an instruction, and what follows from that: columns of the
//! table.

/// What the decoder makes of a row's instances. Its dispatch is one arm for each of these, and a
/// test compares every row with it.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Decoder {
    /// Rows of registers in, a row of registers out: found in the decoder's own table by its
    /// spelling.
    Registers,
    /// `setp`: a comparison whose result is one predicate or two.
    CompareToPredicate,
    /// `set`: a comparison whose result is a number.
    CompareToNumber,
    /// `testp`: a property of one number.
    TestNumber,
    /// `and.pred` and its like.
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
    /// What only steers caches, profilers or register files: it does nothing here.
    Hint,
    /// `griddepcontrol`: a launch that may begin before the one ahead of it has ended.
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
    /// Local memory of a size known when the program runs: `stacksave`, `stackrestore`, `alloca`.
    Stack,
    /// A cache policy, which is one opaque value here: `createpolicy`.
    CachePolicy,
    /// Texels through a texture: `tex`, and four of them by `tld4`.
    TextureFetch,
    /// Questions about a texture or surface: `txq`, `suq`.
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
    /// A stop for a debugger, of which there is none: `brkpt`.
    Breakpoint,
    /// A pause that only lets others run: `nanosleep`.
    Sleep,
    /// `bar`, `barrier`: the barriers of a block.
    Barrier,
    /// The barrier of some lanes of a warp: `bar.warp.sync`.
    WarpBarrier,
    /// The barrier of a cluster: `barrier.cluster`.
    ClusterBarrier,
    /// What orders memory: `membar` and `fence`.
    Fence,
    /// Values from other lanes: `shfl`.
    Shuffle,
    /// A predicate over lanes, or their ballot: `vote`.
    Vote,
    /// Which lanes hold the same value: `match`.
    Match,
    /// A reduction over lanes: `redux`.
    Redux,
    /// Which lanes run: `activemask`.
    ActiveLanes,
    /// One lane of those that run: `elect`.
    Elect,
    /// A product of matrices in a warp's registers: `mma`, `wmma.mma`.
    MatrixMultiply,
    /// A matrix between memory and fragments: `wmma.load`, `wmma.store`.
    MatrixTile,
    /// Rows of matrices between shared memory and registers: `ldmatrix`, `stmatrix`.
    MatrixRows,
    /// A matrix of a warp's registers transposed: `movmatrix`.
    MatrixTranspose,
    /// A product of matrices by four warps: `wgmma.mma_async`.
    WarpgroupMultiply,
    /// `wgmma.fence`, `.commit_group`, `.wait_group`.
    WarpgroupOrder,
    /// `cp.async` of 4, 8 or 16 bytes by each thread.
    CopyOfThread,
    /// The end of a group of copies: `cp.async.commit_group` and its bulk twin.
    CopyCommit,
    /// `cp.async.wait_group`, `.wait_all`, `cp.async.bulk.wait_group`.
    CopyWait,
    /// An mbarrier's arrival once copies are done: `cp.async.mbarrier.arrive`.
    CopyArrive,
    /// A copy or reduction of many bytes: `cp.async.bulk`, `cp.reduce.async.bulk`.
    BulkCopy,
    /// Zeros over many bytes of shared memory: `st.bulk`.
    BulkFill,
    /// `st.async`, `red.async`: registers to another block's shared memory.
    StoreToCluster,
    /// `mbarrier.init`, `.inval`, `.arrive`, `.expect_tx` and their like.
    Mbarrier,
    /// Whether a phase of an mbarrier has ended: `mbarrier.test_wait`, `.try_wait`.
    MbarrierWait,
    /// The arrivals that a state of an mbarrier waits for: `mbarrier.pending_count`.
    MbarrierCount,
    /// `cp.async.bulk.tensor`, its reductions and prefetches.
    TensorCopy,
    /// One field of a tensor map changed: `tensormap.replace`.
    TensorMapReplace,
    /// A tensor map copied to global memory and made visible: `tensormap.cp_fenceproxy`.
    TensorMapPublish,
    /// PTX ISA 9.7.18, scalar and SIMD.
    Video,
}

/// Where a thread may go from an instruction: what compilers call its successors.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub enum Successors {
    /// The next instruction.
    #[default]
    Next,
    /// The label that it names; the next instruction too, if it has a guard.
    Label,
    /// The labels of the table that it names; the next instruction too, if it has a guard.
    Table,
    /// The function that it calls, and the next instruction if that returns.
    Callee,
    /// None in its function, but for the next instruction if it has a guard.
    None,
}

impl Decoder {
    /// Whether such an instruction does nothing but compute registers from registers, each lane by
    /// itself.
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

    /// Where a thread may go from such an instruction.
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
