//! The counters and checks that a launch can have.

use crate::common::Rig;
use lanewise_sim::checks::FindingKind;
use lanewise_sim::launch::recording::RecordedKind;
use lanewise_sim::{Checks, Counters, DeviceModel, Launch, RecordLimits, Report};

/// Runs with counters and all checks.
fn observed(rig: &Rig, kernel: &str, grid: u32, block: u32, params: &[u64]) -> Report {
    let bytes: Vec<u8> = params.iter().flat_map(|p| p.to_le_bytes()).collect();
    let launch = Launch {
        count: true,
        checks: Checks::all(),
        ..Launch::new(kernel, [grid, 1, 1], [block, 1, 1], &bytes)
    };
    rig.device
        .launch(&rig.instance, &launch)
        .unwrap_or_else(|fault| panic!("error: {fault}"))
}

fn counters(report: &Report) -> Counters {
    report.counters.expect("counters were asked for")
}

/// Every thread reads `in[tid * stride]` and writes `out[tid]`, through shared memory at
/// `tid * stride`.
const STRIDED: &str = r"
.visible .entry strided(.param .u64 in, .param .u64 out, .param .u64 stride)
{
	.reg .b32 %r<9>; .reg .b64 %rd<9>;
	.shared .align 8 .b8 tile[8192];
	mov.u32 %r1, %tid.x;
	ld.param.u32 %r2, [stride];
	mul.lo.u32 %r3, %r1, %r2;
	mul.wide.u32 %rd1, %r3, 4;
	ld.param.u64 %rd2, [in];
	add.s64 %rd3, %rd2, %rd1;
	ld.global.f32 %r4, [%rd3];
	mov.u64 %rd4, tile;
	add.s64 %rd5, %rd4, %rd1;
	st.shared.f32 [%rd5], %r4;
	bar.sync 0;
	ld.shared.f32 %r5, [%rd5];
	ld.param.u64 %rd6, [out];
	mul.wide.u32 %rd7, %r1, 4;
	add.s64 %rd6, %rd6, %rd7;
	st.global.f32 [%rd6], %r5;
	ret;
}
";

#[test]
fn a_record_has_each_warps_steps_with_lanes_and_addresses() {
    let rig = Rig::new(STRIDED);
    let (a, b) = (rig.buffer(&vec![1f32; 4096]), rig.buffer(&[0f32; 64]));
    let params: Vec<u8> = [a, b, 2]
        .iter()
        .flat_map(|p: &u64| p.to_le_bytes())
        .collect();
    let record = |blocks, steps| {
        let launch = Launch {
            count: true,
            record: Some(RecordLimits { blocks, steps }),
            ..Launch::new("strided", [3, 1, 1], [40, 1, 1], &params)
        };
        let report = rig.device.launch(&rig.instance, &launch);
        let report = report.unwrap_or_else(|fault| panic!("error: {fault}"));
        report.recording.expect("a record was asked for")
    };
    let whole = record(2, 1000);
    assert_eq!((whole.grid, whole.block), ([3, 1, 1], [40, 1, 1]));
    assert_eq!(
        (whole.arrays.as_slice(), whole.sector),
        (&[4096 * 4, 64 * 4][..], 32)
    );
    let blocks: Vec<u64> = whole.steps.iter().map(|step| step.block).collect();
    assert!(blocks.is_sorted() && blocks.contains(&1) && !blocks.contains(&2));
    let accesses = whole
        .steps
        .iter()
        .filter(|step| step.block == 1 && step.warp == 1);
    let accesses: Vec<_> = accesses.flat_map(|step| &step.accesses).collect();
    let kinds: Vec<_> = accesses
        .iter()
        .map(|access| (access.kind, access.array))
        .collect();
    use RecordedKind::{Load, Store};
    assert_eq!(
        kinds,
        [
            (Load, Some(0)),
            (Store, None),
            (Load, None),
            (Store, Some(1))
        ]
    );
    for (access, (stride, passes)) in accesses.iter().zip([(8, 2), (8, 1), (8, 1), (4, 1)]) {
        assert_eq!(
            (access.lanes, access.bytes, access.passes),
            (0xff, 4, passes)
        );
        let expected: Vec<u64> = (32..40).map(|thread| thread * stride).collect();
        assert_eq!(access.offsets[..8], expected);
    }
    let of_warp = whole
        .steps
        .iter()
        .filter(|step| step.block == 0 && step.warp == 0);
    assert_eq!(
        of_warp.count(),
        17,
        "each instruction of the kernel, in order"
    );
    assert_eq!(whole.instructions[6].name, "ld.global.f32");
    assert_eq!(record(1, 7).steps, whole.steps[..7]);
}

#[test]
fn sectors_and_conflicts_follow_the_stride() {
    let rig = Rig::new(STRIDED);
    let (a, b) = (rig.buffer(&vec![1f32; 4096]), rig.buffer(&[0f32; 64]));
    for (stride, sectors, wavefronts) in [(1, 4, 1), (2, 8, 2), (8, 32, 8), (32, 32, 32)] {
        let c = counters(&observed(&rig, "strided", 1, 64, &[a, b, stride]));
        assert_eq!(c.global_loads.requests, 2);
        assert_eq!(c.global_loads.sectors, 2 * sectors, "stride {stride}");
        assert_eq!(c.global_stores.sectors_per_request(), 4.0);
        assert_eq!(
            c.shared_stores.wavefronts,
            2 * wavefronts,
            "stride {stride}"
        );
        assert_eq!(
            c.shared_loads.conflicts,
            2 * (wavefronts - 1),
            "stride {stride}"
        );
        assert_eq!((c.barriers, c.ptx_instructions), (2, 2 * 17));
        assert_eq!(c.ptx_lane_instructions, 64 * 17);
    }
}

#[test]
fn doubles_conflict_less_in_keplers_wide_banks() {
    let text = format!(
        "{}{}",
        crate::common::HEAD.replace("sm_90", "sm_35"),
        STRIDED
    );
    let module = lanewise_sim::Module::load(&text).unwrap();
    let device = lanewise_sim::Device::new(DeviceModel::k40()).unwrap();
    let instance = device.instantiate(&module).unwrap();
    let a = device
        .memory()
        .allocate(16384, 1, lanewise_sim::AllocationKind::Device, None)
        .unwrap();
    let params: Vec<u8> = [a, a + 8192, 2]
        .iter()
        .flat_map(|p: &u64| p.to_le_bytes())
        .collect();
    let mut wavefronts = Vec::new();
    for bank_width in [
        lanewise_sim::BankWidth::Four,
        lanewise_sim::BankWidth::Eight,
    ] {
        let launch = Launch {
            count: true,
            bank_width,
            ..Launch::new("strided", [1, 1, 1], [32, 1, 1], &params)
        };
        let report = device
            .launch(&instance, &launch)
            .unwrap_or_else(|f| panic!("{f}"));
        wavefronts.push(counters(&report).shared_stores.wavefronts);
    }
    assert_eq!(wavefronts, [2, 1]);
}

const BRANCHES: &str = r"
.visible .entry branches(.param .u64 mask)
{
	.reg .pred %p<3>; .reg .b32 %r<9>;
	ld.param.u32 %r1, [mask];
	mov.u32 %r2, %tid.x;
	and.b32 %r3, %r2, %r1;
	setp.eq.u32 %p1, %r3, 0;
	mov.u32 %r4, 0;
	@%p1 bra ODD;
	add.u32 %r4, %r4, 1;
	bra.uni JOIN;
ODD:
	add.u32 %r4, %r4, 2;
JOIN:
	setp.lt.u32 %p2, %r4, 100;
	@%p2 bra END;
	add.u32 %r4, %r4, 2;
END:
	ret;
}
";

#[test]
fn branches_are_divergent_where_lanes_disagree() {
    let rig = Rig::new(BRANCHES);
    let uniform = counters(&observed(&rig, "branches", 1, 32, &[0]));
    assert_eq!(uniform.ptx_branch_efficiency(), 1.0, "{uniform:#?}");
    let by_warp = counters(&observed(&rig, "branches", 1, 64, &[32]));
    assert_eq!(by_warp.ptx_branch_efficiency(), 1.0, "{by_warp:#?}");
    let by_lane = counters(&observed(&rig, "branches", 1, 32, &[1]));
    // The second branch skips one instruction and then ends: it is no branch on a GPU either.
    assert_eq!(
        (by_lane.ptx_branches_uniform, by_lane.ptx_branches_divergent),
        (0, 1),
        "{by_lane:#?}"
    );
}

const INCREMENT: &str = r"
.visible .entry incr_racy(.param .u64 counter)
{
	.reg .b32 %r<9>; .reg .b64 %rd<3>;
	ld.param.u64 %rd1, [counter];
	ld.global.u32 %r1, [%rd1];
	add.u32 %r1, %r1, 1;
	st.global.u32 [%rd1], %r1;
	ret;
}
.visible .entry incr_atomic(.param .u64 counter)
{
	.reg .b32 %r<9>; .reg .b64 %rd<3>;
	ld.param.u64 %rd1, [counter];
	atom.global.add.u32 %r1, [%rd1], 1;
	ret;
}
";

#[test]
fn incr_racy_races_and_incr_atomic_does_not() {
    let rig = Rig::new(INCREMENT);
    let counter = rig.buffer(&[0u32]);
    let report = observed(&rig, "incr_atomic", 4, 64, &[counter]);
    assert_eq!(report.findings, []);
    assert_eq!(rig.read::<u32>(counter, 1), [256]);
    let report = observed(&rig, "incr_racy", 4, 64, &[counter]);
    assert!(!report.findings.is_empty());
    let expected = "\
race: a read and a write of global memory that nothing orders
  --> ptx line 11, `st.global.u32`
   = kernel `incr_racy`, block (0,0,0), thread (0,0,0), seed 0
   = the read was at ptx line 9, `ld.global.u32`, block (0,0,0), thread (31,0,0); it read 0x100
   = the write puts 0x101 there
   = address is 0 bytes into allocation #1: 4 bytes, made at here
   = help: put a barrier of the block (`sync_threads`, `bar.sync`) between the two, or of the warp (`sync_warp`, `bar.warp.sync`) if no other warp takes part; or make both atomic";
    let texts: Vec<String> = report.findings.iter().map(ToString::to_string).collect();
    assert!(texts.iter().any(|t| t == expected), "{}", texts.join("\n"));
}

/// `tile[tid] = tid; [barrier;] out[tid] = tile[tid ^ 1 or ^ 32]`.
const EXCHANGE: &str = r"
.visible .entry exchange(.param .u64 out, .param .u64 distance, .param .u64 sync)
{
	.reg .pred %p<3>; .reg .b32 %r<9>; .reg .b64 %rd<9>;
	.shared .align 4 .b8 tile[256];
	mov.u32 %r1, %tid.x;
	mov.u64 %rd1, tile;
	mul.wide.u32 %rd2, %r1, 4;
	add.s64 %rd3, %rd1, %rd2;
	st.shared.u32 [%rd3], %r1;
	ld.param.u32 %r2, [sync];
	setp.ne.u32 %p1, %r2, 1;
	@%p1 bra NOT_BLOCK;
	bar.sync 0;
NOT_BLOCK:
	setp.ne.u32 %p1, %r2, 2;
	@%p1 bra NOT_WARP;
	bar.warp.sync -1;
NOT_WARP:
	ld.param.u32 %r3, [distance];
	xor.b32 %r3, %r1, %r3;
	mul.wide.u32 %rd4, %r3, 4;
	add.s64 %rd4, %rd1, %rd4;
	ld.shared.u32 %r4, [%rd4];
	ld.param.u64 %rd5, [out];
	add.s64 %rd5, %rd5, %rd2;
	st.global.u32 [%rd5], %r4;
	ret;
}
";

#[test]
fn only_the_right_barrier_orders_an_exchange() {
    let rig = Rig::new(EXCHANGE);
    let out = rig.buffer(&[0u32; 64]);
    // Distance to the other thread, barrier (none, of the block, of the warp), whether it is right.
    for (distance, sync, right) in [
        (1, 0, false),
        (32, 0, false),
        (1, 1, true),
        (32, 1, true),
        (1, 2, true),
        (32, 2, false),
    ] {
        let findings = observed(&rig, "exchange", 1, 64, &[out, distance, sync]).findings;
        assert_eq!(
            findings.is_empty(),
            right,
            "distance {distance}, barrier {sync}: {findings:?}"
        );
    }
}

#[test]
fn a_shuffle_from_an_absent_lane_is_found() {
    let rig = Rig::new(
        r".visible .entry down(.param .u64 out)
{
	.reg .b32 %r<5>; .reg .b64 %rd<5>;
	mov.u32 %r1, %tid.x;
	shfl.sync.down.b32 %r2, %r1, 16, 31, -1;
	ld.param.u64 %rd1, [out];
	mul.wide.u32 %rd2, %r1, 4;
	add.s64 %rd1, %rd1, %rd2;
	st.global.u32 [%rd1], %r2;
	ret;
}",
    );
    let out = rig.buffer(&[0u32; 32]);
    assert_eq!(rig.ok("down", 1, 32, &[out]).findings, []);
    let findings = rig.ok("down", 1, 24, &[out]).findings;
    assert_eq!(findings.len(), 1);
    assert_eq!(findings[0].report.place.thread, Some([8, 0, 0]));
    assert_eq!(rig.read::<u32>(out, 24)[7..9], [23, 0x7fff_dead]);
}

/// Runs with the check of initialisation.
fn initialised(strict: bool, body: &str) -> Report {
    let rig = Rig::new(&format!(
        ".visible .entry k(.param .u64 out, .param .u64 new) {{ .reg .b64 %rd<4>; .reg .b32 %r<4>; .reg .pred %p; .local .b32 own;
            ld.param.u64 %rd0, [out]; ld.param.u64 %rd1, [new]; {body} ret; }}"
    ));
    let (out, new) = (rig.buffer(&[0u32; 8]), rig.unwritten(32));
    let bytes: Vec<u8> = [out, new].iter().flat_map(|p| p.to_le_bytes()).collect();
    let word = if strict { "init=strict" } else { "init" };
    let launch = Launch {
        checks: word.parse().expect("a check"),
        ..Launch::new("k", [1; 3], [1; 3], &bytes)
    };
    let report = rig.device.launch(&rig.instance, &launch);
    report.unwrap_or_else(|fault| panic!("error: {fault}"))
}

#[test]
fn a_strict_check_reports_copies_of_what_nobody_wrote() {
    let copy = "ld.global.u32 %r0, [%rd1+4]; st.global.u32 [%rd0], %r0;";
    assert_eq!(initialised(false, copy).findings, []);
    let found = initialised(true, copy).findings;
    let [finding] = &found[..] else {
        panic!("{found:#?}");
    };
    assert_eq!(finding.kind, FindingKind::UnwrittenRead);
    let text = finding.to_string();
    assert!(text.contains("a load reads uninitialised memory"), "{text}");
    assert!(
        text.contains("4 uninitialised bytes: the first is 4 bytes into"),
        "{text}"
    );
}

#[test]
fn a_strict_check_is_silent_on_what_was_written_and_on_padding() {
    for body in [
        "mov.b32 %r0, 1; st.global.u32 [%rd1+4], %r0; ld.global.u32 %r0, [%rd1+4]; st.global.u32 [%rd0], %r0;",
        // A structure of a byte and three bytes of padding.
        "mov.b32 %r0, 1; st.global.u8 [%rd1+4], %r0; ld.global.u32 %r0, [%rd1+4]; st.global.u32 [%rd0], %r0;",
        // Compilers copy gaps through local memory.
        "ld.local.u32 %r0, [own]; st.local.u32 [own], %r0;",
    ] {
        assert_eq!(initialised(true, body).findings, [], "{body}");
    }
}

/// What is used is reported once, where it is used.
#[test]
fn a_strict_check_reports_a_use_once() {
    let body = "ld.global.u32 %r0, [%rd1]; setp.eq.u32 %p, %r0, 0; @%p st.global.u32 [%rd0], 1;";
    let kinds = |strict| {
        initialised(strict, body)
            .findings
            .iter()
            .map(|it| it.kind)
            .collect::<Vec<_>>()
    };
    assert_eq!(kinds(true), kinds(false));
    assert!(
        kinds(true)
            .iter()
            .all(|kind| *kind == FindingKind::Unwritten)
    );
}
