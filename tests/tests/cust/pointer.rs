//! `cust::memory`'s raw calls: allocate, free, and what must be refused before the driver is asked.

use cust::error::CudaError;
use cust::memory::{
    DeviceBox, DevicePointer, UnifiedPointer, cuda_free, cuda_free_async, cuda_free_locked,
    cuda_free_unified, cuda_malloc, cuda_malloc_async, cuda_malloc_locked, cuda_malloc_unified,
    mem_get_info,
};
use cust::stream::{Stream, StreamFlags};
use std::ptr::null_mut;

#[test]
fn each_kind_of_memory_is_given_and_taken_back() {
    let _context = super::context();
    let stream = Stream::new(StreamFlags::NON_BLOCKING, None).expect("a stream");
    // SAFETY: what is allocated here is freed here, once, and by its own call; only host
    // memory is touched.
    unsafe {
        let device = cuda_malloc::<u64>(10).expect("memory");
        assert!(!device.is_null());
        cuda_free(device).expect("it is ours");

        let ordered = cuda_malloc_async::<u64>(&stream, 10).expect("memory");
        cuda_free_async(&stream, ordered).expect("it is ours");
        stream.synchronize().expect("no fault");

        let mut managed = cuda_malloc_unified::<u64>(10).expect("memory");
        *managed.as_raw_mut() = 64;
        assert_eq!(*managed.as_raw(), 64);
        cuda_free_unified(managed).expect("it is ours");

        let pinned = cuda_malloc_locked::<u64>(10).expect("memory");
        pinned.add(9).write(7);
        assert_eq!(pinned.add(9).read(), 7);
        cuda_free_locked(pinned).expect("it is ours");
    }
}

#[test]
fn no_bytes_too_many_bytes_and_null_are_refused() {
    let _context = super::context();
    let refused = Some(CudaError::InvalidMemoryAllocation);
    // SAFETY: nothing is allocated.
    unsafe {
        assert_eq!(cuda_malloc::<u64>(0).err(), refused);
        assert_eq!(cuda_malloc::<()>(10).err(), refused);
        assert_eq!(cuda_malloc::<u64>(usize::MAX - 1).err(), refused);
        assert_eq!(cuda_malloc_unified::<u64>(0).err(), refused);
        assert_eq!(cuda_malloc_unified::<u64>(usize::MAX - 1).err(), refused);
        assert_eq!(cuda_malloc_locked::<u64>(0).err(), refused);
        assert_eq!(cuda_malloc_locked::<u64>(usize::MAX - 1).err(), refused);
        assert!(cuda_free(DevicePointer::<u64>::null()).is_err());
        assert!(cuda_free_unified(UnifiedPointer::<u64>::null()).is_err());
        assert!(cuda_free_locked(null_mut::<u64>()).is_err());
    }
}

#[test]
fn more_than_the_device_has_is_out_of_memory() {
    let _context = super::context();
    let (free, total) = mem_get_info().expect("two sizes");
    assert!(free <= total && total > 1 << 20, "{free} of {total}");
    // SAFETY: nothing is allocated.
    let asked = unsafe { cuda_malloc::<u8>(total + 1) };
    assert_eq!(asked.err(), Some(CudaError::OutOfMemory));
}

#[test]
fn pointers_count_in_elements() {
    let _context = super::context();
    let value = DeviceBox::new(&[1u32, 2, 3, 4]).expect("memory");
    let first = value.as_device_ptr().cast::<u32>();
    // SAFETY: the box has four elements.
    unsafe {
        assert_eq!(first.add(3).as_raw(), first.as_raw() + 12);
        assert_eq!(first.offset(2).as_raw(), first.as_raw() + 8);
    }
    // Not backwards: cust 0.3.2 multiplies a negative count as an unsigned one, which
    // debug builds refuse.
    assert_eq!(first.wrapping_add(9).as_raw(), first.as_raw() + 36);
    assert_eq!(DevicePointer::<u32>::from_raw(first.as_raw()), first);
    assert!(DevicePointer::<u32>::null().is_null());
}
