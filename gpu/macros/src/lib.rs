//! The macros of kernels: `#[kernel]` and its companions, `shared!`, `gpu_printf!`.
//!
//! A kernel is an ordinary function. [`macro@kernel`] compiles it twice. For `nvptx64-nvidia-cuda`
//! it becomes a PTX entry point: slices arrive as a pointer and a length (a slice passed whole
//! would lose its address space) and are put together again before the body. For the host it
//! becomes a typed handle, a unit struct of the function's name, and a body that is type-checked
//! and never run, so that `cargo check` and clippy see kernels as they see all other code.
//!
//! What the expansions call lives in `lanewise-std`; what they promise to the builder is in
//! [`kernel/manifest.rs`](self).

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
/// A safe `fn` may be launched safely with any grid and block; write `unsafe fn` where that is not
/// so.
///
/// Options: `instances(16, 32)` lists the values of a kernel with a const parameter (one entry
/// point each, `name_16`, `name_32`), `instances(f32, f64)` the types of one with a type parameter
/// (`name_f32`; its handle is `name::<f32>`); with several parameters,
/// `instances((f32, 2), (f64, 4))`. `min_arch = "sm_90"` leaves the kernel out of builds for older
/// targets.
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
/// What is passed by value has to mean the same on both sides:
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

/// Promises that a block has at most `max` threads, and asks that `min` blocks fit on a
/// multiprocessor: `#[launch_bounds(256)]`, `#[launch_bounds(256, 2)]`. CUDA's `__launch_bounds__`.
/// It goes with `#[kernel]`, which reads it.
///
/// The compiler may then use more registers for each thread (or must use fewer); a launch with a
/// larger block fails. PTX ISA, "Performance-Tuning Directives: .maxntid, .minnctapersm".
#[proc_macro_attribute]
pub fn launch_bounds(options: TokenStream, item: TokenStream) -> TokenStream {
    kernel::companion::expand("launch_bounds", options.into(), item.into())
        .unwrap_or_else(syn::Error::into_compile_error)
        .into()
}

/// Lets a thread have at most this many registers, so that more threads fit on a multiprocessor:
/// `#[max_registers(64)]`. CUDA's `__maxnreg__`. It goes with `#[kernel]`, and not with a second
/// number of `#[launch_bounds]`, which asks for the same in another way. What does not fit is
/// spilled to local memory: look at the table of `cargo xtask build-ptx`. PTX ISA,
/// "Performance-Tuning Directives: .maxnreg".
#[proc_macro_attribute]
pub fn max_registers(options: TokenStream, item: TokenStream) -> TokenStream {
    kernel::companion::expand("max_registers", options.into(), item.into())
        .unwrap_or_else(syn::Error::into_compile_error)
        .into()
}

/// Fixes the cluster that a block belongs to, in blocks: `#[cluster_launch(2, 1, 1)]`. CUDA's
/// `__cluster_dims__`. It goes with `#[kernel(min_arch = "sm_90")]`: clusters came with Hopper. The
/// grid is a multiple of the cluster along each axis. PTX ISA, "Cluster Dimension Directives:
/// .reqnctapercluster".
#[proc_macro_attribute]
pub fn cluster_launch(options: TokenStream, item: TokenStream) -> TokenStream {
    kernel::companion::expand("cluster_launch", options.into(), item.into())
        .unwrap_or_else(syn::Error::into_compile_error)
        .into()
}

/// Launches the kernel cooperatively: all blocks of its grid are on the device at once, so that
/// they can wait for each other by `groups::this_grid().sync()`. It goes with `#[kernel]`. A launch
/// of more blocks than the device holds is refused by the host. CUDA C++ Programming Guide,
/// "Cooperative Groups: Grid Synchronization".
#[proc_macro_attribute]
pub fn cooperative_launch(options: TokenStream, item: TokenStream) -> TokenStream {
    kernel::companion::expand("cooperative_launch", options.into(), item.into())
        .unwrap_or_else(syn::Error::into_compile_error)
        .into()
}

/// Computes in `f32` as fast as the machine can, in this function: operations fused, divisions and
/// square roots approximate, the functions of `lanewise_std::math` as in `lanewise_std::fast`. What
/// `--fast-math` is for a whole build, less its zeroing of denormals. On a kernel or any other
/// function; functions that it calls are compiled as ever, unless rustc inlines them.
#[proc_macro_attribute]
pub fn fast_math(options: TokenStream, item: TokenStream) -> TokenStream {
    float_mode::expand("fast_math", options.into(), item.into())
        .unwrap_or_else(syn::Error::into_compile_error)
        .into()
}

/// Rounds each product and each sum of this function by itself: no `a * b + c` becomes one fused
/// multiply-add, whatever the build's `--fmad` says. On a kernel or any other function.
#[proc_macro_attribute]
pub fn no_fma(options: TokenStream, item: TokenStream) -> TokenStream {
    float_mode::expand("no_fma", options.into(), item.into())
        .unwrap_or_else(syn::Error::into_compile_error)
        .into()
}

/// Says what a kernel asks of its launch. It goes with `#[kernel]`, which reads it (below that, it
/// needs no import).
///
/// | clause | the launch |
/// | --- | --- |
/// | `dims = 1` | extends along x only; `dims = 2`, along x and y |
/// | `block = 256`, `block = (32, 8)` | has blocks of this shape; a size may name a constant or a const parameter |
/// | `grid = 1`, `grid = ..=64`, `grid = (..=64, 2..=8)` | has so many blocks along x, y and z, where nothing is said one |
/// | `whole_warps` | has blocks of a multiple of 32 threads |
///
/// Any contract also says that there are fewer than 2^32 threads along each axis, so that positions
/// fit in a `u32`.
///
/// The host refuses a launch that breaks the contract. The kernel is compiled on the strength of
/// it: no check of the shape is left on the device, and a launch that goes round the host's check,
/// which is `unsafe`, has to keep it.
///
/// ```
/// use lanewise_macros::kernel;
/// use lanewise_std::kernel::Kernel;
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
/// ```
#[proc_macro_attribute]
pub fn launch_contract(options: TokenStream, item: TokenStream) -> TokenStream {
    kernel::companion::expand("launch_contract", options.into(), item.into())
        .unwrap_or_else(syn::Error::into_compile_error)
        .into()
}

/// Lets a structure or an enumeration of your own be passed to a kernel by value, and be an element
/// of buffers.
///
/// The type means the same on both sides: it is `#[repr(C)]` (or `transparent`, or for an
/// enumeration a type of integers), all of its fields are such values, and a structure has no
/// padding, which holds nothing that could be passed. Fields are numbers, `bool`, arrays,
/// `Option<NonZeroU32>`, raw addresses of the device, and other types that derive it; what borrows
/// or owns memory of the host is none.
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
/// A hole between fields is refused:
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
/// A type with parameters may have holes for some of their values, so it is not plain bytes (`Pod`)
/// for any:
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
/// And a layout that the compiler chooses is refused:
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
/// `shared! { static TILE: [[f32; 33]; 32]; }` makes `TILE` a `SharedArray<[f32; 33], 32>` in the
/// scope it stands in. The size may depend on const parameters of the kernel. There is no
/// initializer, as the hardware has none: an element has no value until a thread has set it.
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
/// Each declaration is one piece of memory for each block, however often control passes it.
#[proc_macro]
pub fn shared(item: TokenStream) -> TokenStream {
    shared::expand(item.into())
        .unwrap_or_else(syn::Error::into_compile_error)
        .into()
}

/// On a static, puts it on the device: a `DeviceGlobal<T>` in global memory, a `ConstantMemory<T>`
/// in constant memory. On functions, lets one module call another's.
///
/// On the host the static is a handle, as a kernel is: `device.symbol(COUNT)` finds the memory,
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
/// A crate's kernels are one module of PTX. A function that modules of other crates, or of other
/// languages, may call is `extern "C"`; it keeps its name in the PTX. Who calls it declares it, and
/// the host program links both (`lanewise::Linker`). This is CUDA C++'s separate compilation.
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
/// `0`, `+`, `-`, `<`, `>`) and is checked when the kernel is compiled: the number of arguments
/// here, their types by the traits in `lanewise_std::printf`. It becomes one call of the driver's
/// `vprintf`, so that one call's text is never torn apart.
///
/// ```
/// # use lanewise_macros::{gpu_printf, kernel};
/// #[kernel]
/// pub fn report(x: f32) {
///     gpu_printf!("x is {x:.3}, its bits are {:08x}\n", x.to_bits());
/// }
/// ```
///
/// A value that a format does not fit does not compile:
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

/// `#[kernel]` as Rust-CUDA and cuda-oxide write it; `lanewise_std::compat` has it under its name.
#[doc(hidden)]
#[proc_macro_attribute]
pub fn compat_kernel(options: TokenStream, item: TokenStream) -> TokenStream {
    compat::kernel(options.into(), item.into())
        .unwrap_or_else(syn::Error::into_compile_error)
        .into()
}

/// cuda-oxide's `#[device]`; `lanewise_std::compat` has it under its name.
#[doc(hidden)]
#[proc_macro_attribute]
pub fn compat_device(options: TokenStream, item: TokenStream) -> TokenStream {
    compat::device(options.into(), item.into())
        .unwrap_or_else(syn::Error::into_compile_error)
        .into()
}

/// An attribute that says what holds here anyway: cuda-oxide's `#[cuda_module]`.
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

/// cuda-oxide's `gpu_printf!`; `lanewise_std::compat` has it under its name.
#[doc(hidden)]
#[proc_macro]
pub fn compat_printf(item: TokenStream) -> TokenStream {
    compat::printf(item.into())
        .unwrap_or_else(syn::Error::into_compile_error)
        .into()
}
