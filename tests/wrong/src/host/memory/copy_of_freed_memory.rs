//! A buffer is freed, and copied from.

use cust::sys;

use crate::host::{BYTES, Done, Host, ok};

fn allocate() -> Result<u64, String> {
    let mut buffer = 0;
    // SAFETY: the result has a place.
    ok(unsafe { sys::cuMemAlloc_v2(&mut buffer, BYTES) })?;
    Ok(buffer)
}

fn free(buffer: u64) -> Done {
    // SAFETY: that something uses it still is what is wrong.
    ok(unsafe { sys::cuMemFree_v2(buffer) })
}

pub(in crate::host) fn wrong(host: &Host) -> Done {
    let buffer = allocate()?;
    free(buffer)?;
    // What it answers is the driver's affair.
    let _ = host.copy_out(host.a, buffer);
    host.wait(host.a)
}

pub(in crate::host) fn right(host: &Host) -> Done {
    let buffer = allocate()?;
    host.launch(c"fill", host.a, &[buffer])?;
    host.copy_out(host.a, buffer)?;
    host.wait(host.a)?;
    free(buffer)
}
