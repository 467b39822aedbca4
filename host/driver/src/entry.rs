//! From one row of the table to everything an entry point needs.
//!
//! `entry_points!` makes of each row of [`crate::api`]: the exported C symbol; its place in the
//! table of the real driver's functions; a stand-in for a real driver that is too old to have it;
//! and an [`EntryPoint`](crate::EntryPoint) for lists and support pages.
//!
//! What an exported symbol does is short, because it is on the path of every launch: read one
//! pointer; when the real driver is in use it is the real function, and is called. Otherwise the
//! simulated call runs inside [`answer`], which keeps the rules that all calls share.
//!
//! There are two functions of each name. The one in `api` returns the driver's code as it is. The
//! exported C symbol calls it and hands the code to [`told`], because `cust` declares results as a
//! Rust enum: a code which that enum lacks, of a newer driver say, would be undefined behaviour
//! there.

use crate::abi::CUresult;
use crate::backend::{self, Choice};
use crate::calling;
use crate::drop_in;
use crate::entry_point::row::{CallTime, Columns, DefaultStream};
use crate::entry_point::{self, Table};
use crate::error::{Error, Result};
use crate::log;
use crate::objects::graph::capture;
use crate::objects::submission::host_access;
use crate::objects::submission::traced;
use crate::trace;
use std::cell::Cell;
use std::panic::{AssertUnwindSafe, catch_unwind};

/// Runs a simulated call and turns its outcome into a code, keeping the message of a failure.
///
/// The body comes as a reference, so that this function is compiled once and not for each entry
/// point.
pub(crate) fn answer(
    table: &'static Table,
    call: &'static str,
    columns: &Columns,
    stream: DefaultStream,
    body: &mut dyn FnMut() -> Result,
) -> CUresult {
    entry_point::know(table);
    calling::begin(call);
    host_access::tell();
    let begun = trace::sim::begin(traced::device_of_call);
    let outcome = permitted(columns).and_then(|()| {
        let body = AssertUnwindSafe(|| calling::with_default_stream(stream, body));
        catch_unwind(body).unwrap_or_else(|_| {
            let message =
                "a bug in the simulated driver (the panic above says where); please report it";
            Err(Error::loud(CUresult::ERROR_UNKNOWN, message))
        })
    });
    let code = match &outcome {
        Ok(()) => CUresult::SUCCESS,
        Err(error) => {
            // "Not yet" is an answer, not a failure, and neither is the lack of what nobody needs.
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
    calling::end();
    code
}

/// The rules that hold for every call.
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

/// The answer of a call that the simulator does not have.
pub(crate) fn unsupported(call: &'static str) -> Result {
    Err(Error::loud(
        CUresult::ERROR_NOT_SUPPORTED,
        format_args!(
            "the simulated driver does not have {call} yet; on a GPU it goes to NVIDIA's driver"
        ),
    ))
}

/// The answer of a call of CUDA 3.1 and before whose addresses and sizes have 32 bits, where memory
/// has 64.
pub(crate) fn narrow(call: &'static str) -> Result {
    Err(Error::loud(
        CUresult::ERROR_NOT_SUPPORTED,
        format_args!(
            "{call} is the call of CUDA 3.1 and before, with addresses and sizes of 32 bits; a program of today means {call}_v2, \
             which cuda.h has under this name"
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

thread_local! {
    /// The code of this thread's last call through an exported symbol that failed.
    static LAST_CODE: Cell<u32> = const { Cell::new(0) };
}

/// The number that the last failing call of this thread returned, through whichever crate's
/// declaration it was made: 0 if none has failed. `cust` knows the codes of CUDA 11 only and has
/// all others as `UnknownError`; the driver's own number is here.
pub fn last_code() -> u32 {
    LAST_CODE.get()
}

/// What the caller of an exported symbol gets for a code.
///
/// In the drop-in library, whose callers read an integer, that is the code. Linked into a Rust
/// program, whose caller may be `cust`, it is a code that `cust` has.
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
        /// The real driver's functions; null while the simulator answers.
        #[allow(non_snake_case, reason = "the names are those of cuda.h")]
        struct Real {
            $($($name: AtomicPtr<()>, $($thread: AtomicPtr<()>,)?)*)*
        }

        static REAL: Real = Real {
            $($($name: AtomicPtr::new(std::ptr::null_mut()), $($thread: AtomicPtr::new(std::ptr::null_mut()),)?)*)*
        };

        /// The same while a trace is made of them, when [`REAL`] stays null.
        static TRACED: Real = Real {
            $($($name: AtomicPtr::new(std::ptr::null_mut()), $($thread: AtomicPtr::new(std::ptr::null_mut()),)?)*)*
        };

        /// Where each symbol's function goes, and that of its twin.
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

        /// Both, as the rest of the crate knows them.
        static TABLE: Table = Table { entry_points: ENTRY_POINTS, slots: SLOTS };

        $($(
            entry_points!(@define [$name] $section ($($arg: $type),*) [$($how)::+] Legacy { Columns::NONE$(.$column($($($of)*)?))* });
            entry_points!(@define [$($thread)?] $section ($($arg: $type),*) [$($how)::+] PerThread { Columns::NONE$(.$column($($($of)*)?))* });
        )*)*

        /// The exported C symbols: the functions of [`super`], with codes that their caller can
        /// take.
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
        /// Stands in for the function in a real driver that lacks it.
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
        /// As the driver API reference says: what pointers point at must be as large and live as
        /// long as it asks.
        #[inline(never)] // The exported function of this name calls it, and would be a copy of it.
        #[allow(non_snake_case, clippy::too_many_arguments, reason = "the signature is that of cuda.h")]
        pub unsafe extern "C" fn $name($($arg: $type),*) -> CUresult {
            const COLUMNS: Columns = $columns;
            let real = REAL.$name.load(Ordering::Acquire);
            if !real.is_null() {
                // SAFETY: `pass_through` stored a function of this name from the real driver, whose
                // C signature the row states, or the stand-in, which has it.
                let real: unsafe extern "C" fn($($type),*) -> CUresult = unsafe { std::mem::transmute(real) };
                // SAFETY: the caller keeps the real function's contract.
                return unsafe { real($($arg),*) };
            }
            if trace::real::is_on() {
                let real = TRACED.$name.load(Ordering::Acquire);
                // SAFETY: as above; all of the table was filled before the trace was turned on.
                let real: unsafe extern "C" fn($($type),*) -> CUresult = unsafe { std::mem::transmute(real) };
                let arguments = [$(trace::real::word(&$arg)),*];
                // SAFETY: as above.
                return trace::real::call(stringify!($name), &COLUMNS, &arguments, &mut || unsafe { real($($arg),*) });
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
        // SAFETY: the caller keeps the contract of the C function, which is that of its simulation.
        entry::answer(&TABLE, stringify!($name), &COLUMNS, $stream, &mut || unsafe { calls::$($how)::+($($arg),*) })
    };
    (@export [] $types:tt) => {};
    (@export [$name:ident] ($($arg:ident: $type:ty),*)) => {
        #[doc = concat!("The exported symbol `", stringify!($name), "`.")]
        ///
        /// # Safety
        /// As for the function of this name in [`super`].
        #[unsafe(no_mangle)]
        #[allow(non_snake_case, clippy::too_many_arguments, reason = "the signature is that of cuda.h")]
        pub unsafe extern "C" fn $name($($arg: $type),*) -> CUresult {
            // SAFETY: the caller keeps the contract of the function of this name.
            entry::told(unsafe { super::$name($($arg),*) })
        }
    };
}

pub(crate) use entry_points;
