//! The heap: `alloc`'s allocator over the driver's `malloc` and `free`.
//!
//! The heap belongs to the context, and all threads and kernels share it. It has 8 MB unless the
//! host sets another size (`ResourceLimit::MallocHeapSize`). It is slow: every thread that
//! allocates waits for the others. Memory that a kernel does not free stays allocated until the
//! context ends. CUDA programming guide, "Dynamic Global Memory Allocation and Operations".

use core::alloc::{GlobalAlloc, Layout};

unsafe extern "C" {
    fn malloc(size: usize) -> *mut u8;
    fn free(pointer: *mut u8);
}

struct Heap;

/// The alignment of memory from `malloc`, in bytes.
const ALIGN: usize = 16;

// SAFETY: `malloc` returns unused memory of the size, or null. Several threads may call it at
// the same time.
unsafe impl GlobalAlloc for Heap {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        if layout.align() > ALIGN {
            return core::ptr::null_mut();
        }
        // SAFETY: `malloc` accepts any size.
        unsafe { malloc(layout.size()) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, _: Layout) {
        // SAFETY: the pointer came from `alloc`, and the memory is no longer used.
        unsafe { free(pointer) }
    }
}

#[global_allocator]
static HEAP: Heap = Heap;
