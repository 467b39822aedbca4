//! Advice and prefetches of managed memory, read back.

use crate::fixture::{BYTES, Fixture, holds, ok};
use crate::rows;
use lanewise_driver::abi::*;
use lanewise_driver::api::*;
use std::ptr::null_mut;

/// `CU_MEM_RANGE_ATTRIBUTE_READ_MOSTLY`, `_PREFERRED_LOCATION`,
/// `_ACCESSED_BY` and `_LAST_PREFETCH_LOCATION`.
const READ_MOSTLY: u32 = 1;
const PREFERRED: u32 = 2;
const ACCESSED_BY: u32 = 3;
const PREFETCHED: u32 = 4;
/// `CU_MEM_ADVISE_SET_READ_MOSTLY`, `_SET_PREFERRED_LOCATION` and `_SET_ACCESSED_BY`.
const SET_READ_MOSTLY: u32 = 1;
const SET_PREFERRED: u32 = 3;
const SET_ACCESSED_BY: u32 = 5;
/// `CU_DEVICE_CPU` and `CU_DEVICE_INVALID`.
const HOST: i32 = -1;
const NOWHERE: i32 = -2;

fn read(at: CUdeviceptr, which: u32) -> i32 {
    let mut value = 9;
    // SAFETY: room for an int.
    ok(unsafe { cuMemRangeGetAttribute((&raw mut value).cast(), 4, which, at, BYTES) });
    value
}

/// Managed memory with one piece of advice about device 0, or about `device`.
fn advised(f: &Fixture, advice: u32, device: i32) -> CUdeviceptr {
    let at = f.managed();
    // SAFETY: managed memory.
    ok(unsafe { cuMemAdvise(at, BYTES, advice, device) });
    at
}

rows! {
    "cuMemRangeGetAttribute: nothing was said" => SUCCESS, |f| {
        let at = f.managed();
        holds([READ_MOSTLY, PREFERRED, ACCESSED_BY, PREFETCHED].map(|which| read(at, which)) == [0, NOWHERE, NOWHERE, NOWHERE])
    };
    "cuMemRangeGetAttribute: read mostly" => SUCCESS, |f| holds(read(advised(f, SET_READ_MOSTLY, 0), READ_MOSTLY) == 1);
    "cuMemRangeGetAttribute: preferred location" => SUCCESS, |f| holds(read(advised(f, SET_PREFERRED, 0), PREFERRED) == 0);
    "cuMemRangeGetAttribute: the host preferred" => SUCCESS, |f| holds(read(advised(f, SET_PREFERRED, HOST), PREFERRED) == HOST);
    "cuMemRangeGetAttribute: accessed by" => SUCCESS, |f| {
        let (at, mut devices) = (advised(f, SET_ACCESSED_BY, 0), [9i32; 3]);
        ok(cuMemRangeGetAttribute(devices.as_mut_ptr().cast(), 12, ACCESSED_BY, at, BYTES));
        holds(devices == [0, NOWHERE, NOWHERE])
    };
    "cuMemRangeGetAttribute: last prefetch" => SUCCESS, |f| {
        let (at, stream) = (f.managed(), f.stream());
        ok(cuMemPrefetchAsync(at, BYTES, 0, stream));
        ok(cuStreamSynchronize(stream));
        holds(read(at, PREFETCHED) == 0)
    };
    "cuMemRangeGetAttribute: of half an int" => ERROR_INVALID_VALUE, |f| {
        cuMemRangeGetAttribute([0i32].as_mut_ptr().cast(), 2, READ_MOSTLY, f.managed(), BYTES)
    };
    "cuMemRangeGetAttribute: no such attribute" => ERROR_INVALID_VALUE, |f| {
        cuMemRangeGetAttribute([0i32].as_mut_ptr().cast(), 4, 77, f.managed(), BYTES)
    };
    "cuMemRangeGetAttribute: of device memory" => ERROR_INVALID_VALUE, |f| {
        cuMemRangeGetAttribute([0i32].as_mut_ptr().cast(), 4, READ_MOSTLY, f.device(), BYTES)
    };
    "cuMemRangeGetAttribute: to null" => ERROR_INVALID_VALUE, |f| cuMemRangeGetAttribute(null_mut(), 4, READ_MOSTLY, f.managed(), BYTES);
    "cuMemRangeGetAttributes: two of them" => SUCCESS, |f| {
        let (at, mut values) = (advised(f, SET_PREFERRED, 0), [9i32; 2]);
        let mut places = [(&raw mut values[0]).cast(), (&raw mut values[1]).cast()];
        ok(cuMemRangeGetAttributes(places.as_mut_ptr(), [4usize, 4].as_mut_ptr(), [READ_MOSTLY, PREFERRED].as_mut_ptr(), 2, at, BYTES));
        holds(values == [0, 0])
    };
    "cuMemRangeGetAttributes: none" => ERROR_INVALID_VALUE, |f| {
        cuMemRangeGetAttributes([null_mut()].as_mut_ptr(), [4usize].as_mut_ptr(), [READ_MOSTLY].as_mut_ptr(), 0, f.managed(), BYTES)
    };
}
