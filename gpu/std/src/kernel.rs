//! A kernel as the host sees it: a name, parameter types and launch bounds.
//!
//! `#[kernel]` turns a function into two things. Compiled for the device it is a PTX entry point. Compiled for the host it
//! is a unit struct of the same name that implements [`Kernel`], so that `host` can check the arguments of a launch
//! against the function's own signature.

/// A kernel's typed handle: what `#[kernel]` makes of a function when compiled for the host.
///
/// # Safety
/// `NAME` is the symbol of an entry point whose parameters are those of `Params`, lowered as [`Param`] says.
pub unsafe trait Kernel: Copy + Send + Sync + 'static {
    /// The parameter types in order, as a tuple, with `'static` for every elided lifetime: `(&'static [f32], u32)`.
    type Params;
    /// The entry point's symbol in the PTX.
    const NAME: &'static str;
    /// The parameters as the PTX has them, by name.
    const PARAMS: &'static [Param];
    /// What `#[launch_bounds]` promised, if anything.
    const BOUNDS: Option<LaunchBounds>;
}

/// A kernel that is safe to launch with any grid and block: `#[kernel]` on a safe `fn`.
///
/// # Safety
/// No launch of the kernel with valid arguments can break memory safety.
pub unsafe trait SafeKernel: Kernel {}

/// One parameter of a kernel, as written in Rust.
///
/// Slices and the slice-like outputs (`&[T]`, `DisjointSlice<T>`, `GlobalMut<T>`) are two PTX parameters, a 64-bit pointer
/// and a 64-bit length in elements; every other type is one, passed by value. The pointer of an empty slice is aligned and
/// not null, as everywhere in Rust.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Param {
    /// The parameter's name in the Rust function.
    pub name: &'static str,
    /// Its type as written.
    pub ty: &'static str,
}

/// What a kernel was compiled to expect of its launch: CUDA's `__launch_bounds__`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LaunchBounds {
    /// The most threads a block may have.
    pub max_threads: u32,
    /// The blocks that should fit on one multiprocessor, if that was given.
    pub min_blocks: Option<u32>,
}

/// A type that a kernel takes by value: its bytes mean the same on the host and on the device.
///
/// # Safety
/// The type has the same layout on both sides (a primitive, or `#[repr(C)]` of such), and holds no reference.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be passed to a kernel by value",
    note = "a kernel takes `&[T]`, `DisjointSlice<T>`, `GlobalMut<T>`, numbers, `bool`, raw pointers and arrays of these",
    note = "for a `#[repr(C)]` structure of your own: `unsafe impl gpu_std::kernel::Value for {Self} {{}}`"
)]
pub unsafe trait Value: Copy + 'static {}

macro_rules! values {
    ($($ty:ty)*) => {
        $(
            // SAFETY: a primitive.
            unsafe impl Value for $ty {}
        )*
    };
}

values! { bool i8 i16 i32 i64 isize u8 u16 u32 u64 usize f32 f64 }

// SAFETY: an address has 64 bits on both sides; whoever follows it answers for what is there.
unsafe impl<T: 'static> Value for *const T {}
// SAFETY: as for `*const T`.
unsafe impl<T: 'static> Value for *mut T {}
// SAFETY: an array is its elements, one after another.
unsafe impl<T: Value, const N: usize> Value for [T; N] {}

/// Compiles if `T` may be passed by value; `#[kernel]` writes a call for each such parameter.
#[doc(hidden)]
pub const fn assert_value<T: Value>() {}

/// The slice of a kernel's two parameters.
///
/// # Safety
/// `pointer` is aligned, not null, and valid for `length` elements, which nothing writes while the kernel runs.
#[doc(hidden)]
#[inline]
#[must_use]
pub unsafe fn read_slice<'a, T>(pointer: *const T, length: usize) -> &'a [T] {
    // SAFETY: the caller says all of it. What the optimizer is told here it cannot see in the PTX's parameters, and without
    // it every `Option<&T>` would be compared with null.
    unsafe {
        core::hint::assert_unchecked(!pointer.is_null());
        core::slice::from_raw_parts(pointer, length)
    }
}
