//! An estimate of the registers that a GPU's compiler needs for a kernel: the most that are live at
//! once. It is a backward data-flow analysis over the body's basic blocks.
//!
//! Integers that are the same for all threads of a block do not count, because ptxas keeps them in
//! uniform registers or reads them from the parameters' memory where they are used (sm_75 and
//! later).

use super::blocks::{Bits, Blocks, has, registers, visit, writes_first};
use crate::ptx::ast::{
    Body, Instruction, Modifier, Opcode, Operand, RegisterId, SpecialRegister, Type,
};

/// What ptxas needs besides.
const OTHERS: u32 = 6;

/// Returns the 32-bit registers that a kernel is taken to need.
pub(super) fn estimate(body: &Body<'_>) -> u32 {
    let blocks = Blocks::of(body);
    let words = body.registers.len().div_ceil(64);
    let mut befores: Vec<Bits> = vec![vec![0; words]; blocks.starts.len()];
    let varying = varying(body, words);
    let mut most = 0;
    let mut changes = true;
    while changes {
        changes = false;
        for block in (0..blocks.starts.len()).rev() {
            let mut live = Live::new(body, &varying);
            blocks.next[block]
                .iter()
                .for_each(|&next| live.join(&befores[next]));
            for instruction in blocks.instructions(body, block).iter().rev() {
                live.before(instruction);
            }
            most = most.max(live.most);
            changes |= live.bits != befores[block];
            befores[block] = live.bits;
        }
    }
    (most + OTHERS).clamp(16, 255)
}

/// Returns the registers whose values may differ between the threads of a block, and those that are
/// no integers. (Flow that threads part at is not looked at.)
fn varying(body: &Body<'_>, words: usize) -> Bits {
    let mut found = vec![0; words];
    let mut grows = true;
    while grows {
        grows = false;
        for instruction in &body.instructions {
            let mut varies = !is_uniform(body, instruction);
            visit(body, instruction, |id, writes| {
                varies |= !writes && has(&found, id);
            });
            if varies && writes_first(instruction) {
                registers(body, &body.operands(instruction)[0], &mut |id| {
                    grows |= !has(&found, id);
                    found[id as usize / 64] |= 1 << (id % 64);
                });
            }
        }
    }
    found
}

/// Returns whether uniform registers have this instruction, if all that it reads is uniform.
fn is_uniform(body: &Body<'_>, instruction: &Instruction) -> bool {
    use Opcode as O;
    let known = match instruction.opcode {
        O::Ld => instruction.modifiers.has(Modifier::Param),
        O::Mov | O::Cvt | O::Cvta | O::Add | O::Sub | O::Mul | O::Mad | O::And | O::Or => true,
        O::Xor | O::Not | O::Shl | O::Shr | O::Selp | O::Setp => true,
        _ => false,
    };
    let differs = |operand: &Operand<'_>| {
        use SpecialRegister as S;
        matches!(operand, Operand::Special(S::Tid | S::Laneid | S::Warpid, _))
    };
    let is_float = |ty: Type| ty.class() == crate::ptx::ast::Class::Float;
    known
        && !instruction.modifiers.types().any(is_float)
        && !body.operands(instruction).iter().any(differs)
}

/// The registers that are live at one place.
struct Live<'b, 'a> {
    body: &'b Body<'a>,
    varying: &'b Bits,
    bits: Bits,
    /// Their 32-bit words, and the most there were.
    now: u32,
    most: u32,
}

impl<'b, 'a> Live<'b, 'a> {
    fn new(body: &'b Body<'a>, varying: &'b Bits) -> Self {
        Live {
            body,
            varying,
            bits: vec![0; varying.len()],
            now: 0,
            most: 0,
        }
    }

    /// Adds those that are live at the start of a block that follows.
    fn join(&mut self, others: &Bits) {
        for (word, bits) in (0..).zip(others) {
            let mut rest = *bits;
            while rest != 0 {
                self.set(word * 64 + rest.trailing_zeros(), true);
                rest &= rest - 1;
            }
        }
    }

    /// Goes back over an instruction.
    fn before(&mut self, instruction: &Instruction) {
        let body = self.body;
        visit(body, instruction, |id, writes| {
            if writes {
                self.set(id, false);
            }
        });
        visit(body, instruction, |id, writes| {
            if !writes {
                self.set(id, true);
            }
        });
    }

    fn set(&mut self, id: RegisterId, lives: bool) {
        if has(&self.bits, id) == lives {
            return;
        }
        self.bits[id as usize / 64] ^= 1 << (id % 64);
        let register = &self.body.registers[id as usize];
        let words = match register.ty {
            Type::Pred => 0,
            _ if !has(self.varying, id) => 0,
            ty => ty.size().div_ceil(4) as u32 * u32::from(register.vector.max(1)),
        };
        self.now = if lives {
            self.now + words
        } else {
            self.now - words
        };
        self.most = self.most.max(self.now);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the estimate for a kernel without what ptxas needs besides.
    fn live(body: &str) -> u32 {
        let text = format!(
            ".version 8.7\n.target sm_90\n.address_size 64\n.visible .entry k(.param .u64 a) {{\n\
             .reg .pred %p<4>; .reg .b32 %r<99>; .reg .f32 %f<9>; .reg .b64 %rd<9>;\n{body}\n}}"
        );
        let mut module = crate::ptx::parse(&text).unwrap_or_else(|error| panic!("{error}"));
        crate::isa::check(&mut module).unwrap_or_else(|error| panic!("{error}"));
        estimate(module.functions[0].body.as_ref().expect("a body")) - OTHERS
    }

    /// `count` loads, and then `count` stores of what they loaded.
    fn loads_and_stores(count: u32) -> String {
        let load = |i| format!("ld.global.u32 %r{i}, [%rd1+{}];", 4 * i);
        let store = |i| format!("st.global.u32 [%rd1+{}], %r{i};", 4 * i);
        (0..count).map(load).chain((0..count).map(store)).collect()
    }

    const ADDRESS: &str = "ld.param.u64 %rd1, [a];";

    #[test]
    fn what_is_live_at_once_counts() {
        assert_eq!(live(&format!("{ADDRESS} {}", loads_and_stores(40))), 40);
        assert_eq!(
            live(&format!("{ADDRESS} {0} {0}", loads_and_stores(40))),
            40
        );
    }

    #[test]
    fn arms_of_a_branch_share_their_registers() {
        let arm = |first: u32| {
            let load = |i| format!("ld.global.u32 %r{i}, [%rd1];");
            let store = |i| format!("st.global.u32 [%rd1], %r{i};");
            let all = first..first + 20;
            all.clone()
                .map(load)
                .chain(all.map(store))
                .collect::<String>()
        };
        let text = format!(
            "{ADDRESS} setp.eq.u64 %p1, %rd1, 0; @%p1 bra B; {} bra C; B: {} C: ret;",
            arm(0),
            arm(20)
        );
        assert_eq!(live(&text), 20);
    }

    #[test]
    fn a_loop_keeps_what_it_reads_again() {
        // %r0 to %r19 are read in each round, and %r20 is the loop's own.
        let load = |i| format!("ld.global.u32 %r{i}, [%rd1];");
        let read = |i| format!("add.u32 %r20, %r20, %r{i};");
        let loads: String = (0..21).map(load).collect();
        let reads: String = (0..20).map(read).collect();
        let text =
            format!("{ADDRESS} {loads} L: {reads} setp.ne.u32 %p1, %r20, 0; @%p1 bra L; ret;");
        assert_eq!(live(&text), 21);
    }

    #[test]
    fn integers_of_the_whole_block_do_not_count() {
        let same = |i: u32| format!("add.u32 %r{i}, %r0, {i};");
        let uses = |i: u32| format!("st.global.u32 [%rd1], %r{i};");
        let all: String = (1..30).map(same).chain((1..30).map(uses)).collect();
        let of_block = format!("{ADDRESS} mov.u32 %r0, %ctaid.x; {all}");
        let of_thread = format!("{ADDRESS} mov.u32 %r0, %tid.x; {all}");
        assert_eq!((live(&of_block), live(&of_thread)), (16 - OTHERS, 29));
    }
}
