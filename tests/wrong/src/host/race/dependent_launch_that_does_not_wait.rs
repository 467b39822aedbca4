//! A kernel may begin before the one ahead has ended, takes its result, and does not wait.

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
