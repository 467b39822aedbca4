//! The host reads mapped memory before it has waited for the kernel that writes there.

use crate::host::{Done, Host};

pub(in crate::host) fn wrong(host: &Host) -> Done {
    host.launch(c"fill", host.a, &[host.mapped()])?;
    host.read(5);
    host.wait(host.a)
}

pub(in crate::host) fn right(host: &Host) -> Done {
    host.launch(c"fill", host.a, &[host.mapped()])?;
    host.wait(host.a)?;
    host.read(5);
    Ok(())
}
