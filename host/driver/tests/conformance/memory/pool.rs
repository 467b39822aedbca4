//! What the driver guarantees about memory pools.

use crate::fixture::{BYTES, holds, nothing, ok};
use crate::rows;
use lanewise_driver::abi::*;
use lanewise_driver::api::*;
use std::ptr::null_mut;

/// `CU_MEMPOOL_ATTR_RELEASE_THRESHOLD` and `CU_MEMPOOL_ATTR_USED_MEM_CURRENT`.
const THRESHOLD: u32 = 4;
const USED: u32 = 7;

/// `CUmemPoolProps`: kind, handle types, location, and 72 bytes that are zero in these tests.
#[repr(C, align(8))]
struct Props {
    words: [u32; 22],
}

/// A pool of pinned memory on device 0.
fn make(pool: *mut CUmemoryPool) -> CUresult {
    let mut props = Props { words: [0; 22] };
    props.words[0] = 1;
    props.words[2] = 1;
    // SAFETY: a whole `CUmemPoolProps`, which is 88 bytes.
    unsafe { cuMemPoolCreate(pool, (&raw const props).cast()) }
}

fn pool() -> CUmemoryPool {
    let mut pool = CUmemoryPool::default();
    ok(make(&mut pool));
    pool
}

fn read(pool: CUmemoryPool, which: u32) -> u64 {
    let mut value = 0u64;
    // SAFETY: 64 bits, which both attributes have.
    ok(unsafe { cuMemPoolGetAttribute(pool, which, (&raw mut value).cast()) });
    value
}

rows! {
    "cuMemPoolCreate: to null" => ERROR_INVALID_VALUE, |_| make(null_mut());
    "cuMemPoolCreate: of null" => ERROR_INVALID_VALUE, |_| cuMemPoolCreate(&mut CUmemoryPool::default(), nothing());
    "cuMemPoolDestroy: the default pool" => ERROR_INVALID_VALUE, |_| {
        let mut default = CUmemoryPool::default();
        ok(cuDeviceGetDefaultMemPool(&mut default, 0));
        cuMemPoolDestroy(default)
    };
    "cuMemPoolDestroy: a pool" => SUCCESS, |_| cuMemPoolDestroy(pool());
    "cuMemPoolSetAttribute: the release threshold" => SUCCESS, |_| {
        let (pool, mut wanted) = (pool(), 1u64 << 20);
        ok(cuMemPoolSetAttribute(pool, THRESHOLD, (&raw mut wanted).cast()));
        holds(read(pool, THRESHOLD) == wanted)
    };
    "cuMemPoolSetAttribute: what is used" => ERROR_INVALID_VALUE, |_| {
        cuMemPoolSetAttribute(pool(), USED, [0u64].as_mut_ptr().cast())
    };
    "cuMemPoolGetAttribute: of no number" => ERROR_INVALID_VALUE, |_| {
        cuMemPoolGetAttribute(pool(), 99, [0u64].as_mut_ptr().cast())
    };
    "cuMemAllocFromPoolAsync: counts until it is freed" => SUCCESS, |f| {
        let (pool, stream, mut address) = (pool(), f.stream(), 0);
        ok(cuMemAllocFromPoolAsync(&mut address, BYTES, pool, stream));
        ok(cuStreamSynchronize(stream));
        let used = read(pool, USED);
        ok(cuMemFreeAsync(address, stream));
        ok(cuStreamSynchronize(stream));
        holds(used >= BYTES as u64 && read(pool, USED) == 0)
    };
    "cuMemAllocFromPoolAsync: no bytes" => SUCCESS, |f| {
        cuMemAllocFromPoolAsync(&mut 0, 0, pool(), f.stream())
    };
    "cuMemPoolTrimTo: nothing" => SUCCESS, |_| cuMemPoolTrimTo(pool(), 0);
    "cuMemPoolSetAccess: a device's own" => SUCCESS, |_| {
        // CUmemAccessDesc: device 0, read and write.
        cuMemPoolSetAccess(pool(), [1u32, 0, 3].as_ptr().cast(), 1)
    };
    "cuMemPoolGetAccess: a device's own" => SUCCESS, |_| {
        let (mut flags, mut location) = (0, CUmemLocation { kind: 1, id: 0 });
        ok(cuMemPoolGetAccess(&mut flags, pool(), &mut location));
        holds(flags == 3)
    };
    "cuMemPoolGetAccess: of no place" => ERROR_INVALID_VALUE, |_| {
        cuMemPoolGetAccess(&mut 0, pool(), &mut CUmemLocation { kind: 77, id: 0 })
    };
}
