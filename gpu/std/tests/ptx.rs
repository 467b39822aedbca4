//! Each function of the device library is the instruction that its page says: the kernels in
//! `kernels/`, as PTX.

use std::path::Path;
use std::sync::LazyLock;

use lanewise_builder::PtxBuilder;
use lanewise_builder::manifest::Panics;

static PTX: LazyLock<String> = LazyLock::new(|| build(Panics::Record));

/// The kernels, with panics that are reported in this way.
fn build(panics: Panics) -> String {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/kernels");
    let scratch = Path::new(env!("CARGO_TARGET_TMPDIR"));
    let output = PtxBuilder::new(folder)
        // That of the workspace's kernels, so that `core` is compiled once for all.
        .target_dir(scratch.with_file_name("ptx-build"))
        .out_dir(scratch.join(format!("std-kernels-{panics:?}")))
        .color(false)
        .arch("sm_90")
        .panic(panics)
        .build()
        .unwrap_or_else(|error| panic!("{error}"));
    std::fs::read_to_string(&output.modules[0].ptx).expect("the build wrote it")
}

/// The instructions of a kernel, one a line, without what places them in the source, and without
/// what records a panic, which is at the end.
fn kernel(name: &str) -> String {
    let start = PTX
        .find(&format!(".entry {name}("))
        .unwrap_or_else(|| panic!("no kernel {name}"));
    let text = &PTX[start..];
    let end = text.find("\n}").expect("a kernel ends");
    let text = text[..end].split("[__lanewise_panic]").next();
    let lines = text.unwrap_or_default().lines().map(str::trim);
    lines
        .filter(|line| !line.starts_with(".loc") && !line.starts_with('$'))
        .collect::<Vec<_>>()
        .join("\n")
}

/// Asserts that the kernel has these instructions in this order (others may stand between).
#[track_caller]
fn has_in_order(name: &str, wanted: &[&str]) {
    let text = kernel(name);
    let mut rest = &text[..];
    for instruction in wanted {
        let Some(at) = rest.find(instruction) else {
            panic!(
                "{name} has no `{instruction}` after the ones before it in {wanted:#?}:\n{text}"
            );
        };
        rest = &rest[at + instruction.len()..];
    }
}

#[test]
fn orders_become_qualifiers_and_fences() {
    has_in_order(
        "orders",
        &[
            "ld.acquire.gpu.global.b32",
            "st.release.gpu.global.b32",
            "atom.relaxed.gpu.global.cas.b32",
            "fence.acq_rel.gpu",
            "atom.global.add.u32",
            "fence.acq_rel.gpu",
        ],
    );
}

#[test]
fn scopes_are_those_of_the_types() {
    has_in_order(
        "scopes",
        &[
            "st.relaxed.cta.global.b32",
            "st.relaxed.gpu.global.b32",
            "st.relaxed.sys.global.b32",
            "atom.relaxed.sys.max.u32",
            "atom.relaxed.sys.add.f32",
        ],
    );
}

#[test]
fn atomics_in_shared_memory_are_native() {
    has_in_order(
        "shared_atomics",
        &["atom.shared.add.u32", "atom.shared.add.f32"],
    );
}

#[test]
fn fences_have_their_scope() {
    has_in_order(
        "fences",
        &["fence.acq_rel.cta", "fence.acq_rel.gpu", "fence.sc.sys"],
    );
}

#[test]
fn a_shuffle_is_one_instruction_for_each_word() {
    let text = kernel("shuffles");
    let count = |what: &str| text.matches(what).count();
    assert_eq!(
        count("shfl.sync.idx.b32"),
        2,
        "an f64 is two words:\n{text}"
    );
    assert_eq!(
        count("shfl.sync.up.b32"),
        2,
        "an array of two is two words:\n{text}"
    );
    assert_eq!(
        (count("shfl.sync.bfly.b32"), count("shfl.sync.down.b32")),
        (1, 1),
        "{text}"
    );
    assert!(
        text.contains(", 1, 4096, -1;"),
        "segments of 16 lanes have (32 - 16) << 8 as their mask:\n{text}"
    );
}

#[test]
fn votes_matches_and_reductions_are_instructions() {
    for instruction in [
        "vote.sync.all.pred",
        "vote.sync.any.pred",
        "vote.sync.ballot.b32",
        "match.any.sync.b32",
        "match.any.sync.b64",
        "redux.sync.add",
        "redux.sync.min.s32",
        "bar.warp.sync",
        "%lanemask_lt",
    ] {
        has_in_order("votes", &[instruction]);
    }
}

#[test]
fn barriers_come_once_each_in_their_order() {
    has_in_order(
        "barriers",
        &[
            "bar.red.popc.u32",
            "bar.red.and.pred",
            "bar.red.or.pred",
            "bar.sync",
        ],
    );
    assert_eq!(kernel("barriers").matches("bar.").count(), 4);
}

#[test]
fn dynamic_shared_memory_is_accessed_natively() {
    has_in_order(
        "dynamic_shared",
        &["%dynamic_smem_size", "st.shared", "bar.sync", "ld.shared"],
    );
}

#[test]
fn printf_has_the_format_of_its_types() {
    let bytes: Vec<String> = b"%lld %.3f %02x %s 100 %%\n"
        .iter()
        .map(u8::to_string)
        .collect();
    assert!(
        PTX.contains(&bytes.join(", ")),
        "no such format in:\n{}",
        &PTX[..2000.min(PTX.len())]
    );
    has_in_order("prints", &["cvt.f64.f32", "vprintf"]);
}

#[test]
fn an_assertion_calls_the_drivers_handler() {
    assert!(PTX.contains(".extern .func __assertfail"));
    assert!(kernel("asserts").contains("call"));
}

#[test]
fn a_kernel_may_use_the_names_of_its_expansion() {
    has_in_order("names", &["st.global"]);
}

#[test]
fn a_panic_is_recorded_printed_or_only_a_trap() {
    let has = |ptx: &str| ["[__lanewise_panic]", "panicking9panic_fmt"].map(|it| ptx.contains(it));
    // Only the kernel that formats has a call.
    assert_eq!(has(&PTX), [true, true]);
    lacks("panics", &["call"]);
    assert_eq!(has(&build(Panics::Message)), [false, true]);
    assert_eq!(has(&build(Panics::Trap)), [false, false]);
}

#[test]
fn what_cannot_panic_costs_nothing() {
    assert!(kernel("panics").contains("panic"));
    let text = kernel("cannot_panic");
    for part in ["call", "trap", "exit", "vprintf", "bra.uni", ".local"] {
        assert!(!text.contains(part), "{part} in\n{text}");
    }
    // What there is: loads of parameters, a comparison or two, one load, one store.
    let count = text
        .lines()
        .filter(|line| line.ends_with(';') && !line.starts_with('.'))
        .count();
    assert!(count <= 22, "{count} instructions in\n{text}");
}

/// In a kernel with a fence, ptxas does not turn an atomic whose result nobody uses into `RED`.
#[test]
fn a_panic_is_recorded_without_a_fence() {
    let start = PTX.find(".entry panics(").expect("the kernel");
    let text = &PTX[start..];
    let text = &text[..text.find("\n}").expect("a kernel ends")];
    assert!(text.contains("st.release.sys"), "{text}");
    assert!(
        !text.contains("membar") && !text.contains("fence"),
        "{text}"
    );
}

/// Asserts that a kernel has none of these.
#[track_caller]
fn lacks(name: &str, unwanted: &[&str]) {
    let text = kernel(name);
    for part in unwanted {
        assert!(!text.contains(part), "{name} has `{part}`:\n{text}");
    }
}

#[test]
fn slices_of_atomics_are_read_and_written_as_atomics() {
    let atomics = [
        "ld.relaxed.gpu.global.b64",
        "st.relaxed.gpu.global.b64",
        "global.add.u32",
    ];
    has_in_order("atomic_slices", &atomics);
    lacks("atomic_slices", &[".nc"]);
    has_in_order("slots_with_atomics", &["ld.global.b32", "add.u32"]);
    lacks("slots_with_atomics", &[".nc"]);
}

#[test]
fn a_store_through_a_cell_is_a_store() {
    has_in_order("cells", &["ld.global.b64", "add.s64", "st.global.b64"]);
    lacks("cells", &[".nc"]);
}

#[test]
fn a_parameters_type_may_name_a_const_parameter() {
    assert!(kernel("polynomial_2").contains(".align 4 .b8 polynomial_2_param_0[8]"));
    assert!(kernel("polynomial_4").contains(".align 4 .b8 polynomial_4_param_0[16]"));
}

/// Of mixed fields, in arrays, on the way through shared memory: each 16 bytes are one access.
/// No lane is missing, so the warps' sums are not added one after another: five steps in each
/// warp, five for their sums, and the broadcast.
#[test]
fn whole_warps_need_no_other_way_to_reduce() {
    let text = kernel("sums_whole_warps");
    let count = |what| text.matches(what).count();
    assert_eq!(count("shfl.sync"), 11, "{text}");
    assert_eq!(count("ld.shared"), 1, "{text}");
}

#[test]
fn a_block_and_a_warp_share_without_a_division() {
    has_in_order("shares_of_a_block_and_of_a_warp", &["ld.global.nc.b32"]);
    lacks("shares_of_a_block_and_of_a_warp", &["div.", "rem.", "call"]);
}

#[test]
fn in_one_dimension_the_other_indices_are_not_read() {
    lacks(
        "sums_whole_warps",
        &["tid.y", "tid.z", "ctaid.y", "ctaid.z"],
    );
}

#[test]
fn a_contract_fixes_the_shape_of_the_block() {
    has_in_order(
        "has_one_shape",
        &[".reqntid 32, 8, 1", "st.global.b32", ", 256"],
    );
    assert!(!kernel("has_one_shape").contains("%ntid"));
}

#[test]
fn an_array_is_aligned_to_its_size() {
    let copies = ["ld.global.nc.b32", "st.global.b32"];
    let wide = ["ld.global.nc.v4.b32", "st.global.v4.b32"];
    has_in_order("copies_small_arrays", &[copies, wide].concat());
}

#[test]
fn structures_are_copied_whole_wherever_they_are() {
    for (name, each, spaces) in [
        (
            "copies_mixed_structures",
            1,
            &["ld.global.nc", "st.global"][..],
        ),
        (
            "copies_arrays_of_structures",
            2,
            &["ld.global.nc", "st.global"],
        ),
        (
            "copies_structures_through_shared",
            1,
            &["ld.global.nc", "st.shared", "ld.shared", "st.global"],
        ),
    ] {
        let text = kernel(name);
        let wide: Vec<String> = spaces
            .iter()
            .map(|space| format!("{space}.v4.b32"))
            .collect();
        let wide: Vec<&str> = wide.iter().map(String::as_str).collect();
        has_in_order(name, &wide);
        for space in spaces {
            assert_eq!(text.matches(space).count(), each, "{space}: {text}");
        }
    }
}

#[test]
fn a_structure_of_16_bytes_is_one_load_and_one_store() {
    let accesses = ["ld.global.nc.v4.b32", "st.global.v4.b32"];
    has_in_order("copies_whole_structures", &accesses);
    let text = kernel("copies_whole_structures");
    assert_eq!(
        (
            text.matches("ld.global").count(),
            text.matches("st.global").count()
        ),
        (1, 1),
        "{text}"
    );
}

#[test]
fn a_phase_begins_with_a_barrier_only_if_something_was_read_before() {
    let (begin, write, end) = ("barrier.sync \t0", "st.shared.b32", "barrier.sync \t0");
    let barriers = |name: &str| kernel(name).matches("barrier.sync").count();
    has_in_order("one_phase", &[write, end]);
    assert_eq!(barriers("one_phase"), 1);
    has_in_order("two_phases", &[write, end, begin, write, end]);
    assert_eq!(barriers("two_phases"), 3);
    has_in_order("a_phase_in_one_arm", &[begin, write, end]);
    assert_eq!(barriers("a_phase_in_one_arm"), 4);
    // The function has both, with the library's number, and the kernel none.
    assert_eq!(barriers("a_phase_in_a_function"), 0);
    assert_eq!(PTX.matches("barrier.sync \t15").count(), 2);
}

#[test]
fn phases_take_a_barrier_that_nothing_else_uses() {
    has_in_order(
        "a_phase_beside_a_barrier",
        &["barrier.sync \t1", "bar.sync \t0"],
    );
}
