//! Registers of the interrupted code, and a call on another stack.

use libc::{c_void, ucontext_t};

pub(in crate::platform) const IS_KNOWN: bool = true;

pub(in crate::platform) fn is_write(_context: *mut c_void) -> Option<bool> {
    None
}

pub(in crate::platform) fn stack_pointer(context: *mut c_void) -> Option<usize> {
    // SAFETY: with `SA_SIGINFO` the kernel gives the interrupted thread's context.
    let context = unsafe { context.cast::<ucontext_t>().as_ref() };
    context.map(|it| it.uc_mcontext.sp as usize)
}

/// Calls a function with the stack pointer at `top`.
///
/// # Safety
/// `top` must be a multiple of 16, with unused stack below it.
#[unsafe(naked)]
pub(in crate::platform) unsafe extern "C" fn call_on(
    top: *mut c_void,
    call: extern "C" fn(*mut c_void),
    data: *mut c_void,
) {
    // A frame pointer, so that the callers can be unwound.
    std::arch::naked_asm!(
        ".cfi_startproc",
        "stp x29, x30, [sp, #-16]!",
        ".cfi_def_cfa_offset 16",
        ".cfi_offset x29, -16",
        ".cfi_offset x30, -8",
        "mov x29, sp",
        ".cfi_def_cfa x29, 16",
        "mov sp, x0",
        "mov x0, x2",
        "blr x1",
        "mov sp, x29",
        ".cfi_def_cfa sp, 16",
        "ldp x29, x30, [sp], #16",
        ".cfi_def_cfa_offset 0",
        "ret",
        ".cfi_endproc",
    )
}
