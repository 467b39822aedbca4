//! What an instruction does with values, as the check of unwritten memory has to know it: which
//! registers it reads and writes, and how the bytes of the one come from those of the other.

/// What becomes of the values that an instruction reads.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum FlowKind {
    /// The result is the source, or the sources side by side, or its parts.
    Move,
    /// The integer is widened or cut; of this many bytes, with a sign or without.
    Widen(u8, bool),
    /// Each bit depends on the same bit of the operands.
    And,
    Or,
    Not,
    /// Bits to the left.
    ShiftLeft,
    /// To the right; whether the sign fills.
    ShiftRight(bool),
    /// `prmt`, without a mode.
    Permute,
    /// `bfe`: bits are taken out of a value.
    Extract,
    /// `selp`: one of two values, as a predicate says.
    Select,
    /// `shfl`: the machine says from which lane when it runs.
    Shuffle,
    /// From memory; whether a sign widens it.
    Load(bool),
    /// A value goes to memory.
    Store,
    /// `atom` and `red`; whether it puts a value there and looks at nothing (`exch`).
    Atomic(bool),
    /// Every source counts for the result.
    Compute,
    /// The sources decide something for more than this lane: votes, reductions of a warp, branches
    /// by index.
    Decide,
    /// It moves or multiplies matrices, and says itself what becomes of them.
    Matrix,
    /// Results count as known, whatever goes in.
    Unknown,
}

/// What goes in or comes out.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum FlowOperand {
    /// A row of the frame, and how many bytes of each lane count.
    Row(u32, u8),
    /// A predicate, with its lowest bit set where it is negated.
    Truth(u32),
    /// A constant, by its value.
    Value(u64),
    /// Nothing that is known, or an element that goes nowhere.
    Nothing,
}

/// What one instruction does with values.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Flow {
    /// Its first operation.
    pub(crate) op: u32,
    /// Where its parts start in the list of all: addresses, then what is read, then what is
    /// written.
    pub(crate) start: u32,
    pub(crate) addresses: u8,
    pub(crate) reads: u8,
    pub(crate) writes: u8,
    pub(crate) kind: FlowKind,
}

/// The flows of a program, by operation.
#[derive(Debug, Default)]
pub(crate) struct Flows {
    pub(crate) list: Vec<Flow>,
    pub(crate) parts: Vec<FlowOperand>,
}

impl Flows {
    /// The instruction that an operation belongs to.
    pub(crate) fn of(&self, op: u32) -> Option<&Flow> {
        let after = self.list.partition_point(|flow| flow.op <= op);
        self.list[..after].last()
    }

    fn parts(&self, flow: &Flow, before: usize, count: u8) -> &[FlowOperand] {
        let start = flow.start as usize + before;
        &self.parts[start..start + usize::from(count)]
    }

    /// Registers that make addresses.
    pub(crate) fn addresses(&self, flow: &Flow) -> &[FlowOperand] {
        self.parts(flow, 0, flow.addresses)
    }

    /// What it reads besides.
    pub(crate) fn reads(&self, flow: &Flow) -> &[FlowOperand] {
        self.parts(flow, flow.addresses.into(), flow.reads)
    }

    /// What it writes.
    pub(crate) fn writes(&self, flow: &Flow) -> &[FlowOperand] {
        let before = usize::from(flow.addresses) + usize::from(flow.reads);
        self.parts(flow, before, flow.writes)
    }
}
