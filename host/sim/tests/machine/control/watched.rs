//! The checks process most accesses a whole warp at a time, in several fast ways. When counters
//! are also on, they process accesses lane by lane. On random kernels both must find the same
//! errors, equally often.

use crate::common::{Numbers, Rig};
use lanewise_sim::{Checks, Launch};

/// Bytes of the buffer in global memory, and of the two arrays in shared memory together.
const BYTES: u64 = 8192;

/// Computes `%i`, an offset for accesses of `size` bytes that is smaller than `BYTES / 2`, in
/// patterns that kernels use.
fn offsets(numbers: &mut Numbers, size: u64) -> String {
    let most = BYTES / 2 - size;
    let lanes = match numbers.below(8) {
        // Side by side, over the whole block or from each warp's own place.
        0 | 1 => format!("mul.lo.u32 %i, %me, {size};"),
        2 => format!("and.b32 %i, %me, 31; mul.lo.u32 %i, %i, {size};"),
        // All at one place.
        3 => format!("mov.u32 %i, {};", numbers.below(64) * size),
        // By columns, of rows with a gap or without.
        4 => format!("mul.lo.u32 %i, %me, {};", numbers.one(&[128, 132, 64, 48])),
        // Rows of half a warp.
        5 => format!(
            "and.b32 %i, %me, 15; mul.lo.u32 %i, %i, {size}; shr.u32 %k, %me, 4; mad.lo.u32 %i, %k, 256, %i;"
        ),
        // Backwards.
        6 => format!("xor.b32 %i, %me, 31; mul.lo.u32 %i, %i, {size};"),
        // Anywhere.
        _ => format!(
            "mad.lo.u32 %i, %me, {}, {}; and.b32 %i, %i, 63; mul.lo.u32 %i, %i, {size};",
            numbers.one(&[73, 22, 31]),
            numbers.below(64)
        ),
    };
    // A warp may start anywhere, and no thread accesses the last bytes.
    let start = numbers.below(8) * 4 / size * size;
    let mask = most.next_power_of_two() / 2 - 1;
    format!(
        "{lanes} add.u32 %i, %i, {start}; and.b32 %i, %i, {};",
        mask / size * size
    )
}

/// A body of accesses and of instructions that order them.
fn body(seed: u64) -> String {
    let mut numbers = Numbers(seed);
    let mut text = String::new();
    // The register that holds an address for accesses of this many bytes, and its space.
    let mut last: Option<(&str, &str, u64)> = None;
    for _ in 0..numbers.below(12) + 3 {
        if numbers.below(3) == 0 {
            text += numbers.one(&[
                "bar.sync 0;\n",
                "bar.sync 0;\n",
                "bar.sync 0;\n",
                "bar.warp.sync -1;\n",
                "@%p4 bar.sync 1, 64;\n",
                "membar.gl;\n",
                "membar.cta;\n",
            ]);
        }
        // Most kernels access words.
        let size = numbers.one(&[4, 4, 4, 4, 1, 2, 8, 16]);
        let (register, space, size) = match last {
            Some(again) if numbers.below(3) == 0 => again,
            _ => {
                let (register, space) = numbers.one(&[
                    ("%g", "global"),
                    ("%s", "shared"),
                    ("%n", "shared"),
                    ("%s", "shared"),
                    ("%e", ""),
                ]);
                text += &offsets(&mut numbers, size);
                text += &match register {
                    "%n" => "mov.u32 %k, one; add.u32 %n, %k, %i;\n".to_string(),
                    "%e" => "cvt.u64.u32 %x, %i; mov.u64 %e, one; cvta.shared.u64 %e, %e; add.u64 %e, %e, %x;\n".to_string(),
                    "%g" => "cvt.u64.u32 %x, %i; add.u64 %g, %data, %x;\n".to_string(),
                    _ => "cvt.u64.u32 %x, %i; mov.u64 %s, one; add.u64 %s, %s, %x;\n".to_string(),
                };
                (register, space, size)
            }
        };
        last = Some((register, space, size));
        let guard = numbers.one(&["", "", "", "@%p1 ", "@%p2 ", "@!%p2 "]);
        // Up to the end of the first array, and past it.
        let at = format!("[{register}+{}]", numbers.below(140) * 16);
        let dot = if space.is_empty() { "" } else { "." };
        let (ty, value, two) = match size {
            1 => ("u8", "%h", ""),
            2 => ("u16", "%h", ""),
            4 => ("b32", "%r", ""),
            8 => ("b64", "%y", ""),
            _ => ("v2.b64", "{%y, %z}", "%z"),
        };
        text += guard;
        text += &match numbers.below(12) {
            0..5 => format!("ld{dot}{space}.{ty} {value}, {at};\n"),
            5..8 => format!("st{dot}{space}.{ty} {at}, {value};\n"),
            8 if size == 4 => format!("atom{dot}{space}.exch.b32 %r, {at}, %me;\n"),
            9 | 10 if size == 4 => {
                let scope = numbers.one(&["", ".cta"]);
                format!("red{scope}{dot}{space}.add.u32 {at}, %me;\n")
            }
            11 if two.is_empty() => format!("ld.volatile{dot}{space}.{ty} {value}, {at};\n"),
            _ => format!("st{dot}{space}.{ty} {at}, {value};\n"),
        };
        // Few values decide something, so that most accesses bring nothing to follow.
        if numbers.below(6) == 0 {
            text += "setp.eq.u32 %p3, %r, 77; @%p3 add.u32 %me, %me, 0;\n";
        }
        if numbers.below(4) == 0 {
            text += "mov.b32 %r, 1; mov.b64 %y, 1; mov.b64 %z, 1; mov.b16 %h, 1;\n";
        }
    }
    text
}

/// Returns what the checks find in a kernel of three blocks.
fn findings(seed: u64, checks: Checks, count: bool) -> Vec<String> {
    let threads = [128u32, 112, 128][seed as usize % 3];
    let rig = Rig::new(&format!(
        ".visible .entry k(.param .u64 data) {{
        .shared .align 16 .b8 one[{half}]; .shared .align 16 .b8 other[{half}];
        .reg .b64 %g, %s, %e, %x, %y, %z, %data; .reg .b32 %me, %n, %i, %k, %r; .reg .b16 %h; .reg .pred %p<5>;
        mov.u32 %me, %tid.x; ld.param.u64 %data, [data]; and.b32 %i, %me, 3; setp.eq.u32 %p1, %i, 0; setp.lt.u32 %p2, %me, 44; setp.lt.u32 %p4, %me, 64;
        mov.b32 %r, 1; mov.b64 %y, 1; mov.b64 %z, 1; mov.b16 %h, 1;
        // Most of shared memory is written by somebody; an array that nothing names would
        // not be there.
        mov.u32 %k, other;
        mov.u32 %i, one; mad.lo.u32 %i, %me, 4, %i; mov.u32 %k, 0;
        FILL: st.shared.b32 [%i], %k; add.u32 %i, %i, {bytes}; add.u32 %k, %k, 1; setp.lt.u32 %p3, %k, {rounds}; @%p3 bra FILL;
        {sync}
        {body}
        ret; }}",
        half = BYTES / 2,
        bytes = threads * 4,
        rounds = [16, 18, 9][seed as usize % 3],
        sync = ["bar.sync 0;", "bar.sync 0;", ""][seed as usize / 3 % 3],
        body = body(seed),
    ));
    let data = rig.unwritten(BYTES);
    rig.device
        .memory()
        .written(data, [BYTES, BYTES - 16, 2048][seed as usize % 3]);
    let params = data.to_le_bytes();
    let launch = Launch {
        count,
        checks,
        ..Launch::new("k", [3, 1, 1], [threads, 1, 1], &params)
    };
    let report = rig.device.launch(&rig.instance, &launch);
    let report = report.unwrap_or_else(|fault| panic!("seed {seed}: {fault}\n{}", body(seed)));
    let found = report.findings.iter();
    found.map(|f| format!("{} times {f}", f.count)).collect()
}

#[test]
fn quick_ways_find_what_looking_at_each_lane_finds() {
    // On one core: which of two blocks is the first to touch a place is no accident then.
    let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build();
    let pool = pool.expect("a thread");
    let mut some = [0; 3];
    for seed in 0..100 {
        for (checks, some) in ["all", "race", "init"].into_iter().zip(&mut some) {
            let checks: Checks = checks.parse().expect("a check");
            let found = |count| pool.install(|| findings(seed, checks, count));
            let (quick, each) = (found(false), found(true));
            assert_eq!(quick, each, "seed {seed}\n{}", body(seed));
            *some += usize::from(!each.is_empty());
        }
    }
    // Both that find something and that find nothing are looked at.
    assert!(some.iter().all(|&n| n > 10 && n < 100), "{some:?}");
}
