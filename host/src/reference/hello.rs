//! What the threads of a grid have to say.

/// `hello_world`'s lines, block by block.
pub fn greetings(blocks: u32, block: u32) -> Vec<String> {
    let line = |(_, thread)| format!("Hello World from GPU thread {thread}!");
    threads(blocks, block).map(line).collect()
}

/// `check_index`'s lines, block by block, for a 1-D grid of 1-D blocks.
pub fn indices(blocks: u32, block: u32) -> Vec<String> {
    let line = |(index, thread)| {
        format!(
            "threadIdx:({thread}, 0, 0) blockIdx:({index}, 0, 0) blockDim:({block}, 1, 1) gridDim:({blocks}, 1, 1)"
        )
    };
    threads(blocks, block).map(line).collect()
}

/// Block and thread of every thread of a grid.
fn threads(blocks: u32, block: u32) -> impl Iterator<Item = (u32, u32)> {
    (0..blocks).flat_map(move |index| (0..block).map(move |thread| (index, thread)))
}
