//! `cust::module`: PTX to kernels and variables, with options for the compiler.

use cust::error::CudaError;
use cust::memory::CopyDestination;
use cust::module::{JitFallback, JitTarget, Module, ModuleJitOption, OptLevel};
use std::ffi::CString;

#[test]
fn ptx_loads_from_a_string_and_from_a_file() {
    let _context = super::context();
    let from_string = Module::from_ptx(super::PTX, &[]).expect("PTX");
    from_string.get_function("add").expect("a kernel");
    let text = CString::new(super::PTX).expect("text");
    Module::from_ptx_cstr(&text, &[]).expect("PTX");

    let path = std::env::temp_dir().join(format!("lanewise-cust-{}.ptx", std::process::id()));
    std::fs::write(&path, super::PTX).expect("a file");
    let from_file = Module::from_file(&path);
    std::fs::remove_file(&path).expect("it was written");
    from_file
        .expect("PTX")
        .get_function("scale")
        .expect("a kernel");
}

#[test]
fn options_for_the_compiler_are_taken() {
    let _context = super::context();
    let options = [
        ModuleJitOption::MaxRegisters(64),
        ModuleJitOption::OptLevel(OptLevel::O2),
        ModuleJitOption::GenerateLineInfo(true),
        ModuleJitOption::Fallback(JitFallback::PreferPtx),
    ];
    let module = Module::from_ptx(super::PTX, &options).expect("PTX");
    module.get_function("add").expect("a kernel");
    let debug = [
        ModuleJitOption::GenenerateDebugInfo(true),
        ModuleJitOption::OptLevel(OptLevel::O0),
    ];
    Module::from_ptx(super::PTX, &debug).expect("PTX");
    // A target that the device is not: the code is made for it, and nobody says that it can run.
    let _ = JitTarget::Compute50;
}

#[test]
fn what_is_no_ptx_and_what_is_not_in_it_is_refused() {
    let _context = super::context();
    let broken = Module::from_ptx("not PTX at all", &[]).map(|_| ());
    assert!(
        matches!(broken, Err(CudaError::InvalidPtx | CudaError::InvalidImage)),
        "{broken:?}"
    );
    let module = Module::from_ptx(super::PTX, &[]).expect("PTX");
    assert_eq!(
        module.get_function("nobody").map(|_| ()),
        Err(CudaError::NotFound)
    );
    let name = CString::new("nobody").expect("text");
    assert_eq!(
        module.get_global::<f32>(&name).map(|_| ()),
        Err(CudaError::NotFound)
    );
    assert_eq!(
        Module::from_file("/no/such/file.ptx").map(|_| ()),
        Err(CudaError::FileNotFound)
    );
}

#[test]
fn a_variable_is_read_and_written_by_its_name() {
    let _context = super::context();
    let module = Module::from_ptx(super::PTX, &[]).expect("PTX");
    let name = CString::new("factor").expect("text");
    let mut factor = module.get_global::<f32>(&name).expect("a variable");
    let mut value = 0.0;
    factor.copy_to(&mut value).expect("a copy");
    assert_eq!(value, 1.5);
    factor.copy_from(&-2.0).expect("a copy");
    factor.copy_to(&mut value).expect("a copy");
    assert_eq!(value, -2.0);
    let name = CString::new("offset").expect("text");
    let mut offsets = [0u32; 2];
    module
        .get_global::<[u32; 2]>(&name)
        .expect("a constant")
        .copy_to(&mut offsets)
        .expect("a copy");
    assert_eq!(offsets, [7, 9]);
    Module::drop(module)
        .map_err(|(error, _)| error)
        .expect("a live module");
}
