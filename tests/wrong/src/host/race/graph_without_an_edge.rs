//! One branch of a graph takes what the other makes, and no edge leads from one to the other.

use crate::host::{Done, Host};

pub(in crate::host) fn wrong(host: &Host) -> Done {
    let graph = host.graph(|| {
        host.order(host.a, host.b)?;
        host.launch(c"fill", host.a, &[host.data])?;
        host.launch(c"copy", host.b, &[host.other, host.data])?;
        host.order(host.b, host.a)
    })?;
    host.launch_graph(graph, host.a)?;
    host.destroy_graph(graph)
}

pub(in crate::host) fn right(host: &Host) -> Done {
    let graph = host.graph(|| {
        host.order(host.a, host.b)?;
        host.launch(c"fill", host.a, &[host.data])?;
        host.order(host.a, host.b)?;
        host.launch(c"copy", host.b, &[host.other, host.data])?;
        host.order(host.b, host.a)
    })?;
    host.launch_graph(graph, host.a)?;
    host.destroy_graph(graph)
}
