//! Launches from kernels: the order of grids, the results of a launch, and the names in a fault.
//!
//! The PTX is what nvcc 13 makes of `<<<>>>` in a kernel, without the registers that
//! are not needed.

use crate::common::Rig;
use lanewise_sim::{Launch, Report};

/// Functions of the device runtime, and two kernels: `note` appends its argument to the list at
/// `log`, and `chain` launches nested grids.
const RUNTIME: &str = r"
.extern .func (.param .b64 r) __cudaCDP2GetParameterBufferV2(.param .b64 f, .param .align 4 .b8 g[12], .param .align 4 .b8 b[12], .param .b32 s);
.extern .func (.param .b32 r) __cudaCDP2LaunchDeviceV2(.param .b64 p, .param .b64 s);
.extern .func (.param .b32 r) __cudaCDP2GetLastError();
.extern .func (.param .b32 r) __cudaCDP2PeekAtLastError();

.func (.param .b32 r) go(.param .b64 f, .param .b32 blocks, .param .b64 log, .param .b64 value, .param .b64 stream)
{
	.reg .b32 %r<4>; .reg .b64 %rd<6>; .reg .pred %p;
	ld.param.b64 %rd1, [f];
	ld.param.b32 %r1, [blocks];
	ld.param.b64 %rd2, [log];
	ld.param.b64 %rd3, [value];
	ld.param.b64 %rd4, [stream];
	{ .param .b64 a; .param .align 4 .b8 g[12]; .param .align 4 .b8 b[12]; .param .b32 s; .param .b64 o;
	st.param.b64 [a], %rd1;
	st.param.b32 [g], %r1; st.param.b32 [g+4], 1; st.param.b32 [g+8], 1;
	st.param.b32 [b], 1; st.param.b32 [b+4], 1; st.param.b32 [b+8], 1;
	st.param.b32 [s], 0;
	call (o), __cudaCDP2GetParameterBufferV2, (a, g, b, s);
	ld.param.b64 %rd5, [o]; }
	setp.ne.b64 %p, %rd5, 0;
	@%p bra HAVE;
	{ .param .b32 o; call (o), __cudaCDP2PeekAtLastError, (); ld.param.b32 %r2, [o]; }
	bra DONE;
HAVE:
	st.b64 [%rd5], %rd2;
	st.b64 [%rd5+8], %rd3;
	{ .param .b64 a; .param .b64 s; .param .b32 o;
	st.param.b64 [a], %rd5; st.param.b64 [s], %rd4;
	call (o), __cudaCDP2LaunchDeviceV2, (a, s);
	ld.param.b32 %r2, [o]; }
DONE:
	st.param.b32 [r], %r2;
	ret;
}

.func append(.param .b64 log, .param .b64 value)
{
	.reg .b32 %r<3>; .reg .b64 %rd<6>;
	ld.param.b64 %rd1, [log];
	ld.param.b64 %rd2, [value];
	atom.add.u32 %r1, [%rd1], 1;
	mul.wide.u32 %rd3, %r1, 4;
	add.s64 %rd4, %rd1, %rd3;
	cvt.u32.u64 %r2, %rd2;
	st.u32 [%rd4+4], %r2;
	ret;
}

.visible .entry note(.param .u64 log, .param .u64 value)
{
	.reg .b64 %rd<3>;
	ld.param.u64 %rd1, [log];
	ld.param.u64 %rd2, [value];
	{ .param .b64 a; .param .b64 b; st.param.b64 [a], %rd1; st.param.b64 [b], %rd2; call append, (a, b); }
	ret;
}
";

/// A call of `go`, with the answer in `%r1`.
fn go(kernel: &str, blocks: u32, value: u64, stream: u64) -> String {
    go_of(kernel, blocks, &value.to_string(), stream)
}

/// The same call for one block, with a value that a register may hold.
fn go_with(kernel: &str, value: &str, stream: u64) -> String {
    go_of(kernel, 1, value, stream)
}

fn go_of(kernel: &str, blocks: u32, value: &str, stream: u64) -> String {
    format!(
        "mov.b64 %rd2, {kernel};
{{ .param .b64 f; .param .b32 n; .param .b64 l; .param .b64 v; .param .b64 s; .param .b32 o;
st.param.b64 [f], %rd2; st.param.b32 [n], {blocks}; st.param.b64 [l], %rd1; st.param.b64 [v], {value}; st.param.b64 [s], {stream};
call (o), go, (f, n, l, v, s);
ld.param.b32 %r1, [o]; }}\n"
    )
}

/// A call of `append`.
fn append(value: &str) -> String {
    format!(
        "{{ .param .b64 a; .param .b64 b; st.param.b64 [a], %rd1; st.param.b64 [b], {value}; call append, (a, b); }}\n"
    )
}

/// A kernel `name(log, value)` of this body, with the log in `%rd1`.
fn kernel(name: &str, body: &str) -> String {
    format!(
        ".visible .entry {name}(.param .u64 log, .param .u64 value)\n{{\n.reg .b32 %r<4>; .reg .b64 %rd<6>; .reg .pred %p;\n\
         ld.param.u64 %rd1, [log];\n{body}ret;\n}}\n"
    )
}

const BLOCK: u64 = 0;
const TAIL: u64 = 3;
const FIRE_AND_FORGET: u64 = 4;

/// Returns what a kernel `first` and all grids below it append to the log, and the report.
fn log_of(kernels: &[String], grid: u32, seed: u64, pending: Option<u32>) -> (Vec<u32>, Report) {
    let rig = Rig::new(&format!("{RUNTIME}{}", kernels.concat()));
    let log = rig.buffer(&[0u32; 256]);
    let params: Vec<u8> = [log, 0]
        .iter()
        .flat_map(|p: &u64| p.to_le_bytes())
        .collect();
    let launch = Launch {
        seed,
        pending_launches: pending,
        count: true,
        ..Launch::new("first", [grid, 1, 1], [1, 1, 1], &params)
    };
    let report = rig
        .device
        .launch(&rig.instance, &launch)
        .unwrap_or_else(|fault| panic!("error: {fault}"));
    let log: Vec<u32> = rig.read(log, 256);
    (log[1..=log[0] as usize].to_vec(), report)
}

#[test]
fn a_tail_begins_after_the_grid_and_its_children_whatever_the_seed() {
    let middle = kernel("middle", &(append("2") + &go("note", 1, 3, TAIL)));
    let first = kernel(
        "first",
        &(go("note", 1, 9, TAIL)
            + &go("middle", 1, 0, BLOCK)
            + &append("1")
            + &go("note", 1, 10, TAIL)),
    );
    for seed in 0..16 {
        let (log, report) = log_of(&[middle.clone(), first.clone()], 1, seed, None);
        let at = |value| {
            log.iter()
                .position(|&found| found == value)
                .expect("it ran")
        };
        assert!(
            at(2) < at(3),
            "a child's tail after the child: {log:?}, seed {seed}"
        );
        assert!(
            at(3) < at(9) && at(1) < at(9),
            "the tail after grid, child and its tail: {log:?}, seed {seed}"
        );
        assert!(at(9) < at(10), "the tail in order: {log:?}, seed {seed}");
        let counters = report.counters.expect("counted");
        assert_eq!(counters.device_launches, 4);
        assert_eq!(report.summary.chain, 5, "all of them wait for one another");
    }
}

#[test]
fn a_blocks_children_run_in_order_and_forgotten_ones_in_any() {
    let body = |stream| {
        (1..=6)
            .map(|value| go("note", 1, value, stream))
            .collect::<String>()
    };
    let ordered = kernel("first", &body(BLOCK));
    let mut orders = std::collections::HashSet::new();
    for seed in 0..16 {
        let (log, report) = log_of(std::slice::from_ref(&ordered), 1, seed, None);
        assert_eq!(log, [1, 2, 3, 4, 5, 6], "seed {seed}");
        assert_eq!(report.summary.chain, 7);
        let (log, report) = log_of(&[kernel("first", &body(FIRE_AND_FORGET))], 1, seed, None);
        assert_eq!(report.summary.chain, 2, "side by side");
        orders.insert(log);
    }
    assert!(orders.len() > 4, "the seeds show orders: {orders:?}");
}

#[test]
fn one_seed_gives_one_order_and_some_seeds_begin_a_child_in_the_middle_of_its_parent() {
    let body: String = (1..=6)
        .map(|value| go("note", 1, value, FIRE_AND_FORGET))
        .collect();
    let first = [kernel("first", &(body + &append("100")))];
    let mut early = 0;
    for seed in 0..16 {
        let (log, _) = log_of(&first, 3, seed, None);
        assert_eq!(log, log_of(&first, 3, seed, None).0, "seed {seed}");
        early += usize::from(log[0] != 100);
    }
    assert!(
        (1..16).contains(&early),
        "{early} of 16 seeds began a child early"
    );
    assert_eq!(
        log_of(&first, 1, 0, None).0[0],
        100,
        "seed 0 begins none early"
    );
}

#[test]
fn a_launch_beyond_the_device_or_of_no_kernel_answers_with_an_error() {
    let wide = 1 << 31;
    let cases = [
        (go("note", 0, 0, BLOCK), 9),
        (go("note", wide, 0, BLOCK), 9),
        (go("append", 1, 0, BLOCK), 98),
        (go("note", 1, 0, 77), 400),
    ];
    for (call, code) in cases {
        let first = kernel(
            "first",
            &(call + "cvt.u64.u32 %rd3, %r1;\n" + &append("%rd3")),
        );
        assert_eq!(log_of(&[first], 1, 0, None).0, [code]);
    }
}

#[test]
fn the_last_error_is_told_once() {
    let last = "{ .param .b32 o; call (o), __cudaCDP2GetLastError, (); ld.param.b32 %r2, [o]; }\ncvt.u64.u32 %rd3, %r2;\n";
    let tell = last.to_owned() + &append("%rd3");
    let first = kernel("first", &(go("append", 1, 0, BLOCK) + &tell + &tell));
    assert_eq!(log_of(&[first], 1, 0, None).0, [98, 0]);
}

#[test]
fn as_many_launches_are_pending_as_the_host_allows() {
    let tell = "cvt.u64.u32 %rd3, %r1;\n".to_owned() + &append("%rd3");
    let launch: String = (1..=3)
        .map(|value| go("note", 1, 10 + value, BLOCK) + &tell)
        .collect();
    let first = [kernel("first", &launch)];
    assert_eq!(log_of(&first, 1, 0, Some(2)).0, [0, 0, 69, 11, 12]);
    assert_eq!(log_of(&first, 1, 0, Some(3)).0, [0, 0, 0, 11, 12, 13]);
}

/// `first` launches itself until the log is full or a launch is not allowed.
fn nesting(stream: u64) -> String {
    let full = "ld.u32 %r2, [%rd1];\nsetp.gt.u32 %p, %r2, 100;\n@%p bra END;\n".to_owned();
    let answer = "cvt.u64.u32 %rd3, %r1;\n".to_owned() + &append("%rd3");
    kernel(
        "first",
        &(full + &go("first", 1, 0, stream) + &answer + "END:\n"),
    )
}

#[test]
fn children_nest_as_deep_as_there_are_slots_and_tails_without_end() {
    for seed in [0, 1, 2] {
        let (log, report) = log_of(&[nesting(BLOCK)], 1, seed, Some(60));
        assert_eq!(log.iter().filter(|&&code| code == 69).count(), 1, "{log:?}");
        assert_eq!(report.counters.expect("counted").device_launches, 60);
        assert_eq!(report.summary.chain, 61);
        let (log, report) = log_of(&[nesting(TAIL)], 1, seed, None);
        assert_eq!(log, [0; 101]);
        assert_eq!(report.summary.chain, 102);
    }
}

#[test]
fn a_fault_names_the_child_and_who_launched_it() {
    let bad = kernel("bad", "mov.b64 %rd2, 64;\nst.u32 [%rd2], %r1;\n");
    let first = kernel("first", &go("bad", 1, 0, BLOCK));
    for seed in 0..4 {
        let rig = Rig::new(&format!("{RUNTIME}{bad}{first}"));
        let log = rig.buffer(&[0u32; 4]);
        let params: Vec<u8> = [log, 0]
            .iter()
            .flat_map(|p: &u64| p.to_le_bytes())
            .collect();
        let launch = Launch {
            seed,
            ..Launch::new("first", [1; 3], [1; 3], &params)
        };
        let fault = rig
            .device
            .launch(&rig.instance, &launch)
            .expect_err("a null pointer")
            .to_string();
        assert!(
            fault.contains("kernel `bad`, block (0,0,0), thread (0,0,0)"),
            "{fault}"
        );
        assert!(
            fault.contains("launched by kernel `first`, block (0,0,0), thread (0,0,0)"),
            "{fault}"
        );
    }
}

#[test]
fn a_child_has_shared_memory_of_its_own() {
    let child = kernel(
        "child",
        ".shared .align 4 .b8 a[1024];\nmov.b64 %rd2, a;\nst.shared.u32 [%rd2], %r1;\n",
    );
    let first = kernel("first", &go("child", 1, 0, BLOCK));
    let rig = Rig::new(&format!("{RUNTIME}{child}{first}"));
    let module = rig.instance.module();
    let shared = |name| module.kernel(name).map(|kernel| kernel.static_shared);
    assert_eq!((shared("first"), shared("child")), (Some(0), Some(1024)));
}

#[test]
fn memory_of_pending_launches_is_given_back() {
    let rig = Rig::new(&format!(
        "{RUNTIME}{}",
        kernel("first", &go("note", 1, 5, BLOCK))
    ));
    let log = rig.buffer(&[0u32; 4]);
    let before = rig.device.memory().used();
    rig.ok("first", 1, 1, &[log, 0]);
    assert_eq!(rig.device.memory().used(), before);
    assert_eq!(rig.read::<u32>(log, 2), [1, 5]);
}

/// Returns the findings of the race check for a kernel `first` and all grids below it.
fn races(kernels: &[String], (grid, block): (u32, u32), seed: u64, pending: u32) -> Vec<String> {
    let rig = Rig::new(&format!("{RUNTIME}{}", kernels.concat()));
    let log = rig.buffer(&[0u32; 1024]);
    let params = [log, 0].map(u64::to_le_bytes).concat();
    let launch = Launch {
        seed,
        pending_launches: Some(pending),
        checks: "race".parse().expect("a check"),
        ..Launch::new("first", [grid, 1, 1], [block, 1, 1], &params)
    };
    let report = rig.device.launch(&rig.instance, &launch);
    let report = report.unwrap_or_else(|fault| panic!("error: {fault}"));
    let findings = report.findings.iter();
    findings.map(ToString::to_string).collect()
}

#[test]
fn parameters_of_one_launch_after_another_are_no_race() {
    let twice = go("note", 1, 5, FIRE_AND_FORGET).repeat(2);
    let first = kernel("first", &twice);
    for seed in 0..16 {
        for pending in [1, 2, 5] {
            let found = races(std::slice::from_ref(&first), (4, 40), seed, pending);
            assert!(found.is_empty(), "seed {seed}: {found:#?}");
        }
    }
}

#[test]
fn parameters_that_another_thread_writes_while_they_are_launched_are_a_race() {
    let first = |between: &str| {
        kernel(
            "first",
            &format!(
                ".shared .align 8 .b64 slot; .reg .pred %q; mov.u32 %r2, %tid.x; setp.ne.u32 %p, %r2, 0; setp.eq.u32 %q, %r2, 32;
@%p bra HAVE;
mov.b64 %rd2, idle;
{{ .param .b64 a; .param .align 4 .b8 g[12]; .param .align 4 .b8 b[12]; .param .b32 s; .param .b64 o;
st.param.b64 [a], %rd2;
st.param.b32 [g], 1; st.param.b32 [g+4], 1; st.param.b32 [g+8], 1;
st.param.b32 [b], 1; st.param.b32 [b+4], 1; st.param.b32 [b+8], 1;
st.param.b32 [s], 0;
call (o), __cudaCDP2GetParameterBufferV2, (a, g, b, s);
ld.param.b64 %rd5, [o]; }}
st.shared.u64 [slot], %rd5;
HAVE:
bar.sync 0;
ld.shared.u64 %rd5, [slot];
@%q st.u64 [%rd5], %rd1;
@%q st.u64 [%rd5+8], 5;
{between}
@%p bra DONE;
{{ .param .b64 a; .param .b64 s; .param .b32 o; st.param.b64 [a], %rd5; st.param.b64 [s], 0; call (o), __cudaCDP2LaunchDeviceV2, (a, s); ld.param.b32 %r1, [o]; }}
DONE:
"
            ),
        )
    };
    let idle = kernel("idle", "");
    for seed in 0..8 {
        let found = races(&[idle.clone(), first("bar.sync 0;")], (1, 64), seed, 4);
        assert!(found.is_empty(), "seed {seed}: {found:#?}");
        let found = races(&[idle.clone(), first("")], (1, 64), seed, 4);
        assert!(!found.is_empty(), "seed {seed}");
        let is_told = |text: &String| text.contains("the parameters of launches from kernels");
        assert!(found.iter().all(is_told), "{found:#?}");
    }
}

/// Blocks that launch run on all cores. Their children still run in the order of the blocks, and
/// leave the same counters.
#[test]
fn the_number_of_cores_does_not_change_the_order_of_children() {
    let spin = "mov.u32 %r2, %ctaid.x; and.b32 %r2, %r2, 7; mul.lo.u32 %r2, %r2, 200; SPIN: sub.u32 %r2, %r2, 1; setp.gt.s32 %p, %r2, 0; @%p bra SPIN;\n\
                mov.u32 %r2, %ctaid.x; cvt.u64.u32 %rd5, %r2;\n";
    let launches: String = [BLOCK, FIRE_AND_FORGET, BLOCK, TAIL]
        .map(|stream| go_with("note", "%rd5", stream))
        .concat();
    let first = kernel("first", &format!("{spin}{launches}"));
    let on = |cores: usize| {
        let pool = rayon::ThreadPoolBuilder::new()
            .num_threads(cores)
            .build()
            .expect("threads");
        pool.install(|| log_of(std::slice::from_ref(&first), 48, 0, None))
    };
    let (one, report) = on(1);
    // Three of each block, then the tails.
    let expected: Vec<u32> = (0..48).flat_map(|block| [block; 3]).chain(0..48).collect();
    assert_eq!(one, expected);
    for cores in [2, 3, 8] {
        let (log, other) = on(cores);
        assert_eq!(log, one, "{cores} cores");
        assert_eq!(other.counters, report.counters, "{cores} cores");
        assert_eq!(other.summary.chain, report.summary.chain, "{cores} cores");
    }
}
