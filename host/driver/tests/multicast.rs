//! Multicast objects over simulated devices (`LANEWISE_SIM_DEVICES`): how they are made, bound,
//! mapped and destroyed, and what a kernel reads and writes through them. Each claim runs in a
//! process of its own, as in `two_devices.rs`.

mod claim;

use claim::holds;
use lanewise_driver::abi::*;
use lanewise_driver::api::*;
use std::ptr::{null, null_mut};

const PAGE: usize = 2 << 20;

/// `sum`: stores each thread's element, summed over the devices, to plain memory. `all`: stores a
/// thread's number on every device. `add`: adds one on every device. `plain`: an ordinary load.
const PTX: &str = ".version 8.1
.target sm_90
.address_size 64
.entry sum(.param .u64 m, .param .u64 p) { .reg .b32 %t, %x; .reg .b64 %m, %p, %o;
  mov.u32 %t, %tid.x; mul.wide.u32 %o, %t, 4; ld.param.u64 %m, [m]; ld.param.u64 %p, [p]; add.u64 %m, %m, %o; add.u64 %p, %p, %o;
  multimem.ld_reduce.relaxed.sys.global.add.u32 %x, [%m]; st.global.u32 [%p], %x; ret; }
.entry all(.param .u64 m, .param .u64 p) { .reg .b32 %t; .reg .b64 %m, %o;
  mov.u32 %t, %tid.x; mul.wide.u32 %o, %t, 4; ld.param.u64 %m, [m]; add.u64 %m, %m, %o; multimem.st.u32 [%m], %t; ret; }
.entry add(.param .u64 m, .param .u64 p) { .reg .b64 %m; ld.param.u64 %m, [m]; multimem.red.add.u32 [%m], 1; ret; }
.entry plain(.param .u64 m, .param .u64 p) { .reg .b32 %x; .reg .b64 %m, %p; ld.param.u64 %m, [m]; ld.param.u64 %p, [p];
  ld.u32 %x, [%m]; st.global.u32 [%p], %x; ret; }\0";

#[track_caller]
fn ok(code: CUresult) {
    assert_eq!(
        code,
        CUresult::SUCCESS,
        "{:?}",
        lanewise_driver::last_message()
    );
}

/// Checks that a call was refused with this code and this message.
#[track_caller]
fn refused(code: CUresult, wanted: CUresult, words: &str) {
    let said = lanewise_driver::last_message().unwrap_or_default();
    assert_eq!(code, wanted, "{said}");
    assert!(said.contains(words), "{said}");
}

const INVALID: CUresult = CUresult::ERROR_INVALID_VALUE;

/// A context on each device, with the module above.
struct Devices {
    contexts: Vec<CUcontext>,
    modules: Vec<CUmodule>,
}

fn object(devices: u32, size: usize) -> CUmulticastObjectProp {
    CUmulticastObjectProp {
        num_devices: devices,
        size,
        handle_types: 0,
        flags: 0,
    }
}

#[allow(
    clippy::undocumented_unsafe_blocks,
    reason = "driver calls with arguments of this file's own"
)]
impl Devices {
    fn new() -> Devices {
        ok(unsafe { cuInit(0) });
        let mut count = 0;
        ok(unsafe { cuDeviceGetCount(&mut count) });
        let (mut contexts, mut modules) = (Vec::new(), Vec::new());
        for device in 0..count {
            let (mut context, mut module) = (CUcontext(0), CUmodule(0));
            ok(unsafe { cuCtxCreate_v2(&mut context, 0, device) });
            ok(unsafe { cuModuleLoadData(&mut module, PTX.as_ptr().cast()) });
            contexts.push(context);
            modules.push(module);
        }
        Devices { contexts, modules }
    }

    fn count(&self) -> usize {
        self.contexts.len()
    }

    /// Makes the context of `device` current.
    fn on(&self, device: usize) {
        ok(unsafe { cuCtxSetCurrent(self.contexts[device]) });
    }

    /// Allocates physical memory of a device, in pages.
    fn physical(&self, device: usize, pages: usize) -> u64 {
        let mut handle = 0;
        let properties = CUmemAllocationProp {
            kind: 1,
            handle_types: 0,
            location: CUmemLocation {
                kind: 1,
                id: device as i32,
            },
            win32: null_mut(),
            flags: [0; 8],
        };
        ok(unsafe { cuMemCreate(&mut handle, pages * PAGE, &properties, 0) });
        handle
    }

    /// Maps a handle in the address space of `device` and gives these devices access.
    fn map(&self, device: usize, handle: u64, pages: usize, reach: &[usize]) -> CUdeviceptr {
        self.on(device);
        let mut address = 0;
        ok(unsafe { cuMemAddressReserve(&mut address, pages * PAGE, 0, 0, 0) });
        ok(unsafe { cuMemMap(address, pages * PAGE, 0, handle, 0) });
        for &other in reach {
            ok(self.open(address, pages, other, 3));
        }
        address
    }

    fn open(&self, address: CUdeviceptr, pages: usize, device: usize, flags: u32) -> CUresult {
        let location = CUmemLocation {
            kind: 1,
            id: device as i32,
        };
        let wanted = CUmemAccessDesc { location, flags };
        unsafe { cuMemSetAccess(address, pages * PAGE, &wanted, 1) }
    }

    /// A multicast object of this many pages over all devices.
    fn object(&self, pages: usize) -> u64 {
        let mut handle = 0;
        let properties = object(self.count() as u32, pages * PAGE);
        ok(unsafe { cuMulticastCreate(&mut handle, &properties) });
        for device in 0..self.count() {
            ok(unsafe { cuMulticastAddDevice(handle, device as i32) });
        }
        handle
    }

    fn run(&self, device: usize, name: &std::ffi::CStr, m: u64, p: u64) -> CUresult {
        let (mut kernel, mut m, mut p) = (CUfunction(0), m, p);
        let mut params = [(&raw mut m).cast(), (&raw mut p).cast()];
        self.on(device);
        unsafe {
            ok(cuModuleGetFunction(
                &mut kernel,
                self.modules[device],
                name.as_ptr(),
            ));
            ok(cuLaunchKernel(
                kernel,
                1,
                1,
                1,
                32,
                1,
                1,
                0,
                CUstream(0),
                params.as_mut_ptr(),
                null_mut(),
            ));
            cuCtxSynchronize()
        }
    }

    fn write(&self, device: usize, address: CUdeviceptr, words: &[u32]) {
        self.on(device);
        let bytes = size_of_val(words);
        ok(unsafe { cuMemcpyHtoD_v2(address, words.as_ptr().cast(), bytes) });
    }

    fn read(&self, device: usize, address: CUdeviceptr) -> [u32; 32] {
        let mut words = [0; 32];
        self.on(device);
        ok(unsafe { cuMemcpyDtoH_v2(words.as_mut_ptr().cast(), address, 128) });
        words
    }
}

#[allow(
    clippy::undocumented_unsafe_blocks,
    reason = "driver calls with arguments of this function's own"
)]
fn try_claim(claim: &str) {
    let devices = Devices::new();
    let all: Vec<usize> = (0..devices.count()).collect();
    match claim {
        "kernels" => {
            let handle = devices.object(1);
            let mut own = Vec::new();
            for &device in &all {
                let memory = devices.physical(device, 1);
                own.push(devices.map(device, memory, 1, &[device]));
                // By handle or by address, as one likes; memory that is bound needs its
                // handle no more.
                ok(match device {
                    1 => unsafe { cuMulticastBindAddr(handle, 0, own[device], PAGE, 0) },
                    _ => unsafe { cuMulticastBindMem(handle, 0, memory, 0, PAGE, 0) },
                });
                ok(unsafe { cuMemRelease(memory) });
            }
            let address = devices.map(0, handle, 1, &all);
            for &device in &all {
                let words: Vec<u32> = (0..32).map(|i| 100 * device as u32 + i).collect();
                devices.write(device, own[device], &words);
            }
            let mut plain = Vec::new();
            for &device in &all {
                let mut place = 0;
                devices.on(device);
                ok(unsafe { cuMemAlloc_v2(&mut place, 128) });
                plain.push(place);
            }
            let n = devices.count() as u32;
            let sums = std::array::from_fn(|i| n * i as u32 + 100 * (0..n).sum::<u32>());
            for &device in &all {
                ok(devices.run(device, c"sum", address, plain[device]));
                assert_eq!(devices.read(device, plain[device]), sums);
            }
            ok(devices.run(1, c"all", address, 0));
            ok(devices.run(0, c"add", address, 0));
            let mut wanted: [u32; 32] = std::array::from_fn(|i| i as u32);
            wanted[0] = 32;
            for &device in &all {
                assert_eq!(devices.read(device, own[device]), wanted);
            }
        }
        "the same memory by another way" => {
            // Memory that is mapped nowhere when it is bound, and mapped when it was written.
            let handle = devices.object(2);
            let memory: Vec<u64> = all.iter().map(|&d| devices.physical(d, 2)).collect();
            for &device in &all {
                // The second page of the memory is the object's first.
                ok(unsafe { cuMulticastBindMem(handle, 0, memory[device], PAGE, PAGE, 0) });
            }
            let address = devices.map(1, handle, 2, &all);
            ok(devices.run(0, c"all", address, 0));
            let own: Vec<u64> = all
                .iter()
                .map(|&d| devices.map(d, memory[d], 2, &[d]))
                .collect();
            ok(devices.run(1, c"add", address, 0));
            for &device in &all {
                let at = own[device] + PAGE as u64;
                assert_eq!(devices.read(device, at)[..3], [32, 1, 2]);
                devices.on(device);
                ok(unsafe { cuMemUnmap(own[device], 2 * PAGE) });
            }
            ok(devices.run(0, c"add", address, 0));
            let again = devices.map(1, memory[1], 2, &[1]);
            assert_eq!(devices.read(1, again + PAGE as u64)[0], 64);
        }
        "a place that is bound on one device only" => {
            let handle = devices.object(2);
            for &device in &all {
                let memory = devices.physical(device, 2);
                let size = if device == 0 { 2 * PAGE } else { PAGE };
                ok(unsafe { cuMulticastBindMem(handle, 0, memory, 0, size, 0) });
            }
            let address = devices.map(0, handle, 2, &all);
            ok(devices.run(0, c"add", address, 0));
            let code = devices.run(0, c"add", address + PAGE as u64, 0);
            refused(
                code,
                CUresult::ERROR_ILLEGAL_ADDRESS,
                "not every device has memory for",
            );
        }
        "an ordinary load" => {
            let handle = devices.object(1);
            for &device in &all {
                let memory = devices.physical(device, 1);
                ok(unsafe { cuMulticastBindMem(handle, 0, memory, 0, PAGE, 0) });
            }
            let address = devices.map(0, handle, 1, &all);
            let copy = unsafe { cuMemsetD32_v2(address, 0, 32) };
            refused(copy, INVALID, "is multicast memory");
            let code = devices.run(0, c"plain", address, 0);
            refused(code, CUresult::ERROR_ILLEGAL_ADDRESS, "of multicast memory");
        }
        "a device without access" => {
            let handle = devices.object(1);
            for &device in &all {
                let memory = devices.physical(device, 1);
                ok(unsafe { cuMulticastBindMem(handle, 0, memory, 0, PAGE, 0) });
            }
            let address = devices.map(0, handle, 1, &[0]);
            ok(devices.run(0, c"add", address, 0));
            let code = devices.run(1, c"add", address, 0);
            refused(code, CUresult::ERROR_ILLEGAL_ADDRESS, "no multicast memory");
        }
        "unbound" => {
            let handle = devices.object(1);
            for &device in &all {
                let memory = devices.physical(device, 1);
                ok(unsafe { cuMulticastBindMem(handle, 0, memory, 0, PAGE, 0) });
            }
            let address = devices.map(0, handle, 1, &all);
            ok(devices.run(0, c"add", address, 0));
            ok(unsafe { cuMulticastUnbind(handle, 1, 0, PAGE) });
            let again = unsafe { cuMulticastUnbind(handle, 1, 0, PAGE) };
            refused(again, INVALID, "no whole bindings of device 1");
            let code = devices.run(0, c"add", address, 0);
            refused(
                code,
                CUresult::ERROR_ILLEGAL_ADDRESS,
                "not every device has memory for",
            );
        }
        "threads that add their own device" => {
            let mut handle = 0;
            let properties = object(devices.count() as u32, PAGE);
            ok(unsafe { cuMulticastCreate(&mut handle, &properties) });
            std::thread::scope(|scope| {
                for &device in &all {
                    let devices = &devices;
                    scope.spawn(move || {
                        // The last one comes late; the others wait for it.
                        std::thread::sleep(std::time::Duration::from_millis(20 * device as u64));
                        let memory = devices.physical(device, 1);
                        ok(unsafe { cuMulticastAddDevice(handle, device as i32) });
                        ok(unsafe { cuMulticastBindMem(handle, 0, memory, 0, PAGE, 0) });
                    });
                }
            });
            let address = devices.map(0, handle, 1, &all);
            ok(devices.run(0, c"add", address, 0));
        }
        "codes" => codes(&devices),
        "one device" => {
            let mut supported = 9;
            ok(unsafe { cuDeviceGetAttribute(&mut supported, 132, 0) });
            assert_eq!(supported, 0);
            let code = unsafe { cuMulticastCreate(&mut 0, &object(1, PAGE)) };
            refused(code, CUresult::ERROR_NOT_SUPPORTED, "LANEWISE_SIM_DEVICES");
        }
        other => panic!("no such claim: {other}"),
    }
}

/// What each call refuses, and that a handle stays valid until it is released.
#[allow(
    clippy::undocumented_unsafe_blocks,
    reason = "driver calls with arguments of this function's own"
)]
fn codes(devices: &Devices) {
    let (mut handle, mut size, mut supported) = (0, 0, 0);
    let unsupported = CUresult::ERROR_NOT_SUPPORTED;
    unsafe {
        ok(cuDeviceGetAttribute(&mut supported, 132, 1));
        assert_eq!(supported, 1);
        let properties = object(2, 4 * PAGE);
        for option in [0, 1] {
            ok(cuMulticastGetGranularity(&mut size, &properties, option));
            assert_eq!(size, PAGE);
        }
        refused(
            cuMulticastGetGranularity(&mut size, &properties, 2),
            INVALID,
            "2 is no",
        );
        refused(
            cuMulticastGetGranularity(&mut size, null(), 0),
            INVALID,
            "prop",
        );
        refused(
            cuMulticastCreate(&mut handle, &object(9, PAGE)),
            INVALID,
            "there are 3",
        );
        refused(
            cuMulticastCreate(&mut handle, &object(0, PAGE)),
            INVALID,
            "for 0 devices",
        );
        refused(
            cuMulticastCreate(&mut handle, &object(2, 0)),
            INVALID,
            "no bytes",
        );
        refused(
            cuMulticastCreate(&mut handle, &object(2, 4096)),
            INVALID,
            "granularity",
        );
        let shared = CUmulticastObjectProp {
            handle_types: 1,
            ..properties
        };
        refused(
            cuMulticastCreate(&mut handle, &shared),
            unsupported,
            "other processes",
        );
        let flags = CUmulticastObjectProp {
            flags: 1,
            ..properties
        };
        refused(
            cuMulticastCreate(&mut handle, &flags),
            INVALID,
            "flags must be 0",
        );
        ok(cuMulticastCreate(&mut handle, &properties));
        ok(cuMulticastAddDevice(handle, 0));
        refused(cuMulticastAddDevice(handle, 0), INVALID, "added already");
        refused(
            cuMulticastAddDevice(handle, 7),
            CUresult::ERROR_INVALID_DEVICE,
            "no device 7",
        );
        ok(cuMulticastAddDevice(handle, 2));
        refused(cuMulticastAddDevice(handle, 1), INVALID, "one more");
        refused(
            cuMulticastAddDevice(handle + 4, 1),
            INVALID,
            "not a live handle",
        );

        let memory = devices.physical(0, 2);
        refused(
            cuMulticastAddDevice(memory, 1),
            INVALID,
            "of physical memory",
        );
        let bind = |offset, from, pages: usize| {
            cuMulticastBindMem(handle, offset, memory, from, pages * PAGE, 0)
        };
        refused(bind(4096, 0, 1), INVALID, "granularity");
        refused(bind(0, 4096, 1), INVALID, "granularity");
        refused(bind(0, 0, 0), INVALID, "no bytes");
        refused(bind(0, 0, 3), INVALID, "of memory that has");
        refused(bind(3 * PAGE, 0, 2), INVALID, "of an object that has");
        refused(
            cuMulticastBindMem(handle, 0, memory, 0, PAGE, 1),
            INVALID,
            "flags must be 0",
        );
        refused(
            cuMulticastBindMem(handle, 0, handle, 0, PAGE, 0),
            INVALID,
            "not a live handle of physical memory",
        );
        refused(
            cuMulticastBindAddr(handle, 0, 4096, PAGE, 0),
            INVALID,
            "no memory of cuMemCreate",
        );
        let foreign = devices.physical(1, 1);
        let code = cuMulticastBindMem(handle, 0, foreign, 0, PAGE, 0);
        refused(code, INVALID, "device 1, which was not added");
        ok(bind(PAGE, 0, 2));
        refused(bind(2 * PAGE, 0, 1), INVALID, "bound in");
        ok(bind(0, 0, 1));
        refused(
            cuMulticastUnbind(handle, 0, PAGE, PAGE),
            INVALID,
            "no whole bindings",
        );
        refused(
            cuMulticastUnbind(handle, 1, 0, PAGE),
            INVALID,
            "was not added",
        );
        ok(cuMulticastUnbind(handle, 0, 0, 3 * PAGE));
        ok(bind(0, 0, 2));

        devices.on(0);
        let mut address = 0;
        ok(cuMemAddressReserve(&mut address, 8 * PAGE, 0, 0, 0));
        refused(
            cuMemMap(address, PAGE, 0, handle, 0),
            INVALID,
            "it is mapped whole",
        );
        ok(cuMemMap(address, 4 * PAGE, 0, handle, 0));
        refused(
            cuMemMap(address, 4 * PAGE, 0, handle, 0),
            INVALID,
            "mapped in",
        );
        refused(
            devices.open(address, 4, 1, 3),
            INVALID,
            "device 1 was not added",
        );
        ok(devices.open(address, 4, 2, 3));
        let (mut flags, location) = (0, CUmemLocation { kind: 1, id: 2 });
        ok(cuMemGetAccess(&mut flags, &location, address));
        assert_eq!(flags, 3);
        ok(devices.open(address, 4, 2, 0));
        ok(cuMemGetAccess(&mut flags, &location, address));
        assert_eq!(flags, 0);
        // What is mapped outlives its handle, once.
        ok(cuMemRelease(handle));
        refused(cuMemRelease(handle), INVALID, "not a live handle");
        refused(
            cuMulticastAddDevice(handle, 1),
            INVALID,
            "not a live handle",
        );
        ok(devices.open(address, 4, 0, 3));
        ok(cuMemUnmap(address, 4 * PAGE));
        ok(cuMemAddressFree(address, 8 * PAGE));
    }
}

/// The tasks of the child processes. In the test's own process it does nothing.
#[test]
fn tasks() {
    if let Some(claim) = claim::to_try() {
        try_claim(&claim);
    }
}

#[test]
fn kernels_of_every_device_reach_the_memory_of_all() {
    for devices in ["2", "4"] {
        holds("kernels", devices);
        holds("the same memory by another way", devices);
    }
}

#[test]
fn what_is_no_multicast_memory_of_a_device_faults() {
    for claim in [
        "a place that is bound on one device only",
        "an ordinary load",
        "a device without access",
        "unbound",
    ] {
        holds(claim, "2");
    }
}

#[test]
fn calls_refuse_what_a_driver_refuses() {
    holds("codes", "3");
    holds("one device", "1");
}

#[test]
fn a_thread_for_each_device_may_bind_at_once() {
    holds("threads that add their own device", "3");
}
