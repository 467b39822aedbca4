//! The PTX of a crate's kernels, as a type.
//!
//! A kernel's handle names its module by this type ([`Kernel::Module`](super::Kernel::Module)),
//! never by text. So two crates of one program may each have a `vec_add`. A launch finds the text
//! by the type, and cannot find the other crate's kernel.

/// The embedded PTX of one crate, which [`module!`](crate::module) makes.
///
/// # Safety
/// Each text was compiled from the Rust module at `PATH`, by the builder, with the crate's kernels
/// and statics under the names that [`symbol`] gives.
pub unsafe trait Module: Copy + Send + Sync + 'static {
    /// The crate's name, which is part of the names of a build's files: `gpu.ptx`, `gpu.json`.
    const NAME: &'static str;
    /// The path of the kernels in the host's crate: `gpu`, or `demo::kernels` if they are a module
    /// of the host's package.
    const PATH: &'static str;
    /// The PTX, with one text for each target.
    const TEXTS: &'static [PtxText];
    /// The kernels and statics whose symbol is not their Rust name, because another item of the
    /// crate has that name.
    const RENAMED: &'static [Renamed];
    /// The fingerprints of all kernels and statics, in order. A kernel's fingerprint
    /// stands for what the device expects of the host, and a static's for the value that
    /// it holds: see [`layout`](super::layout).
    #[doc(hidden)]
    const LAYOUTS: &'static [(&'static str, u64)] = &[];
    /// Code from other sources that the texts are linked with.
    const LINKED: &'static [Linked] = &[];
}

/// Device code that was not compiled from Rust: PTX, a cubin, a fatbin, an object, a
/// library or LTO-IR.
#[derive(Debug)]
pub struct Linked {
    /// The name of the file that it was read from.
    pub name: &'static str,
    /// The contents of the file.
    pub code: &'static [u8],
}

/// The PTX of a crate's kernels, for one target.
#[derive(Debug)]
pub struct PtxText {
    /// The target, as in `sm_80` or `sm_90a`.
    pub arch: &'static str,
    /// The kernels that launch no kernels.
    pub plain: &'static str,
    /// What of `plain` a kernel needs, by the kernels' names, in order. A kernel that shares a
    /// static with the host or with other kernels is not among them.
    pub parts: &'static [PtxPart],
    /// The kernels that launch kernels, to be linked with NVIDIA's device runtime. Empty if
    /// there are none.
    pub launching: &'static str,
    /// The builder's `gpu.json`: kernels with their parameters, statics with their sizes.
    pub manifest: &'static str,
}

/// What one kernel needs of a PTX text, so that the driver need not compile the others.
#[derive(Clone, Copy, Debug)]
pub struct PtxPart {
    /// The kernel's symbol.
    pub kernel: &'static str,
    /// The pieces of the text, in order.
    pub pieces: &'static [PtxPiece],
}

/// A piece of a PTX text: whole lines.
#[derive(Clone, Copy, Debug)]
pub struct PtxPiece {
    /// How many lines are left out before it.
    pub skipped: usize,
    /// The offset of its first byte.
    pub start: usize,
    /// The offset behind its last byte.
    pub end: usize,
}

/// A kernel or a static whose name occurs twice in its crate.
#[derive(Clone, Copy, Debug)]
pub struct Renamed {
    /// The Rust module that it is in, as the kernel crate sees it: `filters::box3`, or nothing for
    /// the crate's root.
    pub module: &'static str,
    /// The name of the kernel or static in that module.
    pub name: &'static str,
    /// Its symbol in the PTX: `filters$box3$blur`.
    pub symbol: &'static str,
}

/// Embeds the PTX of the crate's kernels. Call it once, at the root of the kernels: in `src/lib.rs`
/// of a kernel crate.
///
/// It makes the type `Ptx`, which every handle in the crate names
/// ([`Kernel::Module`](crate::kernel::Kernel::Module)). The crate's build script makes the PTX:
///
/// ```no_run
/// // build.rs
/// fn main() {
///     lanewise_builder::build();
/// }
/// ```
///
/// `module!(Name)` embeds PTX that a build script has made under another name, with other options:
/// `lanewise_builder::embed("Name", ..)`. Without a build script there is nothing to embed, and
/// kernels cannot be launched.
#[allow(
    clippy::needless_doctest_main,
    reason = "the example is a whole build script"
)]
#[macro_export]
macro_rules! module {
    () => {
        $crate::module!(Ptx);
    };
    ($name:ident) => {
        #[cfg(not(target_arch = "nvptx64"))]
        include!(concat!(
            env!("OUT_DIR"),
            "/lanewise/",
            stringify!($name),
            ".rs"
        ));
    };
}

/// The module of a crate that has no build script. It contains no PTX. Its kernels are
/// type-checked, but cannot be launched.
#[derive(Clone, Copy, Debug)]
pub struct NoPtx;

// SAFETY: there are no texts.
unsafe impl Module for NoPtx {
    const NAME: &'static str = "";
    const PATH: &'static str = "";
    const TEXTS: &'static [PtxText] = &[];
    const RENAMED: &'static [Renamed] = &[];
}

/// Returns the symbol of the kernel or static `name` in the Rust module `path`, which is a
/// `module_path!()` of the host's crate.
#[doc(hidden)]
#[must_use]
pub const fn symbol<M: Module>(path: &'static str, name: &'static str) -> &'static str {
    let mut at = 0;
    while at < M::RENAMED.len() {
        let renamed = &M::RENAMED[at];
        if is_within(
            path.as_bytes(),
            M::PATH.as_bytes(),
            renamed.module.as_bytes(),
        ) && equal(name.as_bytes(), renamed.name.as_bytes())
        {
            return renamed.symbol;
        }
        at += 1;
    }
    name
}

/// Returns whether `path` is `root`, or `root::inner` where `inner` is not empty.
const fn is_within(path: &[u8], root: &[u8], inner: &[u8]) -> bool {
    if inner.is_empty() {
        return equal(path, root);
    }
    if path.len() != root.len() + 2 + inner.len() {
        return false;
    }
    let (start, rest) = path.split_at(root.len());
    let (colons, end) = rest.split_at(2);
    equal(start, root) && equal(colons, b"::") && equal(end, inner)
}

/// Compares texts as `==` does. The operator cannot be used in a constant.
const fn equal(a: &[u8], b: &[u8]) -> bool {
    if a.len() != b.len() {
        return false;
    }
    let mut at = 0;
    while at < a.len() {
        if a[at] != b[at] {
            return false;
        }
        at += 1;
    }
    true
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Clone, Copy)]
    struct Two;

    // SAFETY: there are no texts.
    unsafe impl Module for Two {
        const NAME: &'static str = "demo";
        const PATH: &'static str = "demo::kernels";
        const TEXTS: &'static [PtxText] = &[];
        const RENAMED: &'static [Renamed] = &[
            Renamed {
                module: "",
                name: "k",
                symbol: "k",
            },
            Renamed {
                module: "a",
                name: "k",
                symbol: "a$k",
            },
            Renamed {
                module: "a::b",
                name: "k",
                symbol: "a$b$k",
            },
        ];
    }

    #[test]
    fn a_symbol_is_the_name_unless_two_have_it() {
        assert_eq!(symbol::<Two>("demo::kernels", "k"), "k");
        assert_eq!(symbol::<Two>("demo::kernels::a", "k"), "a$k");
        assert_eq!(symbol::<Two>("demo::kernels::a::b", "k"), "a$b$k");
        assert_eq!(symbol::<Two>("demo::kernels::a", "other"), "other");
        assert_eq!(symbol::<Two>("demo::kernelsa", "k"), "k");
        assert_eq!(symbol::<NoPtx>("anywhere", "k"), "k");
    }
}
