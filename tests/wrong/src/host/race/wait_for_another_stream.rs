//! The host waits for a stream, and reads what another one brings.

use crate::host::{Done, Host};

pub(in crate::host) fn wrong(host: &Host) -> Done {
    host.launch(c"fill", host.a, &[host.data])?;
    host.order(host.a, host.b)?;
    host.copy_out(host.b, host.data)?;
    host.wait(host.a)?;
    host.read(5);
    host.wait(host.b)
}

pub(in crate::host) fn right(host: &Host) -> Done {
    host.launch(c"fill", host.a, &[host.data])?;
    host.order(host.a, host.b)?;
    host.copy_out(host.b, host.data)?;
    host.wait(host.b)?;
    host.read(5);
    Ok(())
}
