//! Buffers are made, and some of them freed.

use cust::sys;

use crate::host::{BYTES, Done, Host, ok};

#[inline(never)]
fn allocate() -> Result<u64, String> {
    let mut buffer = 0;
    // SAFETY: the result has a place.
    ok(unsafe { sys::cuMemAlloc_v2(&mut buffer, BYTES) })?;
    Ok(buffer)
}

fn free(buffer: u64) -> Done {
    // SAFETY: nothing uses it.
    ok(unsafe { sys::cuMemFree_v2(buffer) })
}

pub(in crate::host) fn wrong(host: &Host) -> Done {
    let first = allocate()?;
    host.launch(c"fill", host.a, &[first])?;
    free(allocate()?)
}

pub(in crate::host) fn right(host: &Host) -> Done {
    let first = allocate()?;
    host.launch(c"fill", host.a, &[first])?;
    free(allocate()?)?;
    free(first)
}
