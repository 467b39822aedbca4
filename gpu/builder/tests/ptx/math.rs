//! Which instructions compute with floats: by default, with options, and by function.

use std::path::PathBuf;
use std::sync::LazyLock;

use lanewise_builder::manifest::Floats;

use crate::support::{builder, count, function_in, nvidia_files};

/// The PTX of the fixture `math` with these options.
fn ptx(floats: Floats, libdevice: Option<PathBuf>) -> String {
    let name = format!("math-{floats:?}-{}", libdevice.is_some());
    let mut builder = builder("math", &name.replace([' ', ':', '{', '}', ','], ""))
        .arch("sm_80")
        .floats(floats);
    if let Some(path) = libdevice {
        builder = builder.libdevice(path);
    }
    let output = builder.build().unwrap_or_else(|error| panic!("{error}"));
    std::fs::read_to_string(&output.modules[0].ptx).expect("PTX")
}

/// The PTX with default options, built once for all tests that use it.
static DEFAULT: LazyLock<String> = LazyLock::new(|| ptx(Floats::default(), None));

#[track_caller]
fn has(ptx: &str, kernel: &str, instruction: &str) {
    let text = function_in(ptx, kernel);
    assert!(text.contains(instruction), "no {instruction} in\n{text}");
}

#[test]
fn by_default_all_is_rounded_correctly_and_fused() {
    let ptx = &*DEFAULT;
    has(ptx, "quotient", "div.rn.f32");
    has(ptx, "root", "sqrt.rn.f32");
    has(ptx, "product_sum", "fma.rn.f32");
    has(ptx, "fast_sine", "sin.approx.f32");
    for part in ["mul.rz.f32", "div.rm.f32", "add.rp.f32"] {
        has(ptx, "rounded_up", part);
    }
    // The functions of the library use approximations where denormals do not occur.
    for kernel in ["quotient", "root", "product_sum", "rounded_up"] {
        assert_eq!(count(&function_in(ptx, kernel), ".ftz"), 0, "{ptx}");
    }
    let sine = function_in(ptx, "sine");
    assert!(
        !sine.contains("approx") && sine.contains("fma.rn.f32"),
        "{sine}"
    );
    assert!(!sine.contains(".local"), "{sine}");
}

#[test]
fn a_function_may_ask_for_itself() {
    let ptx = &*DEFAULT;
    let apart = function_in(ptx, "product_sum_apart");
    assert!(
        count(&apart, "mul.rn.f32") == 1 && count(&apart, "add.rn.f32") == 1,
        "{apart}"
    );
    assert_eq!(count(&apart, "fma"), 0, "{apart}");
    let fast = function_in(ptx, "all_fast");
    for part in ["sin.approx.f32", "div.approx.f32", "sqrt.approx.f32"] {
        assert_eq!(count(&fast, part), 1, "{part} in {fast}");
    }
    let part = function_in(ptx, "fast_in_part");
    assert_eq!(
        (count(&part, "div.approx.f32"), count(&part, "div.rn.f32")),
        (1, 1),
        "{part}"
    );
    let part = function_in(ptx, "apart_in_part");
    let counts = ["mul.rn.f32", "fma.rn.f32", "add.rn.f32"].map(|it| count(&part, it));
    assert_eq!(counts, [1, 1, 1], "{part}");
    assert_eq!(count(&part, "product_sum_inlined"), 0, "{part}");
    assert!(
        !ptx.contains("__lanewise_fast_math") && !ptx.contains("__lanewise_no_fma"),
        "{ptx}"
    );
}

#[test]
fn fast_math_approximates_everything() {
    let ptx = ptx(Floats::FAST, None);
    has(&ptx, "quotient", "div.approx.ftz.f32");
    has(&ptx, "root", "sqrt.approx.ftz.f32");
    has(&ptx, "product_sum", "fma.rn.ftz.f32");
    has(&ptx, "sine", "sin.approx.ftz.f32");
    has(&ptx, "hyperbolic", "tanh.approx.f32");
    let both = function_in(&ptx, "both");
    assert_eq!(
        (
            count(&both, "sin.approx"),
            count(&both, "cos.approx"),
            count(&both, ".local")
        ),
        (1, 1, 0),
        "{both}"
    );
    let power = function_in(&ptx, "power");
    assert_eq!(
        (count(&power, "lg2.approx"), count(&power, "ex2.approx")),
        (1, 1),
        "{power}"
    );
    assert_eq!(count(&function_in(&ptx, "product_sum_apart"), "fma"), 0);
}

#[test]
fn each_option_stands_by_itself() {
    let base = Floats::default();
    let ptx = |floats| ptx(floats, None);
    has(
        &ptx(Floats {
            prec_div: false,
            ..base
        }),
        "quotient",
        "div.full.f32",
    );
    has(
        &ptx(Floats {
            prec_sqrt: false,
            ..base
        }),
        "root",
        "sqrt.approx.f32",
    );
    has(
        &ptx(Floats { ftz: true, ..base }),
        "quotient",
        "div.rn.ftz.f32",
    );
    let apart = ptx(Floats {
        fmad: false,
        ..base
    });
    assert_eq!(count(&function_in(&apart, "product_sum"), "fma"), 0);
}

#[test]
fn boxes_vectors_and_trait_objects_use_the_devices_heap() {
    let ptx = &*DEFAULT;
    let shapes = function_in(ptx, "shapes");
    assert!(
        shapes.contains("malloc") && shapes.contains("free"),
        "{shapes}"
    );
    assert!(
        ptx.contains(".func  (.param .b64 func_retval0) malloc"),
        "{ptx}"
    );
}

#[test]
fn libdevice_takes_the_place_of_libm() {
    let Some(path) = nvidia_files("LIBDEVICE", "nvvm/libdevice/libdevice.10.bc").next() else {
        eprintln!(
            "no libdevice on this machine (set LIBDEVICE or CUDA_HOME): its linking is not tried"
        );
        return;
    };
    let accurate = ptx(Floats::default(), Some(path.clone()));
    // A word of 2/pi by which libdevice reduces large angles, 0x4e441529: its loop is unrolled.
    assert!(accurate.contains("1313084713"), "{accurate}");
    assert!(
        !accurate.contains("__nv_") && !accurate.contains("__nvvm_reflect"),
        "{accurate}"
    );
    let flushed = ptx(
        Floats {
            ftz: true,
            ..Floats::default()
        },
        Some(path.clone()),
    );
    // The approximations that libdevice calls flush already.
    let fast = ptx(Floats::FAST, Some(path.clone()));
    has(&fast, "sine", "sin.approx.ftz.f32");
    // Whether the function is inlined depends on how large NVIDIA made it.
    let power = function_in(&flushed, "power");
    assert!(
        count(&power, ".ftz") > 0 || power.contains("__nv_powf"),
        "{power}"
    );
}
