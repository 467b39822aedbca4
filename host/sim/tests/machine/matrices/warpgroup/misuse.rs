//! Kernels that use `wgmma` wrongly, and correct kernels that look wrong.

use super::{END, Given, Layout, kernel};

/// A multiplication of 64 by 8 by 16 with A in registers. `%d` and `%a` are its registers.
const MULTIPLY: &str = "wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%d0, %d1, %d2, %d3}, {%a0, %a1, %a2, %a3}, %db, %p1, 1, 1, 0;";
const FENCE: &str = "wgmma.fence.sync.aligned;";
const COMMIT: &str = "wgmma.commit_group.sync.aligned;";

fn with_b() -> Given {
    let mut given = Given::new(4);
    given.descriptors[1] = Layout::dense(0, false, 8, 16, 2).descriptor(0);
    given
}

#[test]
fn what_is_wrong_is_named() {
    let mut far = with_b();
    far.descriptors[1] |= 0x3fff;
    for (given, threads, body, words) in [
        (
            with_b(),
            128,
            format!("{MULTIPLY} {END}"),
            "without a `wgmma.fence`: a warp's first has to have one before it",
        ),
        (
            with_b(),
            128,
            format!("{FENCE} {MULTIPLY} {END} add.f32 %d1, %d1, %d1; {MULTIPLY} {END}"),
            "`wgmma.mma_async` uses `%d1` without a `wgmma.fence` since ptx line",
        ),
        (
            with_b(),
            96,
            format!("{FENCE} {MULTIPLY} {END}"),
            "a warpgroup that has fewer than 128 threads",
        ),
        (
            with_b(),
            128,
            format!("cvt.u64.u32 %rd17, %r0; add.u64 %db, %db, %rd17; {FENCE} {MULTIPLY} {END}"),
            "matrix descriptors",
        ),
        (
            far,
            128,
            format!("{FENCE} {MULTIPLY} {END}"),
            "shared memory",
        ),
    ] {
        let (result, _) = given.run(&kernel(4, &body), threads);
        let text = result.expect_err(&body).to_string();
        assert!(text.contains(words), "{words}: {text}");
    }
}

/// Copies that compilers put between inline assembly do not count as a use of a result.
#[test]
fn copies_of_registers_are_followed() {
    let rename = "mov.b32 %x0, %d0; mov.b32 %x1, %d1; mov.b32 %x2, %d2; mov.b32 %x3, %d3;";
    let again = MULTIPLY.replace("{%d0, %d1, %d2, %d3}", "{%x0, %x1, %x2, %x3}");
    let back = "mov.b32 %d0, %x0; mov.b32 %d1, %x1; mov.b32 %d2, %x2; mov.b32 %d3, %x3;";
    let body = format!("{FENCE} {MULTIPLY} {rename} {again} {back} {END}");
    with_b().ok(&kernel(4, &body));
    let (result, _) = with_b().run(
        &kernel(
            4,
            &format!("{FENCE} {MULTIPLY} {rename} add.f32 %x0, %x0, %x0; {END}"),
        ),
        128,
    );
    let report = result.unwrap_or_else(|fault| panic!("{fault}"));
    let note = report.notes.first().map(ToString::to_string);
    let note = note.expect("the copy is no result yet");
    assert!(note.contains("`%x0` is used while"), "{note}");
}

#[test]
fn shared_memory_written_before_the_wait_is_found() {
    let write = "mov.u32 %r5, 1; st.shared.u32 [%rd4+16], %r5;";
    for (body, finds) in [
        (
            format!("{FENCE} {MULTIPLY} {COMMIT} {write} wgmma.wait_group.sync.aligned 0;"),
            true,
        ),
        (
            format!("{FENCE} {MULTIPLY} {END} bar.sync 0; {write}"),
            false,
        ),
    ] {
        let (result, _) = with_b().run(&kernel(4, &body), 128);
        let report = result.unwrap_or_else(|fault| panic!("{fault}"));
        let text = report
            .findings
            .iter()
            .map(ToString::to_string)
            .collect::<String>();
        assert_eq!(
            text.contains("an unfinished asynchronous read and a write of shared memory"),
            finds,
            "{text}"
        );
    }
}

/// NVIDIA's assembler adds the waits, so the results are right.
#[test]
fn registers_that_are_used_early_are_noted() {
    for (body, words) in [
        (
            format!(
                "{FENCE} {MULTIPLY} {COMMIT} add.f32 %x0, %d2, %d2; wgmma.wait_group.sync.aligned 0;"
            ),
            "`%d2` is used while the `wgmma.mma_async` of ptx line",
        ),
        (
            format!("{FENCE} {MULTIPLY} {COMMIT} wgmma.wait_group.sync.aligned 1;"),
            "no `wgmma.wait_group` has waited for its group",
        ),
        (
            format!("{FENCE} {MULTIPLY} wgmma.wait_group.sync.aligned 0;"),
            "no `wgmma.commit_group` has closed its group",
        ),
        (
            format!("{FENCE} {MULTIPLY} {COMMIT} mov.u32 %a1, 0; wgmma.wait_group.sync.aligned 0;"),
            "`%a1` is written while the `wgmma.mma_async` of ptx line",
        ),
    ] {
        let (result, _) = with_b().run(&kernel(4, &body), 128);
        let report = result.unwrap_or_else(|fault| panic!("{fault}"));
        let notes: Vec<String> = report.notes.iter().map(ToString::to_string).collect();
        assert!(
            notes.iter().any(|note| note.contains(words)),
            "{words}: {notes:?}"
        );
        assert_eq!(report.findings, []);
    }
    let body = format!("{FENCE} {MULTIPLY} {END} add.f32 %x0, %d2, %d2;");
    let (result, _) = with_b().run(&kernel(4, &body), 128);
    assert_eq!(result.map(|report| report.notes).ok(), Some(vec![]));
}
