//! The trace of a GPU. Host calls are timed by the clock, kernels and copies by events of the real
//! driver around them.
//!
//! While a trace is made, the exported symbols do not jump to the real function. They call this
//! module, which calls the real function. Each context has a base event. Its time on the host's
//! clock is known, because the host waited for it, and device times are relative to it. Nothing is
//! measured in a stream that is being captured, because an event recorded there never happens.

use super::{SPANS, Span, Track, on, thread};
use crate::abi::{CUcontext, CUlaunchConfig, CUresult, CUstream, c_char, c_int, c_uint, c_void};
use crate::entry_point::lookup;
use crate::entry_point::row::{Columns, DeviceWork, StreamAt};
use crate::libcuda::Library;
use crate::stderr;
use parking_lot::Mutex;
use serde_json::{Value, json};
use std::collections::HashMap;
use std::ffi::CStr;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// Set if the real driver executes the calls and a trace is made.
static ON: AtomicBool = AtomicBool::new(false);

/// Returns whether calls go through this module.
pub(crate) fn is_on() -> bool {
    ON.load(Ordering::Relaxed)
}

/// Makes [`Functions`]: for each function a field, its symbol, and the types of its arguments.
macro_rules! functions {
    ($($field:ident $symbol:literal ($($type:ty),*);)*) => {
        /// The real functions that the measurements need.
        struct Functions {
            $($field: unsafe extern "C" fn($($type),*) -> CUresult,)*
        }

        impl Functions {
            fn find(library: &Library) -> Option<Functions> {
                Some(Functions {
                    $($field: {
                        let found = library.find($symbol)?;
                        // SAFETY: the function has this signature in every driver that has it
                        // under this name.
                        unsafe { std::mem::transmute::<*mut (), unsafe extern "C" fn($($type),*) -> CUresult>(found) }
                    },)*
                })
            }
        }
    };
}

functions! {
    create "cuEventCreate" (*mut usize, c_uint);
    record "cuEventRecord" (usize, CUstream);
    wait "cuEventSynchronize" (usize);
    elapsed "cuEventElapsedTime" (*mut f32, usize, usize);
    destroy "cuEventDestroy_v2" (usize);
    is_capturing "cuStreamIsCapturing" (CUstream, *mut c_uint);
    current "cuCtxGetCurrent" (*mut CUcontext);
    device "cuCtxGetDevice" (*mut c_int);
    name "cuFuncGetName" (*mut *const c_char, usize);
}

static FUNCTIONS: OnceLock<Functions> = OnceLock::new();

/// Sends calls through this module from now on, if a trace was requested and the driver has the
/// functions for it. Returns whether it does.
pub(crate) fn start(library: &Library) -> bool {
    if !on() {
        return false;
    }
    let found = Functions::find(library);
    let Some(found) = found else {
        stderr::print(format_args!(
            "lanewise: LANEWISE_TRACE: this machine's libcuda.so.1 is older than CUDA 12.3 and lacks functions that the measurement needs; no trace is made"
        ));
        return false;
    };
    if FUNCTIONS.set(found).is_ok() {
        origin();
        ON.store(true, Ordering::Relaxed);
    }
    true
}

/// Returns the time from which times are counted.
fn origin() -> Instant {
    static ORIGIN: OnceLock<Instant> = OnceLock::new();
    *ORIGIN.get_or_init(Instant::now)
}

/// The work between two events.
struct Pending {
    context: CUcontext,
    device: u32,
    stream: CUstream,
    start: usize,
    end: usize,
    name: String,
    category: &'static str,
    args: Value,
}

/// For each context its base event, and that event's time in microseconds.
static BASES: Mutex<Option<HashMap<CUcontext, (usize, f64)>>> = Mutex::new(None);
static PENDING: Mutex<Vec<Pending>> = Mutex::new(Vec::new());

/// Returns the time on the host's clock.
pub(crate) fn now() -> Duration {
    origin().elapsed()
}

/// Adds a range of the program that began at `start` and ends now.
pub(crate) fn range(name: String, start: Duration) {
    SPANS.lock().push(Span {
        device: current().map_or(0, |(_, device)| device),
        track: Track::Thread(thread()),
        name,
        category: "range",
        start: start.as_secs_f64() * 1e6,
        duration: (now() - start).as_secs_f64() * 1e6,
        args: Value::Null,
    });
}

/// Returns the first eight bytes of an argument.
pub(crate) fn word<T>(argument: &T) -> u64 {
    let mut word = [0u8; 8];
    let size = size_of::<T>().min(8);
    // SAFETY: the value is live and has this many bytes. Arguments of C functions are scalars
    // and plain structs.
    unsafe {
        std::ptr::copy_nonoverlapping((argument as *const T).cast::<u8>(), word.as_mut_ptr(), size)
    };
    u64::from_ne_bytes(word)
}

/// Calls the real function and adds what it did to the trace.
pub(crate) fn call(
    name: &'static str,
    columns: &Columns,
    arguments: &[u64],
    real: &mut dyn FnMut() -> CUresult,
) -> CUresult {
    if columns.ends_events {
        resolve();
    }
    let pending = columns
        .work
        .and_then(|(work, at)| before(at, work, default_of(name), arguments));
    let device = current().map_or(0, |(_, device)| device);
    let start = origin().elapsed();
    let code = real();
    let duration = origin().elapsed() - start;
    if let Some(pending) = pending {
        after(pending, code);
    }
    if code == CUresult::SUCCESS && name.starts_with("cuGetProcAddress") {
        lead_here(arguments);
    }
    SPANS.lock().push(Span {
        device,
        track: Track::Thread(thread()),
        name: name.into(),
        category: "call",
        start: start.as_secs_f64() * 1e6,
        duration: duration.as_secs_f64() * 1e6,
        args: json!({ "result": format!("{code:?}") }),
    });
    code
}

/// Returns the current context and its device.
fn current() -> Option<(CUcontext, u32)> {
    let functions = FUNCTIONS.get()?;
    let (mut context, mut device) = (CUcontext::default(), 0);
    // SAFETY: the pointers are to variables of this function.
    let codes = unsafe {
        (
            (functions.current)(&mut context),
            (functions.device)(&mut device),
        )
    };
    let is_there =
        codes == (CUresult::SUCCESS, CUresult::SUCCESS) && context != CUcontext::default();
    is_there.then_some((context, device as u32))
}

/// Makes a new event and records it in `stream`.
fn mark(functions: &Functions, stream: CUstream) -> Option<usize> {
    let mut event = 0;
    // SAFETY: the pointer is to a variable of this function. The stream is the program's argument.
    unsafe {
        if (functions.create)(&mut event, 0) != CUresult::SUCCESS {
            return None;
        }
        if (functions.record)(event, stream) != CUresult::SUCCESS {
            (functions.destroy)(event);
            return None;
        }
    }
    Some(event)
}

/// Returns the stream that the null handle means in the call of this name.
fn default_of(name: &str) -> CUstream {
    if name.ends_with("_ptds") || name.ends_with("_ptsz") {
        CUstream::PER_THREAD
    } else {
        CUstream::DEFAULT
    }
}

/// Marks the beginning of a call's work in its stream.
fn before(at: StreamAt, work: DeviceWork, default: CUstream, arguments: &[u64]) -> Option<Pending> {
    let functions = FUNCTIONS.get()?;
    let (context, device) = current()?;
    let mut function = arguments.first().copied()?;
    let stream = match at {
        StreamAt::Argument(place) => CUstream(*arguments.get(place)? as usize),
        StreamAt::Default => default,
        StreamAt::Config => {
            let config: *const CUlaunchConfig =
                std::ptr::with_exposed_provenance(function as usize);
            function = *arguments.get(1)?;
            if config.is_null() {
                return None;
            }
            // SAFETY: the pointer is not null, so it is valid by the
            // contract of `cuLaunchKernelEx`.
            unsafe { (*config).stream }
        }
    };
    let stream = if stream == CUstream::DEFAULT {
        default
    } else {
        stream
    };
    let mut capturing = 0;
    // SAFETY: the pointer is to a variable of this function.
    let code = unsafe { (functions.is_capturing)(stream, &mut capturing) };
    if code != CUresult::SUCCESS || capturing != 0 {
        return None;
    }
    let (name, category, args) = match work {
        DeviceWork::Kernel => {
            let grid = (!matches!(at, StreamAt::Config)).then(|| arguments.get(1..7));
            (
                kernel_name(functions, function),
                "kernel",
                json!({ "grid_and_block": grid }),
            )
        }
        DeviceWork::Copy(what, bytes) => {
            let bytes = *arguments.get(bytes)?;
            (what.to_string(), "copy", json!({ "bytes": bytes }))
        }
        DeviceWork::Set(count, size) => {
            let bytes = *arguments.get(count)? * size;
            ("set".into(), "set", json!({ "bytes": bytes }))
        }
        DeviceWork::Graph => ("graph".into(), "graph", Value::Null),
    };
    base(functions, context, stream)?;
    let start = mark(functions, stream)?;
    Some(Pending {
        context,
        device,
        stream,
        start,
        end: 0,
        name,
        category,
        args,
    })
}

/// Makes a base event for the context if it has none.
fn base(functions: &Functions, context: CUcontext, stream: CUstream) -> Option<()> {
    let mut bases = BASES.lock();
    let bases = bases.get_or_insert_default();
    if let std::collections::hash_map::Entry::Vacant(entry) = bases.entry(context) {
        let event = mark(functions, stream)?;
        // SAFETY: the event belongs to this module.
        if unsafe { (functions.wait)(event) } != CUresult::SUCCESS {
            return None;
        }
        entry.insert((event, origin().elapsed().as_secs_f64() * 1e6));
    }
    Some(())
}

fn kernel_name(functions: &Functions, function: u64) -> String {
    let mut text: *const c_char = std::ptr::null();
    // SAFETY: the pointer is to a variable of this function. The function is
    // the program's argument.
    let known = unsafe { (functions.name)(&mut text, function as usize) == CUresult::SUCCESS };
    if known && !text.is_null() {
        // SAFETY: the text belongs to the driver and lives as long as the function.
        unsafe { CStr::from_ptr(text) }
            .to_string_lossy()
            .into_owned()
    } else {
        format!("function {function:#x}")
    }
}

/// Marks the end of a call's work in its stream, if the call added any.
fn after(mut pending: Pending, code: CUresult) {
    let Some(functions) = FUNCTIONS.get() else {
        return;
    };
    if code == CUresult::SUCCESS
        && let Some(end) = mark(functions, pending.stream)
    {
        pending.end = end;
        PENDING.lock().push(pending);
    } else {
        // SAFETY: the event belongs to this module.
        unsafe { (functions.destroy)(pending.start) };
    }
}

/// Waits for all work so far and reads its events.
fn resolve() {
    let Some(functions) = FUNCTIONS.get() else {
        return;
    };
    let pending = std::mem::take(&mut *PENDING.lock());
    let bases = BASES.lock().clone().unwrap_or_default();
    for Pending {
        context,
        device,
        stream,
        start,
        end,
        name,
        category,
        args,
    } in pending
    {
        let (mut from, mut to) = (0.0, 0.0);
        let Some(&(base, moment)) = bases.get(&context) else {
            continue;
        };
        // SAFETY: the events belong to this module.
        let measured = unsafe {
            (functions.wait)(end) == CUresult::SUCCESS
                && (functions.elapsed)(&mut from, base, start) == CUresult::SUCCESS
                && (functions.elapsed)(&mut to, start, end) == CUresult::SUCCESS
        };
        // SAFETY: as above.
        unsafe {
            (functions.destroy)(start);
            (functions.destroy)(end);
        }
        if measured {
            SPANS.lock().push(Span {
                device,
                track: Track::Stream(context.0, stream.0),
                name,
                category,
                start: moment + f64::from(from) * 1e3,
                duration: f64::from(to) * 1e3,
                args,
            });
        }
    }
}

/// Replaces the address of a function that the program looked up by name with ours, so that its
/// calls come to this module.
fn lead_here(arguments: &[u64]) {
    let &[symbol, found, version, flags, ..] = arguments else {
        return;
    };
    let symbol: *const c_char = std::ptr::with_exposed_provenance(symbol as usize);
    let found: *mut *mut c_void = std::ptr::with_exposed_provenance_mut(found as usize);
    if symbol.is_null() || found.is_null() {
        return;
    }
    // SAFETY: the call succeeded, so the name is text and the place is valid.
    unsafe {
        let is_there = !found.read().is_null();
        let own = CStr::from_ptr(symbol)
            .to_str()
            .ok()
            .and_then(|name| lookup::newest(name, version as u32).ok());
        if let Some(own) = own.filter(|_| is_there) {
            let address = match &own.per_thread {
                Some(twin) if flags == lookup::PER_THREAD => (twin.address)(),
                _ => (own.address)(),
            };
            found.write(address.cast_mut().cast());
        }
    }
}

/// Reads the events that were not read yet, at the end of the process.
pub(super) fn finish() {
    resolve();
}
