//! The macros of kernels: `#[kernel]` and its companions, `shared!`, `gpu_printf!`.
//!
//! A kernel is an ordinary function. [`macro@kernel`] compiles it twice. For `nvptx64-nvidia-cuda`
//! it becomes a PTX entry point. Slices arrive as a pointer and a length, because a slice passed
//! whole would lose its address space. The entry point builds the slices again and calls the body.
//! For the host it becomes a typed handle, a unit struct with the function's name, and a body that
//! is type-checked and never run. So `cargo check` and clippy check kernels like all other code.
//!
//! The functions that the expansions call are in `lanewise-std`. The interface to the builder
//! is in [`kernel/manifest.rs`](self).

mod compat;
mod device;
mod float_mode;
mod item;
mod kernel;
mod printf;
mod shared;
mod symbol;
mod value;

use proc_macro::TokenStream;

/// Makes a function a kernel.
///
/// | parameter | in the PTX | what the body gets |
/// | --- | --- | --- |
/// | `a: &[T]` | pointer, length | memory that no thread writes while the kernel runs |
/// | `a: &[DeviceAtomicU32]`, any cell | pointer, length | memory that threads share through the cell |
/// | `c: DisjointSlice<T>` | pointer, length | memory that each thread writes at its own index |
/// | `d: GlobalMut<T>` | pointer, length | memory that threads share, behind `unsafe` access |
/// | `n: u32`, any `T: Value` | the value | the value |
///
/// A safe `fn` may be launched safely with any grid and block. If that does not hold,
/// write `unsafe fn`.
///
/// Options:
/// - `instances(16, 32)` lists the values of a kernel with a const parameter (one entry point
///   each, `name_16`, `name_32`).
/// - `instances(f32, f64)` lists the types of a kernel with a type parameter (`name_f32`, whose
///   handle is `name::<f32>`). With several parameters, write `instances((f32, 2), (f64, 4))`.
/// - `min_arch = "sm_90"` leaves the kernel out of builds for older targets.
///
/// ```
/// use lanewise_macros::kernel;
/// use lanewise_std::{DisjointSlice, thread};
///
/// #[kernel]
/// pub fn scale(input: &[f32], mut output: DisjointSlice<f32>, factor: f32) {
///     let index = thread::index_1d();
///     if let (Some(x), Some(y)) = (input.get(index.get()), output.get_mut(&index)) {
///         *y = factor * x;
///     }
/// }
/// ```
///
/// A value that is passed must mean the same on both sides:
///
/// ```compile_fail,E0277
/// #[lanewise_macros::kernel]
/// pub fn greet(name: String) {}
/// ```
#[proc_macro_attribute]
pub fn kernel(options: TokenStream, item: TokenStream) -> TokenStream {
    kernel::expand(options.into(), item.into())
        .unwrap_or_else(syn::Error::into_compile_error)
        .into()
}

/// Declares that a block has at most `max` threads, and requests that `min` blocks fit on a
/// multiprocessor: `#[launch_bounds(256)]`, `#[launch_bounds(256, 2)]`. This is CUDA's
/// `__launch_bounds__`. The attribute is used together with `#[kernel]`, which reads it.
///
/// With `max` the compiler may use more registers for each thread, and with `min` it may
/// have to use fewer. A launch with a larger block fails. PTX ISA, "Performance-Tuning
/// Directives: .maxntid, .minnctapersm". The values of this attribute and of the next two are
/// constant expressions, which may name constants and the kernel's const parameters.
#[proc_macro_attribute]
pub fn launch_bounds(options: TokenStream, item: TokenStream) -> TokenStream {
    kernel::companion::expand("launch_bounds", options.into(), item.into())
        .unwrap_or_else(syn::Error::into_compile_error)
        .into()
}

/// Limits the registers of a thread, so that more threads fit on a multiprocessor:
/// `#[max_registers(64)]`. This is CUDA's `__maxnreg__`. The attribute is used together with
/// `#[kernel]`. It must not be combined with a second number of `#[launch_bounds]`, which limits
/// registers in another way. Values that do not fit are spilled to local memory: the table of
/// `cargo xtask build-ptx` shows how many. PTX ISA, "Performance-Tuning Directives: .maxnreg".
#[proc_macro_attribute]
pub fn max_registers(options: TokenStream, item: TokenStream) -> TokenStream {
    kernel::companion::expand("max_registers", options.into(), item.into())
        .unwrap_or_else(syn::Error::into_compile_error)
        .into()
}

/// Fixes the shape of the cluster that a block belongs to, in blocks:
/// `#[cluster_launch(2, 1, 1)]`. This is CUDA's `__cluster_dims__`. The attribute is used
/// together with `#[kernel(min_arch = "sm_90")]`, because Hopper was the first to have
/// clusters. The grid is a multiple of the cluster along each axis. PTX ISA, "Cluster
/// Dimension Directives: .reqnctapercluster".
#[proc_macro_attribute]
pub fn cluster_launch(options: TokenStream, item: TokenStream) -> TokenStream {
    kernel::companion::expand("cluster_launch", options.into(), item.into())
        .unwrap_or_else(syn::Error::into_compile_error)
        .into()
}

/// Launches the kernel cooperatively: all blocks of its grid are on the device at once, so they can
/// wait for each other with `groups::this_grid().sync()`. The attribute is used together with
/// `#[kernel]`. The host refuses a launch with more blocks than the device holds. CUDA C++
/// Programming Guide, "Cooperative Groups: Grid Synchronization".
#[proc_macro_attribute]
pub fn cooperative_launch(options: TokenStream, item: TokenStream) -> TokenStream {
    kernel::companion::expand("cooperative_launch", options.into(), item.into())
        .unwrap_or_else(syn::Error::into_compile_error)
        .into()
}

/// Makes this function compute in `f32` as fast as the GPU can. Operations are fused, divisions and
/// square roots are approximate, and the functions of `lanewise_std::math` are those of
/// `lanewise_std::fast`. This is `--fast-math` for one function, except that denormals are not set
/// to zero. It applies to a kernel or any other function. Functions that it calls are compiled as
/// usual, unless rustc inlines them.
#[proc_macro_attribute]
pub fn fast_math(options: TokenStream, item: TokenStream) -> TokenStream {
    float_mode::expand("fast_math", options.into(), item.into())
        .unwrap_or_else(syn::Error::into_compile_error)
        .into()
}

/// Rounds each product and each sum of this function separately: no `a * b + c` becomes one fused
/// multiply-add, even if the build has `--fmad`. It applies to a kernel or any other function.
#[proc_macro_attribute]
pub fn no_fma(options: TokenStream, item: TokenStream) -> TokenStream {
    float_mode::expand("no_fma", options.into(), item.into())
        .unwrap_or_else(syn::Error::into_compile_error)
        .into()
}

/// Declares a kernel's requirements for its launch. The attribute is used together with
/// `#[kernel]`, which reads it. Below `#[kernel]` it needs no import.
///
/// | clause | the launch |
/// | --- | --- |
/// | `dims = 1` | extends along x only; `dims = 2`, along x and y |
/// | `block = 256`, `block = (32, 8)` | has blocks of this shape; a size may name a constant or a const parameter |
/// | `grid = 1`, `grid = ..=64`, `grid = (..=64, 2..=8)` | has this many blocks along x, y and z; one along an axis that is not named |
/// | `whole_warps` | has blocks of a multiple of 32 threads |
/// | `len(a) == len(b)`, `len(c) >= n * m` | passes slices of these lengths |
///
/// A length is compared with a product of lengths, parameters that are unsigned integers, and
/// constants.
///
/// Any contract also requires fewer than 2^32 threads along each axis, so that positions fit
/// in a `u32`.
///
/// The host refuses a launch that breaks the contract. The compiler relies on the contract: the
/// device code checks neither the shape nor these lengths. A launch that skips the host's check is
/// `unsafe`, and its caller must keep the contract.
///
/// ```
/// use lanewise_macros::kernel;
/// use lanewise_std::kernel::Kernel;
/// use lanewise_std::{DisjointSlice, thread};
///
/// #[kernel]
/// #[launch_contract(dims = 2, block = (32, 8))]
/// pub fn tile() {}
///
/// assert!(tile::CONTRACT.check([7, 5, 1], [32, 8, 1]).is_ok());
/// assert!(tile::CONTRACT.check([7, 5, 1], [8, 32, 1]).is_err());
///
/// const THREADS: u32 = 256;
///
/// #[kernel]
/// #[launch_contract(dims = 1, block = THREADS, whole_warps)]
/// pub fn row() {}
///
/// assert_eq!(row::CONTRACT.block, Some([256, 1, 1]));
///
/// #[kernel]
/// #[launch_contract(dims = 1, grid = ..=64)]
/// pub fn partial_sums() {}
///
/// assert!(partial_sums::CONTRACT.check([64, 1, 1], [256, 1, 1]).is_ok());
/// assert!(partial_sums::CONTRACT.check([65, 1, 1], [256, 1, 1]).is_err());
///
/// #[kernel]
/// #[launch_contract(dims = 1, len(a) == len(sum), len(b) == len(sum))]
/// pub fn add(a: &[f32], b: &[f32], mut sum: DisjointSlice<f32>) {
///     let i = thread::index_1d();
///     if let Some(sum) = sum.get_mut(&i) {
///         *sum = a[i.get()] + b[i.get()]; // neither index is checked
///     }
/// }
///
/// assert_eq!(add::CONTRACT.lengths[1].text, "len(b) == len(sum)");
/// ```
#[proc_macro_attribute]
pub fn launch_contract(options: TokenStream, item: TokenStream) -> TokenStream {
    kernel::companion::expand("launch_contract", options.into(), item.into())
        .unwrap_or_else(syn::Error::into_compile_error)
        .into()
}

/// Allows your own structure or enumeration to be passed to a kernel by value, and to be an
/// element of buffers.
///
/// The type must mean the same on both sides. It is `#[repr(C)]` (or `transparent`, or for an
/// enumeration a type of integers), and all of its fields are such values. A structure has no
/// padding, because the bytes of padding have no value that could be passed. Fields are numbers,
/// `bool`, arrays, `Option<NonZeroU32>`, raw addresses of the device, and other types that derive
/// it. A type that borrows or owns memory of the host is not allowed.
///
/// ```
/// use lanewise_macros::{Value, kernel};
/// use lanewise_std::{DisjointSlice, thread};
///
/// #[derive(Clone, Copy, Value)]
/// #[repr(C)]
/// pub struct Line {
///     pub slope: f32,
///     pub offset: f32,
/// }
///
/// #[kernel]
/// pub fn along(line: Line, input: &[f32], mut output: DisjointSlice<f32>) {
///     let index = thread::index_1d();
///     if let (Some(x), Some(y)) = (input.get(index.get()), output.get_mut(&index)) {
///         *y = line.slope * x + line.offset;
///     }
/// }
/// ```
///
/// Padding between fields is refused:
///
/// ```compile_fail,E0080
/// #[derive(Clone, Copy, lanewise_macros::Value)]
/// #[repr(C)]
/// struct Hole {
///     small: u8,
///     large: u32,
/// }
/// ```
///
/// A type with parameters may have padding for some of their values, so it is never
/// plain bytes (`Pod`):
///
/// ```compile_fail,E0277
/// #[derive(Clone, Copy, lanewise_macros::Value)]
/// #[repr(C)]
/// struct Both<A, B>(A, B);
///
/// fn bytes<T: lanewise_std::kernel::Pod>(_: T) {}
/// bytes(Both(1u8, 2u32));
/// ```
///
/// A layout that the compiler chooses is refused too:
///
/// ```compile_fail
/// #[derive(Clone, Copy, lanewise_macros::Value)]
/// struct Anyhow {
///     small: u8,
///     large: u32,
/// }
/// ```
#[proc_macro_derive(Value)]
pub fn derive_value(item: TokenStream) -> TokenStream {
    value::expand(item.into())
        .unwrap_or_else(syn::Error::into_compile_error)
        .into()
}

/// Declares arrays that the threads of a block share: CUDA's `__shared__`.
///
/// `static TILE: SharedTile<f32, 32, 32, 33>;` and `static LINE: SharedLine<f32, 256>;` are written
/// and read in phases, without `unsafe`: see `lanewise_std::phased`.
///
/// ```
/// use lanewise_macros::{kernel, shared};
/// use lanewise_std::thread::{index_1d, thread_idx_x};
/// use lanewise_std::{DisjointSlice, SharedLine};
///
/// #[kernel]
/// #[launch_contract(dims = 1, block = 64)]
/// pub fn reverse(mut output: DisjointSlice<u32>) {
///     shared! { static ELEMENTS: SharedLine<u32, 64>; }
///     let elements = ELEMENTS.fill::<1>(|i| i as u32);
///     if let Some(output) = output.get_mut(index_1d()) {
///         *output = elements.get(63 - thread_idx_x() as usize);
///     }
/// }
/// ```
///
/// In the first statement of a kernel, `static TILES: SharedStages<f32, 256, 3>;` is filled by
/// asynchronous copies while the threads work, and `static LOADED: Barrier<Block> = 1;` is a
/// barrier at which one thread arrives in each phase (`lanewise_std::barrier`). The kernel's entry
/// point makes both, so the number is a constant, and each thread has them from its start.
///
/// `static TILE: [[f32; 33]; 32];` is a `SharedArray<[f32; 33], 32>`, of which each access is
/// `unsafe`. The size may depend on const parameters of the kernel. There is no initializer,
/// because the hardware has none: an element has no value until a thread has set it.
///
/// ```
/// use lanewise_macros::{kernel, shared};
/// use lanewise_std::thread::{sync_threads, thread_idx_x};
///
/// #[kernel]
/// #[launch_contract(dims = 1, block = (64))]
/// pub fn reverse() {
///     shared! { static ELEMENTS: [u32; 64]; }
///     let thread = thread_idx_x() as usize;
///     // SAFETY: each thread has an element of its own.
///     unsafe { ELEMENTS.set(thread, thread_idx_x()) };
///     sync_threads();
///     // SAFETY: set before the barrier, by another thread.
///     let _opposite = unsafe { ELEMENTS.get(63 - thread) };
/// }
/// ```
///
/// Each declaration is one array for each block, even if the block executes the
/// declaration several times.
#[proc_macro]
pub fn shared(item: TokenStream) -> TokenStream {
    shared::expand(item.into())
        .unwrap_or_else(syn::Error::into_compile_error)
        .into()
}

/// Declares a static or a function of the device. A static is a `DeviceGlobal<T>` in global
/// memory, or a `ConstantMemory<T>` in constant memory. On functions, the attribute lets one
/// module call another's.
///
/// On the host the static is a handle, as a kernel is. `device.symbol(COUNT)` finds the memory,
/// which has the handle's type (`lanewise_std::symbol::Symbol`).
///
/// ```
/// use lanewise_macros::device;
/// use lanewise_std::symbol::Symbol;
/// use lanewise_std::{ConstantMemory, DeviceGlobal};
///
/// #[device]
/// pub static COUNT: DeviceGlobal<u32> = DeviceGlobal::new(0);
/// #[device]
/// pub static COEFFICIENTS: ConstantMemory<[f32; 5]> = ConstantMemory::new([0.0; 5]);
///
/// fn name(_: impl Symbol<Value = u32>) {}
/// name(COUNT);
/// ```
///
/// A crate's kernels are one module of PTX. A function that modules of other crates or
/// other languages may call is `extern "C"`, and it keeps its name in the PTX. The calling
/// module declares it, and the host program links both (`lanewise::Linker`). This is CUDA
/// C++'s separate compilation.
///
/// ```
/// # mod kernels {
/// # use lanewise_macros::device;
/// /// Defined here, for others.
/// #[device]
/// pub extern "C" fn twice(x: f32) -> f32 {
///     2.0 * x
/// }
/// # }
/// # mod others {
/// # use lanewise_macros::device;
///
/// // In another crate's kernels.
/// #[device]
/// unsafe extern "C" {
///     /// Defined elsewhere.
///     pub fn twice(x: f32) -> f32;
/// }
/// # }
/// ```
#[proc_macro_attribute]
pub fn device(options: TokenStream, item: TokenStream) -> TokenStream {
    device::expand(options.into(), item.into())
        .unwrap_or_else(syn::Error::into_compile_error)
        .into()
}

/// Prints from a kernel: `gpu_printf!("thread {} has {:.2}\n", thread::thread_idx_x(), x)`.
///
/// The format is Rust's (`{}`, `{name}`, `{:x}`, `{:X}`, `{:o}`, `{:e}`, `{:p}`, width, precision,
/// `0`, `+`, `-`, `<`, `>`). It is checked when the kernel is compiled: the macro checks the number
/// of arguments, and the traits in `lanewise_std::printf` check their types. It becomes one call of
/// the driver's `vprintf`, so the text of one call is never mixed with other output.
///
/// ```
/// # use lanewise_macros::{gpu_printf, kernel};
/// #[kernel]
/// pub fn report(x: f32) {
///     gpu_printf!("x is {x:.3}, its bits are {:08x}\n", x.to_bits());
/// }
/// ```
///
/// A value that does not fit its format is a compile error:
///
/// ```compile_fail,E0277
/// # use lanewise_macros::{gpu_printf, kernel};
/// #[kernel]
/// pub fn report(x: f32) {
///     gpu_printf!("{x:x}\n");
/// }
/// ```
///
/// CUDA C++ Programming Guide, "Formatted Output".
#[proc_macro]
pub fn gpu_printf(item: TokenStream) -> TokenStream {
    printf::expand(item.into())
        .unwrap_or_else(syn::Error::into_compile_error)
        .into()
}

/// `#[kernel]` as Rust-CUDA and cuda-oxide write it, which `lanewise_compat` exports
/// under its name.
#[doc(hidden)]
#[proc_macro_attribute]
pub fn compat_kernel(options: TokenStream, item: TokenStream) -> TokenStream {
    compat::kernel(options.into(), item.into())
        .unwrap_or_else(syn::Error::into_compile_error)
        .into()
}

/// cuda-oxide's `#[device]`, which `lanewise_compat` exports under its name.
#[doc(hidden)]
#[proc_macro_attribute]
pub fn compat_device(options: TokenStream, item: TokenStream) -> TokenStream {
    compat::device(options.into(), item.into())
        .unwrap_or_else(syn::Error::into_compile_error)
        .into()
}

/// An attribute that changes nothing, because its effect is the default
/// here: cuda-oxide's `#[cuda_module]`.
#[doc(hidden)]
#[proc_macro_attribute]
pub fn compat_nothing(_: TokenStream, item: TokenStream) -> TokenStream {
    item
}

/// [`gpu_printf!`] with a new line at the end.
#[doc(hidden)]
#[proc_macro]
pub fn compat_println(item: TokenStream) -> TokenStream {
    compat::println(item.into())
        .unwrap_or_else(syn::Error::into_compile_error)
        .into()
}

/// cuda-oxide's `gpu_printf!`, which `lanewise_compat` exports under its name.
#[doc(hidden)]
#[proc_macro]
pub fn compat_printf(item: TokenStream) -> TokenStream {
    compat::printf(item.into())
        .unwrap_or_else(syn::Error::into_compile_error)
        .into()
}
