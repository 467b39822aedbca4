//! An event is recorded before the kernel that another stream is to wait for.

use crate::host::{Done, Host};

pub(in crate::host) fn wrong(host: &Host) -> Done {
    let event = host.event()?;
    host.record(event, host.a)?;
    host.launch(c"fill", host.a, &[host.data])?;
    host.wait_for_event(host.b, event)?;
    host.launch(c"copy", host.b, &[host.other, host.data])?;
    host.destroy(event)
}

pub(in crate::host) fn right(host: &Host) -> Done {
    let event = host.event()?;
    host.launch(c"fill", host.a, &[host.data])?;
    host.record(event, host.a)?;
    host.wait_for_event(host.b, event)?;
    host.launch(c"copy", host.b, &[host.other, host.data])?;
    host.destroy(event)
}
