//! Device memory: how it is allocated, set and freed, and errors in its use.

use cust::sys;
use lanewise::{DeviceBuffer, MemoryError};
use tests::isolate::isolated;

/// Returns the driver's name for the result of a call.
fn name(result: sys::CUresult) -> &'static str {
    match result {
        sys::CUresult::CUDA_SUCCESS => "success",
        sys::CUresult::CUDA_ERROR_INVALID_VALUE => "invalid value",
        sys::CUresult::CUDA_ERROR_OUT_OF_MEMORY => "out of memory",
        _ => "another error",
    }
}

#[test]
fn memory_is_allocated_set_copied_and_freed() {
    let device = tests::device();
    let mut buffer = DeviceBuffer::from_slice(&device, &[1u32, 2, 3]).expect("a buffer");
    assert_eq!(buffer.to_vec().expect("a copy"), [1, 2, 3]);
    buffer.fill_zero().expect("set");
    assert_eq!(buffer.to_vec().expect("a copy"), [0, 0, 0]);
    buffer.copy_from_slice(&[4, 5, 6]).expect("a copy");
    let mut host = [0; 3];
    buffer.copy_to_slice(&mut host).expect("a copy");
    assert_eq!(host, [4, 5, 6]);
}

#[test]
fn a_second_free_and_a_foreign_pointer_are_invalid_values() {
    // In a process of its own: between the two frees, another test could be given the same address.
    let test = "memory::management::a_second_free_and_a_foreign_pointer_are_invalid_values";
    let answer = isolated(test, || {
        let _device = tests::device();
        let mut address = 0;
        // SAFETY: the result has a place; nothing else in this process allocates, and nothing uses
        // what is freed.
        let answers = unsafe {
            [
                sys::cuMemAlloc_v2(&mut address, 4096),
                sys::cuMemFree_v2(address + 256), // inside, not the start
                sys::cuMemFree_v2(address),
                sys::cuMemFree_v2(address),
                sys::cuMemFree_v2(0xdead_0000),
                sys::cuMemFree_v2(0), // as with `free`, nothing is nothing
            ]
        };
        answers.map(name).join(", ")
    });
    assert_eq!(
        answer.text,
        "success, invalid value, success, invalid value, invalid value, success"
    );
}

#[test]
fn no_device_has_room_for_an_exabyte_and_the_error_says_what_is_free() {
    let device = tests::device();
    let error = DeviceBuffer::<u64>::zeroed(&device, 1 << 57).expect_err("an exabyte");
    let MemoryError::OutOfMemory {
        bytes, free, total, ..
    } = &error
    else {
        panic!("{error}")
    };
    assert_eq!(*bytes, 1 << 60);
    assert!(free <= total && *total > 0, "{error}");
    assert!(error.to_string().contains("use a smaller size"), "{error}");
    // The device is none the worse for it.
    assert_eq!(
        DeviceBuffer::from_slice(&device, &[7u8])
            .and_then(|buffer| buffer.to_vec())
            .expect("a copy"),
        [7]
    );
}

#[test]
fn a_copy_of_another_length_names_both() {
    let device = tests::device();
    let buffer = DeviceBuffer::from_slice(&device, &[1u8, 2, 3]).expect("a buffer");
    let error = buffer.copy_to_slice(&mut [0; 2]).expect_err("2 are not 3");
    let text = error.to_string();
    assert!(
        text.contains("holds 3 elements and the host slice 2"),
        "{text}"
    );
}
