//! The host reads pinned memory before it has waited for the copy that goes there.

use crate::host::{Done, Host};

pub(in crate::host) fn wrong(host: &Host) -> Done {
    host.launch(c"fill", host.a, &[host.data])?;
    host.copy_out(host.a, host.data)?;
    host.read(5);
    host.wait(host.a)
}

pub(in crate::host) fn right(host: &Host) -> Done {
    host.launch(c"fill", host.a, &[host.data])?;
    host.copy_out(host.a, host.data)?;
    host.wait(host.a)?;
    host.read(5);
    Ok(())
}
