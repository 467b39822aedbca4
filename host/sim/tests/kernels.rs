//! Small kernels, as compilers write them, run from their PTX.

use crate::common::Rig;
use lanewise_sim::{AllocationKind, Checks, Launch};

/// A kernel in LLVM's style: untyped registers, guards by branches.
const VEC_ADD: &str = r"
.visible .entry vec_add(
	.param .u64 .ptr .align 1 vec_add_param_0, .param .u64 vec_add_param_1,
	.param .u64 .ptr .align 1 vec_add_param_2, .param .u64 .ptr .align 1 vec_add_param_3)
{
	.reg .pred 	%p<2>;
	.reg .b32 	%r<8>;
	.reg .b64 	%rd<12>;
	ld.param.b64 	%rd2, [vec_add_param_1];
	mov.u32 	%r1, %ctaid.x;
	mov.u32 	%r2, %ntid.x;
	mov.u32 	%r3, %tid.x;
	mad.lo.s32 	%r4, %r1, %r2, %r3;
	cvt.u64.u32 	%rd1, %r4;
	setp.le.u64 	%p1, %rd2, %rd1;
	@%p1 bra 	$L__BB0_2;
	ld.param.b64 	%rd3, [vec_add_param_0];
	ld.param.b64 	%rd4, [vec_add_param_2];
	ld.param.b64 	%rd5, [vec_add_param_3];
	cvta.to.global.u64 	%rd6, %rd3;
	cvta.to.global.u64 	%rd7, %rd4;
	cvta.to.global.u64 	%rd8, %rd5;
	shl.b64 	%rd9, %rd1, 2;
	add.s64 	%rd10, %rd6, %rd9;
	ld.global.nc.b32 	%r5, [%rd10];
	add.s64 	%rd11, %rd7, %rd9;
	ld.global.nc.b32 	%r6, [%rd11];
	add.rn.f32 	%r7, %r5, %r6;
	add.s64 	%rd10, %rd8, %rd9;
	st.global.b32 	[%rd10], %r7;
$L__BB0_2:
	ret;
}
";

#[test]
fn vec_add_adds() {
    let rig = Rig::new(VEC_ADD);
    for n in [0usize, 1, 31, 32, 33, 1000, 4096] {
        let a: Vec<f32> = (0..n).map(|i| i as f32).collect();
        let b: Vec<f32> = (0..n).map(|i| 0.5 * i as f32).collect();
        let (da, db, dc) = (rig.buffer(&a), rig.buffer(&b), rig.buffer(&vec![0f32; n]));
        rig.ok(
            "vec_add",
            (n as u32).div_ceil(128).max(1),
            128,
            &[da, n as u64, db, dc],
        );
        let expected: Vec<f32> = a.iter().zip(&b).map(|(a, b)| a + b).collect();
        assert_eq!(rig.read::<f32>(dc, n), expected, "n = {n}");
    }
}

/// Interleaved reduction in shared memory, with a barrier in the loop, then a shuffle.
const REDUCE: &str = r"
.visible .entry reduce(.param .u64 in, .param .u64 n, .param .u64 out)
{
	.reg .pred %p<6>;
	.reg .b32 %r<20>;
	.reg .b64 %rd<12>;
	.shared .align 4 .b8 tile[1024];
	mov.u32 %r1, %tid.x;
	mov.u32 %r2, %ctaid.x;
	mov.u32 %r3, %ntid.x;
	mad.lo.u32 %r4, %r2, %r3, %r1;
	ld.param.u32 %r5, [n];
	ld.param.u64 %rd1, [in];
	setp.lt.u32 %p1, %r4, %r5;
	mov.b32 %r6, 0;
	@!%p1 bra LOADED;
	mul.wide.u32 %rd2, %r4, 4;
	add.s64 %rd3, %rd1, %rd2;
	ld.global.u32 %r6, [%rd3];
LOADED:
	mov.u64 %rd4, tile;
	mul.wide.u32 %rd5, %r1, 4;
	add.s64 %rd6, %rd4, %rd5;
	st.shared.u32 [%rd6], %r6;
	bar.sync 0;
	shr.u32 %r7, %r3, 1;
LOOP:
	setp.lt.u32 %p2, %r7, 32;
	@%p2 bra WARP;
	setp.ge.u32 %p3, %r1, %r7;
	@%p3 bra JOIN;
	mul.wide.u32 %rd7, %r7, 4;
	add.s64 %rd8, %rd6, %rd7;
	ld.shared.u32 %r8, [%rd8];
	ld.shared.u32 %r9, [%rd6];
	add.s32 %r9, %r9, %r8;
	st.shared.u32 [%rd6], %r9;
JOIN:
	bar.sync 0;
	shr.u32 %r7, %r7, 1;
	bra.uni LOOP;
WARP:
	setp.ge.u32 %p4, %r1, 32;
	@%p4 bra DONE;
	ld.shared.u32 %r10, [%rd6];
	shfl.sync.down.b32 %r11, %r10, 16, 31, -1;
	add.s32 %r10, %r10, %r11;
	shfl.sync.down.b32 %r11, %r10, 8, 31, -1;
	add.s32 %r10, %r10, %r11;
	shfl.sync.down.b32 %r11, %r10, 4, 31, -1;
	add.s32 %r10, %r10, %r11;
	shfl.sync.down.b32 %r11|%p5, %r10, 2, 31, -1;
	add.s32 %r10, %r10, %r11;
	shfl.sync.bfly.b32 %r11, %r10, 1, 31, -1;
	add.s32 %r10, %r10, %r11;
	setp.ne.s32 %p4, %r1, 0;
	@%p4 bra DONE;
	ld.param.u64 %rd9, [out];
	red.global.add.u32 [%rd9], %r10;
DONE:
	ret;
}
";

#[test]
fn reduction_sums_with_any_seed() {
    let rig = Rig::new(REDUCE);
    let input: Vec<u32> = (0..5000).map(|i| i * 7 + 1).collect();
    let d = rig.buffer(&input);
    for seed in 0..20u64 {
        let out = rig.buffer(&[0u32]);
        let params: Vec<u8> = [d, input.len() as u64, out]
            .iter()
            .flat_map(|p| p.to_le_bytes())
            .collect();
        let launch = Launch {
            seed,
            ..Launch::new("reduce", [20, 1, 1], [256, 1, 1], &params)
        };
        let report = rig
            .device
            .launch(&rig.instance, &launch)
            .unwrap_or_else(|f| panic!("{f}"));
        assert_eq!(
            rig.read::<u32>(out, 1)[0],
            input.iter().sum::<u32>(),
            "seed {seed}"
        );
        assert_eq!(report.findings, []);
    }
}

/// A lock that lanes of one warp take in turn. The kernel ends only if the lane with the lock runs.
const LOCK: &str = r"
.visible .entry count(.param .u64 lock, .param .u64 total)
{
	.reg .pred %p<3>;
	.reg .b32 %r<6>;
	.reg .b64 %rd<3>;
	ld.param.u64 %rd1, [lock];
	ld.param.u64 %rd2, [total];
TRY:
	atom.global.cas.b32 %r1, [%rd1], 0, 1;
	setp.ne.u32 %p1, %r1, 0;
	@%p1 bra TRY;
	ld.volatile.global.u32 %r2, [%rd2];
	add.u32 %r2, %r2, 1;
	st.volatile.global.u32 [%rd2], %r2;
	membar.gl;
	atom.global.exch.b32 %r3, [%rd1], 0;
	ret;
}
";

#[test]
fn a_spin_lock_between_lanes_and_blocks_ends() {
    let rig = Rig::new(LOCK);
    let (lock, total) = (rig.buffer(&[0u32]), rig.buffer(&[0u32]));
    rig.ok("count", 8, 96, &[lock, total]);
    assert_eq!(rig.read::<u32>(total, 1), [8 * 96]);
}

/// Block 0 waits for a flag that the last block sets.
const WAIT: &str = r"
.visible .entry wait(.param .u64 flag)
{
	.reg .pred %p<3>;
	.reg .b32 %r<6>;
	.reg .b64 %rd<3>;
	ld.param.u64 %rd1, [flag];
	mov.u32 %r1, %ctaid.x;
	mov.u32 %r2, %nctaid.x;
	sub.u32 %r2, %r2, 1;
	setp.eq.u32 %p1, %r1, %r2;
	@%p1 bra SET;
SPIN:
	ld.relaxed.gpu.global.u32 %r3, [%rd1];
	setp.eq.u32 %p2, %r3, 0;
	@%p2 bra SPIN;
	ret;
SET:
	st.release.gpu.global.u32 [%rd1], 1;
	ret;
}
";

#[test]
fn blocks_that_wait_for_a_later_block_end() {
    let rig = Rig::new(WAIT);
    let flag = rig.buffer(&[0u32]);
    rig.ok("wait", 50, 64, &[flag]);
}

/// `printf("block %d thread %d: %f\n", ...)` through a local buffer, as LLVM lowers it.
const PRINT: &str = r#"
.extern .func (.param .b32 func_retval0) vprintf (.param .b64 vprintf_param_0, .param .b64 vprintf_param_1);
.global .align 1 .b8 format[23] = {98, 108, 111, 99, 107, 32, 37, 100, 32, 116, 104, 114, 101, 97, 100, 32, 37, 100, 58, 32, 37, 103, 0};
.visible .entry hello()
{
	.local .align 8 .b8 	__local_depot0[16];
	.reg .b64 	%SP;
	.reg .b64 	%SPL;
	.reg .b32 	%r<5>;
	.reg .b64 	%rd<6>;
	mov.b64 	%SPL, __local_depot0;
	cvta.local.u64 	%SP, %SPL;
	add.u64 	%rd1, %SP, 0;
	add.u64 	%rd2, %SPL, 0;
	mov.u32 	%r1, %ctaid.x;
	mov.u32 	%r2, %tid.x;
	st.local.v2.b32 	[%rd2], {%r1, %r2};
	cvt.rn.f64.u32 %rd5, %r2;
	st.local.b64 	[%rd2+8], %rd5;
	mov.b64 	%rd3, format;
	cvta.global.u64 	%rd4, %rd3;
	{
	.param .b64 param0;
	.param .b64 param1;
	.param .b32 retval0;
	st.param.b64 	[param0], %rd4;
	st.param.b64 	[param1], %rd1;
	call.uni (retval0), vprintf, (param0, param1);
	ld.param.b32 	%r3, [retval0];
	}
	ret;
}
"#;

#[test]
fn printf_prints_in_order() {
    let rig = Rig::new(PRINT);
    let text = std::sync::Mutex::new(Vec::new());
    let print = |line: &[u8]| {
        text.lock()
            .unwrap()
            .push(String::from_utf8_lossy(line).into_owned())
    };
    let launch = Launch {
        printf: &print,
        ..Launch::new("hello", [3, 1, 1], [2, 1, 1], &[])
    };
    rig.device
        .launch(&rig.instance, &launch)
        .unwrap_or_else(|f| panic!("{f}"));
    let expected = [
        "block 0 thread 0: 0",
        "block 0 thread 1: 1",
        "block 1 thread 0: 0",
    ];
    assert_eq!(text.lock().unwrap()[..3], expected);
    assert_eq!(text.lock().unwrap().len(), 6);
}

/// Divergent recursion: lane l computes the l-th Fibonacci number.
const FIBONACCI: &str = r"
.func (.param .b32 out) fib(.param .b32 n)
{
	.reg .pred %p<2>;
	.reg .b32 %r<8>;
	ld.param.b32 %r1, [n];
	setp.lt.u32 %p1, %r1, 2;
	@%p1 bra BASE;
	sub.u32 %r2, %r1, 1;
	{
	.param .b32 p0; .param .b32 r0;
	st.param.b32 [p0], %r2;
	call (r0), fib, (p0);
	ld.param.b32 %r3, [r0];
	}
	sub.u32 %r2, %r1, 2;
	{
	.param .b32 p0; .param .b32 r0;
	st.param.b32 [p0], %r2;
	call (r0), fib, (p0);
	ld.param.b32 %r4, [r0];
	}
	add.u32 %r1, %r3, %r4;
BASE:
	st.param.b32 [out], %r1;
	ret;
}
.global .align 8 .u64 table[2] = {generic(fib), fib};
.visible .entry fibonacci(.param .u64 out, .param .u64 indirect)
{
	.reg .pred %p<2>;
	.reg .b32 %r<4>;
	.reg .b64 %rd<6>;
	mov.u32 %r1, %laneid;
	shr.u32 %r1, %r1, 1;
	ld.param.u64 %rd1, [indirect];
	setp.ne.u64 %p1, %rd1, 0;
	@%p1 bra INDIRECT;
	{
	.param .b32 p0; .param .b32 r0;
	st.param.b32 [p0], %r1;
	call.uni (r0), fib, (p0);
	ld.param.b32 %r2, [r0];
	}
	bra.uni STORE;
INDIRECT:
	ld.global.u64 %rd5, [table+8];
	{
	.param .b32 p0; .param .b32 r0;
	st.param.b32 [p0], %r1;
	proto: .callprototype (.param .b32 _) _ (.param .b32 _);
	call (r0), %rd5, (p0), proto;
	ld.param.b32 %r2, [r0];
	}
STORE:
	ld.param.u64 %rd2, [out];
	mov.u32 %r1, %laneid;
	mul.wide.u32 %rd3, %r1, 4;
	add.u64 %rd4, %rd2, %rd3;
	st.global.u32 [%rd4], %r2;
	ret;
}
";

#[test]
fn divergent_recursion_returns_to_each_caller() {
    let rig = Rig::new(FIBONACCI);
    let mut fib = vec![0u32, 1];
    (2..16).for_each(|i| fib.push(fib[i - 1] + fib[i - 2]));
    let expected: Vec<u32> = (0..32).map(|l| fib[l / 2]).collect();
    for indirect in [0, 1] {
        let out = rig.buffer(&[0u32; 32]);
        rig.ok("fibonacci", 1, 32, &[out, indirect]);
        assert_eq!(rig.read::<u32>(out, 32), expected, "indirect: {indirect}");
    }
}

#[test]
fn an_access_past_the_end_is_reported_whole() {
    let rig = Rig::new(VEC_ADD);
    let (a, b, c) = (
        rig.buffer(&[0f32; 100]),
        rig.buffer(&[0f32; 100]),
        rig.buffer(&[0f32; 100]),
    );
    let report = rig.fault("vec_add", 1, 128, &[a, 128, b, c]);
    let expected = "\
4-byte read past the end of an allocation
  --> ptx line 28, `ld.global.nc.b32`
   = kernel `vec_add`, block (0,0,0), thread (100,0,0), seed 0
   = address is 0 bytes past allocation #1: 400 bytes, made at here
   = help: compare the index with the slice's length first";
    assert_eq!(report, expected);
    rig.device.memory().free(a).unwrap();
    let report = rig.fault("vec_add", 1, 128, &[a, 128, b, c]);
    assert!(
        report.contains("freed allocation #1") && report.starts_with("4-byte read of freed memory"),
        "{report}"
    );
    let report = rig.fault("vec_add", 1, 128, &[0, 128, b, c]);
    assert!(
        report.starts_with("4-byte read through a null pointer"),
        "{report}"
    );
    let report = rig.fault("vec_add", 1, 128, &[b + 2, 128, b, c]);
    assert!(
        report
            .starts_with("4-byte read of global memory at an address that is not a multiple of 4"),
        "{report}"
    );
}

/// The names of a program's files and folders are its own, so no name changes what
/// a report contains.
#[test]
fn an_allocation_made_in_a_file_of_any_name_is_reported_as_what_it_is() {
    let rig = Rig::new(VEC_ADD);
    let memory = rig.device.memory();
    for name in [
        "past_the_end",
        "before",
        "freed",
        "a null pointer",
        "host",
        "constant",
    ] {
        let file = format!("src/{name}.rs:1");
        let at = memory
            .allocate(400, 256, AllocationKind::Device, Some(&file))
            .expect("room");
        let read = |a: u64| rig.fault("vec_add", 1, 1, &[a, 1, at, at]);
        let said = [
            (at + 400, "4-byte read past the end of an allocation"),
            (at - 4, "4-byte read before the start of an allocation"),
        ];
        for (address, words) in said {
            let report = read(address);
            assert!(
                report.starts_with(words) && report.contains(&file),
                "{report}"
            );
        }
        memory.free(at).expect("it is live");
        let report = read(at);
        assert!(
            report.starts_with("4-byte read of freed memory") && report.contains(&file),
            "{report}"
        );
    }
}

#[test]
fn a_barrier_in_a_branch_is_a_deadlock_or_a_finding() {
    let rig = Rig::new(
        r".visible .entry half() {
	.reg .pred %p<2>; .reg .b32 %r<3>;
	mov.u32 %r1, %tid.x;
	setp.lt.u32 %p1, %r1, 16;
	@%p1 bra A;
	bar.sync 1;
	ret;
A:
	bar.sync 0;
	ret;
}
.visible .entry some() {
	.reg .pred %p<2>; .reg .b32 %r<3>; .local .align 4 .b8 own[4];
	mov.u32 %r1, %tid.x;
	setp.lt.u32 %p1, %r1, 16;
	@!%p1 bra B;
	bar.sync 0;
B:
	st.local.u32 [own], %r1;
	ret;
}",
    );
    let report = rig.fault("half", 1, 64, &[]);
    assert!(
        report.starts_with("deadlock: all remaining threads wait"),
        "{report}"
    );
    assert!(report.contains("16 threads wait at barrier 0"), "{report}");
    let launch = Launch {
        checks: Checks::all(),
        ..Launch::new("some", [1, 1, 1], [64, 1, 1], &[])
    };
    let report = rig
        .device
        .launch(&rig.instance, &launch)
        .unwrap_or_else(|f| panic!("{f}"));
    assert_eq!(report.findings.len(), 1, "{:?}", report.findings);
}

#[test]
fn a_loop_without_an_end_is_stopped() {
    let rig = Rig::new(
        ".visible .entry forever() { .reg .b32 %r; mov.b32 %r, 0;\nL: add.u32 %r, %r, 1; bra.uni L;\n}",
    );
    let launch = Launch {
        budget: Some(100_000),
        ..Launch::new("forever", [4, 1, 1], [64, 1, 1], &[])
    };
    let fault = rig
        .device
        .launch(&rig.instance, &launch)
        .unwrap_err()
        .to_string();
    assert!(
        fault.starts_with("the launch ran for more than its budget of 100000"),
        "{fault}"
    );
}

#[test]
fn what_is_not_modelled_is_named_with_its_line() {
    let text = ".version 8.8\n.target sm_100a\n.address_size 64\n.visible .entry k() {\n  tcgen05.wait::ld.sync.aligned;\n ret;\n}";
    let module =
        lanewise_sim::Module::load(text).expect("the module loads, and the kernel cannot run");
    let refused = module.kernel("k").and_then(|kernel| kernel.refused.clone());
    assert_eq!(
        refused.map(|error| error.to_string()).as_deref(),
        Some(
            "ptx line 5: `tcgen05.wait::ld.sync.aligned` is not modelled: tensor memory is left out; use `mma.sync` \
             (the coverage page lists what is)"
        )
    );
}

#[test]
fn launches_that_cannot_be_say_why() {
    let rig = Rig::new(VEC_ADD);
    let text = |grid, block, params: &[u64]| rig.fault("vec_add", grid, block, params);
    assert!(
        text(1, 1025, &[0; 4])
            .starts_with("a block of (1025, 1, 1); each extent is from 1 to (1024, 1024, 64)")
    );
    assert!(text(0, 1, &[0; 4]).starts_with("a grid of (0, 1, 1)"));
    assert_eq!(
        text(1, 1, &[0; 3]),
        "24 bytes of parameters; the kernel takes 32"
    );
    assert_eq!(
        rig.fault("add", 1, 1, &[]),
        "no kernel `add` in the module; it has `vec_add`"
    );
}
