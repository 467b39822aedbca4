//! A graph is launched beside a kernel of another stream that works on the same buffer.

use crate::host::{Done, Host};

pub(in crate::host) fn wrong(host: &Host) -> Done {
    let graph = host.graph(|| host.launch(c"count", host.a, &[host.data]))?;
    host.launch(c"fill", host.b, &[host.data])?;
    host.launch_graph(graph, host.a)?;
    host.destroy_graph(graph)
}

pub(in crate::host) fn right(host: &Host) -> Done {
    let graph = host.graph(|| host.launch(c"count", host.a, &[host.data]))?;
    host.launch(c"fill", host.b, &[host.data])?;
    host.order(host.b, host.a)?;
    host.launch_graph(graph, host.a)?;
    host.destroy_graph(graph)
}
