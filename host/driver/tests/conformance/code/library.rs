//! Libraries: code without a context.

use crate::fixture::{BYTES, Fixture, c, holds, nothing, ok, ptx};
use crate::rows;
use lanewise_driver::abi::enums::function_attribute as attribute;
use lanewise_driver::abi::*;
use lanewise_driver::api::*;
use std::ptr::{null, null_mut};

/// A handle that names nothing.
const NO_LIBRARY: CUlibrary = CUlibrary(0xdead_beef);
const NO_KERNEL: CUkernel = CUkernel(0xdead_beef);

fn load(image: *const c_void, library: *mut CUlibrary) -> CUresult {
    // SAFETY: PTX that ends in a zero byte, or null; no options.
    unsafe {
        cuLibraryLoadData(
            library,
            image,
            null_mut(),
            null_mut(),
            0,
            null_mut(),
            null_mut(),
            0,
        )
    }
}

fn library() -> CUlibrary {
    let mut library = CUlibrary::default();
    ok(load(ptx(), &mut library));
    library
}

fn kernel(name: &str) -> CUkernel {
    let mut kernel = CUkernel::default();
    // SAFETY: a variable and a text.
    ok(unsafe { cuLibraryGetKernel(&mut kernel, library(), c(name)) });
    kernel
}

/// Launches a kernel without parameters by this handle.
fn launch(f: &Fixture, function: CUfunction) -> CUresult {
    ok(f.launch_bare(function, [1; 3], [32, 1, 1], 0));
    // SAFETY: takes nothing.
    unsafe { cuCtxSynchronize() }
}

rows! {
    "cuLibraryLoadData: PTX, without a context" => SUCCESS, |_| {
        ok(cuCtxPopCurrent_v2(null_mut()));
        load(ptx(), &mut CUlibrary::default())
    };
    "cuLibraryLoadData: a text that is no PTX" (sim: "a GPU's driver reads the text when it is first used") => ERROR_INVALID_IMAGE, |_| load(c("hello").cast(), &mut CUlibrary::default());
    "cuLibraryLoadData: null" => ERROR_INVALID_VALUE, |_| load(null(), &mut CUlibrary::default());
    "cuLibraryLoadData: to null" => ERROR_INVALID_VALUE, |_| load(ptx(), null_mut());
    "cuLibraryLoadFromFile: a file that is not there" => ERROR_FILE_NOT_FOUND, |_| {
        let (path, none) = (c("/nonexistent/file.ptx"), null_mut());
        cuLibraryLoadFromFile(&mut CUlibrary::default(), path, none, null_mut(), 0, null_mut(), null_mut(), 0)
    };
    "cuLibraryUnload: and its kernels" (sim: "a GPU's driver looks through the handle") => ERROR_INVALID_HANDLE, |_| {
        let library = library();
        let mut kernel = CUkernel::default();
        ok(cuLibraryGetKernel(&mut kernel, library, c("nothing")));
        ok(cuLibraryUnload(library));
        cuLibraryUnload(library)
    };
    "cuLibraryGetKernel: one name, one handle" => SUCCESS, |_| {
        let (library, mut first, mut second) = (library(), CUkernel::default(), CUkernel::default());
        ok(cuLibraryGetKernel(&mut first, library, c("nothing")));
        ok(cuLibraryGetKernel(&mut second, library, c("nothing")));
        holds(first == second)
    };
    "cuLibraryGetKernel: of no name" => ERROR_NOT_FOUND, |_| {
        cuLibraryGetKernel(&mut CUkernel::default(), library(), c("teleport"))
    };
    "cuLibraryGetKernelCount: and all of them" => SUCCESS, |_| {
        let (library, mut count) = (library(), 0);
        ok(cuLibraryGetKernelCount(&mut count, library));
        let mut kernels = vec![CUkernel::default(); count as usize];
        ok(cuLibraryEnumerateKernels(kernels.as_mut_ptr(), count, library));
        holds(count > 1 && kernels.iter().all(|kernel| kernel.0 != 0))
    };
    "cuLibraryEnumerateKernels: to null" => ERROR_INVALID_VALUE, |_| cuLibraryEnumerateKernels(null_mut(), 1, library());
    "cuLibraryGetModule: once in a context" => SUCCESS, |_| {
        let (library, mut first, mut second) = (library(), CUmodule::default(), CUmodule::default());
        ok(cuLibraryGetModule(&mut first, library));
        ok(cuLibraryGetModule(&mut second, library));
        holds(first == second)
    };
    "cuLibraryGetModule: without a context" => ERROR_INVALID_CONTEXT, |_| {
        let library = library();
        ok(cuCtxPopCurrent_v2(null_mut()));
        cuLibraryGetModule(&mut CUmodule::default(), library)
    };
    "cuLibraryGetGlobal: of no name" => ERROR_NOT_FOUND, |_| {
        cuLibraryGetGlobal(&mut 0, &mut BYTES.clone(), library(), c("teleport"))
    };
    "cuLibraryGetManaged: of no name" => ERROR_NOT_FOUND, |_| {
        cuLibraryGetManaged(&mut 0, &mut 0, library(), c("teleport"))
    };
    "cuLibraryGetUnifiedFunction: of no name" => ERROR_INVALID_VALUE, |_| {
        cuLibraryGetUnifiedFunction(&mut null_mut(), library(), c("teleport"))
    };
    "cuKernelGetFunction: which launches" => SUCCESS, |f| {
        let mut function = CUfunction::default();
        ok(cuKernelGetFunction(&mut function, kernel("nothing")));
        launch(f, function)
    };
    "cuLaunchKernel: a kernel's handle cast to a function's" => SUCCESS, |f| launch(f, CUfunction(kernel("nothing").0));
    "cuKernelGetFunction: of no kernel" (sim: "a GPU's driver looks through the handle") => ERROR_INVALID_HANDLE, |_| {
        cuKernelGetFunction(&mut CUfunction::default(), NO_KERNEL)
    };
    "cuKernelGetLibrary: to null" => ERROR_INVALID_VALUE, |_| cuKernelGetLibrary(null_mut(), kernel("nothing"));
    "cuKernelGetName: of a kernel" => SUCCESS, |_| {
        let mut name = nothing();
        ok(cuKernelGetName(&mut name, kernel("nothing")));
        holds(std::ffi::CStr::from_ptr(name).to_bytes() == b"nothing")
    };
    "cuKernelGetParamInfo: past the last" => ERROR_INVALID_VALUE, |_| {
        cuKernelGetParamInfo(kernel("nothing"), 99, &mut 0, &mut 0)
    };
    "cuKernelSetAttribute: and get it" => SUCCESS, |_| {
        let (kernel, mut value) = (kernel("nothing"), 0);
        ok(cuKernelSetAttribute(attribute::MAX_DYNAMIC_SHARED_SIZE_BYTES, 8192, kernel, 0));
        ok(cuKernelGetAttribute(&mut value, attribute::MAX_DYNAMIC_SHARED_SIZE_BYTES, kernel, 0));
        holds(value == 8192)
    };
    "cuKernelGetAttribute: on no device" => ERROR_INVALID_DEVICE, |_| {
        cuKernelGetAttribute(&mut 0, attribute::NUM_REGS, kernel("nothing"), 99)
    };
    "cuKernelSetCacheConfig: prefer shared" => SUCCESS, |_| cuKernelSetCacheConfig(kernel("nothing"), 1, 0);
    "cuLibraryUnload: of no library" (sim: "a GPU's driver looks through the handle") => ERROR_INVALID_HANDLE, |_| {
        cuLibraryUnload(NO_LIBRARY)
    };
}
