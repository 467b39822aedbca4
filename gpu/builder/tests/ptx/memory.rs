//! Address spaces, parameters and arithmetic of the PTX.

use crate::support::{KERNELS, count, function, function_in, module};

/// Returns what the manifest for a target contains about a kernel.
fn kernel(arch: &str, name: &str) -> Option<lanewise_builder::manifest::Kernel> {
    let module = KERNELS
        .manifest
        .modules
        .iter()
        .find(|module| module.arch == arch)?;
    module
        .kernels
        .iter()
        .find(|kernel| kernel.description.name == name)
        .cloned()
}

#[test]
fn shared_arrays_are_accessed_natively() {
    let ptx = function("shared_reverse");
    assert!(
        count(&ptx, "ld.shared") >= 2 && count(&ptx, "st.shared") >= 2,
        "{ptx}"
    );
    assert_eq!(count(&ptx, "cvta.shared"), 0, "{ptx}");
    insta::assert_snapshot!(ptx);
}

#[test]
fn static_shared_memory_is_that_of_the_arrays_a_kernel_reaches() {
    let bytes =
        |name| kernel("sm_80", name).map(|kernel| (kernel.static_shared, kernel.dynamic_shared));
    assert_eq!(bytes("shared_reverse"), Some((256 * 4 + 2 * 8, false)));
    assert_eq!(bytes("shared_through_call"), Some((32 * 4, false)));
    assert_eq!(bytes("shared_dynamic"), Some((0, true)));
    assert_eq!(bytes("multiply_add"), Some((0, false)));
}

#[test]
fn dynamic_shared_memory_is_one_aligned_array_without_a_size() {
    let ptx = module("sm_80");
    assert_eq!(
        count(&ptx, ".extern .shared .align 16 .b8 dynamic_shared[];"),
        1,
        "{ptx}"
    );
    let kernel = function("shared_dynamic");
    assert!(
        kernel.contains("ld.shared") && kernel.contains("st.shared"),
        "{kernel}"
    );
}

#[test]
fn slices_that_are_only_read_load_through_the_read_only_cache() {
    let ptx = function("described_add");
    assert_eq!(count(&ptx, "ld.global.nc"), 2, "{ptx}");
    insta::assert_snapshot!(ptx);
}

#[test]
fn launch_bounds_and_clusters_become_directives() {
    let bounds = function("described_add");
    assert!(
        bounds.contains(".maxntid 256") && bounds.contains(".minnctapersm 2"),
        "{bounds}"
    );
    assert!(function("described_lean").contains(".maxnreg 32"));
    let cluster = function_in(&module("sm_90"), "described_hopper");
    assert!(
        cluster.contains(".explicitcluster") && cluster.contains(".reqnctapercluster 2, 1, 1"),
        "{cluster}"
    );
}

#[test]
fn kernels_for_later_targets_are_left_out() {
    assert!(
        kernel("sm_80", "described_hopper").is_none()
            && !module("sm_80").contains("described_hopper")
    );
    assert!(kernel("sm_90", "described_hopper").is_some());
}

#[test]
fn constant_memory_is_read_as_such_and_initial_values_are_not_believed() {
    let ptx = module("sm_80");
    assert_eq!(
        count(&ptx, ".visible .const .align 4 .b8 COEFFICIENTS[20]"),
        1,
        "{ptx}"
    );
    assert_eq!(
        count(&ptx, "SCALE"),
        2,
        "its definition and its one use: {ptx}"
    );
    let kernel = function("constant_read");
    assert!(
        kernel.contains("ld.const") && kernel.contains("ld.global"),
        "{kernel}"
    );
}

#[test]
fn only_kernels_and_named_statics_are_visible() {
    for line in module("sm_80")
        .lines()
        .filter(|line| line.contains(".visible"))
    {
        assert!(
            line.contains(".entry") || line.contains("COEFFICIENTS") || line.contains("SCALE"),
            "{line}"
        );
    }
    assert!(!module("sm_80").contains("__lanewise"));
}

#[test]
fn there_is_no_accidental_f64() {
    let ptx = module("sm_80");
    // The kernels of `runtime` that work in f64; everything else is written in f32.
    let meant: usize = ["float_to_wide", "remainder", "wide_to_float"]
        .map(|name| count(&function(name), ".f64"))
        .iter()
        .sum();
    assert_eq!(count(&ptx, ".f64"), meant, "{ptx}");
}
