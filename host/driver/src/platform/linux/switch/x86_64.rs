//! Registers of the interrupted code, and a call on another stack.

use libc::{c_int, c_void, ucontext_t};

pub(in crate::platform) const IS_KNOWN: bool = true;

fn register(context: *mut c_void, number: c_int) -> Option<i64> {
    // SAFETY: with `SA_SIGINFO` the kernel gives the interrupted thread's context.
    let context = unsafe { context.cast::<ucontext_t>().as_ref() };
    context.map(|it| it.uc_mcontext.gregs[number as usize])
}

pub(in crate::platform) fn is_write(context: *mut c_void) -> Option<bool> {
    register(context, libc::REG_ERR).map(|error| error & 2 != 0)
}

pub(in crate::platform) fn stack_pointer(context: *mut c_void) -> Option<usize> {
    register(context, libc::REG_RSP).map(|at| at as usize)
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
        "push rbp",
        ".cfi_def_cfa_offset 16",
        ".cfi_offset rbp, -16",
        "mov rbp, rsp",
        ".cfi_def_cfa_register rbp",
        "mov rsp, rdi",
        "mov rdi, rdx",
        "call rsi",
        "mov rsp, rbp",
        "pop rbp",
        ".cfi_def_cfa rsp, 8",
        "ret",
        ".cfi_endproc",
    )
}
