//! Each round makes an event, and none is destroyed.

use crate::host::{Done, Host};

pub(in crate::host) fn wrong(host: &Host) -> Done {
    for _ in 0..3 {
        let event = host.event()?;
        host.launch(c"fill", host.a, &[host.data])?;
        host.record(event, host.a)?;
    }
    host.wait(host.a)
}

pub(in crate::host) fn right(host: &Host) -> Done {
    for _ in 0..3 {
        let event = host.event()?;
        host.launch(c"fill", host.a, &[host.data])?;
        host.record(event, host.a)?;
        host.destroy(event)?;
    }
    host.wait(host.a)
}
