//! Virtual memory management.

use crate::fixture::{Fixture, holds, nothing, ok, param};
use crate::rows;
use lanewise_driver::abi::*;
use lanewise_driver::api::*;
use std::ptr::{null_mut, with_exposed_provenance_mut};

/// A page of a GPU.
const PAGE: usize = 2 << 20;

fn properties() -> CUmemAllocationProp {
    CUmemAllocationProp {
        kind: 1,
        handle_types: 0,
        location: CUmemLocation { kind: 1, id: 0 },
        win32: null_mut(),
        flags: [0; 8],
    }
}

fn physical() -> CUmemGenericAllocationHandle {
    let mut handle = 0;
    // SAFETY: whole properties.
    ok(unsafe { cuMemCreate(&mut handle, PAGE, &properties(), 0) });
    handle
}

fn reserve(pages: usize) -> CUdeviceptr {
    let mut address = 0;
    // SAFETY: a variable.
    ok(unsafe { cuMemAddressReserve(&mut address, pages * PAGE, 0, 0, 0) });
    address
}

fn open(address: CUdeviceptr, pages: usize, flags: u32) -> CUresult {
    let location = CUmemLocation { kind: 1, id: 0 };
    let wanted = CUmemAccessDesc { location, flags };
    // SAFETY: one description.
    unsafe { cuMemSetAccess(address, pages * PAGE, &wanted, 1) }
}

/// Maps this many pages of memory side by side, each on its own, and gives the device access.
fn mapped(pages: usize) -> CUdeviceptr {
    let address = reserve(pages);
    for page in 0..pages {
        let handle = physical();
        // SAFETY: the range is reserved.
        unsafe {
            ok(cuMemMap(address + (page * PAGE) as u64, PAGE, 0, handle, 0));
            ok(cuMemRelease(handle));
        }
    }
    ok(open(address, pages, 3));
    address
}

/// Unmaps what [`mapped`] has mapped.
fn unmap(address: CUdeviceptr, pages: usize) {
    // SAFETY: it is ours, and nothing runs.
    unsafe {
        ok(cuMemUnmap(address, pages * PAGE));
        ok(cuMemAddressFree(address, pages * PAGE));
    }
}

fn filled(f: &Fixture, mut address: CUdeviceptr, mut words: u32, mut value: u32) {
    // The launch reads the parameters, so each has to live until then.
    let count = words;
    let params = &mut [param(&mut address), param(&mut words), param(&mut value)];
    ok(f.launch(f.function("fill"), count.div_ceil(256), 256, 0, params));
}

rows! {
    "cuMemGetAllocationGranularity: a page" => SUCCESS, |_| {
        let mut size = 0;
        ok(cuMemGetAllocationGranularity(&mut size, &properties(), 0));
        holds(size == PAGE)
    };
    "cuMemGetAllocationGranularity: of null" => ERROR_INVALID_VALUE, |_| cuMemGetAllocationGranularity(&mut 0, nothing(), 0);
    "cuMemGetAllocationGranularity: no option" => ERROR_INVALID_VALUE, |_| cuMemGetAllocationGranularity(&mut 0, &properties(), 9);
    "cuMemAddressReserve: and free" => SUCCESS, |_| cuMemAddressFree(reserve(3), 3 * PAGE);
    "cuMemAddressReserve: nothing" => ERROR_INVALID_VALUE, |_| cuMemAddressReserve(&mut 0, 0, 0, 0, 0);
    "cuMemAddressReserve: with flags" => ERROR_INVALID_VALUE, |_| cuMemAddressReserve(&mut 0, PAGE, 0, 0, 1);
    "cuMemAddressReserve: an alignment of three" => ERROR_INVALID_VALUE, |_| cuMemAddressReserve(&mut 0, PAGE, 3, 0, 0);
    "cuMemAddressReserve: aligned" => SUCCESS, |_| {
        let mut address = 0;
        ok(cuMemAddressReserve(&mut address, PAGE, 16 * PAGE, 0, 0));
        holds(address % (16 * PAGE as u64) == 0)
    };
    "cuMemAddressFree: what is mapped" => ERROR_INVALID_VALUE, |_| cuMemAddressFree(mapped(1), PAGE);
    "cuMemAddressFree: not reserved" => ERROR_INVALID_VALUE, |f| cuMemAddressFree(f.device(), PAGE);
    "cuMemCreate: less than a page" => ERROR_INVALID_VALUE, |_| cuMemCreate(&mut 0, 4096, &properties(), 0);
    "cuMemCreate: nothing" => ERROR_INVALID_VALUE, |_| cuMemCreate(&mut 0, 0, &properties(), 0);
    "cuMemCreate: of null" => ERROR_INVALID_VALUE, |_| cuMemCreate(&mut 0, PAGE, nothing(), 0);
    "cuMemCreate: with flags" => ERROR_INVALID_VALUE, |_| cuMemCreate(&mut 0, PAGE, &properties(), 1);
    "cuMemCreate: more than there is" => ERROR_OUT_OF_MEMORY, |_| cuMemCreate(&mut 0, 1 << 46, &properties(), 0);
    "cuMemRelease: twice" (sim: "not compared with a GPU's yet") => ERROR_INVALID_VALUE, |_| {
        let handle = physical();
        ok(cuMemRelease(handle));
        cuMemRelease(handle)
    };
    "cuMemRelease: gives the memory back" (sim: "others use a GPU at the same time") => SUCCESS, |_| {
        let free = || {
            let (mut free, mut total) = (0, 0);
            ok(cuMemGetInfo_v2(&mut free, &mut total));
            free
        };
        let (before, address) = (free(), mapped(2));
        let during = free();
        unmap(address, 2);
        holds(before - during == 2 * PAGE && free() == before)
    };
    "cuMemMap: a kernel writes over pages side by side" => SUCCESS, |f| {
        let (address, words) = (mapped(3), (3 * PAGE / 4) as u32);
        filled(f, address, words, 5);
        let mut got = vec![0u32; words as usize];
        ok(cuMemcpyDtoH_v2(got.as_mut_ptr().cast(), address, 3 * PAGE));
        unmap(address, 3);
        holds(got.iter().all(|&word| word == 5))
    };
    "cuMemMap: one memory at two places" => SUCCESS, |f| {
        let (handle, first, second) = (physical(), reserve(1), reserve(1));
        ok(cuMemMap(first, PAGE, 0, handle, 0));
        ok(cuMemMap(second, PAGE, 0, handle, 0));
        ok(cuMemRelease(handle));
        ok(open(first, 1, 3));
        ok(open(second, 1, 3));
        ok(cuMemsetD32_v2(first, 77, 4));
        holds(f.word(second + 12) == 77)
    };
    "cuMemMap: what was written outlives a mapping" => SUCCESS, |f| {
        let (handle, address) = (physical(), reserve(2));
        ok(cuMemMap(address, PAGE, 0, handle, 0));
        ok(open(address, 1, 3));
        ok(cuMemsetD32_v2(address, 9, 4));
        ok(cuMemUnmap(address, PAGE));
        ok(cuMemMap(address + PAGE as u64, PAGE, 0, handle, 0));
        ok(open(address + PAGE as u64, 1, 3));
        holds(f.word(address + PAGE as u64) == 9)
    };
    "cuMemMap: where something is mapped" => ERROR_INVALID_VALUE, |_| cuMemMap(mapped(1), PAGE, 0, physical(), 0);
    "cuMemMap: where nothing is reserved" => ERROR_INVALID_VALUE, |f| cuMemMap(f.device(), PAGE, 0, physical(), 0);
    "cuMemMap: past the end of a range" => ERROR_INVALID_VALUE, |_| cuMemMap(reserve(1) + PAGE as u64, PAGE, 0, physical(), 0);
    "cuMemMap: from an offset" => ERROR_NOT_SUPPORTED, |_| cuMemMap(reserve(1), PAGE, 4096, physical(), 0);
    "cuMemUnmap: nothing mapped" (sim: "documented; a GPU's driver does not look") => ERROR_INVALID_VALUE, |_| cuMemUnmap(reserve(1), PAGE);
    "cuMemUnmap: half of a mapping" => ERROR_INVALID_VALUE, |_| cuMemUnmap(mapped(1), PAGE / 2);
    "cuMemSetAccess: nothing mapped" => ERROR_INVALID_VALUE, |_| open(reserve(1), 1, 3);
    "cuMemSetAccess: of null" => ERROR_INVALID_VALUE, |_| cuMemSetAccess(mapped(1), PAGE, nothing(), 1);
    "cuMemSetAccess: no such device" => ERROR_INVALID_VALUE, |_| {
        let wanted = CUmemAccessDesc { location: CUmemLocation { kind: 1, id: 999 }, flags: 3 };
        cuMemSetAccess(mapped(1), PAGE, &wanted, 1)
    };
    "cuMemGetAccess: before and after" => SUCCESS, |_| {
        let (handle, address, location) = (physical(), reserve(1), CUmemLocation { kind: 1, id: 0 });
        ok(cuMemMap(address, PAGE, 0, handle, 0));
        let (mut before, mut after) = (9, 9);
        ok(cuMemGetAccess(&mut before, &location, address));
        ok(open(address, 1, 3));
        ok(cuMemGetAccess(&mut after, &location, address));
        holds((before, after) == (0, 3))
    };
    "cuMemGetAccess: nothing mapped" => ERROR_INVALID_VALUE, |_| {
        cuMemGetAccess(&mut 0, &CUmemLocation { kind: 1, id: 0 }, reserve(1))
    };
    "cuMemRetainAllocationHandle: of what is mapped" => SUCCESS, |_| {
        let (handle, address, mut again) = (physical(), reserve(1), 0);
        ok(cuMemMap(address, PAGE, 0, handle, 0));
        ok(cuMemRetainAllocationHandle(&mut again, with_exposed_provenance_mut(address as usize)));
        ok(cuMemRelease(handle));
        cuMemRelease(again)
    };
    "cuMemRetainAllocationHandle: of ordinary memory" => ERROR_INVALID_VALUE, |f| {
        cuMemRetainAllocationHandle(&mut 0, with_exposed_provenance_mut(f.device() as usize))
    };
    "cuMemGetAllocationPropertiesFromHandle: as it was made" => SUCCESS, |_| {
        let mut found = CUmemAllocationProp { kind: 9, ..properties() };
        ok(cuMemGetAllocationPropertiesFromHandle(&mut found, physical()));
        holds(found.kind == 1 && found.location.kind == 1 && found.location.id == 0)
    };
}
