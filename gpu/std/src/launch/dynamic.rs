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
//! from kernels); launch what has to run afterwards into [`Stream::TAIL`]. A child sees what the
//! launching thread wrote before the launch, and what other threads of the block wrote before a
//! barrier that the launching thread passed, too. It sees nothing of other blocks. Shared and local
//! memory belong to the parent: pass no address of them. CUDA programming guide, "CUDA Dynamic
//! Parallelism", "CUDA Device Runtime"; PTX interoperability.

use core::panic::Location;

use crate::intrinsics;

pub use crate::dim3::Dim3;

/// What a child waits for before it begins. Streams are the grid's own: they mean nothing to its
/// parent or children.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stream(usize);

impl Stream {
    /// The block's own stream (CUDA's NULL stream in a kernel): children of a block run one after
    /// another, those of different blocks side by side.
    pub const BLOCK: Stream = Stream(0);
    /// Children here begin when all blocks of the grid and all their other children have ended.
    /// They run one after another.
    #[doc(alias = "cudaStreamTailLaunch")]
    pub const TAIL: Stream = Stream(3);
    /// Children here may begin at once, whatever else was launched.
    #[doc(alias = "cudaStreamFireAndForget")]
    pub const FIRE_AND_FORGET: Stream = Stream(4);
}

/// How many threads, in what arrangement, and when: what stands in CUDA's `<<<>>>`.
#[derive(Clone, Copy, Debug)]
pub struct Shape {
    grid: Dim3,
    block: Dim3,
    dynamic_shared: u32,
    stream: Stream,
}

impl Shape {
    /// `grid` blocks of `block` threads, without dynamic shared memory, in the block's own stream.
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

    /// The same with this many bytes of dynamic shared memory for each block.
    #[inline]
    #[must_use]
    pub fn dynamic_shared(self, bytes: u32) -> Self {
        Shape {
            dynamic_shared: bytes,
            ..self
        }
    }

    /// The same in another stream.
    #[inline]
    #[must_use]
    pub fn on(self, stream: Stream) -> Self {
        Shape { stream, ..self }
    }
}

/// A kernel as kernels launch it; every `#[kernel]` is one.
///
/// # Safety
/// `entry` is the address of an entry point, and `store` writes its parameters as the PTX lays them
/// out.
pub unsafe trait Child {
    /// The arguments in order, as a tuple.
    type Arguments<'a>;

    /// The entry point's address.
    #[doc(hidden)]
    fn entry() -> *const ();

    /// Writes the arguments into a buffer of parameters.
    ///
    /// # Safety
    /// `buffer` has room for them and is aligned to 16 bytes.
    #[doc(hidden)]
    unsafe fn store(buffer: *mut u8, arguments: Self::Arguments<'_>);
}

/// Launches a child grid. If the launch fails, the kernel ends with `CUDA_ERROR_ASSERT` and prints
/// the reason.
///
/// # Safety
/// The launch keeps all that the kernel asks of a launch from the host, its `#[launch_contract]`
/// included. What the child reads was written before the launch, as the head of this module says.
#[inline]
#[track_caller]
pub unsafe fn launch<K: Child>(shape: Shape, arguments: K::Arguments<'_>) {
    // SAFETY: the caller's promise.
    if let Err(error) = unsafe { try_launch::<K>(shape, arguments) } {
        error.stop(Location::caller());
    }
}

/// Launches a child grid. Unlike [`launch`], it leaves it to the caller to report a failure.
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
    // SAFETY: `entry` is a kernel's; the buffer is the runtime's, large enough for this kernel's
    // parameters, and is handed back by the launch; the rest is the caller's promise.
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

/// Why a child was not launched: a `cudaError_t`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LaunchError(u32);

impl LaunchError {
    /// The error's number in CUDA's headers.
    #[inline]
    #[must_use]
    pub fn code(self) -> u32 {
        self.0
    }

    /// Ends the kernel.
    #[cold]
    fn stop(self, at: &Location<'_>) -> ! {
        let text = match self.0 {
            1 => c"the child was launched: cudaErrorInvalidValue",
            9 => c"the child was launched: its grid or block is beyond the device (cudaErrorInvalidConfiguration)",
            65 => c"the child was launched: too many launches within launches (cudaErrorLaunchMaxDepthExceeded)",
            69 => c"the child was launched: the host must allow more pending launches (cudaErrorLaunchPendingCountExceeded)",
            701 => c"the child was launched: the host must allow more pending launches (cudaErrorLaunchOutOfResources)",
            _ => c"the child was launched",
        };
        crate::assert::fail(
            text,
            at.file_as_c_str(),
            at.line(),
            c"lanewise_std::dynamic::launch",
        )
    }
}
