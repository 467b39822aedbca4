//! The embedded PTX: what the compiler guarantees to the kernels, on every target.

#[path = "ptx/every_kernel.rs"]
mod every_kernel;

use gpu::basics::vector_add::vec_add;
use lanewise_std::kernel::Kernel;
use tests::expect;
use tests::ptx::{bare, count, embedded, embedded_launching, generic, kernel};

/// Kernels with shared arrays, and how many barriers the source of each has: `reduce_smem` has five
/// of the block and six of a warp.
const SHARED: [(&str, usize); 17] = [
    ("square_row_row", 1),
    ("square_col_col", 1),
    ("square_row_col", 1),
    ("square_row_col_pad", 1),
    ("rect_row_row", 1),
    ("rect_col_col", 1),
    ("rect_row_col", 1),
    ("rect_row_col_pad", 1),
    ("stencil_constant", 1),
    ("reduce_smem", 5),
    ("transpose_smem", 1),
    ("transpose_smem_pad", 1),
    ("transpose_smem_unroll", 1),
    ("transpose_smem_unroll_pad", 1),
    ("matmul_shared_16", 2),
    ("matmul_shared_32", 2),
    ("reduce_shfl", 1),
];

#[test]
fn every_variant_of_the_catalog_is_a_kernel_of_every_target_that_has_what_it_needs() {
    for ((target, plain), (_, launching)) in embedded().zip(embedded_launching()) {
        let variants = lanewise_patterns::ALL
            .iter()
            .flat_map(|pattern| pattern.variants);
        for kernel in variants.filter_map(|variant| variant.runs) {
            let entry = format!(".entry {kernel}(");
            let texts = [plain, launching].map(|text| usize::from(text.contains(&entry)));
            let expected = usize::from(tests::ptx::is_for(kernel, &target));
            assert_eq!(
                texts[0] + texts[1],
                expected,
                "{kernel} in the texts for {target}"
            );
        }
    }
}

/// The catalog's own list, in `catalog.txt`: what no pattern runs by itself, as the second kernel
/// of two, is in it as well.
#[test]
fn every_row_of_the_catalog_is_a_pattern_and_every_kernel_of_it_is_compiled() {
    let texts: Vec<&str> = embedded()
        .chain(embedded_launching())
        .map(|(_, text)| text)
        .collect();
    let rows = include_str!("catalog.txt").lines();
    let mut missing = Vec::new();
    for row in rows.filter(|row| !row.is_empty() && !row.starts_with('#')) {
        let (pattern, kernels) = row
            .split_once(':')
            .expect("a pattern, a colon, its kernels");
        if !lanewise_patterns::ALL
            .iter()
            .any(|known| known.name == pattern)
        {
            missing.push(format!("the pattern {pattern}"));
        }
        for kernel in kernels.split_whitespace() {
            let entry = format!(".entry {kernel}(");
            if !texts.iter().any(|text| text.contains(&entry)) {
                missing.push(format!("{kernel} of {pattern}"));
            }
        }
    }
    assert!(missing.is_empty(), "{missing:#?}");
}

/// What only NVIDIA's device runtime has, only the text that is linked with it asks for.
#[test]
fn only_kernels_that_launch_need_the_device_runtime() {
    for ((target, plain), (_, launching)) in embedded().zip(embedded_launching()) {
        assert!(!plain.contains("__cudaCDP2"), "{target}");
        for kernel in [
            "nested_hello_world",
            "recursive_reduce",
            "recursive_reduce_nosync",
            "recursive_reduce2",
        ] {
            let text = tests::ptx::kernel(launching, kernel);
            assert!(
                text.contains("__cudaCDP2LaunchDeviceV2"),
                "{target} {kernel}"
            );
        }
    }
}

#[test]
fn kernels_with_shared_arrays_use_them_natively_and_nothing_generic() {
    for (target, ptx) in embedded() {
        for (name, _) in SHARED {
            let kernel = kernel(ptx, name);
            let is_used = |access: &str| {
                let plain = count(kernel, &format!("{access}.shared"));
                plain + count(kernel, &format!("{access}.relaxed.cta.shared")) > 0
            };
            assert!(is_used("ld") && is_used("st"), "{target} {name}:\n{kernel}");
            assert!(
                generic(kernel).is_empty(),
                "{target} {name}: {:#?}",
                generic(kernel)
            );
        }
    }
}

#[test]
fn each_barrier_of_the_source_is_one_in_the_ptx() {
    for (target, ptx) in embedded() {
        for (name, barriers) in SHARED {
            assert_eq!(count(kernel(ptx, name), "bar"), barriers, "{target} {name}");
        }
    }
}

#[test]
fn read_slices_load_through_the_read_only_path() {
    for (target, ptx) in embedded() {
        for name in [
            "vec_add",
            "mat_add_2d_2d",
            "copy_row",
            "transpose_naive_row",
            "transpose_smem_pad",
            "reduce_shfl",
        ] {
            let kernel = kernel(ptx, name);
            let loads = count(kernel, "ld.global");
            assert_eq!(
                (count(kernel, "ld.global.nc"), loads > 0),
                (loads, true),
                "{target} {name}:\n{kernel}"
            );
        }
    }
}

#[test]
fn the_tile_loop_of_matmul_is_unrolled_into_fused_multiply_adds() {
    for (target, ptx) in embedded() {
        for (name, tile) in [("matmul_shared_16", 16), ("matmul_shared_32", 32)] {
            let fused = count(kernel(ptx, name), "fma.rn.f32");
            assert_eq!(fused, tile, "{target} {name}");
        }
    }
}

#[test]
fn a_slice_is_two_parameters_and_a_value_one() {
    assert_eq!(
        vec_add::PARAMS
            .iter()
            .map(|param| param.ty)
            .collect::<Vec<_>>(),
        ["&[f32]", "&[f32]", "DisjointSlice<f32>"]
    );
    for (_, ptx) in embedded() {
        assert_eq!(kernel(ptx, "vec_add").matches(".param .u64").count(), 6);
        assert_eq!(kernel(ptx, "read_offset").matches(".param .u32").count(), 1);
    }
}

#[test]
fn small_kernels_compile_to_what_is_expected() {
    let ptx = embedded()
        .find(|(target, _)| target == "sm_90")
        .expect("PTX for sm_90")
        .1;
    expect!(bare(kernel(ptx, "vec_add")), "ptx/vec_add.ptx");
    expect!(bare(kernel(ptx, "incr_atomic")), "ptx/incr_atomic.ptx");
    expect!(bare(kernel(ptx, "copy_row")), "ptx/copy_row.ptx");
}

/// A call costs registers and a stack. The kernels that call print, have CUDA's `assert`, which
/// prints, or launch children, and the function of ours says by its text why that failed.
#[test]
fn kernels_call_what_formats_and_what_launches() {
    let is_allowed = |callee: &str| {
        ["vprintf", "__assertfail"].contains(&callee)
            || callee.starts_with("__cudaCDP2")
            || callee.ends_with("LaunchError4stop")
    };
    for (target, text) in embedded().chain(embedded_launching()) {
        let kernels = text
            .split(".entry ")
            .skip(1)
            .filter_map(|it| it.split("\n}").next());
        for kernel in kernels {
            let mut calls = kernel.lines().map(str::trim).filter_map(|line| {
                let line = line.strip_prefix("call.uni ")?;
                let callee = line.strip_prefix("(retval0), ").unwrap_or(line);
                callee.split(',').next()
            });
            let name = kernel.split('(').next();
            let other = calls.find(|it| !is_allowed(it));
            assert_eq!(other, None, "{name:?} for {target}");
        }
    }
}
