//! Checks the bounds of constants in instructions.
//!
//! A constant that NVIDIA's assembler refuses is refused here too. Otherwise a program would run on
//! the simulator and fail to load on a GPU. The same value in a register is checked by the machine.

use super::problem::{Result, invalid};
use crate::isa::Decoder as By;
use crate::ptx::ast::{Instruction, Modifier as M, Opcode, Operand};

/// The number of threads in a warp. Thread counts of barriers are multiples of it.
const WARP: i64 = 32;
/// The number of barriers of a block: 0 to 15.
const BARRIERS: i64 = 16;
/// The unit of bulk copies, in bytes.
const BULK: i64 = 16;
/// Bytes of a cache line. `discard`, `applypriority` and the fences of tensor maps work
/// on cache lines.
const LINE: i64 = 128;

/// Returns the operand with this index, if it is a constant.
fn constant(operands: &[Operand<'_>], at: usize) -> Option<i64> {
    match operands.get(at) {
        Some(&Operand::Int(value)) => Some(value),
        _ => None,
    }
}

/// Checks an instruction's constants against its bounds.
pub(super) fn check(decoder: By, i: &Instruction, operands: &[Operand<'_>]) -> Result<()> {
    let has = |word| i.modifiers.has(word);
    match decoder {
        By::Barrier => barrier(i, operands),
        By::CopyOfThread => match (constant(operands, 2), constant(operands, 3)) {
            (Some(bytes), Some(read)) if !(0..=bytes).contains(&read) => invalid(format!(
                "expected at most {bytes} bytes to read, found {read}"
            )),
            _ => Ok(()),
        },
        By::BulkCopy => in_steps(constant(operands, 2)),
        By::Hint => match i.opcode {
            Opcode::Cp if has(M::Bulk) && !has(M::Tensor) => in_steps(constant(operands, 1)),
            Opcode::Pmevent => {
                let limit = if has(M::Mask) { 1 << 16 } else { 16 };
                below(constant(operands, 0), limit, "an event's number")
            }
            Opcode::Setmaxnreg => registers(constant(operands, 0)),
            Opcode::Discard | Opcode::Applypriority => line(constant(operands, 1)),
            _ => Ok(()),
        },
        // An arrival with a count of zero.
        By::Mbarrier if (has(M::Arrive) || has(M::ArriveDrop)) && !has(M::ExpectTx) => {
            match constant(operands, 2) {
                Some(count) if count <= 0 => {
                    invalid(format!("expected at least 1 arrival, found {count}"))
                }
                _ => Ok(()),
            }
        }
        By::Registers if matches!(i.opcode, Opcode::Bfe | Opcode::Bfi) => {
            // The start and the length of a bit field.
            let mut fields = operands.len().saturating_sub(2)..operands.len();
            fields.try_for_each(|at| {
                below(
                    constant(operands, at),
                    256,
                    "the start and the length of a bit field",
                )
            })
        }
        By::Fence if has(M::Acquire) => line(constant(operands, 1)),
        By::CachePolicy if has(M::Fractional) => fraction(operands.get(1)),
        By::CachePolicy if has(M::Range) => match (constant(operands, 2), constant(operands, 3)) {
            (Some(first), Some(all)) if first > all => invalid(format!(
                "expected a primary size of at most {all} bytes, found {first}"
            )),
            _ => Ok(()),
        },
        _ => Ok(()),
    }
}

/// Checks `bar.sync a{, b}`, `.arrive a, b`, `.red d, a{, b}, p`.
fn barrier(i: &Instruction, operands: &[Operand<'_>]) -> Result<()> {
    let first = usize::from(i.modifiers.has(M::Red));
    below(constant(operands, first), BARRIERS, "a barrier's number")?;
    let counted = operands.len() > 2 * first + 1;
    let Some(count) = constant(operands, first + 1).filter(|_| counted) else {
        return Ok(());
    };
    if count % WARP != 0 {
        return invalid(format!(
            "expected a multiple of {WARP} threads, found {count}: a barrier counts whole warps"
        ));
    }
    if count == 0 && i.modifiers.has(M::Arrive) {
        return invalid("expected the number of threads that the barrier is for, found 0");
    }
    Ok(())
}

fn below(value: Option<i64>, limit: i64, what: &str) -> Result<()> {
    match value {
        Some(value) if !(0..limit).contains(&value) => invalid(format!(
            "expected {what} from 0 to {}, found {value}",
            limit - 1
        )),
        _ => Ok(()),
    }
}

fn in_steps(bytes: Option<i64>) -> Result<()> {
    match bytes {
        Some(bytes) if bytes < 0 || bytes % BULK != 0 => invalid(format!(
            "expected a multiple of {BULK} bytes, found {bytes}"
        )),
        _ => Ok(()),
    }
}

fn line(bytes: Option<i64>) -> Result<()> {
    match bytes {
        Some(bytes) if bytes != LINE => {
            invalid(format!("expected a size of {LINE} bytes, found {bytes}"))
        }
        _ => Ok(()),
    }
}

/// Checks that the number of registers of `setmaxnreg` is a multiple of 8 and within bounds.
fn registers(count: Option<i64>) -> Result<()> {
    match count {
        Some(count) if !(24..=256).contains(&count) || count % 8 != 0 => invalid(format!(
            "expected a multiple of 8 registers from 24 to 256, found {count}"
        )),
        _ => Ok(()),
    }
}

/// Checks the fraction of accesses that a policy applies to: above 0, at most 1.
fn fraction(operand: Option<&Operand<'_>>) -> Result<()> {
    let fraction = match operand {
        Some(&Operand::F32(bits)) => f64::from(f32::from_bits(bits)),
        Some(&Operand::F64(bits)) => f64::from_bits(bits),
        _ => return Ok(()),
    };
    if fraction > 0.0 && fraction <= 1.0 {
        return Ok(());
    }
    invalid(format!(
        "expected a fraction above 0 and up to 1, found {fraction}"
    ))
}
