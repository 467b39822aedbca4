//! A stream frees memory of its pool, and then launches a kernel on it.

use cust::sys;

use crate::host::{BYTES, Done, Host, ok};

fn allocate(host: &Host) -> Result<u64, String> {
    let mut memory = 0;
    // SAFETY: the result has a place.
    ok(unsafe { sys::cuMemAllocAsync(&mut memory, BYTES, host.a) })?;
    Ok(memory)
}

fn free(host: &Host, memory: u64) -> Done {
    // SAFETY: that something uses it still is what is wrong.
    ok(unsafe { sys::cuMemFreeAsync(memory, host.a) })
}

pub(in crate::host) fn wrong(host: &Host) -> Done {
    let memory = allocate(host)?;
    free(host, memory)?;
    host.launch(c"fill", host.a, &[memory])?;
    host.wait(host.a)
}

pub(in crate::host) fn right(host: &Host) -> Done {
    let memory = allocate(host)?;
    host.launch(c"fill", host.a, &[memory])?;
    free(host, memory)?;
    host.wait(host.a)
}
