//! What the driver guarantees about copies.

use crate::fixture::{BYTES, Fixture, holds, nothing, ok};
use crate::rows;
use lanewise_driver::abi::*;
use lanewise_driver::api::*;
use std::ptr::null_mut;

/// An allocation of 2 MiB, the size of a GPU's pages, so that a GPU too finds an access
/// past its end.
fn large() -> CUdeviceptr {
    let mut address = 0;
    // SAFETY: a variable to write to.
    ok(unsafe { cuMemAlloc_v2(&mut address, LARGE) });
    address
}

const LARGE: usize = 2 << 20;

/// Numbers on the host.
fn numbers() -> Vec<u32> {
    (0..BYTES as u32 / 4).collect()
}

/// [`numbers`] on the device.
fn on_device(f: &Fixture) -> CUdeviceptr {
    let address = f.device();
    // SAFETY: both ends have this many bytes.
    ok(unsafe { cuMemcpyHtoD_v2(address, numbers().as_ptr().cast(), BYTES) });
    address
}

/// A 2-D copy of `width` bytes and `height` rows from host rows to device rows, 64 bytes apart
/// on both sides.
fn rows_to_device(
    f: &Fixture,
    host: &[u32],
    width: usize,
    height: usize,
) -> (CUDA_MEMCPY2D, CUdeviceptr) {
    let device = f.device();
    let side = |memory_type, host, device| Side2D {
        x_in_bytes: 0,
        y: 0,
        memory_type,
        host,
        device,
        array: CUarray(0),
        pitch: 64,
    };
    let copy = CUDA_MEMCPY2D {
        src: side(1, host.as_ptr().cast_mut().cast(), 0),
        dst: side(2, null_mut(), device),
        width_in_bytes: width,
        height,
    };
    (copy, device)
}

/// A 3-D copy within the device: two slices of three rows of 16 bytes.
fn slices(f: &Fixture) -> (CUDA_MEMCPY3D, CUdeviceptr) {
    let (from, to) = (on_device(f), f.device());
    let side = |device| Side3D {
        x_in_bytes: 4,
        y: 1,
        z: 0,
        lod: 0,
        memory_type: 2,
        host: null_mut(),
        device,
        array: CUarray(0),
        context: CUcontext(0),
        pitch: 64,
        height: 4,
    };
    (
        CUDA_MEMCPY3D {
            src: side(from),
            dst: side(to),
            width_in_bytes: 16,
            height: 3,
            depth: 2,
        },
        to,
    )
}

rows! {
    "cuMemcpyHtoD_v2: and back" => SUCCESS, |f| {
        let mut back = vec![0u32; BYTES / 4];
        ok(cuMemcpyDtoH_v2(back.as_mut_ptr().cast(), on_device(f), BYTES));
        holds(back == numbers())
    };
    "cuMemcpyHtoD_v2: no bytes" => SUCCESS, |f| cuMemcpyHtoD_v2(f.device(), nothing(), 0);
    "cuMemcpyHtoD_v2: to null" => ERROR_INVALID_VALUE, |_| cuMemcpyHtoD_v2(0, numbers().as_ptr().cast(), 16);
    "cuMemcpyHtoD_v2: from null" => ERROR_INVALID_VALUE, |f| cuMemcpyHtoD_v2(f.device(), nothing(), 16);
    "cuMemcpyHtoD_v2: to what was freed" => ERROR_INVALID_VALUE, |_| {
        let address = large();
        ok(cuMemFree_v2(address));
        cuMemcpyHtoD_v2(address, numbers().as_ptr().cast(), 16)
    };
    "cuMemcpyHtoD_v2: past the end" => ERROR_INVALID_VALUE, |_| {
        cuMemcpyHtoD_v2(large() + LARGE as u64 - 8, numbers().as_ptr().cast(), 16)
    };
    "cuMemcpyHtoD_v2: without a context" => ERROR_INVALID_CONTEXT, |f| {
        let address = f.device();
        ok(cuCtxPopCurrent_v2(null_mut()));
        cuMemcpyHtoD_v2(address, numbers().as_ptr().cast(), 16)
    };
    "cuMemcpyDtoH_v2: past the end" => ERROR_INVALID_VALUE, |_| {
        cuMemcpyDtoH_v2(numbers().as_mut_ptr().cast(), large() + LARGE as u64 - 8, 16)
    };
    "cuMemcpyDtoH_v2: to null" => ERROR_INVALID_VALUE, |f| cuMemcpyDtoH_v2(null_mut(), f.device(), 16);
    "cuMemcpyDtoD_v2: within the device" => SUCCESS, |f| {
        let (from, to) = (on_device(f), f.device());
        ok(cuMemcpyDtoD_v2(to, from, BYTES));
        holds(f.word(to + 400) == 100)
    };
    "cuMemcpyDtoD_v2: from null" => ERROR_INVALID_VALUE, |f| cuMemcpyDtoD_v2(f.device(), 0, 16);
    "cuMemcpy: from the host, told apart by the address" => SUCCESS, |f| {
        let (address, numbers) = (f.device(), numbers());
        ok(cuMemcpy(address, numbers.as_ptr().expose_provenance() as u64, BYTES));
        holds(f.word(address + 40) == 10)
    };
    "cuMemcpyAsync: on a stream" => SUCCESS, |f| {
        let (from, to, stream) = (on_device(f), f.device(), f.stream());
        ok(cuMemcpyAsync(to, from, BYTES, stream));
        ok(cuStreamSynchronize(stream));
        holds(f.word(to + 40) == 10)
    };
    "cuMemcpyHtoDAsync_v2: pageable memory may change at once" => SUCCESS, |f| {
        let (address, stream, mut numbers) = (f.device(), f.stream(), numbers());
        ok(cuMemcpyHtoDAsync_v2(address, numbers.as_ptr().cast(), BYTES, stream));
        numbers.fill(0);
        ok(cuStreamSynchronize(stream));
        holds(f.word(address + 40) == 10)
    };
    "cuMemcpyDtoHAsync_v2: to pinned memory" => SUCCESS, |f| {
        let (from, pinned, stream) = (on_device(f), f.pinned(), f.stream());
        ok(cuMemcpyDtoHAsync_v2(pinned, from, BYTES, stream));
        ok(cuStreamSynchronize(stream));
        holds(pinned.cast::<u32>().add(10).read() == 10)
    };
    "cuMemcpyDtoHAsync_v2: past the end" => ERROR_INVALID_VALUE, |f| {
        cuMemcpyDtoHAsync_v2(f.pinned(), large() + LARGE as u64 - 8, 16, f.stream())
    };
    "cuMemcpyDtoDAsync_v2: on the per-thread stream" => SUCCESS, |f| {
        let (from, to) = (on_device(f), f.device());
        ok(cuMemcpyDtoDAsync_v2(to, from, BYTES, CUstream::PER_THREAD));
        ok(cuStreamSynchronize(CUstream::PER_THREAD));
        holds(f.word(to + 40) == 10)
    };
    "cuMemcpyDtoDAsync_v2: on no stream" (sim: "a GPU's driver looks through the handle") => ERROR_INVALID_HANDLE, |f| {
        cuMemcpyDtoDAsync_v2(f.device(), f.device(), 16, CUstream(0xdead_beef))
    };
    "cuMemcpyPeer: within one context" => SUCCESS, |f| {
        let (from, to) = (on_device(f), f.device());
        ok(cuMemcpyPeer(to, f.context, from, f.context, BYTES));
        holds(f.word(to + 40) == 10)
    };
    "cuMemcpyPeerAsync: within one context" => SUCCESS, |f| {
        cuMemcpyPeerAsync(f.device(), f.context, on_device(f), f.context, BYTES, f.stream())
    };
    "cuMemcpy2D_v2: rows with gaps" => SUCCESS, |f| {
        let numbers = numbers();
        let (copy, device) = rows_to_device(f, &numbers, 8, 3);
        ok(cuMemsetD8_v2(device, 0, BYTES));
        ok(cuMemcpy2D_v2(&copy));
        holds([0, 16, 32].iter().all(|&first| f.word(device + 4 * u64::from(first)) == first) && f.word(device + 8) == 0)
    };
    "cuMemcpy2D_v2: rows wider than the pitch" => ERROR_INVALID_VALUE, |f| {
        let numbers = numbers();
        cuMemcpy2D_v2(&rows_to_device(f, &numbers, 68, 3).0)
    };
    "cuMemcpy2D_v2: null" => ERROR_INVALID_VALUE, |_| cuMemcpy2D_v2(nothing());
    "cuMemcpy2D_v2: memory of no type" => ERROR_INVALID_VALUE, |f| {
        let numbers = numbers();
        let mut copy = rows_to_device(f, &numbers, 8, 3).0;
        copy.src.memory_type = 77;
        cuMemcpy2D_v2(&copy)
    };
    "cuMemcpy2DUnaligned_v2: rows" => SUCCESS, |f| {
        let numbers = numbers();
        cuMemcpy2DUnaligned_v2(&rows_to_device(f, &numbers, 7, 3).0)
    };
    "cuMemcpy2DAsync_v2: rows" => SUCCESS, |f| {
        let numbers = numbers();
        let (copy, device) = rows_to_device(f, &numbers, 8, 3);
        ok(cuMemcpy2DAsync_v2(&copy, CUstream(0)));
        ok(cuCtxSynchronize());
        holds(f.word(device + 128) == 32)
    };
    "cuMemcpy3D_v2: slices with an offset" => SUCCESS, |f| {
        let (copy, to) = slices(f);
        ok(cuMemsetD8_v2(to, 0xff, BYTES));
        ok(cuMemcpy3D_v2(&copy));
        // Row 2 of slice 1, from byte 4 on; and the byte before it is untouched.
        let row = 64 * 4 + 2 * 64;
        holds(f.word(to + row + 4) == row as u32 / 4 + 1 && f.word(to + row) == u32::MAX)
    };
    "cuMemcpy3D_v2: slices that reach past the end" => ERROR_INVALID_VALUE, |f| {
        let (mut copy, _) = slices(f);
        copy.dst.device = large();
        copy.dst.z = LARGE / 256;
        cuMemcpy3D_v2(&copy)
    };
    "cuMemcpy3DAsync_v2: slices" => SUCCESS, |f| cuMemcpy3DAsync_v2(&slices(f).0, f.stream());
    "cuMemcpy3DPeer: slices" => SUCCESS, |f| {
        let mut copy = slices(f).0;
        (copy.src.context, copy.dst.context) = (f.context, f.context);
        cuMemcpy3DPeer(&copy)
    };
    "cuMemcpy3DPeerAsync: slices" => SUCCESS, |f| {
        let mut copy = slices(f).0;
        (copy.src.context, copy.dst.context) = (f.context, f.context);
        cuMemcpy3DPeerAsync(&copy, f.stream())
    };
}
