//! A graph as DOT, the text that Graphviz draws (`cuGraphDebugDotPrint`).

use super::Graph;
use std::fmt::Write;

/// Returns the text. Each node is labelled with its handle and what it does. A child graph, or the
/// body of a conditional node, is a separate cluster.
pub(crate) fn text(graph: &Graph) -> String {
    let mut text = String::from("digraph dot {\n");
    write(&mut text, graph);
    text.push_str("}\n");
    text
}

fn write(text: &mut String, graph: &Graph) {
    // Writing to a string cannot fail.
    let _ = writeln!(
        text,
        "subgraph cluster_{0:x} {{\nlabel=\"graph {0:#x}\"",
        graph.handle.0
    );
    let nodes = graph.nodes();
    for node in &nodes {
        let label = node.kind.lock().label().replace(['"', '\\'], "'");
        let _ = writeln!(
            text,
            "node_{0:x} [shape=box, label=\"{0:#x}\\n{label}\"]",
            node.handle.0
        );
    }
    for (from, to) in graph.edges() {
        let _ = writeln!(text, "node_{:x} -> node_{:x}", from.0, to.0);
    }
    text.push_str("}\n");
    for node in nodes {
        for graph in node.kind.lock().graphs() {
            write(text, graph);
        }
    }
}
