//! Opaque handles. A handle is as wide as a pointer and is passed like one. Its value names an
//! entry of a registry.

use std::hash::Hash;

/// A handle type: an opaque number.
pub(crate) trait Handle: Copy + Eq + Hash + Default {
    /// Returns the handle of this value.
    fn from_bits(bits: usize) -> Self;

    /// Returns the handle's value as a number.
    fn bits(self) -> u64;
}

macro_rules! handles {
    ($($(#[$doc:meta])* $name:ident;)*) => {$(
        $(#[$doc])*
        #[repr(transparent)]
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
        pub struct $name(pub usize);

        impl Handle for $name {
            fn from_bits(bits: usize) -> Self {
                $name(bits)
            }

            fn bits(self) -> u64 {
                self.0 as u64
            }
        }
    )*};
}

handles! {
    /// A context: the state of a process on one device.
    CUcontext;
    /// Code that was loaded into a context.
    CUmodule;
    /// A kernel of a module.
    CUfunction;
    /// Code that is not bound to a context (CUDA 12).
    CUlibrary;
    /// A kernel of a library.
    CUkernel;
    /// A queue of work.
    CUstream;
    /// A point in a queue.
    CUevent;
    /// A link in progress.
    CUlinkState;
    /// Memory with a layout of its own, read by texture fetches.
    CUarray;
    /// A chain of arrays, each half the size of the one before.
    CUmipmappedArray;
    /// A texture reference of a module.
    CUtexref;
    /// A surface reference of a module.
    CUsurfref;
    /// A graph of work.
    CUgraph;
    /// A node of a graph.
    CUgraphNode;
    /// A graph that can be launched.
    CUgraphExec;
    /// A pool of device memory.
    CUmemoryPool;
    /// Memory of another API.
    CUexternalMemory;
    /// A semaphore of another API.
    CUexternalSemaphore;
    /// A resource of a graphics API.
    CUgraphicsResource;
    /// A reference-counted object that a graph keeps alive.
    CUuserObject;
    /// A part of a device's multiprocessors with a context of its own.
    CUgreenCtx;
    /// A description of a device resource.
    CUdevResourceDesc;
    /// A registered asynchronous notification.
    CUasyncCallbackHandle;
    /// A registered log callback.
    CUlogsCallbackHandle;
}

/// A texture object: a number, 64 bits wide on the host and in kernels.
pub type CUtexObject = u64;
/// A surface object.
pub type CUsurfObject = u64;
/// Physical memory made by `cuMemCreate`.
pub type CUmemGenericAllocationHandle = u64;
/// The condition of a conditional node.
pub type CUgraphConditionalHandle = u64;

impl CUstream {
    /// The null handle. It means the legacy default stream, or the calling thread's own default
    /// stream in a call whose name ends in `_ptds` or `_ptsz`. Calls without a stream argument
    /// use it too.
    pub const DEFAULT: CUstream = CUstream(0);
    /// The constant `CU_STREAM_LEGACY` of cuda.h.
    pub const LEGACY: CUstream = CUstream(1);
    /// The constant `CU_STREAM_PER_THREAD` of cuda.h.
    pub const PER_THREAD: CUstream = CUstream(2);
}
