//! A stream gives memory back to its pool while a kernel of another stream works on it.

use cust::sys;

use crate::host::{BYTES, Done, Host, ok};

fn with_pool(host: &Host, with: impl FnOnce(u64) -> Done) -> Done {
    let mut memory = 0;
    // SAFETY: the result has a place.
    ok(unsafe { sys::cuMemAllocAsync(&mut memory, BYTES, host.b) })?;
    host.order(host.b, host.a)?;
    with(memory)?;
    // SAFETY: memory of the stream's pool.
    ok(unsafe { sys::cuMemFreeAsync(memory, host.b) })?;
    host.wait_for_all()
}

pub(in crate::host) fn wrong(host: &Host) -> Done {
    with_pool(host, |memory| host.launch(c"fill", host.a, &[memory]))
}

pub(in crate::host) fn right(host: &Host) -> Done {
    with_pool(host, |memory| {
        host.launch(c"fill", host.a, &[memory])?;
        host.order(host.a, host.b)
    })
}
