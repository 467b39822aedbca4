//! Two graphs that work on one buffer are launched into two streams.

use crate::host::{Done, Host};

pub(in crate::host) fn wrong(host: &Host) -> Done {
    let work = || host.graph(|| host.launch(c"count", host.a, &[host.data]));
    let (first, second) = (work()?, work()?);
    host.launch_graph(first, host.a)?;
    host.launch_graph(second, host.b)?;
    host.destroy_graph(first)?;
    host.destroy_graph(second)
}

pub(in crate::host) fn right(host: &Host) -> Done {
    let work = || host.graph(|| host.launch(c"count", host.a, &[host.data]));
    let (first, second) = (work()?, work()?);
    host.launch_graph(first, host.a)?;
    host.order(host.a, host.b)?;
    host.launch_graph(second, host.b)?;
    host.destroy_graph(first)?;
    host.destroy_graph(second)
}
