//! A kernel that may begin while the one before still runs takes that one's result, and does not wait for it.

use crate::host::{Done, Host};

pub(in crate::host) fn wrong(host: &Host) -> Done {
    host.launch(c"fill", host.a, &[host.data])?;
    host.launch_dependent(c"early", host.a, &[host.other, host.data])?;
    host.wait(host.a)
}

pub(in crate::host) fn right(host: &Host) -> Done {
    host.launch(c"fill", host.a, &[host.data])?;
    host.launch_dependent(c"late", host.a, &[host.other, host.data])?;
    host.wait(host.a)
}
