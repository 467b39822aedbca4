//! Tensor maps: which maps can be encoded, and a kernel that loads with one.

use crate::fixture::{Fixture, c, holds, nothing, ok, param};
use crate::rows;
use lanewise_driver::abi::*;
use lanewise_driver::api::*;
use std::ffi::c_void;
use std::ptr::null_mut;

/// `CU_TENSOR_MAP_DATA_TYPE_UINT32` and `..._FLOAT32`.
const U32: u32 = 2;
const F32: u32 = 7;

/// The arguments of an encoding. The default is valid, and each row changes what it tests.
#[derive(Clone, Copy)]
struct Tiled {
    data_type: u32,
    rank: u32,
    address: u64,
    size: [u64; 5],
    strides: [u64; 4],
    box_size: [u32; 5],
    steps: [u32; 5],
    interleave: u32,
    swizzle: u32,
    promotion: u32,
    fill: u32,
}

impl Tiled {
    /// 32 words by 16, in boxes of 16 by 8.
    fn of(f: &Fixture) -> Tiled {
        Tiled {
            data_type: U32,
            rank: 2,
            address: f.device(),
            size: [32, 16, 1, 1, 1],
            strides: [128, 2048, 2048, 2048],
            box_size: [16, 8, 1, 1, 1],
            steps: [1; 5],
            interleave: 0,
            swizzle: 0,
            promotion: 0,
            fill: 0,
        }
    }

    unsafe fn encode(self, map: &mut CUtensorMap) -> CUresult {
        // SAFETY: the arrays have five elements, and no rank of a row is above.
        unsafe {
            cuTensorMapEncodeTiled(
                map,
                self.data_type,
                self.rank,
                self.address as *mut c_void,
                self.size.as_ptr(),
                self.strides.as_ptr(),
                self.box_size.as_ptr(),
                self.steps.as_ptr(),
                self.interleave,
                self.swizzle,
                self.promotion,
                self.fill,
            )
        }
    }
}

fn empty() -> CUtensorMap {
    CUtensorMap { opaque: [0; 16] }
}

/// Returns the code of encoding a map that differs from the valid one in this way.
fn encode(f: &Fixture, change: fn(&mut Tiled)) -> CUresult {
    let mut tiled = Tiled::of(f);
    change(&mut tiled);
    // SAFETY: see `Tiled::encode`.
    unsafe { tiled.encode(&mut empty()) }
}

/// Images of 64 channels, 9 by 7 pixels, in columns of 32.
fn images(f: &Fixture, rank: u32, lower: [i32; 3], channels: u32, pixels: u32) -> CUresult {
    let (size, strides) = ([64u64, 9, 7, 2, 1], [128u64, 1152, 8064, 16128]);
    // SAFETY: the arrays are as long as the rank says.
    unsafe {
        cuTensorMapEncodeIm2col(
            &mut empty(),
            6,
            rank,
            f.device() as *mut c_void,
            size.as_ptr(),
            strides.as_ptr(),
            lower.as_ptr(),
            [-1, -1, -1].as_ptr(),
            channels,
            pixels,
            [1u32; 5].as_ptr(),
            0,
            3,
            0,
            0,
        )
    }
}

/// The box at (x, y) as a kernel loads it, and what it should hold: word `i` of the tensor is `i`,
/// and words outside of the tensor are 0.
fn loads(f: &Fixture, map: &mut CUtensorMap, (x, y): (i32, i32)) -> bool {
    let (mut module, mut function) = (CUmodule::default(), CUfunction::default());
    let mut out = f.device();
    // SAFETY: the module's kernel takes these parameters.
    let got = unsafe {
        ok(cuModuleLoadData(
            &mut module,
            c(include_str!("tensor.ptx")).cast(),
        ));
        ok(cuModuleGetFunction(&mut function, module, c("load_box")));
        let (mut at_x, mut at_y) = (x, y);
        let mut params = [
            param(map),
            param(&mut out),
            param(&mut at_x),
            param(&mut at_y),
        ];
        ok(f.launch(function, 1, 128, 0, &mut params));
        let mut got = [0u32; 128];
        ok(cuMemcpyDtoH_v2(got.as_mut_ptr().cast(), out, 512));
        got
    };
    let expected = |i: usize| {
        let (x, y) = (x + (i % 16) as i32, y + (i / 16) as i32);
        let inside = (0..32).contains(&x) && (0..16).contains(&y);
        if inside { (y * 32 + x) as u32 } else { 0 }
    };
    got.iter().enumerate().all(|(i, &word)| word == expected(i))
}

/// A map of words that count up.
fn counting(f: &Fixture) -> (CUtensorMap, CUdeviceptr) {
    let (mut map, tiled) = (empty(), Tiled::of(f));
    let words: Vec<u32> = (0..512).collect();
    // SAFETY: 512 words fit the fixture's memory; see `Tiled::encode`.
    unsafe {
        ok(cuMemcpyHtoD_v2(tiled.address, words.as_ptr().cast(), 2048));
        ok(tiled.encode(&mut map));
    }
    (map, tiled.address)
}

rows! {
    "cuTensorMapEncodeTiled: and a kernel that loads a box" => SUCCESS, |f| holds(loads(f, &mut counting(f).0, (8, 4)));
    "cuTensorMapEncodeTiled: and a box that is outside in part" => SUCCESS, |f| holds(loads(f, &mut counting(f).0, (-4, 11)));
    "cuTensorMapEncodeTiled: of null" => ERROR_INVALID_VALUE, |f| {
        let t = Tiled::of(f);
        cuTensorMapEncodeTiled(null_mut(), t.data_type, t.rank, t.address as *mut c_void, t.size.as_ptr(), t.strides.as_ptr(),
            t.box_size.as_ptr(), t.steps.as_ptr(), 0, 0, 0, 0)
    };
    "cuTensorMapEncodeTiled: without sizes" => ERROR_INVALID_VALUE, |f| {
        let t = Tiled::of(f);
        cuTensorMapEncodeTiled(&mut empty(), t.data_type, t.rank, t.address as *mut c_void, nothing(), t.strides.as_ptr(),
            t.box_size.as_ptr(), t.steps.as_ptr(), 0, 0, 0, 0)
    };
    "cuTensorMapEncodeTiled: one dimension, without the strides that it has none of" => ERROR_INVALID_VALUE, |f| {
        let t = Tiled::of(f);
        cuTensorMapEncodeTiled(&mut empty(), t.data_type, 1, t.address as *mut c_void, t.size.as_ptr(), nothing(),
            t.box_size.as_ptr(), t.steps.as_ptr(), 0, 0, 0, 0)
    };
    "cuTensorMapEncodeTiled: one dimension" => SUCCESS, |f| encode(f, |t| t.rank = 1);
    "cuTensorMapEncodeTiled: no such type" => ERROR_INVALID_VALUE, |f| encode(f, |t| t.data_type = 99);
    "cuTensorMapEncodeTiled: no dimensions" => ERROR_INVALID_VALUE, |f| encode(f, |t| t.rank = 0);
    "cuTensorMapEncodeTiled: an address in between" => ERROR_INVALID_VALUE, |f| encode(f, |t| t.address += 8);
    "cuTensorMapEncodeTiled: an empty dimension" => ERROR_INVALID_VALUE, |f| encode(f, |t| t.size[1] = 0);
    "cuTensorMapEncodeTiled: a dimension too large" => ERROR_INVALID_VALUE, |f| encode(f, |t| t.size[1] = (1 << 32) + 1);
    "cuTensorMapEncodeTiled: the largest dimension" => SUCCESS, |f| encode(f, |t| t.size[1] = 1 << 32);
    "cuTensorMapEncodeTiled: a stride of 8" => ERROR_INVALID_VALUE, |f| encode(f, |t| t.strides[0] = 8);
    "cuTensorMapEncodeTiled: a stride too large" => ERROR_INVALID_VALUE, |f| encode(f, |t| t.strides[0] = 1 << 40);
    "cuTensorMapEncodeTiled: windows that overlap" => SUCCESS, |f| encode(f, |t| t.strides[0] = 16);
    "cuTensorMapEncodeTiled: a box too large" => ERROR_INVALID_VALUE, |f| encode(f, |t| t.box_size[1] = 257);
    "cuTensorMapEncodeTiled: an empty box" => ERROR_INVALID_VALUE, |f| encode(f, |t| t.box_size[1] = 0);
    "cuTensorMapEncodeTiled: rows that do not fill 16 bytes" => ERROR_INVALID_VALUE, |f| encode(f, |t| t.box_size[0] = 3);
    "cuTensorMapEncodeTiled: rows wider than the swizzle" => ERROR_INVALID_VALUE, |f| encode(f, |t| t.swizzle = 1);
    "cuTensorMapEncodeTiled: rows as wide as the swizzle" => SUCCESS, |f| encode(f, |t| t.swizzle = 2);
    "cuTensorMapEncodeTiled: a traversal stride of 9" => ERROR_INVALID_VALUE, |f| encode(f, |t| t.steps[1] = 9);
    "cuTensorMapEncodeTiled: a first traversal stride, which nothing uses" => SUCCESS, |f| encode(f, |t| t.steps[0] = 8);
    "cuTensorMapEncodeTiled: a first traversal stride of 0" => ERROR_INVALID_VALUE, |f| encode(f, |t| t.steps[0] = 0);
    "cuTensorMapEncodeTiled: a first traversal stride of 9" => ERROR_INVALID_VALUE, |f| encode(f, |t| t.steps[0] = 9);
    "cuTensorMapEncodeTiled: slices in two dimensions" => ERROR_INVALID_VALUE, |f| encode(f, |t| t.interleave = 1);
    "cuTensorMapEncodeTiled: wide slices without their swizzle" => SUCCESS, |f| encode(f, |t| {
        (t.rank, t.interleave, t.box_size) = (3, 2, [8, 4, 2, 1, 1]);
    });
    "cuTensorMapEncodeTiled: NaN for integers" => ERROR_INVALID_VALUE, |f| encode(f, |t| t.fill = 1);
    "cuTensorMapEncodeTiled: NaN for floats" => SUCCESS, |f| encode(f, |t| (t.data_type, t.fill) = (F32, 1));
    "cuTensorMapEncodeTiled: a swizzle of Blackwell's" (sim: "not compared with a GPU's yet") => ERROR_INVALID_VALUE, |f| {
        encode(f, |t| t.swizzle = 4)
    };
    "cuTensorMapEncodeTiled: no such promotion" => ERROR_INVALID_VALUE, |f| encode(f, |t| t.promotion = 9);
    "cuTensorMapEncodeIm2col: images" => SUCCESS, |f| images(f, 4, [-1, -1, 0], 64, 32);
    "cuTensorMapEncodeIm2col: of two dimensions" => ERROR_INVALID_VALUE, |f| images(f, 2, [0; 3], 64, 32);
    "cuTensorMapEncodeIm2col: a corner too far" => ERROR_INVALID_VALUE, |f| images(f, 4, [-129, 0, 0], 64, 32);
    "cuTensorMapEncodeIm2col: too many channels" => ERROR_INVALID_VALUE, |f| images(f, 4, [0; 3], 264, 32);
    "cuTensorMapEncodeIm2col: too many pixels" => ERROR_INVALID_VALUE, |f| images(f, 4, [0; 3], 64, 1025);
    "cuTensorMapReplaceAddress: and a kernel that loads from there" => SUCCESS, |f| {
        let (mut map, from) = counting(f);
        let to = f.device();
        ok(cuMemcpyDtoD_v2(to, from, 2048));
        ok(cuMemsetD32_v2(from, 7, 512));
        ok(cuTensorMapReplaceAddress(&mut map, to as *mut c_void));
        holds(loads(f, &mut map, (16, 8)))
    };
    "cuTensorMapReplaceAddress: an address in between" => ERROR_INVALID_VALUE, |f| {
        let (mut map, from) = counting(f);
        cuTensorMapReplaceAddress(&mut map, (from + 8) as *mut c_void)
    };
    "cuTensorMapReplaceAddress: of null" (sim: "a GPU's driver looks through the pointer") => ERROR_INVALID_VALUE, |f| cuTensorMapReplaceAddress(null_mut(), f.device() as *mut c_void);
}
