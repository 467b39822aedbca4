//! Memory and events of other processes. `tests/tests/ipc.rs` tests that they are shared; these
//! rows use one process only.

use crate::fixture::{Fixture, holds, ok};
use crate::rows;
use lanewise_driver::abi::*;
use lanewise_driver::api::*;
use std::ptr::null_mut;

/// CUDA's flag `CU_IPC_MEM_LAZY_ENABLE_PEER_ACCESS`.
const LAZY: u32 = 1;
/// `CU_EVENT_INTERPROCESS | CU_EVENT_DISABLE_TIMING`.
const SHARED: u32 = 6;

fn memory(f: &Fixture) -> CUipcMemHandle {
    let mut handle = CUipcMemHandle { reserved: [0; 64] };
    // SAFETY: the result has a place.
    ok(unsafe { cuIpcGetMemHandle(&mut handle, f.device()) });
    handle
}

fn event(flags: u32) -> CUevent {
    let mut event = CUevent::default();
    // SAFETY: the result has a place.
    ok(unsafe { cuEventCreate(&mut event, flags) });
    event
}

fn event_handle() -> CUipcEventHandle {
    let mut handle = CUipcEventHandle { reserved: [0; 64] };
    // SAFETY: the result has a place.
    ok(unsafe { cuIpcGetEventHandle(&mut handle, event(SHARED)) });
    handle
}

rows! {
    "cuIpcGetMemHandle: twice the same" => SUCCESS, |f| {
        let (address, mut handles) = (f.device(), [CUipcMemHandle { reserved: [0; 64] }; 2]);
        for handle in &mut handles {
            ok(cuIpcGetMemHandle(handle, address));
        }
        holds(handles[0].reserved == handles[1].reserved)
    };
    "cuIpcGetMemHandle: its contents stay, and it is freed" => SUCCESS, |f| {
        let address = f.device();
        ok(cuMemsetD8_v2(address, 7, 100));
        ok(cuIpcGetMemHandle(&mut CUipcMemHandle { reserved: [0; 64] }, address));
        let mut bytes = [0u8; 100];
        ok(cuMemcpyDtoH_v2(bytes.as_mut_ptr().cast(), address, 100));
        ok(holds(bytes == [7; 100]));
        cuMemFree_v2(address)
    };
    "cuIpcGetMemHandle: to null" (sim: "not asked of a GPU") => ERROR_INVALID_VALUE, |f| cuIpcGetMemHandle(null_mut(), f.device());
    "cuIpcGetMemHandle: of pinned memory" (sim: "not asked of a GPU") => ERROR_INVALID_VALUE, |f| cuIpcGetMemHandle(&mut memory(f), f.pinned() as u64);
    "cuIpcOpenMemHandle_v2: this process' own" (sim: "not asked of a GPU") => ERROR_INVALID_CONTEXT, |f| cuIpcOpenMemHandle_v2(&mut 0, memory(f), LAZY);
    "cuIpcOpenMemHandle_v2: without the flag" (sim: "not asked of a GPU") => ERROR_INVALID_VALUE, |f| cuIpcOpenMemHandle_v2(&mut 0, memory(f), 0);
    "cuIpcOpenMemHandle: this process' own" (sim: "not asked of a GPU") => ERROR_INVALID_CONTEXT, |f| cuIpcOpenMemHandle(&mut 0, memory(f), LAZY);
    "cuIpcCloseMemHandle: what was not opened" (sim: "not asked of a GPU") => ERROR_INVALID_VALUE, |f| cuIpcCloseMemHandle(f.device());
    "cuIpcGetEventHandle: of an event for it" => SUCCESS, |_| cuIpcGetEventHandle(&mut event_handle(), event(SHARED));
    "cuIpcGetEventHandle: of another event" (sim: "not asked of a GPU") => ERROR_INVALID_VALUE, |f| cuIpcGetEventHandle(&mut event_handle(), f.event());
    "cuIpcOpenEventHandle: this process' own" (sim: "not asked of a GPU") => ERROR_INVALID_CONTEXT, |_| cuIpcOpenEventHandle(&mut CUevent::default(), event_handle());
    "cuIpcOpenEventHandle: to null" (sim: "not asked of a GPU") => ERROR_INVALID_VALUE, |_| cuIpcOpenEventHandle(null_mut(), event_handle());
}
