//! `wgmma`.
//!
//! PTX ISA, "Asynchronous Warpgroup Level Matrix Multiply-Accumulate Instructions". The table has
//! already checked the number of registers of each fragment.

use std::collections::HashMap;

use super::matrix::{accumulator, element, everybody, shape};
use crate::decode::blocks::{registers, writes_first};
use crate::decode::builder::{Builder, Operands};
use crate::decode::problem::{Result, invalid, unsupported};
use crate::machine::compute::matrix::Sparsity;
use crate::machine::compute::track::RegisterUse;
use crate::machine::compute::warpgroup::{self, MatrixA, WarpgroupSite};
use crate::machine::op::Handler;
use crate::ptx::ast::{Instruction, Modifier as M, Opcode, Operand, RegisterId, Type};
use crate::semantics::matrix::sparse;
use crate::semantics::matrix::warpgroup::Major;

/// Decodes `wgmma.fence`, `.commit_group`, `.wait_group`.
pub(super) fn order(b: &mut Builder<'_, '_>, i: &Instruction) -> Result<()> {
    let members = everybody(b)?;
    let (run, left): (Handler, u32) = match (i.modifiers.first(), b.body.operands(i)) {
        (Some(M::Fence), []) => (warpgroup::fence, 0),
        (Some(M::CommitGroup), []) => (warpgroup::commit, 0),
        (Some(M::WaitGroup), [Operand::Int(left @ 0..8)]) => (warpgroup::wait, *left as u32),
        (Some(M::WaitGroup), _) => {
            return invalid("`wgmma.wait_group` takes a constant from 0 to 7");
        }
        _ => return unsupported(),
    };
    b.emit(run, Operands::NONE.b(members).c(left));
    Ok(())
}

/// Decodes `wgmma.mma_async` into an operation of the machine.
pub(super) fn multiply<'a>(b: &mut Builder<'a, '_>, i: &Instruction) -> Result<()> {
    let members = everybody(b)?;
    let types: Vec<Type> = i.modifiers.types().collect();
    let (Some((_, n, k)), [d_type, a_type, b_type]) = (shape(i), &types[..]) else {
        return unsupported();
    };
    let [d, left, right, rest @ ..] = b.body.operands(i) else {
        return invalid("a multiplication takes D, A and B");
    };
    let bits = *a_type == Type::B1;
    let types = match bits {
        true => None,
        false => match (element(*a_type), element(*b_type), accumulator(*d_type, i)) {
            (Some(a), Some(b), Some(d)) => Some(([a, b], d)),
            _ => return unsupported(),
        },
    };
    let mut rest = rest.iter();
    let mut sparsity = None;
    if i.modifiers.has(M::Sp) {
        let (Some(metadata), Some(Operand::Int(selector)), Some(([a, _], _))) =
            (rest.next(), rest.next(), types)
        else {
            return invalid("expected metadata and a constant selector of lanes");
        };
        let selectors = sparse::selectors(k, a);
        sparsity = match usize::try_from(*selector) {
            Ok(selector) if selector < selectors => Some(Sparsity {
                metadata: b.source(metadata, 4, None)?,
                selector,
                ordered: false,
            }),
            _ => {
                return invalid(format!(
                    "selector {selector} of lanes with metadata, where this shape has {selectors}, counted from 0"
                ));
            }
        };
    }
    let Some(add) = rest.next() else {
        return invalid("expected a predicate that says whether D is added");
    };
    let mut constants = Vec::new();
    for operand in rest {
        let Operand::Int(value) = operand else {
            return invalid("signs and transpositions are constants");
        };
        constants.push(*value);
    }
    let [negated, transposed] = signs(&constants, matches!(left, Operand::Vector(_)))?;
    let major = |transposed| if transposed { Major::Mn } else { Major::K };
    let rows = |operand: &Operand<'a>| -> Result<Vec<u32>> {
        let elements = b.elements(operand);
        elements.iter().map(|e| b.register(e, 4)).collect()
    };
    let d = rows(d)?;
    let a = match left {
        Operand::Vector(_) => MatrixA::Registers(rows(left)?),
        left => MatrixA::Shared(b.source(left, 8, None)?, major(transposed[0])),
    };
    let site = WarpgroupSite {
        shape: (n, if bits { k / 32 } else { k }),
        types,
        d,
        a,
        b: (b.source(right, 8, None)?, major(transposed[1])),
        add: b.predicate(add)?,
        negated,
        sparsity,
        tracked: Default::default(),
    };
    let aux = b.code.warpgroups.push(site);
    b.out.reads_asynchronously = true;
    b.emit(warpgroup::multiply(), Operands::NONE.b(members).aux(aux));
    Ok(())
}

/// Returns whether A and B are negated, and whether they are transposed. If `of_registers` is true,
/// A has no constant for its transposition.
fn signs(constants: &[i64], of_registers: bool) -> Result<[[bool; 2]; 2]> {
    let (signs, transposed) = constants.split_at(constants.len().min(2));
    let mut negated = [false; 2];
    for (negated, sign) in negated.iter_mut().zip(signs) {
        *negated = match sign {
            1 => false,
            -1 => true,
            _ => return invalid(format!("a sign of {sign}; it is 1 or -1")),
        };
    }
    let mut transposes = [false; 2];
    let first = usize::from(of_registers);
    for (transposes, value) in transposes[first..].iter_mut().zip(transposed) {
        *transposes = match value {
            0 => false,
            1 => true,
            _ => return invalid(format!("a transposition of {value}; it is 0 or 1")),
        };
    }
    Ok([negated, transposes])
}

impl<'a> Builder<'a, '_> {
    /// Finds the effects of the function's operations on registers that `wgmma`
    /// uses; see `machine::compute::track`.
    pub(in crate::decode) fn track(&mut self) {
        let body = self.body;
        let multiplies =
            |i: &Instruction| i.opcode == Opcode::Wgmma && i.modifiers.has(M::MmaAsync);
        let mut numbers: HashMap<RegisterId, u32> = HashMap::new();
        let tracked = &mut self.code.tracked;
        let mut number = |numbers: &mut HashMap<RegisterId, u32>, id: RegisterId| {
            numbers
                .entry(id)
                .or_insert_with(|| tracked.push(body.registers[id as usize].name.to_owned()));
        };
        for instruction in body.instructions.iter().filter(|i| multiplies(i)) {
            for operand in body.operands(instruction).iter().take(2) {
                if let Operand::Vector(_) = operand {
                    registers(body, operand, &mut |id| number(&mut numbers, id));
                }
            }
        }
        if numbers.is_empty() {
            return;
        }
        // Copies of those registers, and copies of the copies.
        let copies = |i: &Instruction| match (i.opcode, body.operands(i)) {
            (Opcode::Mov, &[Operand::Register(to), Operand::Register(from)]) => Some((from, to)),
            _ => None,
        };
        loop {
            let before = numbers.len();
            for (from, to) in body.instructions.iter().filter_map(copies) {
                if numbers.contains_key(&from) || numbers.contains_key(&to) {
                    number(&mut numbers, from);
                    number(&mut numbers, to);
                }
            }
            if numbers.len() == before {
                break;
            }
        }
        let of = |operand: &Operand<'a>| {
            let mut found = Vec::new();
            registers(body, operand, &mut |id| found.extend(numbers.get(&id)));
            found
        };
        for (index, instruction) in body.instructions.iter().enumerate() {
            let start = self.starts[index] as usize;
            let operands = body.operands(instruction);
            if multiplies(instruction) {
                let found = |operand: Option<&Operand<'a>>| match operand {
                    Some(vector @ Operand::Vector(_)) => of(vector),
                    _ => Vec::new(),
                };
                // The multiplication is the instruction's last operation. The operations before it
                // compute its operands.
                let last = self.starts[index + 1] as usize - 1;
                let site = self.code.ops[last].aux as usize;
                self.code.warpgroups[site].tracked =
                    [found(operands.first()), found(operands.get(1))];
                continue;
            }
            let mut touch = RegisterUse::default();
            if let Some((from, to)) = copies(instruction) {
                touch.copies = numbers.get(&from).copied().zip(numbers.get(&to).copied());
            } else {
                let written = usize::from(writes_first(instruction));
                for (place, operand) in operands.iter().enumerate() {
                    let to = match place < written {
                        true => &mut touch.writes,
                        false => &mut touch.reads,
                    };
                    to.extend(of(operand));
                }
            }
            let nothing =
                touch.reads.is_empty() && touch.writes.is_empty() && touch.copies.is_none();
            if !nothing {
                self.code.touches.push((start, touch));
            }
        }
    }
}
