//! A copy takes a kernel's result, in another stream than the kernel's, which waits for nothing.

use crate::host::{Done, Host};

pub(in crate::host) fn wrong(host: &Host) -> Done {
    host.launch(c"fill", host.a, &[host.data])?;
    host.copy_out(host.b, host.data)?;
    host.wait(host.b)
}

pub(in crate::host) fn right(host: &Host) -> Done {
    host.launch(c"fill", host.a, &[host.data])?;
    host.order(host.a, host.b)?;
    host.copy_out(host.b, host.data)?;
    host.wait(host.b)
}
