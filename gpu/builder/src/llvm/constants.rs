//! What constants of a module contain, as bytes.

use inkwell::llvm_sys::core::*;
use inkwell::llvm_sys::prelude::LLVMValueRef;
use inkwell::values::{AsValueRef, GlobalValue, PointerValue};

/// The first bytes behind an address, if it is that of a constant of the module with so many.
pub(crate) fn constant_bytes(address: PointerValue<'_>, length: u64) -> Option<Vec<u8>> {
    let length = usize::try_from(length).ok()?;
    if length == 0 {
        return Some(Vec::new());
    }
    // SAFETY: the initialiser is that of a live constant.
    let mut bytes = unsafe { bytes_in(initializer(address)?)? };
    (bytes.len() >= length).then(|| {
        bytes.truncate(length);
        bytes
    })
}

/// An address, and the bytes after it, of a constant that consists of both.
pub(crate) fn pointer_and_bytes<'ctx>(
    address: PointerValue<'ctx>,
) -> Option<(PointerValue<'ctx>, Vec<u8>)> {
    let constant = initializer(address)?;
    // SAFETY: the constant is checked to be a structure of two parts, and the first to be an
    // address.
    unsafe {
        if LLVMIsAConstantStruct(constant).is_null() || LLVMGetNumOperands(constant) != 2 {
            return None;
        }
        let (pointer, bytes) = (LLVMGetOperand(constant, 0), LLVMGetOperand(constant, 1));
        if LLVMIsAGlobalVariable(pointer).is_null() {
            return None;
        }
        Some((PointerValue::new(pointer), bytes_in(bytes)?))
    }
}

/// Returns the bytes of a global whose initialiser consists of byte strings.
pub(crate) fn bytes_of(global: GlobalValue<'_>) -> Option<Vec<u8>> {
    // SAFETY: the initialiser is checked to exist, and is live as long as the global.
    unsafe {
        let value = LLVMGetInitializer(global.as_value_ref());
        if value.is_null() {
            None
        } else {
            bytes_in(value)
        }
    }
}

/// The initialiser of a constant variable, by its address.
fn initializer(address: PointerValue<'_>) -> Option<LLVMValueRef> {
    // SAFETY: the value is checked to be a variable before it is used as one.
    unsafe {
        let variable = address.as_value_ref();
        if LLVMIsAGlobalVariable(variable).is_null() || LLVMIsGlobalConstant(variable) == 0 {
            return None;
        }
        let value = LLVMGetInitializer(variable);
        (!value.is_null()).then_some(value)
    }
}

/// The bytes of a constant that consists of byte strings.
///
/// # Safety
/// The value is a live constant.
unsafe fn bytes_in(constant: LLVMValueRef) -> Option<Vec<u8>> {
    // SAFETY: the constant is checked to be of the kind that it is read as. LLVM returns the length
    // with the bytes.
    unsafe {
        if !LLVMIsAConstantDataSequential(constant).is_null() {
            let bytes = LLVMGetElementType(LLVMTypeOf(constant));
            if LLVMGetTypeKind(bytes) != inkwell::llvm_sys::LLVMTypeKind::LLVMIntegerTypeKind
                || LLVMGetIntTypeWidth(bytes) != 8
            {
                return None;
            }
            let mut length = 0;
            let start = LLVMGetAsString(constant, &mut length);
            return Some(std::slice::from_raw_parts(start.cast(), length).to_vec());
        }
        if LLVMIsAConstantStruct(constant).is_null() {
            return None;
        }
        let mut bytes = Vec::new();
        for index in 0..LLVMGetNumOperands(constant).cast_unsigned() {
            bytes.extend(bytes_in(LLVMGetOperand(constant, index))?);
        }
        Some(bytes)
    }
}
