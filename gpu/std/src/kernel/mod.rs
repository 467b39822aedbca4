//! A kernel as the host sees it: a module, a name, parameter types and launch bounds.
//!
//! `#[kernel]` turns a function into two things. Compiled for the device it is a PTX entry point.
//! Compiled for the host it is a unit struct of the same name that implements [`Kernel`], so that
//! `host` can check the arguments of a launch against the function's own signature.

mod alignment;
mod at_entry;
mod contract;
mod description;
mod element;
mod fingerprint;
#[doc(hidden)]
pub mod layout;
mod lengths;
mod module;
mod passed;
mod value;

pub use alignment::slice_alignment;
#[doc(hidden)]
pub use at_entry::AtEntry;
pub use contract::{BrokenContract, GridSize, LaunchContract};
#[doc(hidden)]
pub use description::{DescribedParam, Description, Lowering};
pub use element::SharedCell;
#[doc(hidden)]
pub use element::{Element, HoldsCells, Shared};
#[doc(hidden)]
pub use lengths::{Count, HasLength};
pub use lengths::{Factor, LengthClause};
#[doc(hidden)]
pub use module::symbol;
pub use module::{Linked, Module, NoPtx, PtxPart, PtxPiece, PtxText, Renamed};
#[doc(hidden)]
pub use passed::{Passed, assert_one_barrier};
pub(crate) use passed::{outputs, wrapper};
pub(crate) use value::plain_numbers;
pub use value::{Value, assert_value};

/// The trait that the host requires of a type whose values it copies to the device.
/// `#[derive(Value)]` implements it.
#[cfg(not(target_arch = "nvptx64"))]
#[doc(hidden)]
pub use cust_core::DeviceCopy;

/// The traits that a type needs for a buffer of zeroes (`Zeroable`), and for a buffer that is
/// filled with a value (`Pod`).
#[cfg(not(target_arch = "nvptx64"))]
#[doc(hidden)]
pub use bytemuck::{Pod, Zeroable};

/// The typed handle of a kernel. `#[kernel]` makes it from a function when the function is compiled
/// for the host.
///
/// # Safety
/// `NAME` is the symbol of an entry point in the texts of `Module`, whose parameters are those of
/// `Params`, lowered as [`Param`] describes.
pub unsafe trait Kernel: Copy + Send + Sync + 'static {
    /// The module of the kernel's crate, whose PTX contains the kernel.
    type Module: Module;
    /// The parameter types in order, as a tuple, with `'static` for every elided lifetime:
    /// `(&'static [f32], u32)`.
    type Params;
    /// The entry point's symbol in the PTX.
    const NAME: &'static str;
    /// The parameters in the order of the PTX, with their names.
    const PARAMS: &'static [Param];
    /// The bounds that `#[launch_bounds]` promised, if any.
    const BOUNDS: Option<LaunchBounds>;
    /// The contract that `#[launch_contract]` requires of a launch.
    const CONTRACT: LaunchContract = LaunchContract::ANY;
    /// The cluster that `#[cluster_launch]` fixed, in blocks along x, y and z.
    const CLUSTER: Option<[u32; 3]> = None;
    /// Whether the kernel launches kernels. It is then in the module that is linked with
    /// the device runtime.
    const LAUNCHES: bool = false;
    /// Whether the kernel's blocks wait for each other (`#[cooperative_launch]`). All blocks of a
    /// grid then have to be resident on the device at once.
    const COOPERATIVE: bool = false;
}

/// A kernel that is safe to launch with every grid and block that its contract allows: `#[kernel]`
/// on a safe `fn`.
///
/// # Safety
/// No launch of the kernel with valid arguments that keeps [`Kernel::CONTRACT`] can
/// break memory safety.
pub unsafe trait SafeKernel: Kernel {}

/// One parameter of a kernel, as written in Rust.
///
/// Slices and the slice-like outputs (`&[T]`, `DisjointSlice<T>`, `GlobalMut<T>`) are two PTX
/// parameters, a 64-bit pointer and a 64-bit length in elements; every other type is one parameter,
/// passed by value. The pointer is aligned to [`slice_alignment`], which may be more than Rust
/// requires. That of an empty slice is too, and it is not null, as always in Rust.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Param {
    /// The parameter's name in the Rust function.
    pub name: &'static str,
    /// The type of the parameter, as written in the source.
    pub ty: &'static str,
}

/// The launch sizes for which a kernel was compiled: CUDA's `__launch_bounds__`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LaunchBounds {
    /// The maximum number of threads of a block.
    pub max_threads: u32,
    /// The number of blocks that should fit on one multiprocessor, if the attribute has it.
    pub min_blocks: Option<u32>,
}

/// Makes the slice from a kernel's two parameters.
///
/// # Safety
/// `pointer` is aligned to [`slice_alignment`], not null, and valid for `length` elements. While
/// the kernel runs, the elements are written only through the cells in them.
#[doc(hidden)]
#[inline]
#[must_use]
pub unsafe fn read_slice<'a, T>(pointer: *const T, length: usize) -> &'a [T] {
    // SAFETY: the caller promises all of it.
    unsafe {
        assume_slice(pointer, length);
        core::slice::from_raw_parts(pointer, length)
    }
}

/// Tells the optimizer what it cannot see in the PTX's parameters: that the pointer is not null, as
/// every `Option<&T>` would be compared with null otherwise, and that the length is no larger than
/// that of any slice. Otherwise a sum of an index and a length may pass the largest number.
///
/// # Safety
/// `pointer` is not null, and valid for `length` elements.
#[inline(always)]
pub(crate) unsafe fn assume_slice<T>(pointer: *const T, length: usize) {
    // SAFETY: the caller guarantees it, and no allocation is larger.
    unsafe {
        core::hint::assert_unchecked(!pointer.is_null());
        core::hint::assert_unchecked(size_of::<T>() == 0 || length <= isize::MAX as usize);
    }
}
