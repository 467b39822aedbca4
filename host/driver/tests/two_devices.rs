//! Two devices (`LANEWISE_SIM_DEVICES=2`): which memory of one device the kernels of the other can
//! access, and what copies do.
//!
//! Each claim runs in a process of its own: a kernel that accesses memory without permission ends
//! its context, and the number of devices is set per process.

mod answer;
mod claim;

use answer::ok;
use claim::holds;
use lanewise_driver::abi::*;
use lanewise_driver::api::*;
use std::ptr::null_mut;

const BYTES: usize = 4096;

/// A context on each device, the same text loaded into each, and its kernel `fill`.
struct Devices {
    contexts: [CUcontext; 2],
    modules: [CUmodule; 2],
    fill: [CUfunction; 2],
}

#[allow(
    clippy::undocumented_unsafe_blocks,
    reason = "driver calls with arguments of this file's own"
)]
impl Devices {
    fn new() -> Devices {
        let (mut contexts, mut fill) = ([CUcontext(0); 2], [CUfunction(0); 2]);
        let mut modules = [CUmodule(0); 2];
        let ptx = concat!(include_str!("conformance/kernels.ptx"), "\0");
        ok(unsafe { cuInit(0) });
        for device in 0..2 {
            let module = &mut modules[device];
            unsafe {
                ok(cuCtxCreate_v2(&mut contexts[device], 0, device as i32));
                ok(cuModuleLoadData(module, ptx.as_ptr().cast()));
                ok(cuModuleGetFunction(
                    &mut fill[device],
                    *module,
                    c"fill".as_ptr(),
                ));
            }
        }
        Devices {
            contexts,
            modules,
            fill,
        }
    }

    /// Returns the address of the variable `counter` in the module of `device`.
    fn counter(&self, device: usize) -> CUdeviceptr {
        let (mut address, mut bytes) = (0, 0);
        let module = self.modules[device];
        self.on(device);
        ok(unsafe { cuModuleGetGlobal_v2(&mut address, &mut bytes, module, c"counter".as_ptr()) });
        assert_eq!(bytes, 4);
        address
    }

    /// Makes the context of `device` current.
    fn on(&self, device: usize) -> &Devices {
        ok(unsafe { cuCtxSetCurrent(self.contexts[device]) });
        self
    }

    fn memory(&self, device: usize) -> CUdeviceptr {
        let mut address = 0;
        self.on(device);
        ok(unsafe { cuMemAlloc_v2(&mut address, BYTES) });
        ok(unsafe { cuMemsetD32_v2(address, 0, BYTES / 4) });
        ok(unsafe { cuCtxSynchronize() });
        address
    }

    /// Gives `device` access to the other device's memory.
    fn enable(&self, device: usize) {
        self.on(device);
        ok(unsafe { cuCtxEnablePeerAccess(self.contexts[1 - device], 0) });
    }

    /// Makes a kernel of `device` write `value` to `address`.
    fn write(&self, device: usize, address: CUdeviceptr, value: u32) -> CUresult {
        let (mut address, mut n, mut value) = (address, 8u32, value);
        let mut params = [
            (&raw mut address).cast(),
            (&raw mut n).cast(),
            (&raw mut value).cast(),
        ];
        let stream = CUstream(0);
        self.on(device);
        unsafe {
            ok(cuLaunchKernel(
                self.fill[device],
                1,
                1,
                1,
                32,
                1,
                1,
                0,
                stream,
                params.as_mut_ptr(),
                null_mut(),
            ));
            cuCtxSynchronize()
        }
    }

    /// The first word at `address`.
    fn word(&self, address: CUdeviceptr) -> u32 {
        let mut word = 0u32;
        ok(unsafe { cuMemcpyDtoH_v2((&raw mut word).cast(), address, 4) });
        word
    }
}

const REFUSED: CUresult = CUresult::ERROR_ILLEGAL_ADDRESS;

#[allow(
    clippy::undocumented_unsafe_blocks,
    reason = "driver calls with arguments of this function's own"
)]
fn try_claim(claim: &str) {
    let devices = Devices::new();
    match claim {
        "without access" => {
            let address = devices.memory(0);
            assert_eq!(devices.write(1, address, 5), REFUSED);
            assert_eq!(devices.on(0).word(address), 0, "device 0 goes on");
        }
        "with access" => {
            let before = devices.memory(0);
            devices.enable(1);
            let after = devices.memory(0);
            for address in [before, after] {
                ok(devices.write(1, address, 5));
                assert_eq!(devices.on(0).word(address), 5);
                let (mut device, mut pointer) = (9, 0);
                ok(unsafe { cuPointerGetAttribute((&raw mut device).cast(), 9, address) });
                ok(unsafe {
                    cuPointerGetAttribute((&raw mut pointer).cast::<u64>().cast(), 3, address)
                });
                assert_eq!((device, pointer), (0, address), "it stays device 0's");
            }
        }
        "one way" => {
            let address = devices.memory(1);
            devices.enable(1);
            assert_eq!(devices.write(0, address, 5), REFUSED);
        }
        "taken back" => {
            let address = devices.memory(0);
            devices.enable(1);
            ok(devices.write(1, address, 5));
            devices.on(1);
            ok(unsafe { cuCtxDisablePeerAccess(devices.contexts[0]) });
            assert_eq!(devices.write(1, address, 6), REFUSED);
        }
        "freed" => {
            let address = devices.memory(0);
            devices.enable(1);
            devices.on(0);
            ok(unsafe { cuMemFree_v2(address) });
            assert_eq!(devices.write(1, address, 6), REFUSED);
        }
        "pinned" => {
            let mut pinned = null_mut();
            devices.on(0);
            ok(unsafe { cuMemAllocHost_v2(&mut pinned, BYTES) });
            for device in 0..2 {
                ok(devices.write(device, pinned.addr() as u64, device as u32 + 1));
                assert_eq!(unsafe { pinned.cast::<u32>().read() }, device as u32 + 1);
            }
            ok(unsafe { cuMemFreeHost(pinned) });
        }
        "copies" => {
            let [from, to] = [devices.memory(0), devices.memory(1)];
            ok(devices.write(0, from, 7));
            let contexts = devices.contexts;
            ok(unsafe { cuMemcpyPeer(to, contexts[1], from, contexts[0], 32) });
            assert_eq!(devices.on(1).word(to), 7);
            ok(unsafe { cuMemcpy(from + 64, to, 4) });
            assert_eq!(devices.word(from + 64), 7);
        }
        "codes" => {
            let [first, second] = devices.contexts;
            let mut can = 0;
            devices.on(0);
            unsafe {
                ok(cuDeviceCanAccessPeer(&mut can, 0, 1));
                assert_eq!(can, 1);
                assert_eq!(
                    cuCtxDisablePeerAccess(second),
                    CUresult::ERROR_PEER_ACCESS_NOT_ENABLED
                );
                ok(cuCtxEnablePeerAccess(second, 0));
                assert_eq!(
                    cuCtxEnablePeerAccess(second, 0),
                    CUresult::ERROR_PEER_ACCESS_ALREADY_ENABLED
                );
                assert_eq!(
                    cuCtxEnablePeerAccess(first, 0),
                    CUresult::ERROR_PEER_ACCESS_UNSUPPORTED
                );
                assert_eq!(
                    cuCtxEnablePeerAccess(second, 1),
                    CUresult::ERROR_INVALID_VALUE
                );
                ok(cuCtxDisablePeerAccess(second));
            }
        }
        "variables" => {
            let counters = [devices.counter(0), devices.counter(1)];
            devices.on(0);
            ok(unsafe { cuMemsetD32_v2(counters[0], 9, 1) });
            assert_eq!(devices.word(counters[0]), 9);
            assert_eq!(devices.on(1).word(counters[1]), 7, "as the text has it");
        }
        other => panic!("no such claim: {other}"),
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
fn a_kernel_reaches_a_peers_memory_only_where_access_was_enabled() {
    for claim in [
        "without access",
        "with access",
        "one way",
        "taken back",
        "freed",
    ] {
        holds(claim, "2");
    }
}

#[test]
fn pinned_memory_is_every_devices() {
    holds("pinned", "2");
}

#[test]
fn copies_need_no_access() {
    holds("copies", "2");
}

#[test]
fn access_is_enabled_once_for_another_device() {
    holds("codes", "2");
}

/// The module's text is parsed once for both devices.
#[test]
fn each_device_has_variables_of_its_own() {
    holds("variables", "2");
}
