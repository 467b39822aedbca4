//! A function that a stream runs on the host reads what a kernel of another stream writes.

use std::ffi::c_void;

use cust::sys::{self, CUstream};

use crate::host::{Done, Host, ok};

/// Reads the words that it is given.
unsafe extern "C" fn read(words: *mut c_void) {
    // SAFETY: they are those of the pinned buffer.
    unsafe { words.cast::<u32>().add(5).read_volatile() };
}

fn look(host: &Host, stream: CUstream) -> Done {
    // SAFETY: the function reads what it is given, which is there until all is done.
    ok(unsafe { sys::cuLaunchHostFunc(stream, Some(read), host.pinned.cast()) })
}

pub(in crate::host) fn wrong(host: &Host) -> Done {
    host.launch(c"fill", host.a, &[host.mapped()])?;
    look(host, host.b)?;
    host.wait_for_all()
}

pub(in crate::host) fn right(host: &Host) -> Done {
    host.launch(c"fill", host.a, &[host.mapped()])?;
    host.order(host.a, host.b)?;
    look(host, host.b)?;
    host.wait_for_all()
}
