//! The second backend, NVIDIA's libNVVM, on the repository's own kernels, if the machine has a
//! libNVVM that reads rustc's bitcode.

use std::path::Path;

use lanewise_builder::{BuildError, OptionError, PtxBuilder, nvvm};

use crate::support::{builder, nvidia_files, scratch, target_dir};

#[test]
fn nvvm_makes_every_kernel_that_llvm_makes() {
    let libraries: Vec<_> = nvidia_files("LIBNVVM", "nvvm/lib64/libnvvm.so").collect();
    if libraries.is_empty() {
        eprintln!(
            "no libNVVM on this machine (set LIBNVVM or CUDA_HOME): its backend is not tried"
        );
    }
    let usable = libraries.into_iter().find(|library| {
        let checked = nvvm::check(library);
        if let Err(reason) = &checked {
            eprintln!("not tried: {reason}");
        }
        checked.is_ok()
    });
    let Some(library) = usable else {
        return;
    };
    let folder = Path::new(env!("CARGO_MANIFEST_DIR"))
        .parent()
        .expect("the crate gpu");
    let output = PtxBuilder::new(folder)
        .target_dir(target_dir())
        .out_dir(scratch("gpu-nvvm"))
        .arch("sm_100")
        .nvvm(library)
        .build()
        .unwrap_or_else(|error| panic!("{error}"));
    let module = &output.modules[0];
    let read = |path| std::fs::read_to_string(path).expect("the build wrote it");
    let texts = [Some(&module.ptx), module.launching_ptx.as_ref()];
    let ptx: String = texts.into_iter().flatten().map(read).collect();
    assert!(ptx.contains("NVIDIA NVVM Compiler"), "{ptx}");
    let kernels = &output.manifest.modules[0].kernels;
    assert!(kernels.len() > 100, "{}", kernels.len());
    for kernel in kernels {
        let name = &kernel.description.name;
        assert!(
            ptx.contains(&format!(".entry {name}(")),
            "{name} is missing"
        );
    }
}

/// Returns the error of a build with this library.
fn refused(library: &Path) -> OptionError {
    let build = builder("kernels", "none").arch("sm_100").nvvm(library);
    match build.build() {
        Err(BuildError::Option(error)) => error,
        other => panic!("{other:?}"),
    }
}

/// CUDA 13.0's library has no call that returns its LLVM version, and stops at one of our
/// attributes. Any library without that call will do.
#[test]
fn a_library_that_is_older_than_rustcs_llvm_is_refused_with_the_toolkit_that_is_not() {
    let error = refused(Path::new("libc.so.6"));
    assert!(
        matches!(&error, OptionError::NvvmTooOld { written: 22, .. }),
        "{error:?}"
    );
    let text = error.to_string();
    for part in [
        "libc.so.6` is too old",
        "LLVM 22",
        "CUDA 13.5",
        "pip install",
    ] {
        assert!(text.contains(part), "no {part} in {text}");
    }
}

#[test]
fn a_library_that_does_not_open_is_named() {
    let error = refused(Path::new("/no/such/libnvvm.so"));
    assert!(
        matches!(&error, OptionError::NvvmLibrary { .. })
            && error.to_string().contains("/no/such/libnvvm.so"),
        "{error}"
    );
}
