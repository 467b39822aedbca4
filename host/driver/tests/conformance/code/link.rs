//! Links with PTX as input.

use crate::fixture::{c, holds, nothing, ok};
use crate::rows;
use lanewise_driver::abi::enums::jit;
use lanewise_driver::abi::*;
use lanewise_driver::api::*;
use std::ffi::CStr;
use std::ptr::null_mut;

/// The constant `CU_JIT_INPUT_PTX` of cuda.h.
const PTX: u32 = 1;

/// A kernel that calls a function of another module, and that module.
const CALLER: &str = ".version 7.0\n.target sm_70\n.address_size 64\n.extern .func apart;\n\
    .visible .entry here() { call.uni apart; ret; }\n";
const CALLEE: &str =
    ".version 7.0\n.target sm_70\n.address_size 64\n.visible .func apart { ret; }\n";

fn link() -> CUlinkState {
    let mut state = CUlinkState::default();
    // SAFETY: no options, and a variable.
    ok(unsafe { cuLinkCreate_v2(0, null_mut(), null_mut(), &mut state) });
    state
}

fn add(state: CUlinkState, kind: u32, input: &str) -> CUresult {
    let data = c(input).cast_mut().cast();
    // SAFETY: the text's bytes with the zero byte, and no options.
    unsafe {
        cuLinkAddData_v2(
            state,
            kind,
            data,
            input.len() + 1,
            c("input"),
            0,
            null_mut(),
            null_mut(),
        )
    }
}

fn complete(state: CUlinkState) -> (CUresult, *mut c_void) {
    let (mut image, mut size) = (null_mut(), 0);
    // SAFETY: variables.
    let code = unsafe { cuLinkComplete(state, &mut image, &mut size) };
    (code, image)
}

rows! {
    "cuLinkCreate_v2: to null" => ERROR_INVALID_VALUE, |_| cuLinkCreate_v2(0, null_mut(), null_mut(), null_mut());
    "cuLinkAddData_v2: PTX" => SUCCESS, |_| add(link(), PTX, CALLEE);
    "cuLinkAddData_v2: text that is no PTX" => ERROR_INVALID_PTX, |_| {
        add(link(), PTX, ".version 7.0\n.target sm_70\n.address_size 64\nthis is not PTX")
    };
    "cuLinkAddData_v2: a kind that is none" => ERROR_INVALID_VALUE, |_| add(link(), 99, CALLEE);
    "cuLinkAddData_v2: to no link" (sim: "a GPU's driver looks through the handle") => ERROR_INVALID_HANDLE, |_| {
        add(CUlinkState(0xdead_beef), PTX, CALLEE)
    };
    "cuLinkAddFile_v2: a file that is not there" => ERROR_FILE_NOT_FOUND, |_| {
        cuLinkAddFile_v2(link(), PTX, c("/nonexistent/file.ptx"), 0, null_mut(), null_mut())
    };
    "cuLinkComplete: two texts, whose image loads and runs" => SUCCESS, |f| {
        let state = link();
        ok(add(state, PTX, CALLER));
        ok(add(state, PTX, CALLEE));
        let (code, image) = complete(state);
        ok(code);
        let (mut module, mut function) = (CUmodule::default(), CUfunction::default());
        ok(cuModuleLoadData(&mut module, image));
        ok(cuLinkDestroy(state));
        ok(cuModuleGetFunction(&mut function, module, c("here")));
        ok(f.launch_bare(function, [1; 3], [32, 1, 1], 0));
        cuCtxSynchronize()
    };
    "cuLinkComplete: a function that nothing defines" (sim: "the code has not been compared with a GPU's yet") => ERROR_INVALID_PTX, |_| {
        let state = link();
        ok(add(state, PTX, CALLER));
        complete(state).0
    };
    "cuLinkComplete: to null" => ERROR_INVALID_VALUE, |_| cuLinkComplete(link(), null_mut(), null_mut());
    "cuLinkAddData_v2: the log says what was wrong" => ERROR_INVALID_PTX, |_| {
        let mut log = [0u8; 256];
        let mut options = [jit::ERROR_LOG_BUFFER, jit::ERROR_LOG_BUFFER_SIZE_BYTES];
        let mut values = [log.as_mut_ptr().cast(), log.len() as *mut c_void];
        let mut state = CUlinkState::default();
        ok(cuLinkCreate_v2(2, options.as_mut_ptr(), values.as_mut_ptr(), &mut state));
        let code = add(state, PTX, &CALLEE.replace("ret;", "ret"));
        ok(cuLinkDestroy(state));
        let written = CStr::from_bytes_until_nul(&log).map_or(0, |log| log.count_bytes());
        if written > 10 { code } else { CUresult::ERROR_UNKNOWN }
    };
    "cuLinkDestroy: and its inputs" => SUCCESS, |_| {
        let state = link();
        ok(add(state, PTX, CALLEE));
        cuLinkDestroy(state)
    };
    "cuLinkDestroy: twice" (sim: "a GPU's driver looks through the handle") => ERROR_INVALID_HANDLE, |_| {
        let state = link();
        ok(cuLinkDestroy(state));
        cuLinkDestroy(state)
    };
    "cuLinkAddData_v2: null" => ERROR_INVALID_VALUE, |_| {
        cuLinkAddData_v2(link(), PTX, nothing::<c_void>().cast_mut(), 1, nothing(), 0, null_mut(), null_mut())
    };
    "cuModuleLoadData: what a link made, twice" => SUCCESS, |_| {
        let state = link();
        ok(add(state, PTX, CALLEE));
        let (code, image) = complete(state);
        ok(code);
        let (mut first, mut second) = (CUmodule::default(), CUmodule::default());
        ok(cuModuleLoadData(&mut first, image));
        ok(cuModuleLoadData(&mut second, image));
        holds(first != second)
    };
}
