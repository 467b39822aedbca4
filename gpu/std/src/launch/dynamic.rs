//! Dynamic parallelism: a kernel launches kernels.
//!
//! CUDA C++'s `child<<<blocks, threads>>>(a, b)` in a kernel is
//! `launch::<child>(Shape::new(blocks, threads), (a, b))` here, with the arguments checked against
//! the child's parameters. A kernel that launches others is declared `#[kernel(launches)]`. The
//! builder puts such kernels into a module of their own, which has to be linked with NVIDIA's
//! device runtime before a GPU accepts it.
//!
//! A child may begin as soon as it is launched, and the parent's grid ends only when all of its
//! children have ended. A thread cannot wait for a child (CUDA 12 removed `cudaDeviceSynchronize`
//! from kernels); launch the work that has to run afterwards into [`Stream::TAIL`]. A child sees
//! what the launching thread wrote before the launch. It also sees what other threads of the block
//! wrote before a barrier that the launching thread has passed. It does not see the writes of other
//! blocks. Shared and local memory belong to the parent: pass no address of them.
//!
//! A launch is safe if the child gets values, and memory that the launching thread has alone:
//! [`launch_owned`] and [`launch_in_tail`]. CUDA programming
//! guide, "CUDA Dynamic Parallelism", "CUDA Device Runtime"; PTX interoperability.

use core::marker::PhantomData;
use core::panic::Location;

use crate::intrinsics;

pub use super::give::GiveAs;
pub use crate::dim3::Dim3;
pub use crate::memory::owned::{Now, Owned, Tail};

/// The stream of a child, which determines what it waits for before it begins. Streams belong to
/// one grid: its parent and its children cannot use them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stream(usize);

impl Stream {
    /// The block's own stream (CUDA's NULL stream in a kernel): children of one block run one after
    /// another, and children of different blocks may run at the same time.
    pub const BLOCK: Stream = Stream(0);
    /// The stream whose children begin when all blocks of the grid and all their other children
    /// have ended. They run one after another.
    #[doc(alias = "cudaStreamTailLaunch")]
    pub const TAIL: Stream = Stream(3);
    /// The stream whose children may begin at once. They do not wait for other launches.
    #[doc(alias = "cudaStreamFireAndForget")]
    pub const FIRE_AND_FORGET: Stream = Stream(4);
}

/// The shape of a launch: grid, block, dynamic shared memory and stream, as in CUDA's `<<<>>>`.
#[derive(Clone, Copy, Debug)]
pub struct Shape {
    grid: Dim3,
    block: Dim3,
    dynamic_shared: u32,
    stream: Stream,
}

impl Shape {
    /// Makes the shape of `grid` blocks of `block` threads, without dynamic shared memory, in the
    /// block's own stream.
    #[inline]
    #[must_use]
    pub fn new(grid: impl Into<Dim3>, block: impl Into<Dim3>) -> Self {
        Shape {
            grid: grid.into(),
            block: block.into(),
            dynamic_shared: 0,
            stream: Stream::BLOCK,
        }
    }

    /// Returns the shape with this many bytes of dynamic shared memory for each block.
    #[inline]
    #[must_use]
    pub fn dynamic_shared(self, bytes: u32) -> Self {
        Shape {
            dynamic_shared: bytes,
            ..self
        }
    }

    /// Returns the shape in another stream.
    #[inline]
    #[must_use]
    pub fn on(self, stream: Stream) -> Self {
        Shape { stream, ..self }
    }
}

/// A kernel that kernels can launch. Every `#[kernel]` implements this trait.
///
/// # Safety
/// `entry` is the address of an entry point, and `store` writes its parameters in the layout
/// of the PTX.
pub unsafe trait Child {
    /// The arguments in order, as a tuple.
    type Arguments<'a>;
    /// Whether every launch with memory of its own is safe: the kernel is a safe function without a
    /// launch contract.
    #[doc(hidden)]
    const IS_SAFE: bool;

    /// Returns the address of the entry point.
    #[doc(hidden)]
    fn entry() -> *const ();

    /// Writes the arguments into a buffer of parameters.
    ///
    /// # Safety
    /// `buffer` is large enough for the arguments and is aligned to 16 bytes.
    #[doc(hidden)]
    unsafe fn store(buffer: *mut u8, arguments: Self::Arguments<'_>);
}

/// Launches a child grid. If the launch fails, the kernel ends with `CUDA_ERROR_ASSERT` and
/// prints the reason.
///
/// # Safety
/// The launch meets all requirements that the kernel has for a launch from the host, including its
/// `#[launch_contract]` and the [alignment](crate::kernel::slice_alignment) of slices. The data
/// that the child reads was written before the launch, as this module's documentation describes.
#[inline]
#[track_caller]
pub unsafe fn launch<K: Child>(shape: Shape, arguments: K::Arguments<'_>) {
    // SAFETY: the caller keeps the contract of this function.
    if let Err(error) = unsafe { try_launch::<K>(shape, arguments) } {
        error.stop(Location::caller());
    }
}

/// Launches a child grid with values and with memory that belongs to this thread: the child has it
/// from now on. So every launch is safe. If it fails, the kernel ends with `CUDA_ERROR_ASSERT` and
/// prints the reason.
///
/// ```
/// use lanewise_macros::kernel;
/// use lanewise_std::PerBlock;
/// use lanewise_std::dynamic::{Shape, launch_owned};
///
/// /// Each block's element becomes the number of grids that follow each other.
/// #[kernel(launches)]
/// pub fn count_down(left: u32, depths: PerBlock<u32>) {
///     if let Some(mut depth) = depths.give() {
///         if left > 0 {
///             launch_owned::<count_down>(Shape::new(1, 32), (left - 1, depth));
///         } else if let Some(depth) = depth.first_mut() {
///             *depth = 1;
///         }
///     }
/// }
/// ```
///
/// Memory that other threads have, too, is no argument:
///
/// ```compile_fail,E0277
/// use lanewise_macros::kernel;
/// use lanewise_std::DisjointSlice;
/// use lanewise_std::dynamic::{Shape, launch_owned};
///
/// #[kernel(launches)]
/// pub fn write(mut output: DisjointSlice<u32>) {
///     launch_owned::<write>(Shape::new(1, 1), (output,));
/// }
/// ```
///
/// Nor can a kernel be launched that is `unsafe`, or has a launch contract:
///
/// ```compile_fail,E0080
/// use lanewise_macros::kernel;
/// use lanewise_std::dynamic::{Shape, launch_owned};
///
/// #[kernel]
/// #[launch_contract(dims = 1)]
/// pub fn in_one_dimension(number: u32) {}
/// // Kernels are compiled for the device. Here, the function is called to see the error.
/// launch_owned::<in_one_dimension>(Shape::new((1, 1, 2), 1), (7,));
/// ```
#[inline]
#[track_caller]
pub fn launch_owned<'a, K: Child>(shape: Shape, arguments: impl GiveAs<K::Arguments<'a>, Now>) {
    let () = Safe::<K>::CHECKED;
    // SAFETY: the kernel is safe for all values and all shapes, and no other thread has the memory
    // that it is given.
    unsafe { launch::<K>(shape, arguments.give()) }
}

/// Launches a child grid as [`launch_owned`] does, after this grid has ended. So its memory may be
/// [`Owned<T, Tail>`](Owned), which other threads of the grid have until then.
#[doc(alias = "cudaStreamTailLaunch")]
#[inline]
#[track_caller]
pub fn launch_in_tail<'a, K: Child>(shape: Shape, arguments: impl GiveAs<K::Arguments<'a>, Tail>) {
    let () = Safe::<K>::CHECKED;
    // SAFETY: the kernel is safe for all values and all shapes. It begins when all threads of this
    // grid have ended, and children in this stream run one after another.
    unsafe { launch::<K>(shape.on(Stream::TAIL), arguments.give()) }
}

/// Compiles only if a launch with memory of its own is safe.
struct Safe<K>(PhantomData<K>);

impl<K: Child> Safe<K> {
    const CHECKED: () = assert!(
        K::IS_SAFE,
        "the launch is `unsafe`: the kernel is `unsafe`, or has a launch contract"
    );
}

/// Launches a child grid. Unlike [`launch`], it returns a failure to the caller.
///
/// # Errors
/// [`LaunchError`]: the device does not support the shape, or as many launches are pending as the
/// host has allowed.
///
/// # Safety
/// As for [`launch`].
#[inline]
pub unsafe fn try_launch<K: Child>(
    shape: Shape,
    arguments: K::Arguments<'_>,
) -> Result<(), LaunchError> {
    let Shape {
        grid,
        block,
        dynamic_shared,
        stream,
    } = shape;
    // SAFETY: `entry` is the address of a kernel. The runtime owns the buffer, which is large
    // enough for this kernel's parameters, and the launch returns it. The caller promises the rest.
    unsafe {
        let buffer = intrinsics::get_parameter_buffer(K::entry(), grid, block, dynamic_shared);
        if buffer.is_null() {
            return Err(LaunchError(intrinsics::get_last_error()));
        }
        K::store(buffer, arguments);
        match intrinsics::launch_device(buffer, stream.0) {
            0 => Ok(()),
            code => Err(LaunchError(code)),
        }
    }
}

/// The reason why a child was not launched: a `cudaError_t`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LaunchError(u32);

impl LaunchError {
    /// Returns the error's number in CUDA's headers.
    #[inline]
    #[must_use]
    pub fn code(self) -> u32 {
        self.0
    }

    /// Ends the kernel with a message.
    #[cold]
    fn stop(self, at: &Location<'_>) -> ! {
        let text = match self.0 {
            1 => c"the child launch failed: cudaErrorInvalidValue",
            9 => c"the child launch failed: its grid or block is beyond the device (cudaErrorInvalidConfiguration)",
            65 => c"the child launch failed: too many launches within launches (cudaErrorLaunchMaxDepthExceeded)",
            69 => c"the child launch failed: the host must allow more pending launches (cudaErrorLaunchPendingCountExceeded)",
            701 => c"the child launch failed: the host must allow more pending launches (cudaErrorLaunchOutOfResources)",
            _ => c"the child launch failed",
        };
        crate::assert::fail(
            text,
            at.file_as_c_str(),
            at.line(),
            c"lanewise_std::dynamic::launch",
        )
    }
}
