//! The basic blocks of a body, and the registers that its instructions read and write: what the
//! data-flow analyses of a body need.

use crate::isa::Successors;
use crate::isa::pattern::{self, Pattern};
use crate::ptx::ast::{Base, Body, Instruction, Operand, RegisterId, Target};

/// One bit for each register.
pub(super) type Bits = Vec<u64>;

pub(super) fn has(bits: &Bits, id: RegisterId) -> bool {
    bits[id as usize / 64] >> (id % 64) & 1 != 0
}

/// Basic blocks: their first instructions, and their successors.
pub(super) struct Blocks {
    pub(super) starts: Vec<usize>,
    pub(super) next: Vec<Vec<usize>>,
    end: usize,
}

impl Blocks {
    pub(super) fn of(body: &Body<'_>) -> Self {
        let end = body.instructions.len();
        let mut leads = vec![false; end + 1];
        leads[0] = true;
        for label in &body.labels {
            if let Target::Instruction(index) = label.target {
                leads[index as usize] = true;
            }
        }
        for (index, instruction) in body.instructions.iter().enumerate() {
            leads[index + 1] |= ends_a_block(instruction);
        }
        let starts: Vec<usize> = (0..end.max(1)).filter(|&index| leads[index]).collect();
        let block_at = |index: usize| {
            starts
                .partition_point(|&start| start <= index)
                .checked_sub(1)
        };
        let mut next = vec![Vec::new(); starts.len()];
        for (block, next) in next.iter_mut().enumerate() {
            let stop = starts.get(block + 1).copied().unwrap_or(end);
            let Some(last) = body.instructions.get(stop.wrapping_sub(1)) else {
                continue;
            };
            let mut follow = |label: u32| {
                if let Some(Target::Instruction(index)) =
                    body.labels.get(label as usize).map(|l| l.target)
                    && (index as usize) < end
                {
                    next.extend(block_at(index as usize));
                }
            };
            for operand in body.operands(last) {
                match (pattern::successors(last), *operand) {
                    (Successors::Label, Operand::Label(label)) => follow(label),
                    (Successors::Table, Operand::Label(label)) => {
                        if let Some(Target::BranchTargets(table)) =
                            body.labels.get(label as usize).map(|l| l.target)
                        {
                            body.branch_targets[table as usize]
                                .iter()
                                .for_each(|&label| follow(label));
                        }
                    }
                    _ => {}
                }
            }
            if (!ends_a_block(last) || last.guard.is_some()) && stop < end {
                next.push(block + 1);
            }
        }
        Self { starts, next, end }
    }

    pub(super) fn instructions<'b>(&self, body: &'b Body<'_>, block: usize) -> &'b [Instruction] {
        let stop = self.starts.get(block + 1).copied().unwrap_or(self.end);
        body.instructions
            .get(self.starts[block]..stop)
            .unwrap_or(&[])
    }
}

/// Returns whether an instruction without its guard never continues with the next instruction.
fn ends_a_block(instruction: &Instruction) -> bool {
    !matches!(
        pattern::successors(instruction),
        Successors::Next | Successors::Callee
    )
}

/// Returns whether the result of an instruction goes to its first operand. Returns false for an
/// instruction that has no row yet.
pub(super) fn writes_first(instruction: &Instruction) -> bool {
    pattern::found(instruction).is_some_and(Pattern::writes_first)
}

/// Calls `f` with every register of an instruction, reads first, and with whether it
/// is certainly written.
pub(super) fn visit(
    body: &Body<'_>,
    instruction: &Instruction,
    mut f: impl FnMut(RegisterId, bool),
) {
    let operands = body.operands(instruction);
    let writes = writes_first(instruction);
    let guarded = instruction.guard.is_some();
    if let Some(guard) = instruction.guard {
        f(guard.register, false);
    }
    let (first, rest) = match operands.split_first() {
        Some((first, rest)) if writes => (Some(first), rest),
        _ => (None, operands),
    };
    rest.iter()
        .for_each(|operand| registers(body, operand, &mut |id| f(id, false)));
    if let Some(first) = first {
        match first {
            // A write of one component of a vector register leaves the others unchanged.
            Operand::Element(..) => {}
            first if !guarded => registers(body, first, &mut |id| f(id, true)),
            _ => {}
        }
    }
}

/// Calls `f` with the registers of an operand.
pub(super) fn registers(body: &Body<'_>, operand: &Operand<'_>, f: &mut dyn FnMut(RegisterId)) {
    match *operand {
        Operand::Register(id) | Operand::Negated(id) | Operand::Element(id, _) => f(id),
        Operand::Part(id, _) | Operand::Minus(id, _) | Operand::Sum(id, _) => f(id),
        Operand::Indexed(indexed) => indexed.register.into_iter().for_each(f),
        Operand::Pair(a, b) => a.into_iter().chain(b).for_each(f),
        Operand::VectorPair(slice, predicate) => {
            registers(body, &Operand::Vector(slice), f);
            f(predicate);
        }
        Operand::Address(Base::Register(id), _) => f(id),
        Operand::Vector(slice) | Operand::List(slice) | Operand::Arguments(slice) => {
            for element in body.elements(slice) {
                match *element {
                    Operand::Register(id) | Operand::Negated(id) | Operand::Element(id, _) => f(id),
                    Operand::Sum(id, _) | Operand::Address(Base::Register(id), _) => f(id),
                    // A vector can be an argument of a call.
                    Operand::Vector(inner) => body.elements(inner).iter().for_each(|element| {
                        if let Operand::Register(id) | Operand::Element(id, _) = *element {
                            f(id);
                        }
                    }),
                    _ => {}
                }
            }
        }
        _ => {}
    }
}
