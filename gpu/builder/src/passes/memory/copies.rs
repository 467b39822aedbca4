//! Copies whole values by the widest accesses that their alignment allows.
//!
//! rustc copies a structure by `memcpy` or `memmove`. NVPTX's code generator would use 64-bit
//! accesses for it, none of them through the read-only cache, and above 128 bytes a loop over
//! bytes. A thread's widest access is 16 bytes (`ld.v4.b32`). This pass writes the copy as loads
//! and stores of that width, which the code generator handles like all others. It runs after O3,
//! which has by then removed the copies that only moved values between variables.
//!
//! Source: PTX ISA, "Data Movement and Conversion Instructions: ld", ".vec"; CUDA C++ Programming
//! Guide, "Device Memory Accesses".

use inkwell::attributes::{Attribute, AttributeLoc};
use inkwell::builder::{Builder, BuilderError};
use inkwell::module::Module;
use inkwell::types::BasicTypeEnum;
use inkwell::values::{BasicValue, BasicValueEnum, CallSiteValue, InstructionValue, PointerValue};

use crate::error::CodegenError;
use crate::llvm;
use crate::passes::Options;

/// A thread's widest access, in bytes.
const WIDEST: u64 = 16;
/// The most accesses that a copy is turned into. LLVM makes a loop of a longer copy.
const MOST: usize = 64;
/// The number of loads that are in flight before their stores. They need as many registers as four
/// of the widest accesses.
const IN_FLIGHT: usize = 4;
/// The most accesses of a copy whose source and destination may overlap, so that all loads come
/// first. They need 64 registers, and a thread has too few for more.
const MOST_OVERLAPPING: usize = 16;

/// A copy whose size is known at compile time.
struct Copy<'ctx> {
    to: PointerValue<'ctx>,
    from: PointerValue<'ctx>,
    bytes: u64,
    /// The alignment of both addresses, in bytes.
    align: u64,
}

/// Rewrites every copy of a known size.
pub(crate) fn widen(module: &Module<'_>, options: &Options) -> Result<(), CodegenError> {
    let failed = |error: BuilderError| options.failed("widening of copies", error);
    let calls: Vec<_> = module
        .get_functions()
        .flat_map(llvm::instructions)
        .filter_map(|at| Some((at, overlap(&llvm::callee_name(at)?)?)))
        .collect();
    let builder = module.get_context().create_builder();
    for (at, may_overlap) in calls {
        let Some(copy) = Copy::of(at) else { continue };
        let accesses = accesses(copy.bytes, copy.align);
        let (most, in_flight) = match may_overlap {
            true => (MOST_OVERLAPPING, MOST_OVERLAPPING),
            false => (MOST, IN_FLIGHT),
        };
        if accesses.len() > most {
            continue;
        }
        builder.position_before(&at);
        for group in accesses.chunks(in_flight) {
            copy.write(&builder, module, group).map_err(failed)?;
        }
        at.erase_from_basic_block();
    }
    Ok(())
}

/// Returns `None` if an intrinsic does not copy, and otherwise whether its source and
/// destination may overlap.
fn overlap(intrinsic: &str) -> Option<bool> {
    let is = |name: &str| intrinsic.starts_with(name);
    (is("llvm.memcpy.") || is("llvm.memmove.")).then(|| is("llvm.memmove."))
}

impl<'ctx> Copy<'ctx> {
    /// Returns the copy that a call makes, if its size is known and it is not volatile.
    fn of(at: InstructionValue<'ctx>) -> Option<Self> {
        let call = CallSiteValue::try_from(at).ok()?;
        let address = |index| match at.get_operand(index)?.value()? {
            BasicValueEnum::PointerValue(address) => Some(address),
            _ => None,
        };
        let is_volatile = llvm::constant_argument(call, 3)? != 0;
        (!is_volatile).then_some(())?;
        Some(Copy {
            to: address(0)?,
            from: address(1)?,
            bytes: llvm::constant_argument(call, 2)?,
            align: align(call, 0).min(align(call, 1)),
        })
    }

    /// Writes loads and then stores for each of the group's accesses, which are an offset
    /// and a width.
    fn write(
        &self,
        builder: &Builder<'ctx>,
        module: &Module<'ctx>,
        group: &[(u64, u64)],
    ) -> Result<(), BuilderError> {
        let mut values = Vec::new();
        for &(offset, width) in group {
            let from = at(builder, module, self.from, offset)?;
            let value = builder.build_load(ty(module, width), from, "")?;
            set_align(value.as_instruction_value(), width);
            values.push(value);
        }
        for (value, &(offset, width)) in values.into_iter().zip(group) {
            let to = at(builder, module, self.to, offset)?;
            set_align(Some(builder.build_store(to, value)?), width);
        }
        Ok(())
    }
}

/// Returns the alignment that the call declares for an argument, in bytes.
fn align(call: CallSiteValue<'_>, argument: u32) -> u64 {
    let kind = Attribute::get_named_enum_kind_id("align");
    let attribute = call.get_enum_attribute(AttributeLoc::Param(argument), kind);
    attribute.map_or(1, |attribute| attribute.get_enum_value().max(1))
}

/// Returns offsets and widths. Each width is the largest that the remaining size and
/// the alignment allow.
fn accesses(bytes: u64, align: u64) -> Vec<(u64, u64)> {
    let mut accesses = Vec::new();
    let (mut offset, mut width) = (0, align.min(WIDEST));
    while offset < bytes && accesses.len() <= MOST {
        while width > bytes - offset {
            width /= 2;
        }
        accesses.push((offset, width));
        offset += width;
    }
    accesses
}

/// Returns the type of an access.
fn ty<'ctx>(module: &Module<'ctx>, width: u64) -> BasicTypeEnum<'ctx> {
    let context = module.get_context();
    match width {
        16 => context.i32_type().vec_type(4).into(),
        8 => context.i64_type().into(),
        4 => context.i32_type().into(),
        2 => context.i16_type().into(),
        _ => context.i8_type().into(),
    }
}

fn at<'ctx>(
    builder: &Builder<'ctx>,
    module: &Module<'ctx>,
    address: PointerValue<'ctx>,
    offset: u64,
) -> Result<PointerValue<'ctx>, BuilderError> {
    if offset == 0 {
        return Ok(address);
    }
    let context = module.get_context();
    let offset = context.i64_type().const_int(offset, false);
    // SAFETY: all bytes of the copy are in bounds, and the offset is within the copy.
    unsafe { builder.build_in_bounds_gep(context.i8_type(), address, &[offset], "") }
}

fn set_align(access: Option<InstructionValue<'_>>, width: u64) {
    // The widths are powers of two, and the instruction is a load or a store, so this cannot fail.
    if let (Some(access), Ok(width)) = (access, u32::try_from(width)) {
        let _ = access.set_alignment(width);
    }
}

#[cfg(test)]
mod tests {
    use super::accesses;

    #[test]
    fn accesses_are_as_wide_as_alignment_and_what_is_left_allow() {
        assert_eq!(accesses(16, 16), [(0, 16)]);
        assert_eq!(accesses(28, 32), [(0, 16), (16, 8), (24, 4)]);
        assert_eq!(accesses(16, 8), [(0, 8), (8, 8)]);
        assert_eq!(accesses(12, 4), [(0, 4), (4, 4), (8, 4)]);
        assert_eq!(accesses(3, 1), [(0, 1), (1, 1), (2, 1)]);
        assert!(accesses(0, 16).is_empty());
    }

    #[test]
    fn every_byte_is_copied_once_and_every_access_is_aligned() {
        for bytes in 0..100 {
            for align in [1, 2, 4, 8, 16, 32] {
                let mut end = 0;
                for (offset, width) in accesses(bytes, align) {
                    assert_eq!((offset, offset % width), (end, 0), "{bytes} {align}");
                    end += width;
                }
                assert!(end == bytes || end > 64, "{bytes} {align}");
            }
        }
    }
}
