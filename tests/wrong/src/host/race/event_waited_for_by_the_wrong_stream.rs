//! The stream that made the event waits for it, and not the one that takes the result.

use crate::host::{Done, Host};

pub(in crate::host) fn wrong(host: &Host) -> Done {
    let event = host.event()?;
    host.launch(c"fill", host.a, &[host.data])?;
    host.record(event, host.a)?;
    host.wait_for_event(host.a, event)?;
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
