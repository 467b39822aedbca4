//! The heap: `alloc`'s allocator over the driver's `malloc` and `free`.
//!
//! The heap is the context's, shared by all threads and kernels, 8 MB unless the host asks for more
//! (`ResourceLimit::MallocHeapSize`), and slow: every thread that allocates waits for the others.
//! What a kernel allocates and does not free stays until the context ends. CUDA programming guide,
//! "Dynamic Global Memory Allocation and Operations".

use core::alloc::{GlobalAlloc, Layout};

unsafe extern "C" {
    fn malloc(size: usize) -> *mut u8;
    fn free(pointer: *mut u8);
}

struct Heap;

/// What `malloc` aligns to.
const ALIGN: usize = 16;

// SAFETY: `malloc` gives memory of the size that nobody else has, or null, and is safe for threads
// that call it together.
unsafe impl GlobalAlloc for Heap {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        if layout.align() > ALIGN {
            return core::ptr::null_mut();
        }
        // SAFETY: any size may be asked for.
        unsafe { malloc(layout.size()) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, _: Layout) {
        // SAFETY: the caller has it from `alloc`, and nobody uses it any more.
        unsafe { free(pointer) }
    }
}

#[global_allocator]
static HEAP: Heap = Heap;
