//! LLVM's errors as values.
//!
//! LLVM reports what it cannot compile in three ways: as a returned message, as a diagnostic of the
//! context (whose default handler ends the process), and as a "fatal error" (after which it calls
//! `abort`). [`Diagnostics`] keeps the second; [`spawn`] keeps the third, by running the work on a
//! thread of its own: the fatal error's handler must not return, so it hands over the message and
//! lets that thread sleep for good. What LLVM does not report at all is a crash, see `crash`.

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
    /// What LLVM said.
    pub(crate) reason: String,
    /// The intrinsic that could not be compiled and the place of a call of it, if that is what it
    /// was.
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
    /// Hands a fatal error's message to whoever waits for this thread.
    static ON_FATAL: RefCell<Option<OnFatal>> = const { RefCell::new(None) };
    /// Where the module that this thread compiles calls LLVM's intrinsics, by their names.
    static PLACES: RefCell<BTreeMap<String, String>> = const { RefCell::new(BTreeMap::new()) };
}

/// Tells this thread's fatal errors where intrinsics are called: LLVM gives up without a place.
pub(crate) fn remember_places(places: BTreeMap<String, String>) {
    PLACES.set(places);
}

/// Installs the handler of fatal errors; once a process.
pub(super) fn install() {
    // SAFETY: `on_fatal_error` has the type that LLVM asks for and lives as long as the process.
    unsafe { LLVMInstallFatalErrorHandler(Some(on_fatal_error)) };
}

extern "C" fn on_fatal_error(reason: *const c_char) {
    // SAFETY: LLVM passes a C string that lives during this call.
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
    // Nobody waits: returning lets LLVM end the process, as it would without us.
}

/// How often a waiting thread looks whether LLVM crashed: a signal's handler can wake nobody.
const LOOK: Duration = Duration::from_millis(50);

/// A result on its way from a thread of [`spawn`].
pub(crate) struct Pending<T> {
    result: Receiver<Result<T, Fatal>>,
    state: Arc<crash::State>,
}

impl<T> Pending<T> {
    /// Waits; `Err` is the fatal error or the crash that ended the work.
    pub(crate) fn wait(self) -> Result<T, Fatal> {
        loop {
            if let Some(result) = self.wait_until(Instant::now() + LOOK) {
                return result;
            }
        }
    }

    /// Waits no longer than `end`; `None` is no answer yet.
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

/// Runs `work` on a thread of its own, where a fatal error or a crash ends the work and not the
/// process.
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
    // Without a thread the sender is dropped, and the wait ends with its error.
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
    /// Collects the errors of `context` from now on; must outlive its use.
    pub(crate) fn collect(context: &Context) -> Diagnostics {
        let list = Box::new(Mutex::new(Vec::new()));
        let pointer: *const Mutex<Vec<String>> = &*list;
        // SAFETY: the box gives the list a fixed address, and the caller keeps it as long as the
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

    /// The errors so far, one a line; `None` when there were none.
    pub(crate) fn errors(&self) -> Option<String> {
        let list = self
            .0
            .lock()
            .unwrap_or_else(|poisoned| poisoned.into_inner());
        (!list.is_empty()).then(|| list.join("\n"))
    }
}

extern "C" fn on_diagnostic(info: LLVMDiagnosticInfoRef, list: *mut c_void) {
    // SAFETY: `list` is the one that `Diagnostics::collect` registered; `info` and the text live
    // during this call.
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
