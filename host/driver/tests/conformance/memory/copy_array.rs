//! Copies to, from and among arrays.

use super::array::{U8, U32};
use crate::fixture::{BYTES, Fixture, holds, ok};
use crate::rows;
use lanewise_driver::abi::*;
use lanewise_driver::api::*;
use std::ptr::null_mut;

/// What the arrays are filled with.
const WORDS: [u32; 16] = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16];

/// A line of 16 words with [`WORDS`] in it.
fn line(f: &Fixture) -> CUarray {
    let array = f.array([16, 0, 0], U32, 1);
    // SAFETY: both have 64 bytes.
    ok(unsafe { cuMemcpyHtoA_v2(array, 0, WORDS.as_ptr().cast(), 64) });
    array
}

/// The words of a line.
fn words(array: CUarray) -> [u32; 16] {
    let mut words = [0; 16];
    // SAFETY: both have 64 bytes.
    ok(unsafe { cuMemcpyAtoH_v2(words.as_mut_ptr().cast(), array, 0, 64) });
    words
}

pub(crate) fn side(memory_type: u32, host: *mut c_void, array: CUarray) -> Side3D {
    Side3D {
        memory_type,
        host,
        array,
        ..Side3D::NONE
    }
}

/// Copies a box of words from host memory, packed, to an array at `at`.
fn to_array(array: CUarray, at: [usize; 3], words: &[u32], extent: [usize; 3]) -> CUDA_MEMCPY3D {
    let dst = Side3D {
        x_in_bytes: 4 * at[0],
        y: at[1],
        z: at[2],
        ..side(3, null_mut(), array)
    };
    let src = Side3D {
        pitch: 4 * extent[0],
        height: extent[1],
        ..side(1, words.as_ptr().cast_mut().cast(), CUarray(0))
    };
    CUDA_MEMCPY3D {
        src,
        dst,
        width_in_bytes: 4 * extent[0],
        height: extent[1],
        depth: extent[2],
    }
}

fn flat(copy: CUDA_MEMCPY3D) -> CUDA_MEMCPY2D {
    let flat = |side: Side3D| Side2D {
        x_in_bytes: side.x_in_bytes,
        y: side.y,
        memory_type: side.memory_type,
        host: side.host,
        device: side.device,
        array: side.array,
        pitch: side.pitch,
    };
    CUDA_MEMCPY2D {
        src: flat(copy.src),
        dst: flat(copy.dst),
        width_in_bytes: copy.width_in_bytes,
        height: copy.height,
    }
}

/// Copies the other way: from the array to host memory.
fn back(copy: CUDA_MEMCPY3D, words: &mut [u32]) -> CUDA_MEMCPY3D {
    CUDA_MEMCPY3D {
        src: copy.dst,
        dst: Side3D {
            host: words.as_mut_ptr().cast(),
            ..copy.src
        },
        ..copy
    }
}

rows! {
    "cuMemcpyHtoA_v2: a part" => SUCCESS, |f| {
        let array = line(f);
        ok(cuMemcpyHtoA_v2(array, 8, [70u32, 71].as_ptr().cast(), 8));
        holds(words(array)[..5] == [1, 2, 70, 71, 5])
    };
    "cuMemcpyHtoA_v2: past the end" => ERROR_INVALID_VALUE, |f| cuMemcpyHtoA_v2(line(f), 32, WORDS.as_ptr().cast(), 64);
    "cuMemcpyHtoA_v2: of null" => ERROR_INVALID_VALUE, |f| cuMemcpyHtoA_v2(line(f), 0, null_mut(), 64);
    "cuMemcpyAtoH_v2: a part" => SUCCESS, |f| {
        let mut part = [0u32; 2];
        ok(cuMemcpyAtoH_v2(part.as_mut_ptr().cast(), line(f), 12, 8));
        holds(part == [4, 5])
    };
    "cuMemcpyAtoH_v2: past the end" => ERROR_INVALID_VALUE, |f| cuMemcpyAtoH_v2([0u32; 16].as_mut_ptr().cast(), line(f), 64, 4);
    "cuMemcpyAtoD_v2: a part" => SUCCESS, |f| {
        let device = f.device();
        ok(cuMemcpyAtoD_v2(device, line(f), 8, 16));
        holds(f.word(device) == 3 && f.word(device + 12) == 6)
    };
    "cuMemcpyAtoD_v2: past the end" => ERROR_INVALID_VALUE, |f| cuMemcpyAtoD_v2(f.device(), line(f), 60, 8);
    "cuMemcpyDtoA_v2: a part" => SUCCESS, |f| {
        let (array, device) = (line(f), f.device());
        ok(cuMemsetD32_v2(device, 5, BYTES / 4));
        ok(cuMemcpyDtoA_v2(array, 4, device, 8));
        holds(words(array)[..4] == [1, 5, 5, 4])
    };
    "cuMemcpyDtoA_v2: past the end" => ERROR_INVALID_VALUE, |f| cuMemcpyDtoA_v2(line(f), 0, f.device(), 68);
    "cuMemcpyAtoA_v2: from one to another" => SUCCESS, |f| {
        let (from, to) = (line(f), f.array([16, 0, 0], U32, 1));
        ok(cuMemcpyAtoA_v2(to, 0, from, 32, 32));
        ok(cuMemcpyAtoA_v2(to, 32, from, 0, 32));
        holds(words(to)[6..10] == [15, 16, 1, 2])
    };
    "cuMemcpyAtoA_v2: past the end" => ERROR_INVALID_VALUE, |f| cuMemcpyAtoA_v2(line(f), 32, line(f), 0, 64);
    "cuMemcpyHtoAAsync_v2: and back" => SUCCESS, |f| {
        let (array, stream, pinned) = (f.array([16, 0, 0], U32, 1), f.stream(), f.pinned().cast::<[u32; 16]>());
        pinned.write(WORDS);
        ok(cuMemcpyHtoAAsync_v2(array, 0, pinned.cast(), 64, stream));
        ok(cuMemcpyAtoHAsync_v2(pinned.add(1).cast(), array, 0, 64, stream));
        ok(cuStreamSynchronize(stream));
        holds(pinned.add(1).read() == WORDS)
    };
    "cuMemcpyHtoAAsync_v2: past the end" => ERROR_INVALID_VALUE, |f| cuMemcpyHtoAAsync_v2(line(f), 4, f.pinned(), 64, f.stream());
    "cuMemcpyAtoHAsync_v2: past the end" => ERROR_INVALID_VALUE, |f| cuMemcpyAtoHAsync_v2(f.pinned(), line(f), 4, 64, f.stream());
    "cuMemcpy2D_v2: to a plane and back" => SUCCESS, |f| {
        let (array, mut got) = (f.array([4, 4, 0], U32, 1), [0u32; 6]);
        let there = to_array(array, [1, 2, 0], &WORDS[..6], [3, 2, 1]);
        ok(cuMemcpy2D_v2(&flat(there)));
        ok(cuMemcpy2D_v2(&flat(back(there, &mut got))));
        holds(got == WORDS[..6])
    };
    "cuMemcpy2D_v2: past the right edge of an array" => ERROR_INVALID_VALUE, |f| {
        cuMemcpy2D_v2(&flat(to_array(f.array([4, 4, 0], U32, 1), [2, 0, 0], &WORDS, [3, 2, 1])))
    };
    "cuMemcpy2D_v2: past the bottom of an array" => ERROR_INVALID_VALUE, |f| {
        cuMemcpy2D_v2(&flat(to_array(f.array([4, 4, 0], U32, 1), [0, 3, 0], &WORDS, [3, 2, 1])))
    };
    "cuMemcpy2D_v2: between arrays of the same size of element" => SUCCESS, |f| {
        let (from, to, mut got) = (f.array([4, 4, 0], U32, 1), f.array([4, 4, 0], U8, 4), [0u32; 16]);
        let there = to_array(from, [0; 3], &WORDS, [4, 4, 1]);
        ok(cuMemcpy2D_v2(&flat(there)));
        ok(cuMemcpy2D_v2(&flat(CUDA_MEMCPY3D { src: there.dst, dst: Side3D { array: to, ..there.dst }, ..there })));
        ok(cuMemcpy2D_v2(&flat(back(CUDA_MEMCPY3D { dst: Side3D { array: to, ..there.dst }, ..there }, &mut got))));
        holds(got == WORDS)
    };
    "cuMemcpy3D_v2: to a volume and back" => SUCCESS, |f| {
        let (array, mut got) = (f.array([4, 4, 4], U32, 1), [0u32; 12]);
        let there = to_array(array, [1, 1, 2], &WORDS[..12], [3, 2, 2]);
        ok(cuMemcpy3D_v2(&there));
        ok(cuMemcpy3D_v2(&back(there, &mut got)));
        holds(got == WORDS[..12])
    };
    "cuMemcpy3D_v2: past the last slice of an array" => ERROR_INVALID_VALUE, |f| {
        cuMemcpy3D_v2(&to_array(f.array([4, 4, 4], U32, 1), [0, 0, 3], &WORDS, [2, 2, 2]))
    };
    "cuMemcpy3DAsync_v2: to a volume" => SUCCESS, |f| {
        let (array, stream, mut got) = (f.array([4, 4, 4], U32, 1), f.stream(), [0u32; 16]);
        let there = to_array(array, [0; 3], &WORDS, [4, 2, 2]);
        ok(cuMemcpy3DAsync_v2(&there, stream));
        ok(cuStreamSynchronize(stream));
        ok(cuMemcpy3D_v2(&back(there, &mut got)));
        holds(got == WORDS)
    };
}
