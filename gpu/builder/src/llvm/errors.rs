//! LLVM's errors as values.
//!
//! LLVM reports what it cannot compile in three ways: as a returned message, as a diagnostic of the
//! context (whose default handler ends the process), and as a "fatal error" (after which it calls
//! `abort`). [`Diagnostics`] collects the diagnostics. A fatal error is this process's last
//! message. An error that LLVM does not report at all is a crash: see `crate::process`.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::ffi::{CStr, c_char, c_void};
use std::sync::Mutex;

use inkwell::context::Context;
use inkwell::llvm_sys::LLVMDiagnosticSeverity;
use inkwell::llvm_sys::core::{
    LLVMContextSetDiagnosticHandler, LLVMDisposeMessage, LLVMGetDiagInfoDescription,
    LLVMGetDiagInfoSeverity,
};
use inkwell::llvm_sys::error_handling::LLVMInstallFatalErrorHandler;
use inkwell::llvm_sys::prelude::LLVMDiagnosticInfoRef;

use super::answer::{self, Fatal};

thread_local! {
    /// The places where the module of this thread calls LLVM's intrinsics, by
    /// the intrinsics' names.
    static PLACES: RefCell<BTreeMap<String, String>> = const { RefCell::new(BTreeMap::new()) };
}

/// Stores where intrinsics are called, for this thread's fatal errors. LLVM's own message
/// has no place.
pub(crate) fn remember_places(places: BTreeMap<String, String>) {
    PLACES.set(places);
}

/// Installs the handler of fatal errors, once per process.
pub(super) fn install() {
    // SAFETY: `on_fatal_error` has the type that LLVM requires and exists for the whole process.
    unsafe { LLVMInstallFatalErrorHandler(Some(on_fatal_error)) };
}

extern "C" fn on_fatal_error(reason: *const c_char) {
    // SAFETY: LLVM passes a C string that is valid during this call.
    let reason = unsafe { CStr::from_ptr(reason) }
        .to_string_lossy()
        .into_owned();
    let name = reason
        .split_once("Cannot select: intrinsic %")
        .and_then(|(_, rest)| rest.split_whitespace().next());
    let intrinsic = name.and_then(|name| {
        PLACES.with_borrow(|places| Some((name.to_owned(), places.get(name)?.clone())))
    });
    answer::fail(Fatal { reason, intrinsic })
}

/// The errors that LLVM reported to a context.
pub(crate) struct Diagnostics(Box<Mutex<Vec<String>>>);

impl Diagnostics {
    /// Collects the errors of `context` from now on. The value must outlive the context's use.
    pub(crate) fn collect(context: &Context) -> Diagnostics {
        let list = Box::new(Mutex::new(Vec::new()));
        let pointer: *const Mutex<Vec<String>> = &*list;
        // SAFETY: the box gives the list a fixed address, and the caller keeps the box while the
        // context is used.
        unsafe {
            LLVMContextSetDiagnosticHandler(
                context.raw(),
                Some(on_diagnostic),
                pointer.cast_mut().cast(),
            );
        }
        Diagnostics(list)
    }

    /// Returns the errors so far, one per line, or `None` if there were none.
    pub(crate) fn errors(&self) -> Option<String> {
        let list = self
            .0
            .lock()
            .unwrap_or_else(|poisoned| poisoned.into_inner());
        (!list.is_empty()).then(|| list.join("\n"))
    }
}

extern "C" fn on_diagnostic(info: LLVMDiagnosticInfoRef, list: *mut c_void) {
    // SAFETY: `list` is the one that `Diagnostics::collect` registered. `info` and the text are
    // valid during this call.
    unsafe {
        if LLVMGetDiagInfoSeverity(info) != LLVMDiagnosticSeverity::LLVMDSError {
            return;
        }
        let text = LLVMGetDiagInfoDescription(info);
        let owned = CStr::from_ptr(text).to_string_lossy().into_owned();
        LLVMDisposeMessage(text);
        let list = &*list.cast::<Mutex<Vec<String>>>();
        list.lock()
            .unwrap_or_else(|poisoned| poisoned.into_inner())
            .push(owned);
    }
}
