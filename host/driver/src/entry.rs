//! From one row of the table to everything an entry point needs.
//!
//! `entry_points!` makes of each row of [`crate::api`]: the exported C symbol; its place in the table of the real driver's
//! functions; a stand-in for a real driver that is too old to have it; and an [`EntryPoint`] for lists and support pages.
//!
//! What an exported symbol does is short, because it is on the path of every launch: read one pointer; when the real
//! driver is in use it is the real function, and is called. Otherwise the simulated call runs inside [`answer`], which
//! keeps the rules that all calls share.

use crate::abi::CUresult;
use crate::backend::{self, Choice};
use crate::error::{Error, Result};
use crate::log;
use crate::objects::graph::capture;
use crate::trace;
use std::cell::Cell;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, Ordering};

/// What is known of one entry point.
#[derive(Debug, Clone, Copy)]
pub struct EntryPoint {
    /// The exported symbol, such as `cuMemAlloc_v2`.
    pub symbol: &'static str,
    /// The section of the driver API reference.
    pub section: &'static str,
    /// The CUDA version that brought it: 1000 times the major plus 10 times the minor number.
    pub since: u32,
    /// Whether the simulator does what it says; otherwise it returns `CUDA_ERROR_NOT_SUPPORTED`.
    pub simulated: bool,
    /// The exported function.
    pub(crate) address: fn() -> *const (),
}

impl EntryPoint {
    /// The name that `cuda.h` gives the newest version of this call: `cuMemAlloc_v2` without `_v2`.
    pub fn name(&self) -> &'static str {
        match self.symbol.rsplit_once("_v") {
            Some((name, version)) if version.bytes().all(|b| b.is_ascii_digit()) => name,
            _ => self.symbol,
        }
    }
}

/// When a call may be made.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum When {
    /// Before `cuInit`, and in callbacks.
    Always,
    /// After `cuInit`, and not from a function that a stream runs on the host.
    Initialised,
}

/// Set by a simulated `cuInit` that succeeded.
static INITIALISED: AtomicBool = AtomicBool::new(false);

thread_local! {
    /// Whether this thread is running a host function of a stream.
    static IN_CALLBACK: Cell<bool> = const { Cell::new(false) };
}

/// Lets every other call through from now on.
pub(crate) fn initialised() {
    INITIALISED.store(true, Ordering::Release);
}

/// Runs a stream's host function: the calls it makes are refused, as the driver API says.
pub(crate) fn in_callback(function: impl FnOnce()) {
    IN_CALLBACK.set(true);
    function();
    IN_CALLBACK.set(false);
}

/// Runs a simulated call and turns its outcome into a code, keeping the message of a failure.
pub(crate) fn answer(call: &'static str, when: When, body: impl FnOnce() -> Result) -> CUresult {
    let begun = trace::sim::begin();
    let outcome = permitted(call, when).and_then(|()| {
        catch_unwind(AssertUnwindSafe(body)).unwrap_or_else(|_| {
            let message =
                "a bug in the simulated driver (the panic above says where); please report it";
            Err(Error::loud(CUresult::ERROR_UNKNOWN, message))
        })
    });
    let code = match &outcome {
        Ok(()) => CUresult::SUCCESS,
        Err(error) => {
            // "Not yet" is an answer, not a failure.
            if error.code != CUresult::ERROR_NOT_READY {
                log::failed(call, error);
            }
            error.code
        }
    };
    log::called(call, code);
    if let Some(begun) = begun {
        begun.end(call, code);
    }
    code
}

/// The calls that may wait for the device or allocate behind the program's back, which a capture does not let through unless
/// its mode says so (driver API reference, `cuThreadExchangeStreamCaptureMode`: "potentially unsafe"); copies that wait and
/// questions about events look for themselves, after they have looked for what is worse.
const UNSAFE_IN_CAPTURE: &[&str] = &[
    "cuMemAlloc_v2",
    "cuMemAllocPitch_v2",
    "cuMemAllocManaged",
    "cuMemAllocHost_v2",
    "cuMemHostAlloc",
    "cuMemHostRegister_v2",
    "cuMemHostUnregister",
    "cuMemFree_v2",
    "cuMemFreeHost",
    "cuArrayCreate_v2",
    "cuArray3DCreate_v2",
    "cuArrayDestroy",
];

/// The rules that hold for every call.
fn permitted(call: &'static str, when: When) -> Result {
    if when == When::Always {
        return Ok(());
    }
    if let Choice::Impossible(error) = backend::choice() {
        return Err(error.clone());
    }
    if !INITIALISED.load(Ordering::Acquire) {
        crate::error::fail!(
            ERROR_NOT_INITIALIZED,
            "the driver is not initialised; call cuInit(0) first"
        );
    }
    if IN_CALLBACK.get() {
        crate::error::fail!(
            ERROR_NOT_PERMITTED,
            "a function that a stream runs on the host must not call the driver; hand the work to another thread"
        );
    }
    if capture::any() && UNSAFE_IN_CAPTURE.contains(&call) {
        capture::permit_unsafe()?;
    }
    Ok(())
}

/// The answer of a call that the simulator does not have.
pub(crate) fn unsupported(call: &'static str) -> Result {
    Err(Error::loud(
        CUresult::ERROR_NOT_SUPPORTED,
        format_args!(
            "the simulated driver does not have {call} yet; on a GPU it goes to NVIDIA's driver"
        ),
    ))
}

/// The answer of a call that the machine's real driver does not have.
pub(crate) fn missing(call: &'static str) -> CUresult {
    let message = format!(
        "this machine's libcuda.so.1 has no {call}; a newer NVIDIA driver is needed for it"
    );
    log::failed(
        call,
        &Error::loud(CUresult::ERROR_CALL_REQUIRES_NEWER_DRIVER, message),
    );
    CUresult::ERROR_CALL_REQUIRES_NEWER_DRIVER
}

/// Makes the entry points of a table; see the head of `api.rs` for the rows.
macro_rules! entry_points {
    ($($section:literal {
        $($since:literal $name:ident($($arg:ident: $type:ty),* $(,)?) = $($how:ident)::+ $(, $early:ident)?;)*
    })*) => {
        /// The real driver's functions; null while the simulator answers.
        #[allow(non_snake_case, reason = "the names are those of cuda.h")]
        struct Real {
            $($($name: AtomicPtr<()>,)*)*
        }

        static REAL: Real = Real { $($($name: AtomicPtr::new(std::ptr::null_mut()),)*)* };

        /// The same while a trace is made of them, when [`REAL`] stays null.
        static TRACED: Real = Real { $($($name: AtomicPtr::new(std::ptr::null_mut()),)*)* };

        /// Sends every call to the real driver from now on; `find` looks a symbol up in it. With `traced`, by way of the trace.
        pub(crate) fn pass_through(find: impl Fn(&'static str) -> Option<*mut ()>, traced: bool) {
            let table = if traced { &TRACED } else { &REAL };
            $($({
                /// Stands in for the function in a real driver that lacks it.
                unsafe extern "C" fn missing($(_: $type),*) -> CUresult {
                    entry::missing(stringify!($name))
                }
                let stand_in: unsafe extern "C" fn($($type),*) -> CUresult = missing;
                table.$name.store(find(stringify!($name)).unwrap_or(stand_in as *mut ()), Ordering::Release);
            })*)*
        }

        /// Every entry point, in the order of the driver API reference.
        pub static ENTRY_POINTS: &[EntryPoint] = &[$($(EntryPoint {
            symbol: stringify!($name),
            section: $section,
            since: $since,
            simulated: entry_points!(@simulated $($how)::+),
            address: || $name as *const (),
        },)*)*];

        $($(
            #[doc = concat!("`", stringify!($name), "` of the CUDA driver API, section \"", $section, "\".")]
            ///
            /// # Safety
            /// As the driver API reference says: what pointers point at must be as large and live as long as it asks.
            #[unsafe(no_mangle)]
            #[allow(non_snake_case, clippy::too_many_arguments, reason = "the signature is that of cuda.h")]
            pub unsafe extern "C" fn $name($($arg: $type),*) -> CUresult {
                let real = REAL.$name.load(Ordering::Acquire);
                if !real.is_null() {
                    // SAFETY: `pass_through` stored a function of this name from the real driver, whose C signature the
                    // row states, or the stand-in, which has it.
                    let real: unsafe extern "C" fn($($type),*) -> CUresult = unsafe { std::mem::transmute(real) };
                    // SAFETY: the caller keeps the real function's contract.
                    return unsafe { real($($arg),*) };
                }
                if trace::real::is_on() {
                    let real = TRACED.$name.load(Ordering::Acquire);
                    // SAFETY: as above; all of the table was filled before the trace was turned on.
                    let real: unsafe extern "C" fn($($type),*) -> CUresult = unsafe { std::mem::transmute(real) };
                    // SAFETY: as above.
                    return trace::real::call(stringify!($name), &[$(trace::real::word(&$arg)),*], || unsafe { real($($arg),*) });
                }
                entry_points!(@answer $name ($($arg),*) $($how)::+ $(, $early)?)
            }
        )*)*
    };
    (@simulated unsupported) => { false };
    (@simulated $($how:ident)::+) => { true };
    (@answer $name:ident ($($arg:ident),*) unsupported) => {{
        $(let _ = $arg;)*
        entry::answer(stringify!($name), When::Initialised, || entry::unsupported(stringify!($name)))
    }};
    (@answer $name:ident ($($arg:ident),*) $($how:ident)::+, always) => {
        // SAFETY: the caller keeps the contract of the C function, which is that of its simulation.
        entry::answer(stringify!($name), When::Always, || unsafe { calls::$($how)::+($($arg),*) })
    };
    (@answer $name:ident ($($arg:ident),*) $($how:ident)::+) => {
        // SAFETY: the caller keeps the contract of the C function, which is that of its simulation.
        entry::answer(stringify!($name), When::Initialised, || unsafe { calls::$($how)::+($($arg),*) })
    };
}

pub(crate) use entry_points;
