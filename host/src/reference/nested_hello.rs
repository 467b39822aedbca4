//! What `nested_hello_world` prints.

/// The lines of `blocks` blocks of `threads` threads and of all levels below, level by level.
pub fn lines(blocks: u32, threads: u32) -> Vec<String> {
    let mut lines = Vec::new();
    let (mut threads, mut depth) = (threads, 0);
    while threads > 0 {
        for block in 0..blocks {
            // Below the first level, every grid has one block.
            let shown = if depth == 0 { block } else { 0 };
            lines.extend((0..threads).map(|thread| {
                format!("Recursion={depth}: Hello World from thread {thread} block {shown}")
            }));
            if threads > 1 {
                lines.push(format!("-------> nested execution depth: {}", depth + 1));
            }
        }
        (threads, depth) = (threads / 2, depth + 1);
    }
    lines
}
