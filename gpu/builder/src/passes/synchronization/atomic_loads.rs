//! Takes the promise of a read-only slice back where the kernel loads from the slice atomically.
//!
//! `unsafe` code may view a `&[u32]` as atomics. The parameter is `noalias readonly` all the same
//! (`code/kernel_attributes.rs`), and NVPTX's code generator turns each load of such memory into
//! `ld.global.nc`. There is no atomic instruction of this kind, and the code generator crashes.
//! This pass runs after O3. It follows an address through offsets, casts and choices to the
//! parameters.
//!
//! Source: LLVM, "User Guide for NVPTX Back-end"; PTX ISA, "ld.global.nc".

use inkwell::AtomicOrdering;
use inkwell::attributes::{Attribute, AttributeLoc};
use inkwell::module::Module;
use inkwell::values::{
    AsValueRef, BasicValue, BasicValueEnum, InstructionOpcode, InstructionValue,
};

use crate::llvm;

/// The attributes of a read-only slice.
const PROMISE: [&str; 2] = ["noalias", "readonly"];

/// Removes the promise from every parameter of a kernel that an atomic load reads.
pub(crate) fn withdraw_promises(module: &Module<'_>) {
    for kernel in llvm::kernels(module) {
        let mut read = Vec::new();
        let atomic = llvm::instructions(kernel).filter(|at| is_atomic_load(*at));
        for address in atomic.filter_map(|at| at.get_operand(0)?.value()) {
            sources(address, 8, &mut read);
        }
        for (index, param) in (0..).zip(kernel.get_param_iter()) {
            if read
                .iter()
                .any(|it| it.as_value_ref() == param.as_value_ref())
            {
                for kind in PROMISE.map(Attribute::get_named_enum_kind_id) {
                    kernel.remove_enum_attribute(AttributeLoc::Param(index), kind);
                }
            }
        }
    }
}

fn is_atomic_load(at: InstructionValue<'_>) -> bool {
    at.get_opcode() == InstructionOpcode::Load
        && at
            .get_atomic_ordering()
            .is_ok_and(|order| order != AtomicOrdering::NotAtomic)
}

/// Adds the values from which an address is computed. Choices are followed to a depth of `depth`.
fn sources<'ctx>(address: BasicValueEnum<'ctx>, depth: u32, found: &mut Vec<BasicValueEnum<'ctx>>) {
    use InstructionOpcode::{AddrSpaceCast, BitCast, GetElementPtr, Phi, Select};
    let Some(at) = address.as_instruction_value() else {
        found.push(address);
        return;
    };
    let operands = match at.get_opcode() {
        _ if depth == 0 => return,
        GetElementPtr | BitCast | AddrSpaceCast => 0..1,
        Select => 1..3,
        Phi => 0..at.get_num_operands(),
        _ => return,
    };
    for operand in operands.filter_map(|index| at.get_operand(index)?.value()) {
        sources(operand, depth - 1, found);
    }
}
