//! Finds the registers that a function may read before it writes them.
//!
//! PTX leaves the first value of such registers undefined. Here it is zero, so that runs can be
//! repeated. Compilers write almost every register first, so only the registers that are found here
//! are cleared, instead of whole frames for each block. The result may contain too many registers,
//! but never too few. It is a forward data-flow analysis over the body's basic blocks. A write
//! counts only if it has no guard. An operand that is not known to be a write counts as a read.

use crate::isa::Successors;
use crate::isa::pattern::{self, Pattern};
use crate::ptx::ast::{Base, Body, Instruction, Operand, RegisterId, Target};

/// One bit for each register.
type Bits = Vec<u64>;

fn has(bits: &Bits, id: RegisterId) -> bool {
    bits[id as usize / 64] >> (id % 64) & 1 != 0
}

/// Returns, for each register of a body, whether it may be read before it is written.
pub(super) fn maybe_unassigned(body: &Body<'_>) -> Vec<bool> {
    let words = body.registers.len().div_ceil(64);
    let blocks = Blocks::of(body);
    // The registers that may be unassigned at the start of each block. At the entry, these
    // are all registers.
    let mut begins: Vec<Bits> = vec![vec![0; words]; blocks.starts.len()];
    begins[0] = vec![u64::MAX; words];
    let mut found = vec![false; body.registers.len()];
    let mut todo = vec![0];
    let mut queued = vec![false; blocks.starts.len()];
    let mut seen = vec![false; blocks.starts.len()];
    while let Some(block) = todo.pop() {
        queued[block] = false;
        seen[block] = true;
        let mut now = begins[block].clone();
        for instruction in blocks.instructions(body, block) {
            visit(body, instruction, |id, writes| {
                if writes {
                    now[id as usize / 64] &= !(1 << (id % 64));
                } else if has(&now, id) {
                    found[id as usize] = true;
                }
            });
        }
        for &next in &blocks.next[block] {
            let mut grew = false;
            for (to, from) in begins[next].iter_mut().zip(&now) {
                grew |= *from & !*to != 0;
                *to |= from;
            }
            if (grew || !seen[next]) && !queued[next] {
                queued[next] = true;
                todo.push(next);
            }
        }
    }
    found
}

/// Basic blocks: their first instructions, and their successors.
struct Blocks {
    starts: Vec<usize>,
    next: Vec<Vec<usize>>,
    end: usize,
}

impl Blocks {
    fn of(body: &Body<'_>) -> Self {
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

    fn instructions<'b>(&self, body: &'b Body<'_>, block: usize) -> &'b [Instruction] {
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
fn visit(body: &Body<'_>, instruction: &Instruction, mut f: impl FnMut(RegisterId, bool)) {
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

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the names of the registers of a kernel that may be read before they are written.
    fn unassigned(body: &str) -> Vec<String> {
        let text = format!(
            ".version 8.7\n.target sm_90\n.address_size 64\n.visible .entry k(.param .u64 a) {{\n\
             .reg .pred %p<4>; .reg .b32 %r<9>; .reg .b64 %rd<9>;\n{body}\n}}"
        );
        let mut module = crate::ptx::parse(&text).unwrap_or_else(|error| panic!("{error}"));
        crate::isa::check(&mut module).unwrap_or_else(|error| panic!("{error}"));
        let body = module.functions[0].body.as_ref().expect("a body");
        let found = maybe_unassigned(body);
        let names = body.registers.iter().zip(found).filter(|(_, found)| *found);
        names
            .map(|(register, _)| register.name.to_string())
            .collect()
    }

    #[test]
    fn what_is_written_first_is_not_found() {
        let none: [&str; 0] = [];
        assert_eq!(
            unassigned("mov.u32 %r1, 1; add.u32 %r2, %r1, %r1; ret;"),
            none
        );
        assert_eq!(unassigned("add.u32 %r1, %r1, 1; ret;"), ["%r1"]);
        assert_eq!(
            unassigned(
                "ld.param.u64 %rd1, [a]; ld.global.v2.u32 {%r1, %r2}, [%rd1]; st.global.u32 [%rd1], %r2;"
            ),
            none
        );
        assert_eq!(
            unassigned("ld.param.u64 %rd1, [a]; st.global.u32 [%rd1], %r2;"),
            ["%r2"]
        );
    }

    #[test]
    fn a_guarded_write_is_no_sure_write() {
        let text = "mov.u32 %r1, 1; setp.eq.u32 %p1, %r1, 1; @%p1 mov.u32 %r2, 1; add.u32 %r3, %r2, 1; ret;";
        assert_eq!(unassigned(text), ["%r2"]);
    }

    #[test]
    fn every_way_counts() {
        let text = "mov.u32 %r1, 1; setp.eq.u32 %p1, %r1, 1; @%p1 bra A; mov.u32 %r2, 2; bra B; A: mov.u32 %r3, 1; B: \
                    add.u32 %r4, %r2, %r1; ret;";
        assert_eq!(unassigned(text), ["%r2"]);
        let text = "mov.u32 %r1, 1; L: setp.eq.u32 %p1, %r1, 9; @%p1 bra E; mov.u32 %r2, %r1; add.u32 %r1, %r2, 1; bra L; E: ret;";
        assert!(unassigned(text).is_empty());
    }
}
