//! On other processors the handler has no alternate stack, and stays on that of the code that
//! made the access.

use libc::c_void;

pub(in crate::platform) const IS_KNOWN: bool = false;

pub(in crate::platform) fn is_write(_context: *mut c_void) -> Option<bool> {
    None
}

pub(in crate::platform) fn stack_pointer(_context: *mut c_void) -> Option<usize> {
    None
}

pub(in crate::platform) unsafe fn call_on(
    _top: *mut c_void,
    call: extern "C" fn(*mut c_void),
    data: *mut c_void,
) {
    call(data);
}
