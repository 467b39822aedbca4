//! LLVM's errors as values.
//!
//! LLVM reports what it cannot compile in three ways: as a returned message, as a diagnostic of the
//! context (whose default handler ends the process), and as a "fatal error" (after which it calls
//! `abort`). [`Diagnostics`] collects the diagnostics. [`spawn`] handles fatal errors by running
//! the work on a thread of its own. The handler of a fatal error must not return, so it sends the
//! message and lets that thread sleep forever. An error that LLVM does not report at all is a
//! crash: see `crash`.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::ffi::{CStr, c_char, c_void};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError, Sender};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::{Duration, Instant};

use inkwell::context::Context;
use inkwell::llvm_sys::LLVMDiagnosticSeverity;
use inkwell::llvm_sys::core::{
    LLVMContextSetDiagnosticHandler, LLVMDisposeMessage, LLVMGetDiagInfoDescription,
    LLVMGetDiagInfoSeverity,
};
use inkwell::llvm_sys::error_handling::LLVMInstallFatalErrorHandler;
use inkwell::llvm_sys::prelude::LLVMDiagnosticInfoRef;

use super::crash;

type OnFatal = Box<dyn Fn(Fatal)>;

/// A fatal error, which ended the work.
#[derive(Clone, Debug)]
pub(crate) struct Fatal {
    /// LLVM's message about the error.
    pub(crate) reason: String,
    /// The intrinsic that could not be compiled and the place of a call of it, if this
    /// was the cause.
    pub(crate) intrinsic: Option<(String, String)>,
    /// The signal and the stage, if LLVM crashed.
    pub(crate) crash: Option<(&'static str, &'static str)>,
}

impl Fatal {
    fn new(reason: String) -> Fatal {
        let name = reason
            .split_once("Cannot select: intrinsic %")
            .and_then(|(_, rest)| rest.split_whitespace().next());
        let intrinsic = name.and_then(|name| {
            PLACES.with_borrow(|places| Some((name.to_owned(), places.get(name)?.clone())))
        });
        Fatal {
            reason,
            intrinsic,
            crash: None,
        }
    }
}

thread_local! {
    /// Sends a fatal error's message to the thread that waits for this one.
    static ON_FATAL: RefCell<Option<OnFatal>> = const { RefCell::new(None) };
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
    let somebody_waits =
        ON_FATAL.with_borrow(|send| send.as_ref().map(|send| send(Fatal::new(reason))).is_some());
    if somebody_waits {
        loop {
            thread::park();
        }
    }
    // No thread waits for this one, so this function returns and LLVM ends the process.
}

/// How often a waiting thread checks whether LLVM crashed. A signal handler cannot wake a thread.
const LOOK: Duration = Duration::from_millis(50);

/// The future result of a thread from [`spawn`].
pub(crate) struct Pending<T> {
    result: Receiver<Result<T, Fatal>>,
    state: Arc<crash::State>,
}

impl<T> Pending<T> {
    /// Waits for the result. `Err` is the fatal error or the crash that ended the work.
    pub(crate) fn wait(self) -> Result<T, Fatal> {
        loop {
            if let Some(result) = self.wait_until(Instant::now() + LOOK) {
                return result;
            }
        }
    }

    /// Waits until `end` at the latest. `None` means that there is no result yet.
    pub(crate) fn wait_until(&self, end: Instant) -> Option<Result<T, Fatal>> {
        let fatal = |reason: &str| Fatal::new(reason.to_owned());
        loop {
            let left = end.saturating_duration_since(Instant::now());
            match self.result.recv_timeout(left.min(LOOK)) {
                Ok(result) => return Some(result),
                Err(RecvTimeoutError::Disconnected) => {
                    return Some(Err(fatal(
                        "the thread that ran LLVM ended without an answer",
                    )));
                }
                Err(RecvTimeoutError::Timeout) => {}
            }
            if let Some(crash) = self.state.crash() {
                return Some(Err(Fatal {
                    crash: Some(crash),
                    ..fatal("LLVM crashed")
                }));
            }
            if Instant::now() >= end {
                return None;
            }
        }
    }
}

/// Runs `work` on a thread of its own. There a fatal error or a crash ends only the work,
/// not the process.
pub(crate) fn spawn<T: Send + 'static>(work: impl FnOnce() -> T + Send + 'static) -> Pending<T> {
    let (sender, receiver) = mpsc::channel();
    let fatal: Sender<Result<T, Fatal>> = sender.clone();
    let state = Arc::new(crash::State::default());
    let own = state.clone();
    let run = move || {
        ON_FATAL.set(Some(Box::new(move |reason| drop(fatal.send(Err(reason))))));
        let value = crash::watched(&own, work);
        ON_FATAL.set(None);
        drop(sender.send(Ok(value)));
    };
    // If the thread cannot be started, the sender is dropped, and the wait ends with its error.
    drop(
        thread::Builder::new()
            .name("llvm".into())
            .stack_size(64 << 20)
            .spawn(run),
    );
    Pending {
        result: receiver,
        state,
    }
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
