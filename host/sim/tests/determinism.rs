//! One seed gives one result. A program without races gives the same result on one core
//! and on several.

use std::sync::Mutex;

use crate::common::Rig;
use lanewise_sim::{Counters, Launch};
use rayon::ThreadPoolBuilder;

/// Everything that a launch leaves: memory, what was printed, counters.
#[derive(Debug, PartialEq)]
struct Outcome {
    memory: Vec<u32>,
    printed: Vec<String>,
    counters: Option<Counters>,
}

const WORDS: usize = 4096;

/// A kernel `k(u64 in, u64 out)` over 16 blocks of 96 threads.
fn outcome(body: &str, seed: u64, cores: usize) -> Outcome {
    let pool = ThreadPoolBuilder::new()
        .num_threads(cores)
        .build()
        .expect("threads");
    pool.install(|| {
        let rig = Rig::new(body);
        let input: Vec<u32> = (0..WORDS as u32)
            .map(|i| i.wrapping_mul(2_654_435_761) >> 8)
            .collect();
        let (of, to) = (rig.buffer(&input), rig.buffer(&vec![0u32; WORDS]));
        let params: Vec<u8> = [of, to].iter().flat_map(|p| p.to_le_bytes()).collect();
        let printed = Mutex::new(Vec::new());
        let print = |text: &[u8]| {
            let text = String::from_utf8_lossy(text).into_owned();
            printed.lock().expect("no panic").push(text);
        };
        let launch = Launch {
            seed,
            count: true,
            printf: &print,
            ..Launch::new("k", [16, 1, 1], [96, 1, 1], &params)
        };
        let report = rig
            .device
            .launch(&rig.instance, &launch)
            .unwrap_or_else(|fault| panic!("{fault}"));
        Outcome {
            memory: rig.read(to, WORDS),
            printed: printed.into_inner().expect("no panic"),
            counters: report.counters,
        }
    })
}

/// Registers and the addresses of the thread's words: `%in` and `%out`, `%i` the thread's number
/// in the grid.
const PREFIX: &str = "
.visible .entry k(.param .u64 in, .param .u64 out)
{
    .reg .pred %p<4>; .reg .b32 %r<16>; .reg .b32 %i, %t, %b; .reg .b64 %in, %out, %base, %rd<8>;
    .shared .align 8 .b8 tile[512];
    mov.u32 %t, %tid.x;
    mov.u32 %b, %ctaid.x;
    mad.lo.u32 %i, %b, 96, %t;
    ld.param.u64 %in, [in];
    ld.param.u64 %base, [out];
    mad.wide.u32 %in, %i, 4, %in;
    mad.wide.u32 %out, %i, 4, %base;
    ld.global.u32 %r0, [%in];
";

fn kernel(body: &str) -> String {
    format!("{PREFIX}{body}\n    ret;\n}}\n")
}

/// Finds out which thread of a block writes a word last. Only the order of warps decides that.
const LAST_WRITER: &str = "
    and.b32 %r1, %r0, 3;
    mov.u32 %r2, 0;
LOOP:
    add.u32 %r2, %r2, 1;
    setp.lt.u32 %p0, %r2, %r1;
    @%p0 bra LOOP;
    mul.wide.u32 %rd0, %b, 4;
    add.u64 %rd0, %base, %rd0;
    st.volatile.global.u32 [%rd0], %t;";

/// Sums by shuffles and through shared memory, with one count for all blocks. The sums are of
/// integers, so their order does not matter.
const SUMS: &str = "
    shfl.sync.bfly.b32 %r1, %r0, 16, 31, -1;
    add.u32 %r0, %r0, %r1;
    shfl.sync.bfly.b32 %r1, %r0, 5, 31, -1;
    xor.b32 %r0, %r0, %r1;
    mov.u32 %r3, tile;
    mad.lo.u32 %r3, %t, 4, %r3;
    st.shared.u32 [%r3], %r0;
    bar.sync 0;
    xor.b32 %r4, %t, 31;
    mov.u32 %r5, tile;
    mad.lo.u32 %r5, %r4, 4, %r5;
    ld.shared.u32 %r6, [%r5];
    st.global.u32 [%out], %r6;
    atom.global.add.u32 %r7, [%base+16000], %r6;
    red.global.max.u32 [%base+16004], %r6;
    and.b32 %r8, %r0, 1;
    setp.eq.u32 %p0, %r8, 0;
    @%p0 bra EVEN;
    mul.lo.u32 %r6, %r6, 3;
    st.global.u32 [%out], %r6;
EVEN:";

#[test]
fn one_seed_gives_one_result_even_with_a_race() {
    let body = kernel(LAST_WRITER);
    for seed in 0..4 {
        assert_eq!(
            outcome(&body, seed, 1),
            outcome(&body, seed, 1),
            "seed {seed}"
        );
    }
}

#[test]
fn another_seed_is_another_order() {
    let body = kernel(LAST_WRITER);
    let first = outcome(&body, 0, 1).memory;
    assert!((1..32).any(|seed| outcome(&body, seed, 1).memory != first));
}

#[test]
fn the_number_of_cores_does_not_change_a_result() {
    let body = kernel(SUMS);
    for seed in 0..4 {
        let one = outcome(&body, seed, 1);
        assert!(one.memory.iter().any(|&word| word != 0));
        for cores in [2, 3, 8] {
            assert_eq!(
                outcome(&body, seed, cores),
                one,
                "seed {seed}, {cores} cores"
            );
        }
    }
}

#[test]
fn the_number_of_cores_does_not_change_what_is_printed() {
    let body = format!(
        "
.extern .func (.param .b32 result) vprintf(.param .b64 format, .param .b64 list);
.global .align 1 .b8 format[4] = {{37, 117, 10, 0}};
{}",
        kernel(
            "
    .local .align 8 .b8 list[8];
    .reg .b64 %list, %format;
    setp.ne.u32 %p0, %t, 0;
    @%p0 bra DONE;
    st.local.u32 [list], %r0;
    mov.u64 %rd1, list;
    cvta.local.u64 %list, %rd1;
    mov.u64 %rd2, format;
    cvta.global.u64 %format, %rd2;
    {
    .param .b64 a; .param .b64 b; .param .b32 c;
    st.param.b64 [a], %format;
    st.param.b64 [b], %list;
    call.uni (c), vprintf, (a, b);
    }
DONE:"
        )
    );
    let one = outcome(&body, 0, 1);
    assert_eq!(one.printed.len(), 16, "a line of each block");
    for cores in [2, 5] {
        assert_eq!(
            outcome(&body, 0, cores).printed,
            one.printed,
            "{cores} cores"
        );
    }
}
