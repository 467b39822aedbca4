//! Compilation and linking, through the interfaces that a program has.

use std::path::Path;

use lanewise::{Backend, JitOptions, Linker, LoadError, Module};
use lanewise_patterns::{Setup, find};
use lanewise_std::kernel::Module as _;
use tests::agree::agrees;

/// Returns the text of a chain of errors.
fn text(error: &dyn std::error::Error) -> String {
    let mut text = error.to_string();
    let mut source = error.source();
    while let Some(error) = source {
        text = format!("{text}: {error}");
        source = error.source();
    }
    text
}

#[test]
fn every_way_to_the_device_computes_the_same_or_is_refused_as_documented() {
    for pattern in ["compilation", "separate_compilation"] {
        let pattern = find(pattern).expect("a pattern");
        for variant in pattern.variants {
            for size in [0, 1, 33, 1000] {
                assert_eq!(agrees(variant.name, Setup::new(size, 1)), Ok(()));
            }
        }
    }
}

#[test]
fn a_kernel_whose_function_nobody_defines_does_not_link() {
    let device = tests::device();
    let linker = Linker::new(&device).module::<separate_kernels::Ptx>();
    let error = linker.expect("PTX").link().expect_err("half a program");
    assert!(matches!(error, LoadError::Refused { .. }));
    assert!(text(&error).contains("curve"), "{}", text(&error));
}

#[test]
fn a_function_that_two_define_does_not_link() {
    let device = tests::device();
    let add = |linker: Linker| linker.module::<separate_functions::Ptx>().expect("PTX");
    let error = add(add(Linker::new(&device))).link();
    let error = error.expect_err("one too many");
    assert!(text(&error).contains("curve"), "{}", text(&error));
}

#[test]
fn an_exported_function_is_in_the_ptx_and_an_imported_one_is_called() {
    for module in separate_functions::Ptx::TEXTS {
        assert!(module.plain.contains(".visible .func"), "{}", module.arch);
        assert!(
            module.manifest.contains("\"exports\""),
            "{}",
            module.manifest
        );
    }
    for module in separate_kernels::Ptx::TEXTS {
        assert!(module.plain.contains(".extern .func"), "{}", module.arch);
        let kernel = tests::ptx::kernel(module.plain, "map_curve");
        assert_eq!(tests::ptx::count(kernel, "call"), 1, "{kernel}");
        assert!(
            module.manifest.contains("\"imports\""),
            "{}",
            module.manifest
        );
    }
}

#[test]
fn kernels_that_are_loaded_keep_their_module() {
    let device = tests::device();
    let text = device.ptx::<separate_functions::Hopper>();
    // Where the device is another, there is nothing to load.
    let Ok(text) = text else { return };
    device
        .module::<separate_functions::Hopper>()
        .expect("it loads");
    let module = Module::from_ptx(&device, text.plain).expect("it loads");
    // SAFETY: the module is of the crate's own PTX.
    let set = unsafe { device.set_module::<separate_functions::Hopper>(module) };
    assert!(matches!(set, Err(LoadError::AlreadyLoaded { .. })));
}

/// A text that begins as PTX does.
const WRONG: &str = ".version 7.8\n.target sm_80\n.address_size 64\nnonsense\n";

#[test]
fn the_compiler_says_what_it_made() {
    let device = tests::device();
    let text = device.ptx::<separate_functions::Ptx>().expect("PTX").plain;
    let options = JitOptions {
        verbose: true,
        optimization: Some(4),
        max_registers: Some(64),
        cache: Some(lanewise::LoadCache::All),
    };
    let compiled = Module::compile(&device, text, &options).expect("it compiles");
    assert_eq!(compiled.module.kernels(), ["map_curve_at_home"]);
    assert!(!compiled.log.is_empty());
    let error = Module::compile(&device, WRONG, &options).expect_err("no PTX");
    assert!(text_of_refusal(&error).contains("218"), "{error}");
}

/// Returns the driver's error.
fn text_of_refusal(error: &LoadError) -> String {
    match error {
        LoadError::Refused { source } => source.to_string(),
        other => panic!("{other}"),
    }
}

/// `fatbinary` made it of the PTX of `separate-functions` for sm_80: no machine code, of which
/// every device would need its own.
const FATBIN: &[u8] = include_bytes!("functions.fatbin");

#[test]
fn a_fatbin_is_loaded_and_linked() {
    let device = tests::device();
    // SAFETY: NVIDIA's tool made it.
    unsafe { Module::from_image(&device, FATBIN) }.expect("PTX for every device since sm_80");
    let path =
        Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/chapters/development/functions.fatbin");
    if path.is_file() {
        // SAFETY: as above.
        let linker = unsafe { Linker::new(&device).file(&path) };
        linker
            .expect("it is there")
            .link()
            .expect("nothing is missing");
    }
}

#[test]
fn what_is_no_code_is_told_by_its_name() {
    let device = tests::device();
    for (path, part) in [
        ("/no/such.cubin", "No such file"),
        (file!(), "No such file"),
    ] {
        // SAFETY: nothing is read as code.
        let error = unsafe { Linker::new(&device).file(Path::new(path)) };
        let error = text(&error.expect_err("no code"));
        assert!(
            error.contains(path) && (error.contains(part) || error.contains("no device code")),
            "{error}"
        );
    }
}

#[test]
fn machine_code_is_refused_where_there_is_none_for_it() {
    let device = tests::device();
    if device.backend() == Backend::Cuda {
        return;
    }
    let mut cubin = vec![0; 64];
    cubin[..7].copy_from_slice(b"\x7fELF\x02\x01\x01");
    // Nobody's ABI but CUDA 13's, its machine, the end of the file, and sm_90.
    (cubin[8], cubin[18], cubin[40], cubin[49]) = (8, 190, 64, 90);
    // SAFETY: the simulator reads the header alone.
    let error = unsafe { Module::from_image(&device, &cubin) }.expect_err("it has no machine code");
    assert!(
        text(&error).contains("CUDA_ERROR_NO_BINARY_FOR_GPU"),
        "{}",
        text(&error)
    );
}
