//! The default stream copies what a stream makes that it does not wait for.

use cust::sys;

use crate::host::{BYTES, Done, Host, ok};

fn take(host: &Host) -> Done {
    let mut bytes = vec![0u8; BYTES];
    // SAFETY: both have this many bytes.
    ok(unsafe { sys::cuMemcpyDtoH_v2(bytes.as_mut_ptr().cast(), host.data, BYTES) })
}

pub(in crate::host) fn wrong(host: &Host) -> Done {
    host.launch(c"fill", host.a, &[host.data])?;
    take(host)
}

pub(in crate::host) fn right(host: &Host) -> Done {
    host.launch(c"fill", host.a, &[host.data])?;
    host.wait(host.a)?;
    take(host)
}
