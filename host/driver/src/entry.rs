//! Everything that an entry point needs, made from one row of the table.
//!
//! `entry_points!` makes these from each row of [`crate::api`]: the exported C symbol; its slot in
//! the table of the real driver's functions; a stand-in for a real driver that is too old to have
//! the function; and an [`EntryPoint`](crate::EntryPoint) for lists and support pages.
//!
//! An exported symbol does little, because every launch goes through it. It reads one pointer. If
//! the real driver is in use, this is the real function, and the symbol calls it. Otherwise the
//! simulated call runs inside [`answer`], which applies the rules that all calls share.
//!
//! There are two functions of each name. The one in `api` returns the driver's code unchanged. The
//! exported C symbol calls that function and passes the code to [`told`], because `cust` declares
//! results as a Rust enum. A code that the enum lacks, for example of a newer driver, would be
//! undefined behaviour there.

use crate::abi::CUresult;
use crate::backend::{self, Choice};
use crate::calling;
use crate::drop_in;
use crate::entry_point::row::{CallTime, Columns, DefaultStream};
use crate::entry_point::{self, Table};
use crate::error::{Error, Result};
use crate::log;
use crate::objects::context;
use crate::objects::graph::capture;
use crate::objects::submission::host_access;
use crate::objects::submission::traced;
use crate::trace;
use std::cell::Cell;
use std::panic::{AssertUnwindSafe, catch_unwind};

/// Runs a simulated call and converts its outcome into a code. Keeps the message of a failure.
///
/// The body is passed as a reference, so that this function is compiled once and not for
/// each entry point.
pub(crate) fn answer(
    table: &'static Table,
    call: &'static str,
    columns: &Columns,
    stream: DefaultStream,
    body: &mut dyn FnMut() -> Result,
) -> CUresult {
    entry_point::know(table);
    let run = || calling::inside(call, || answer_inside(call, columns, stream, body));
    catch_unwind(AssertUnwindSafe(run)).unwrap_or_else(|payload| {
        // The payload may be a program's, of a function that prints what kernels print. Its own
        // destructor may panic.
        std::mem::forget(payload);
        let error = Error::panicked();
        // What the call was changing may be half changed, so nothing more may run on it.
        let faulted = AssertUnwindSafe(|| {
            if let Ok(context) = context::current_even_faulted() {
                context.set_fault(error.clone());
            }
        });
        let _ = catch_unwind(faulted);
        log::failed(call, &error);
        error.code
    })
}

/// Does what [`answer`] does, but for a panic.
fn answer_inside(
    call: &'static str,
    columns: &Columns,
    stream: DefaultStream,
    body: &mut dyn FnMut() -> Result,
) -> CUresult {
    host_access::tell();
    let begun = trace::sim::begin(traced::device_of_call);
    let outcome = permitted(columns).and_then(|()| calling::with_default_stream(stream, body));
    let code = match &outcome {
        Ok(()) => CUresult::SUCCESS,
        Err(error) => {
            // "Not ready" is a result and not a failure. A missing optional call is
            // no failure either.
            if error.code != CUresult::ERROR_NOT_READY && !columns.optional {
                log::failed(call, error);
            }
            error.code
        }
    };
    log::called(call, code);
    if let Some(begun) = begun {
        begun.end(call, code);
    }
    host_access::settle();
    code
}

/// Checks the rules that hold for every call.
fn permitted(columns: &Columns) -> Result {
    if columns.when == CallTime::Always {
        return Ok(());
    }
    if let Choice::Impossible(error) = backend::choice() {
        return Err(error.clone());
    }
    if backend::is_forked() {
        return Err(backend::forked());
    }
    if !backend::is_initialised() {
        crate::error::fail!(
            ERROR_NOT_INITIALIZED,
            "the driver is not initialised; call cuInit(0) first"
        );
    }
    if calling::is_in_callback() {
        crate::error::fail!(
            ERROR_NOT_PERMITTED,
            "a function that a stream runs on the host must not call the driver; hand the work to another thread"
        );
    }
    if columns.unsafe_in_capture && capture::any() {
        capture::permit_unsafe()?;
    }
    Ok(())
}

/// Returns the error of a call that the simulator does not have.
pub(crate) fn unsupported(call: &'static str) -> Result {
    Err(Error::loud(
        CUresult::ERROR_NOT_SUPPORTED,
        format_args!(
            "the simulated driver does not have {call} yet; on a GPU it goes to NVIDIA's driver"
        ),
    ))
}

/// Returns the error of a call of CUDA 3.1 and before, whose addresses and sizes have 32 bits. The
/// memory here has addresses of 64 bits.
pub(crate) fn narrow(call: &'static str) -> Result {
    Err(Error::loud(
        CUresult::ERROR_NOT_SUPPORTED,
        format_args!(
            "{call} is the call of CUDA 3.1 and before, with addresses and sizes of 32 bits; a program of today means {call}_v2, \
             which cuda.h has under this name"
        ),
    ))
}

/// Returns the error code of a call that the machine's real driver does not have.
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

thread_local! {
    /// The code of this thread's last failed call through an exported symbol.
    static LAST_CODE: Cell<u32> = const { Cell::new(0) };
}

/// Returns the number that the last failed call of this thread returned, whichever crate declared
/// the function; 0 if no call has failed. `cust` has the codes of CUDA 11 only and reports all
/// others as `UnknownError`. This function returns the driver's own number.
pub fn last_code() -> u32 {
    LAST_CODE.get()
}

/// Returns the code that the caller of an exported symbol gets.
///
/// The drop-in library returns the code unchanged, because its callers read an integer. In a Rust
/// program the caller may be `cust`, so the result is a code that `cust` has.
pub(crate) fn told(code: CUresult) -> CUresult {
    if code == CUresult::SUCCESS {
        return code;
    }
    LAST_CODE.set(code.0);
    if drop_in::is_this() {
        code
    } else {
        code.as_cust_has_it()
    }
}

/// Makes the entry points of a table; see the head of `api.rs` for the rows.
macro_rules! entry_points {
    ($($section:literal {
        $($since:literal $name:ident $(| $thread_since:literal $thread:ident)? ($($arg:ident: $type:ty),* $(,)?)
            = $($how:ident)::+ $(, $column:ident $(($($of:tt)*))?)*;)*
    })*) => {
        /// The real driver's functions; null while the simulator executes the calls.
        #[allow(non_snake_case, reason = "the names are those of cuda.h")]
        struct Real {
            $($($name: AtomicPtr<()>, $($thread: AtomicPtr<()>,)?)*)*
        }

        static REAL: Real = Real {
            $($($name: AtomicPtr::new(std::ptr::null_mut()), $($thread: AtomicPtr::new(std::ptr::null_mut()),)?)*)*
        };

        /// The same functions while they are traced; then [`REAL`] stays null.
        static TRACED: Real = Real {
            $($($name: AtomicPtr::new(std::ptr::null_mut()), $($thread: AtomicPtr::new(std::ptr::null_mut()),)?)*)*
        };

        /// The slots for the function of each symbol, and for that of its per-thread variant.
        static SLOTS: &[[Option<Slot>; 2]] = &[$($([
            entry_points!(@slot [$name] ($($type),*)),
            entry_points!(@slot [$($thread)?] ($($type),*)),
        ],)*)*];

        /// Every entry point, in the order of the driver API reference.
        pub static ENTRY_POINTS: &[EntryPoint] = &[$($(EntryPoint {
            symbol: stringify!($name),
            section: $section,
            since: $since,
            simulated: entry_points!(@simulated $($how)::+),
            per_thread: entry_points!(@per_thread $($thread_since $thread)?),
            columns: Columns::NONE$(.$column($($($of)*)?))*,
            address: || $name as *const (),
        },)*)*];

        /// The entry points and the slots, for the rest of the crate.
        static TABLE: Table = Table { entry_points: ENTRY_POINTS, slots: SLOTS };

        $($(
            entry_points!(@define [$name] $section ($($arg: $type),*) [$($how)::+] Legacy { Columns::NONE$(.$column($($($of)*)?))* });
            entry_points!(@define [$($thread)?] $section ($($arg: $type),*) [$($how)::+] PerThread { Columns::NONE$(.$column($($($of)*)?))* });
        )*)*

        /// The exported C symbols: the functions of [`super`], which return only codes that their
        /// caller can hold.
        pub mod exported {
            use super::*;

            $($(
                entry_points!(@export [$name] ($($arg: $type),*));
                entry_points!(@export [$($thread)?] ($($arg: $type),*));
            )*)*
        }
    };
    (@simulated unsupported) => { false };
    (@simulated narrow) => { false };
    (@simulated $($how:ident)::+) => { true };
    (@per_thread) => { None };
    (@per_thread $since:literal $name:ident) => {
        Some(PerThread { symbol: stringify!($name), since: $since, address: || $name as *const () })
    };
    (@slot [] $types:tt) => { None };
    (@slot [$name:ident] ($($type:ty),*)) => {{
        /// Replaces the function if the real driver lacks it.
        unsafe extern "C" fn missing($(_: $type),*) -> CUresult {
            entry::missing(stringify!($name))
        }
        Some(Slot {
            symbol: stringify!($name),
            real: &REAL.$name,
            traced: &TRACED.$name,
            stand_in: || {
                let stand_in: unsafe extern "C" fn($($type),*) -> CUresult = missing;
                stand_in as *mut ()
            },
        })
    }};
    (@define [] $($row:tt)*) => {};
    (@define [$name:ident] $section:literal ($($arg:ident: $type:ty),*) $how:tt $stream:ident $columns:block) => {
        #[doc = concat!("`", stringify!($name), "` of the CUDA driver API, section \"", $section, "\".")]
        ///
        /// # Safety
        /// The contract is that of the driver API reference: memory that pointers point at must be
        /// as large and live as long as the reference requires.
        #[inline(never)] // The exported function of this name calls it, and would be a copy of it.
        #[allow(non_snake_case, clippy::too_many_arguments, reason = "the signature is that of cuda.h")]
        pub unsafe extern "C" fn $name($($arg: $type),*) -> CUresult {
            const COLUMNS: Columns = $columns;
            let real = REAL.$name.load(Ordering::Acquire);
            if !real.is_null() {
                // SAFETY: `pass_through` stored a function of this name from the real driver, or
                // the stand-in. The row states its C signature, which the stand-in has too.
                let real: unsafe extern "C" fn($($type),*) -> CUresult = unsafe { std::mem::transmute(real) };
                // SAFETY: the caller keeps the real function's contract.
                let code = unsafe { real($($arg),*) };
                if code != CUresult::SUCCESS || COLUMNS.code.is_some() {
                    let arguments = [$(trace::real::word(&$arg)),*];
                    panics::real::after(stringify!($name), COLUMNS.code, code, &arguments);
                }
                return code;
            }
            if trace::real::is_on() {
                let real = TRACED.$name.load(Ordering::Acquire);
                // SAFETY: as above. The whole table was filled before the trace was turned on.
                let real: unsafe extern "C" fn($($type),*) -> CUresult = unsafe { std::mem::transmute(real) };
                let arguments = [$(trace::real::word(&$arg)),*];
                // SAFETY: as above.
                let code = trace::real::call(stringify!($name), &COLUMNS, &arguments, &mut || unsafe { real($($arg),*) });
                panics::real::after(stringify!($name), COLUMNS.code, code, &arguments);
                return code;
            }
            entry_points!(@answer $name ($($arg),*) $how DefaultStream::$stream)
        }
    };
    (@answer $name:ident ($($arg:ident),*) [unsupported] $stream:path) => {{
        $(let _ = $arg;)*
        entry::answer(&TABLE, stringify!($name), &COLUMNS, $stream, &mut || entry::unsupported(stringify!($name)))
    }};
    (@answer $name:ident ($($arg:ident),*) [narrow] $stream:path) => {{
        $(let _ = $arg;)*
        entry::answer(&TABLE, stringify!($name), &COLUMNS, $stream, &mut || entry::narrow(stringify!($name)))
    }};
    (@answer $name:ident ($($arg:ident),*) [$($how:ident)::+] $stream:path) => {
        // SAFETY: the caller keeps the contract of the C function. The simulation has
        // the same contract.
        entry::answer(&TABLE, stringify!($name), &COLUMNS, $stream, &mut || unsafe { calls::$($how)::+($($arg),*) })
    };
    (@export [] $types:tt) => {};
    (@export [$name:ident] ($($arg:ident: $type:ty),*)) => {
        #[doc = concat!("The exported symbol `", stringify!($name), "`.")]
        ///
        /// # Safety
        /// The contract is that of the function of this name in [`super`].
        #[unsafe(no_mangle)]
        #[allow(non_snake_case, clippy::too_many_arguments, reason = "the signature is that of cuda.h")]
        pub unsafe extern "C" fn $name($($arg: $type),*) -> CUresult {
            // SAFETY: the caller keeps the contract of the function of this name.
            entry::told(unsafe { super::$name($($arg),*) })
        }
    };
}

pub(crate) use entry_points;
