//! The host fills pinned memory for the next copy while the last is on its way.

use crate::host::{Done, Host};

pub(in crate::host) fn wrong(host: &Host) -> Done {
    host.write(5, 1);
    host.copy_in(host.a, host.data)?;
    host.write(5, 2);
    host.copy_in(host.a, host.other)?;
    host.wait(host.a)
}

pub(in crate::host) fn right(host: &Host) -> Done {
    host.write(5, 1);
    host.copy_in(host.a, host.data)?;
    host.wait(host.a)?;
    host.write(5, 2);
    host.copy_in(host.a, host.other)?;
    host.wait(host.a)
}
