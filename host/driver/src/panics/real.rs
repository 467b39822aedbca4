//! Records of panics on a GPU: pinned pages, which the host can read after the context is lost.
//!
//! NVIDIA's driver executes the calls. After a call that has loaded code, this module looks for the
//! variable in the code and gives it a page. After a call that has returned a kernel's fault, it
//! reads the pages. The memory belongs to this process and not to the driver, so it stays readable
//! when the context is destroyed.
//!
//! A library (`cuLibraryLoadData`) has a variable in each context. It gets a page in the contexts
//! in which it is loaded, or asked for a kernel or its module. In others, a panic is only a trap.

use super::{Panic, Record, VARIABLE, VARIABLE_SIZE};
use crate::abi::{CUcontext, CUresult, CUstream, c_char, c_uint, c_void};
use crate::entry_point;
use crate::entry_point::row::CodeCall;
use crate::log;
use parking_lot::Mutex;
use std::alloc::{Layout, alloc_zeroed, dealloc, handle_alloc_error};
use std::ffi::CString;
use std::ptr::NonNull;

/// The unit in which memory is pinned, in bytes.
const PAGE: usize = 4096;

/// The flag `CU_MEMHOSTREGISTER_DEVICEMAP` of cuda.h.
const DEVICE_MAP: c_uint = 2;
/// The flag `CU_STREAM_NON_BLOCKING` of cuda.h.
const NON_BLOCKING: c_uint = 1;
/// The mode `CU_STREAM_CAPTURE_MODE_RELAXED`: the calls are permitted while streams are captured.
const RELAXED: c_uint = 2;

/// Makes a function for each real function that is called here.
macro_rules! functions {
    ($($name:ident $symbol:literal ($($argument:ident: $type:ty),*);)*) => {$(
        /// # Safety
        /// The contract is that of the driver's function.
        unsafe fn $name($($argument: $type),*) -> CUresult {
            let Some(function) = entry_point::real($symbol) else {
                return CUresult::ERROR_NOT_SUPPORTED;
            };
            type Real = unsafe extern "C" fn($($type),*) -> CUresult;
            // SAFETY: the function, or its stand-in, has this signature.
            let function = unsafe { std::mem::transmute::<*mut (), Real>(function) };
            // SAFETY: the caller keeps the contract.
            unsafe { function($($argument),*) }
        }
    )*};
}

functions! {
    current "cuCtxGetCurrent" (context: *mut CUcontext);
    module_global "cuModuleGetGlobal_v2" (address: *mut u64, bytes: *mut usize, module: usize, name: *const c_char);
    library_global "cuLibraryGetGlobal" (address: *mut u64, bytes: *mut usize, library: usize, name: *const c_char);
    exchange_mode "cuThreadExchangeStreamCaptureMode" (mode: *mut c_uint);
    register "cuMemHostRegister_v2" (start: *mut c_void, bytes: usize, flags: c_uint);
    unregister "cuMemHostUnregister" (start: *mut c_void);
    on_device "cuMemHostGetDevicePointer_v2" (address: *mut u64, start: *mut c_void, flags: c_uint);
    make_stream "cuStreamCreate" (stream: *mut CUstream, flags: c_uint);
    copy_to_device "cuMemcpyHtoDAsync_v2" (to: u64, from: *const c_void, bytes: usize, stream: CUstream);
    wait "cuStreamSynchronize" (stream: CUstream);
    remove_stream "cuStreamDestroy_v2" (stream: CUstream);
}

/// Code that was loaded, by its handle.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Code {
    Module(usize),
    Library(usize),
}

/// A pinned page with a record.
struct Page(NonNull<Record>);

// SAFETY: the page belongs to this value alone, and devices access it through their own addresses.
unsafe impl Send for Page {}

/// A variable that has a page.
struct Armed {
    code: Code,
    context: CUcontext,
    page: Page,
    /// The panic that was found in it.
    panic: Option<Panic>,
}

/// Every variable that has a page.
static ARMED: Mutex<Vec<Armed>> = Mutex::new(Vec::new());

/// Follows a call that the real driver has executed. `arguments` are its first arguments as words.
pub(crate) fn after(call: &str, code: Option<CodeCall>, result: CUresult, arguments: &[u64]) {
    if result != CUresult::SUCCESS {
        if is_fault(result) {
            tell(call);
        }
        return;
    }
    let word = |at: usize| arguments.get(at).map_or(0, |&word| word as usize);
    // SAFETY: the call has succeeded, so its first argument is the place of the handle that it has
    // written.
    let made = || unsafe { std::ptr::with_exposed_provenance::<usize>(word(0)).read() };
    match code {
        Some(CodeCall::LoadsModule) => arm(Code::Module(made())),
        Some(CodeCall::LoadsLibrary) => arm(Code::Library(made())),
        Some(CodeCall::UsesLibrary) => arm(Code::Library(word(1))),
        Some(CodeCall::UnloadsModule) => forget(Code::Module(word(0))),
        Some(CodeCall::UnloadsLibrary) => forget(Code::Library(word(0))),
        None => {}
    }
}

/// Returns whether a kernel has ended with this error. Source: `CUresult`, the errors that leave
/// the process in an inconsistent state.
fn is_fault(result: CUresult) -> bool {
    matches!(result.0, 700 | 702 | 710 | 714..=719)
}

/// Returns the calling thread's context.
fn context() -> Option<CUcontext> {
    let mut context = CUcontext::default();
    // SAFETY: the pointer is to a variable of this function.
    let result = unsafe { current(&mut context) };
    (result == CUresult::SUCCESS && context != CUcontext::default()).then_some(context)
}

/// Gives the variable of code in the current context a page, if the code has the variable.
fn arm(code: Code) {
    let Some(context) = context() else {
        return;
    };
    let is_armed = |armed: &Armed| (armed.code, armed.context) == (code, context);
    if matches!(code, Code::Library(_)) && ARMED.lock().iter().any(is_armed) {
        return;
    }
    let Some(page) = variable(code).and_then(page_for) else {
        return;
    };
    let mut armed = ARMED.lock();
    // An earlier module of this handle was unloaded with its context.
    armed.retain(|it| !is_armed(it));
    armed.push(Armed {
        code,
        context,
        page,
        panic: None,
    });
}

/// Returns the address of the code's variable.
fn variable(code: Code) -> Option<u64> {
    let name = CString::new(VARIABLE).ok()?;
    let (mut address, mut bytes) = (0, 0);
    // SAFETY: the pointers are to variables of this function, and the handle was returned by a call
    // that has succeeded.
    let result = unsafe {
        match code {
            Code::Module(module) => module_global(&mut address, &mut bytes, module, name.as_ptr()),
            Code::Library(library) => {
                library_global(&mut address, &mut bytes, library, name.as_ptr())
            }
        }
    };
    (result == CUresult::SUCCESS && bytes as u64 == VARIABLE_SIZE).then_some(address)
}

/// Makes a page and stores its device address in the variable. Without it, panics are only traps.
fn page_for(variable: u64) -> Option<Page> {
    let mut mode = RELAXED;
    // SAFETY: the pointer is to a variable of this function.
    let is_exchanged = unsafe { exchange_mode(&mut mode) } == CUresult::SUCCESS;
    let page = Page::new().filter(|page| page.store_address(variable));
    if is_exchanged {
        // SAFETY: as above. It restores the mode of this thread.
        unsafe { exchange_mode(&mut mode) };
    }
    page
}

impl Page {
    fn layout() -> Layout {
        Layout::new::<[u8; PAGE]>()
            .align_to(PAGE)
            .unwrap_or(Layout::new::<[u8; PAGE]>())
    }

    /// Allocates a page of zeros and pins it.
    fn new() -> Option<Page> {
        // SAFETY: the layout has a size.
        let start = unsafe { alloc_zeroed(Page::layout()) };
        let Some(start) = NonNull::new(start) else {
            handle_alloc_error(Page::layout())
        };
        let page = Page(start.cast());
        // SAFETY: the page was allocated with this size.
        let result = unsafe { register(page.start(), PAGE, DEVICE_MAP) };
        (result == CUresult::SUCCESS).then_some(page)
    }

    fn start(&self) -> *mut c_void {
        self.0.as_ptr().cast()
    }

    /// Stores the device's address of this page in the variable, in a stream of its own, because
    /// other streams may be captured.
    fn store_address(&self, variable: u64) -> bool {
        let (mut address, mut stream) = (0u64, CUstream::default());
        // SAFETY: the pointers are to variables of this function, which waits for the copy.
        unsafe {
            if on_device(&mut address, self.start(), 0) != CUresult::SUCCESS
                || make_stream(&mut stream, NON_BLOCKING) != CUresult::SUCCESS
            {
                return false;
            }
            let from = (&raw const address).cast();
            let copied = copy_to_device(variable, from, size_of::<u64>(), stream);
            let waited = wait(stream);
            remove_stream(stream);
            [copied, waited] == [CUresult::SUCCESS; 2]
        }
    }
}

impl Drop for Page {
    fn drop(&mut self) {
        // SAFETY: no kernel can write to the page: the code whose variable has its address is
        // unloaded, or was never given the address. Without a registration, the driver refuses
        // the first call.
        unsafe {
            unregister(self.start());
            dealloc(self.start().cast(), Page::layout());
        }
    }
}

/// Frees the pages of code that was unloaded.
fn forget(code: Code) {
    ARMED.lock().retain(|armed| armed.code != code);
}

/// Prints panics that are new, and keeps the message for the call that has returned a fault.
fn tell(call: &str) {
    let context = context();
    let mut armed = ARMED.lock();
    for armed in armed.iter_mut().filter(|armed| armed.panic.is_none()) {
        // SAFETY: the page is valid as long as it is in the list. Kernels write to it according to
        // the protocol.
        armed.panic = unsafe { Record::take(armed.page.0.as_ptr()) };
        if let Some(panic) = &armed.panic {
            panic.print();
        }
    }
    let here = |armed: &&Armed| context.is_none_or(|context| armed.context == context);
    let panic = armed
        .iter()
        .filter(here)
        .find_map(|armed| armed.panic.as_ref());
    if let Some(panic) = panic {
        log::remember(call, &panic.to_string());
    }
}
