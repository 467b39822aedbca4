//! Advice for those errors of rustc whose own advice is meant for a machine with
//! an operating system.

/// Texts of rustc's errors, and the advice that helps in a kernel crate.
const KNOWN: &[(&[&str], &str)] = &[
    (
        &[
            "can't find crate for `std`",
            "crate named `std`, use `cargo add std`",
            "unlinked crate `std`",
        ],
        "there is no `std` on a GPU: use `core` and `lanewise_std`; a package of kernels alone begins src/lib.rs with `#![no_std]`. \
         If a dependency wants it, switch its default features off (`default-features = false`)",
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
    (
        &[
            "cannot find macro `println` in this scope",
            "cannot find macro `print` in this scope",
            "cannot find macro `eprintln` in this scope",
            "cannot find macro `dbg` in this scope",
        ],
        "a kernel prints by `lanewise_macros::gpu_printf!(\"{} {:.2}\\n\", i, x)`, whose text comes out when the host waits",
    ),
    (
        &[
            "cannot find type `Vec` in this scope",
            "cannot find type `String` in this scope",
            "cannot find type `Box` in this scope",
            "undeclared type `Vec`",
            "undeclared type `String`",
            "undeclared type `Box`",
            "cannot find macro `vec` in this scope",
            "cannot find macro `format` in this scope",
        ],
        "a kernel has no heap unless asked: take a slice of a buffer, an array or shared memory; or write `extern crate alloc;`, import \
         it from there, and switch on the feature `alloc` of lanewise-std",
    ),
    (
        &[
            "cannot index into a value of type `lanewise_std::",
            "cannot index into a value of type `DisjointSlice<",
            "cannot index into a value of type `DisjointMatrix<",
            "cannot index into a value of type `PerBlock<",
            "cannot index into a value of type `RowPerBlock<",
            "cannot index into a value of type `GlobalMut<",
            "cannot index into a value of type `SharedArray<",
            "cannot index into a value of type `DynamicSharedArray<",
        ],
        "memory that threads share has no `[i]`: a `DisjointSlice` gives a thread its own element (`output.get_mut(&index)`), and what \
         several threads use has `get(i)` and `set(i, value)`, which are unsafe: say what keeps the threads apart",
    ),
    (
        &["expected item after attributes"],
        "`shared!` stands in a function, a kernel or one that it calls: each block has the arrays for as long as it runs. A function that needs \
         another's array takes it as `&SharedArray<T, N>`",
    ),
    (
        &["is not supported in `trait`s or `impl`s"],
        "a kernel is a free function: write it in the module, outside of the `impl`; it may call methods",
    ),
    (
        &["conflicting implementations of trait `Child`"],
        "two kernels of one module have the same name: rename one, or put it into another module; all errors above come from that",
    ),
    (
        &["error[E0658]"],
        "a package whose kernels are a module names the unstable features of Rust that they use in its Cargo.toml: \
         [package.metadata.lanewise] features = [\"asm_experimental_arch\"] for `asm!`, \"portable_simd\" for `core::simd`; a package of \
         kernels alone begins src/lib.rs with `#![feature(..)]`",
    ),
];

/// Returns the advice for what cargo and rustc wrote. A missing panic handler is mentioned only if
/// nothing else is missing, because most other errors cause it too.
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
