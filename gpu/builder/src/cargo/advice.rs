//! What to do about rustc's errors whose own advice is meant for a machine with an operating system.

/// A text of rustc's, and what helps in a kernel crate.
const KNOWN: [(&[&str], &str); 5] = [
    (
        &[
            "can't find crate for `std`",
            "crate named `std`, use `cargo add std`",
            "unlinked crate `std`",
        ],
        "there is no `std` on a GPU: begin src/lib.rs with `#![no_std]`, and use `core` and `lanewise_std`. If a dependency wants \
         it, switch its default features off (`default-features = false`)",
    ),
    (
        &["no global memory allocator found"],
        "the GPU's heap is there on demand: switch on the feature `alloc` of lanewise-std, and raise the context's limit \
         (`ResourceLimit::MallocHeapSize`) on the host; most kernels do better with shared memory or a buffer from the host",
    ),
    (
        &["unlinked crate `alloc`"],
        "write `extern crate alloc;` and switch on the feature `alloc` of lanewise-std",
    ),
    (
        &["`#[panic_handler]` function required"],
        "lanewise-std has the panic handler: depend on it and use something of it, or write `use lanewise_std as _;`",
    ),
    (
        &["no `AtomicU128`", "no `AtomicI128`"],
        "a GPU's atomics have 8 to 64 bits; use two, or a lock",
    ),
];

/// The advice for what cargo and rustc wrote. The missing panic handler is named only where nothing else is missing:
/// it follows from most other errors.
pub(crate) fn on(rendered: &str) -> Vec<&'static str> {
    let fits = |texts: &[&str]| texts.iter().any(|text| rendered.contains(text));
    let mut advice: Vec<_> = KNOWN
        .iter()
        .filter(|(texts, _)| fits(texts))
        .map(|(_, help)| *help)
        .collect();
    if advice.len() > 1 {
        advice.retain(|help| *help != KNOWN[3].1);
    }
    advice
}
