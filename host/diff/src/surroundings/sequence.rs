//! Asynchronous instructions: the code before and after one that makes its effect visible.
//!
//! PTX ISA 9.7.9.25 "Asynchronous copy" and 9.7.13.15 "mbarrier". Every thread has its own
//! `mbarrier`, source and destination in shared memory, so that no thread waits for another. At
//! first the destination contains the source, rotated by 8 bytes.

use lanewise_sim::isa::sample::Usage;
use lanewise_sim::ptx::ast::{Modifier, Opcode, Type};

use crate::Case;
use crate::case::Harness;
use crate::case::PLACE;

/// The code around an instruction.
#[derive(Debug, Default)]
pub struct Sequence {
    /// The instruction's addresses in order: names of registers of the kernel.
    pub addresses: Vec<&'static str>,
    /// Lines of PTX before the instruction.
    pub before: Vec<String>,
    /// Lines of PTX after the instruction.
    pub after: Vec<String>,
}

/// The code that waits for the phase of the thread's barrier given by `%state`.
const WAIT: [&str; 3] = [
    "wait:",
    "mbarrier.test_wait.shared.b64 %done, [%bar], %state;",
    "@!%done bra wait;",
];

/// Returns the sequence of a case.
pub fn of(case: &Case) -> Sequence {
    match case.row.opcode {
        Opcode::Mbarrier => barrier(case),
        Opcode::Cp if case.has(Modifier::Bulk) => bulk(case),
        Opcode::Cp => copy(case),
        _ => stored(case),
    }
}

fn lines(of: &[&str]) -> Vec<String> {
    of.iter().map(|&line| line.to_owned()).collect()
}

/// Returns the register that is read at a place.
fn read(case: &Case, place: usize) -> Option<usize> {
    case.registers(Usage::Read)
        .nth(place)
        .map(|(number, _)| number)
}

/// `mbarrier`: initialised for a number of arrivals that depends on the thread's bit. After the
/// instruction one more arrival shows the state.
fn barrier(case: &Case) -> Sequence {
    let has = |word| case.has(word);
    let bit = case.registers(Usage::Read).count() * PLACE;
    let out = case.registers(Usage::Write).count() * PLACE;
    let waits = has(Modifier::TestWait) || has(Modifier::TryWait) || has(Modifier::PendingCount);
    let least = match () {
        () if waits => 1,
        () if has(Modifier::NoComplete) => 4,
        // A drop of two lowers the count of the next phase, too. Something has to be left for the
        // arrival after it.
        () if has(Modifier::ArriveDrop) => 3,
        () => 2,
    };
    let mut before = Vec::new();
    if !has(Modifier::Init) {
        before.push(format!("ld.global.u32 %word, [%in+{bit}];"));
        before.push(format!("add.u32 %word, %word, {least};"));
        before.push("mbarrier.init.shared.b64 [%bar], %word;".to_owned());
    }
    if waits {
        before.push("mbarrier.arrive.shared.b64 %state, [%bar];".to_owned());
        // The state is specific to the device. The instruction reads this state, not a value
        // of the input.
        for (number, register) in case.registers(Usage::Read) {
            if register.declared.size() == 8 {
                before.push(format!("mov.b64 %x{number}, %state;"));
            }
        }
    }
    let mut after = Vec::new();
    if !waits && !has(Modifier::Inval) {
        after = lines(&[
            "mbarrier.arrive.shared.b64 %state, [%bar];",
            "mbarrier.pending_count.b64 %word, %state;",
        ]);
        after.push(format!("st.global.u32 [%out+{out}], %word;"));
        after.push("mbarrier.test_wait.shared.b64 %done, [%bar], %state;".to_owned());
        after.push("selp.u32 %word, 1, 0, %done;".to_owned());
        after.push(format!("st.global.u32 [%out+{}], %word;", out + 4));
    }
    Sequence {
        addresses: vec!["%bar"],
        before,
        after,
    }
}

/// `cp.async` and the instructions that wait for it.
fn copy(case: &Case) -> Sequence {
    let has = |word| case.has(word);
    let copies = case.registers(Usage::Address).count() == 2;
    let arrives = has(Modifier::Arrive);
    let mut before = Vec::new();
    if arrives {
        // Without `.noinc` the instruction itself adds the arrival that it makes later.
        let count = if has(Modifier::Noinc) { 2 } else { 1 };
        before.push(format!("mbarrier.init.shared.b64 [%bar], {count};"));
    }
    if !copies {
        before.push("cp.async.ca.shared.global [%cell], [%from], 16;".to_owned());
    }
    let mut after = Vec::new();
    if arrives {
        after.push("mbarrier.arrive.shared.b64 %state, [%bar];".to_owned());
        after.extend(lines(&WAIT));
    }
    after.push("cp.async.wait_all;".to_owned());
    Sequence {
        addresses: if arrives {
            vec!["%bar"]
        } else {
            vec!["%cell", "%from"]
        },
        before,
        after,
    }
}

/// `cp.async.bulk` and `cp.reduce.async.bulk`.
fn bulk(case: &Case) -> Sequence {
    let has = |word| case.has(word);
    let mut before = lines(&["fence.proxy.async;"]);
    if has(Modifier::MbarrierCompleteTxBytes) {
        let from = if has(Modifier::Global) {
            "%from"
        } else {
            "%source"
        };
        before.insert(0, "mbarrier.init.shared.b64 [%bar], 1;".to_owned());
        if let Some(size) = read(case, 0) {
            before.push(format!(
                "mbarrier.arrive.expect_tx.shared.b64 %state, [%bar], %x{size};"
            ));
        }
        return Sequence {
            addresses: vec!["%cell", from, "%bar"],
            before,
            after: lines(&WAIT),
        };
    }
    Sequence {
        addresses: if has(Modifier::Prefetch) {
            vec!["%from"]
        } else {
            vec!["%to", "%source"]
        },
        before,
        after: lines(&[
            "cp.async.bulk.commit_group;",
            "cp.async.bulk.wait_group 0;",
            "fence.proxy.async;",
        ]),
    }
}

/// `st.async` and `red.async`.
fn stored(case: &Case) -> Sequence {
    let values = case.registers(Usage::Read);
    let bytes: u64 = values.map(|(_, register)| register.declared.size()).sum();
    let mut before = lines(&["mbarrier.init.shared.b64 [%bar], 1;", "fence.proxy.async;"]);
    before.push(format!(
        "mbarrier.arrive.expect_tx.shared.b64 %state, [%bar], {bytes};"
    ));
    Sequence {
        addresses: vec!["%cell", "%bar"],
        before,
        after: lines(&WAIT),
    }
}

/// Returns whether the instruction writes from one block's shared memory, or from registers, into
/// the shared memory of any block of the cluster.
pub fn leaves_the_block(case: &Case) -> bool {
    let has = |word| case.has(word);
    case.harness == Harness::Sequence
        && match case.row.opcode {
            Opcode::St | Opcode::Red => has(Modifier::Async),
            Opcode::Cp => has(Modifier::SharedCluster) && has(Modifier::SharedCta),
            _ => false,
        }
}

/// Returns the value of an operand that is no element of memory; `None` for one that is.
pub fn operand(case: &Case, declared: Type, below: &mut dyn FnMut(u64) -> u64) -> Option<u128> {
    let has = |word| case.has(word);
    let value = match (case.row.opcode, declared.size()) {
        (Opcode::Mbarrier, 4) if has(Modifier::ExpectTx) || has(Modifier::CompleteTx) => {
            16 * below(4)
        }
        (Opcode::Mbarrier, 4) if has(Modifier::Parity) => below(2),
        (Opcode::Mbarrier, 4) if has(Modifier::Init) => 1 + below(4),
        (Opcode::Mbarrier, 4) => 1 + below(2),
        // The number of bytes to copy, and the blocks of the cluster to copy to.
        (Opcode::Cp, 4) => 16 * (1 + below(4)),
        (Opcode::Cp, 2) => 1,
        _ => return None,
    };
    Some(value.into())
}
