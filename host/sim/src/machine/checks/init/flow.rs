//! Data flow of an instruction, for the check of unwritten memory: which registers it reads and
//! writes, and how the bytes of its results depend on those of its sources.

/// How the results depend on the values that an instruction reads.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum FlowKind {
    /// The result is the source, the concatenated sources, or parts of the source.
    Move,
    /// The integer is widened or truncated, from this many bytes, with a sign or without.
    Widen(u8, bool),
    /// Each bit depends on the same bit of the operands.
    And,
    Or,
    Not,
    /// A shift of bits to the left.
    ShiftLeft,
    /// A shift to the right; whether the sign is shifted in.
    ShiftRight(bool),
    /// `prmt`, without a mode.
    Permute,
    /// `bfe`: extracts bits of a value.
    Extract,
    /// `selp`: selects one of two values by a predicate.
    Select,
    /// `shfl`: the source lane is known only when the machine runs it.
    Shuffle,
    /// A load from memory; whether the value is sign-extended.
    Load(bool),
    /// A store of a value to memory.
    Store,
    /// `atom` and `red`; whether it stores a value without using the old one (`exch`).
    Atomic(bool),
    /// Every byte of the result depends on every source.
    Compute,
    /// The sources affect more than this lane: votes, reductions of a warp, branches by index.
    Decide,
    /// It moves or multiplies matrices, and its handler computes the flow.
    Matrix,
    /// Results count as written, whatever the sources are.
    Unknown,
}

/// A source or a result of an instruction.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum FlowOperand {
    /// A row of the frame, and how many bytes of each lane count.
    Row(u32, u8),
    /// A predicate, with its lowest bit set where it is negated.
    Truth(u32),
    /// A constant, by its value.
    Value(u64),
    /// An operand that is not known, or an element that is not stored.
    Nothing,
}

/// The data flow of one instruction.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Flow {
    /// Its first operation.
    pub(crate) op: u32,
    /// Where its operands start in the list of all operands: first addresses, then what is read,
    /// then what is written.
    pub(crate) start: u32,
    pub(crate) addresses: u8,
    pub(crate) reads: u8,
    pub(crate) writes: u8,
    pub(crate) kind: FlowKind,
}

/// The data flows of a program, by operation.
#[derive(Debug, Default)]
pub(crate) struct Flows {
    pub(crate) list: Vec<Flow>,
    pub(crate) parts: Vec<FlowOperand>,
}

impl Flows {
    /// Returns the instruction that an operation belongs to.
    pub(crate) fn of(&self, op: u32) -> Option<&Flow> {
        let after = self.list.partition_point(|flow| flow.op <= op);
        self.list[..after].last()
    }

    fn parts(&self, flow: &Flow, before: usize, count: u8) -> &[FlowOperand] {
        let start = flow.start as usize + before;
        &self.parts[start..start + usize::from(count)]
    }

    /// Returns the operands that its addresses are computed from.
    pub(crate) fn addresses(&self, flow: &Flow) -> &[FlowOperand] {
        self.parts(flow, 0, flow.addresses)
    }

    /// Returns the other operands that it reads.
    pub(crate) fn reads(&self, flow: &Flow) -> &[FlowOperand] {
        self.parts(flow, flow.addresses.into(), flow.reads)
    }

    /// Returns the operands that it writes.
    pub(crate) fn writes(&self, flow: &Flow) -> &[FlowOperand] {
        let before = usize::from(flow.addresses) + usize::from(flow.reads);
        self.parts(flow, before, flow.writes)
    }
}
