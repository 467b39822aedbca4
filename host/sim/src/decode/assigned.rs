//! Finds the registers that a function may read before it writes them.
//!
//! PTX leaves the first value of such registers undefined. Here it is zero, so that runs can be
//! repeated. Compilers write almost every register first, so only the registers that are found here
//! are cleared, instead of whole frames for each block. The result may contain too many registers,
//! but never too few. It is a forward data-flow analysis over the body's basic blocks. A write
//! counts only if it has no guard. An operand that is not known to be a write counts as a read.

use super::blocks::{Bits, Blocks, has, visit};
use crate::ptx::ast::Body;

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

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the names of the registers of a kernel that may be read before they are written.
    fn unassigned(body: &str) -> Vec<String> {
        let text = format!(
            ".version 8.7\n.target sm_90\n.address_size 64\n.visible .entry k(.param .u64 a) {{\n\
             .reg .pred %p<4>; .reg .b32 %r<9>; .reg .b64 %rd<10>;\n{body}\n}}"
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
    fn the_first_operand_is_read_where_nothing_is_written() {
        assert_eq!(unassigned("st.global.u32 [%rd9], 1; ret;"), ["%rd9"]);
        assert_eq!(unassigned("bar.sync %r1; ret;"), ["%r1"]);
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
