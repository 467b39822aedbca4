//! What the driver guarantees about modules.

use crate::fixture::{Fixture, c, holds, nothing, ok, param, ptx};
use crate::rows;
use lanewise_driver::abi::enums::jit;
use lanewise_driver::abi::*;
use lanewise_driver::api::*;
use std::ffi::CStr;
use std::ptr::null_mut;

/// Loads a PTX text and returns the error code.
fn load(text: &str) -> CUresult {
    let mut module = CUmodule::default();
    // SAFETY: a text that ends in a zero byte, and a variable.
    unsafe { cuModuleLoadData(&mut module, c(text).cast()) }
}

/// The PTX of a kernel that does nothing, for this target and PTX version.
fn kernel(version: &str, target: &str) -> String {
    format!(
        ".version {version}\n.target {target}\n.address_size 64\n.visible .entry nothing() {{ ret; }}\n"
    )
}

rows! {
    "cuModuleLoadData: PTX" => SUCCESS, |_| load(&kernel("7.0", "sm_70"));
    "cuModuleLoadData: a text that is no PTX" => ERROR_INVALID_PTX, |_| load(".version 7.0\n.target sm_70\n.address_size 64\nthis is not PTX");
    "cuModuleLoadData: an instruction that is none" => ERROR_INVALID_PTX, |_| {
        load(&kernel("7.0", "sm_70").replace("ret;", "frobnicate.u32 %r1, 2; ret;"))
    };
    "cuModuleLoadData: an undeclared register" => ERROR_INVALID_PTX, |_| {
        load(&kernel("7.0", "sm_70").replace("ret;", "mov.u32 %r1, 2; ret;"))
    };
    "cuModuleLoadData: a text without PTX" => ERROR_INVALID_IMAGE, |_| load("hello");
    "cuModuleLoadData: a newer target" => ERROR_INVALID_PTX, |_| load(&kernel("8.7", "sm_120"));
    "cuModuleLoadData: machine code for another GPU" (sim: "the row's cubin is only a header") => ERROR_NO_BINARY_FOR_GPU, |_| {
        let mut header = [0u8; 64];
        header[..7].copy_from_slice(b"\x7fELF\x02\x01\x01");
        header[32] = 64; // where its table of segments would be: behind it
        cuModuleLoadData(&mut CUmodule::default(), header.as_ptr().cast())
    };
    "cuModuleLoadData: a newer PTX" (sim: "a driver refuses what is newer than itself") => SUCCESS, |_| load(&kernel("99.0", "sm_70"));
    "cuModuleGetFunction: beside one that holds an unknown instruction" (sim: "a driver refuses the whole text") => SUCCESS, |_| {
        let text = kernel("99.0", "sm_70") + ".visible .entry other() { frobnicate.b7 {1, 2}; ret; }";
        let (mut module, mut function) = (CUmodule::default(), CUfunction::default());
        ok(cuModuleLoadData(&mut module, c(&text).cast()));
        ok(holds(cuModuleGetFunction(&mut function, module, c("other").cast()) == CUresult::ERROR_NOT_SUPPORTED));
        cuModuleGetFunction(&mut function, module, c("nothing").cast())
    };
    "cuModuleLoadData: null" => ERROR_INVALID_VALUE, |_| cuModuleLoadData(&mut CUmodule::default(), nothing());
    "cuModuleLoadData: to null" => ERROR_INVALID_VALUE, |_| cuModuleLoadData(null_mut(), ptx());
    "cuModuleLoadData: without a context" => ERROR_INVALID_CONTEXT, |_| {
        ok(cuCtxPopCurrent_v2(null_mut()));
        cuModuleLoadData(&mut CUmodule::default(), ptx())
    };
    "cuModuleLoadDataEx: logs say what was wrong" => ERROR_INVALID_PTX, |_| {
        let mut log = [0u8; 256];
        let mut options = [jit::ERROR_LOG_BUFFER, jit::ERROR_LOG_BUFFER_SIZE_BYTES];
        let mut values = [log.as_mut_ptr().cast(), log.len() as *mut c_void];
        let text = kernel("7.0", "sm_70").replace("ret;", "frobnicate; ret;");
        let code = cuModuleLoadDataEx(
            &mut CUmodule::default(), c(&text).cast(), 2, options.as_mut_ptr(), values.as_mut_ptr(),
        );
        let written = CStr::from_bytes_until_nul(&log).map_or(0, |log| log.count_bytes());
        if written > 10 { code } else { CUresult::ERROR_UNKNOWN }
    };
    "cuModuleLoadDataEx: without options" => SUCCESS, |_| {
        cuModuleLoadDataEx(&mut CUmodule::default(), ptx(), 0, null_mut(), null_mut())
    };
    "cuModuleLoadDataEx: an option that is none" => ERROR_INVALID_VALUE, |_| {
        cuModuleLoadDataEx(&mut CUmodule::default(), ptx(), 1, [9999].as_mut_ptr(), [null_mut()].as_mut_ptr())
    };
    "cuModuleLoadFatBinary: PTX" => SUCCESS, |_| cuModuleLoadFatBinary(&mut CUmodule::default(), ptx());
    "cuModuleLoad: a file that is not there" => ERROR_FILE_NOT_FOUND, |_| {
        cuModuleLoad(&mut CUmodule::default(), c("/nonexistent/kernels.ptx"))
    };
    "cuModuleUnload: once" => SUCCESS, |f| cuModuleUnload(f.module());
    "cuModuleUnload: twice" (sim: "a GPU's driver looks through the handle") => ERROR_INVALID_HANDLE, |f| {
        let module = f.module();
        ok(cuModuleUnload(module));
        cuModuleUnload(module)
    };
    "cuModuleUnload: without a context" => SUCCESS, |f| {
        let module = f.module();
        ok(cuCtxPopCurrent_v2(null_mut()));
        cuModuleUnload(module)
    };
    "cuModuleGetFunction: without a context" => SUCCESS, |f| {
        let module = f.module();
        ok(cuCtxPopCurrent_v2(null_mut()));
        cuModuleGetFunction(&mut CUfunction::default(), module, c("fill"))
    };
    "cuModuleGetGlobal_v2: without a context" => SUCCESS, |f| {
        let module = f.module();
        ok(cuCtxPopCurrent_v2(null_mut()));
        cuModuleGetGlobal_v2(&mut 0, &mut 0, module, c("counter"))
    };
    "cuModuleGetFunctionCount: without a context" => SUCCESS, |f| {
        let module = f.module();
        ok(cuCtxPopCurrent_v2(null_mut()));
        cuModuleGetFunctionCount(&mut 0, module)
    };
    "cuModuleUnload: null" => ERROR_INVALID_HANDLE, |_| cuModuleUnload(CUmodule(0));
    "cuModuleGetFunction: of a kernel, one handle a name" => SUCCESS, |f| {
        let module = f.module();
        let (mut a, mut b) = (CUfunction::default(), CUfunction::default());
        ok(cuModuleGetFunction(&mut a, module, c("fill")));
        ok(cuModuleGetFunction(&mut b, module, c("fill")));
        holds(a == b)
    };
    "cuModuleGetFunction: an unknown name" => ERROR_NOT_FOUND, |f| {
        cuModuleGetFunction(&mut CUfunction::default(), f.module(), c("no_such_kernel"))
    };
    "cuModuleGetFunction: a null name" => ERROR_INVALID_VALUE, |f| {
        cuModuleGetFunction(&mut CUfunction::default(), f.module(), nothing())
    };
    "cuModuleGetFunction: of no module" => ERROR_INVALID_HANDLE, |_| {
        cuModuleGetFunction(&mut CUfunction::default(), CUmodule(0), c("fill"))
    };
    "cuModuleGetGlobal_v2: a variable" => SUCCESS, |f| {
        let (mut address, mut size) = (0, 0);
        ok(cuModuleGetGlobal_v2(&mut address, &mut size, f.module(), c("counter")));
        holds(size == 4 && f.word(address) == 7)
    };
    "cuModuleGetGlobal_v2: a constant, written by the host" => SUCCESS, |f| {
        let (mut address, mut size) = (0, 0);
        ok(cuModuleGetGlobal_v2(&mut address, &mut size, f.module(), c("table")));
        let nine = 9u32;
        ok(cuMemcpyHtoD_v2(address + 8, (&raw const nine).cast(), 4));
        holds(size == 16 && f.word(address) == 1 && f.word(address + 8) == 9)
    };
    "cuModuleGetGlobal_v2: an unknown name" => ERROR_NOT_FOUND, |f| {
        cuModuleGetGlobal_v2(&mut 0, &mut 0, f.module(), c("no_such_variable"))
    };
    "cuModuleGetLoadingMode: to a variable" => SUCCESS, |_| cuModuleGetLoadingMode(&mut 0);
    "cuModuleGetFunctionCount: of a module" => SUCCESS, |f| {
        let mut count = 0;
        ok(cuModuleGetFunctionCount(&mut count, f.module()));
        holds(count == 10)
    };
    "cuModuleEnumerateFunctions: of a module" => SUCCESS, |f| {
        let mut functions = [CUfunction::default(); 10];
        ok(cuModuleEnumerateFunctions(functions.as_mut_ptr(), 10, f.module()));
        holds(functions.iter().all(|function| function.0 != 0))
    };
    "cuModuleLoadFatBinary: PTX as it is" => SUCCESS, |f| from_fatbin(f, include_bytes!("../../fatbin/plain.fatbin"));
    "cuModuleLoadFatBinary: PTX packed by LZ4" => SUCCESS, |f| from_fatbin(f, include_bytes!("../../fatbin/lz4.fatbin"));
    "cuModuleLoadFatBinary: PTX packed by Zstandard" => SUCCESS, |f| from_fatbin(f, include_bytes!("../../fatbin/zstd.fatbin"));
    "cuModuleLoadData: the struct that points to a fatbin" (sim: "an H200's driver answers INVALID_IMAGE") => SUCCESS, |_| {
        // A magic number and a version, the address, and what is zero but in relocatable code.
        let image = include_bytes!("../../fatbin/lz4.fatbin").as_ptr().expose_provenance();
        let wrapper = [0x0001_4662_43b1, image, 0];
        cuModuleLoadData(&mut CUmodule(0), (&raw const wrapper).cast())
    };
}

/// Runs the kernel of a fatbin.
fn from_fatbin(f: &Fixture, image: &[u8]) -> CUresult {
    let (mut module, mut function, mut address) = (CUmodule(0), CUfunction(0), f.device());
    // SAFETY: a whole fatbin, and a name.
    unsafe {
        ok(cuModuleLoadFatBinary(&mut module, image.as_ptr().cast()));
        ok(cuModuleGetFunction(
            &mut function,
            module,
            c("fill_from_fatbin"),
        ));
    }
    ok(f.launch(function, 1, 32, 0, &mut [param(&mut address)]));
    holds(f.word(address) == 42)
}
