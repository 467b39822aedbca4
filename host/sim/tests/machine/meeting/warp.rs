//! `shfl`, `vote`, `match`, `redux`, `activemask`, `elect`: the lanes of a warp in disjoint sets.
//!
//! Random sets of lanes meet at one instruction, each with its own mask; lanes in no set branch
//! around it. This file computes each lane's result from the ISA's pseudocode, set by set.

use crate::common::{Numbers, Rig};

const NOBODY: u32 = 0xdead_0000;

/// One instruction: `%a` (or `%w`, 64 bits) the value, `%b` and `%c` operands, `%m` the mask, `%p`
/// a predicate that is `%a`'s lowest bit; `%d` the result (or predicate `%q`, which becomes 1 or 0
/// in the second).
fn kernel(instruction: &str) -> Rig {
    Rig::on(
        lanewise_sim::DeviceModel::b200(),
        &format!(
            ".version 8.8\n.target sm_100a\n.address_size 64\n
            .visible .entry k(.param .u64 values, .param .u64 bs, .param .u64 cs, .param .u64 masks, .param .u64 out, .param .u64 preds) {{
            .reg .b64 %rd<8>; .reg .b32 %a, %b, %c, %m, %d, %l; .reg .b64 %w; .reg .pred %p, %q, %in;
            mov.u32 %l, %laneid; mov.b32 %d, 0xdead0000; setp.ne.b32 %q, %d, %d;
            ld.param.u64 %rd0, [values]; mad.wide.u32 %rd0, %l, 8, %rd0; ld.global.u64 %w, [%rd0]; cvt.u32.u64 %a, %w;
            ld.param.u64 %rd0, [bs]; mad.wide.u32 %rd0, %l, 4, %rd0; ld.global.u32 %b, [%rd0];
            ld.param.u64 %rd0, [cs]; mad.wide.u32 %rd0, %l, 4, %rd0; ld.global.u32 %c, [%rd0];
            ld.param.u64 %rd0, [masks]; mad.wide.u32 %rd0, %l, 4, %rd0; ld.global.u32 %m, [%rd0];
            and.b32 %l, %a, 1; setp.ne.u32 %p, %l, 0; mov.u32 %l, %laneid; setp.ne.u32 %in, %m, 0;
            @!%in bra OUT; {instruction}
        OUT: ld.param.u64 %rd0, [out]; mad.wide.u32 %rd0, %l, 4, %rd0; st.global.u32 [%rd0], %d;
            selp.b32 %d, 1, 0, %q; ld.param.u64 %rd0, [preds]; mad.wide.u32 %rd0, %l, 4, %rd0; st.global.u32 [%rd0], %d; ret; }}"
        ),
    )
}

/// The values that lanes hold.
struct Warp {
    values: [u64; 32],
    b: [u32; 32],
    c: [u32; 32],
    masks: [u32; 32],
}

impl Warp {
    /// Lanes in up to four sets, some in none; values from `pick`.
    fn random(numbers: &mut Numbers, mut pick: impl FnMut(&mut Numbers) -> u64) -> Self {
        let sets: [i64; 32] = std::array::from_fn(|_| numbers.within((-1, 3)));
        let whole = numbers.within((0, 3)) == 0;
        let masks = std::array::from_fn(|lane| match (whole, sets[lane]) {
            (true, _) => u32::MAX,
            (_, -1) => 0,
            (_, set) => (0..32)
                .filter(|&l| sets[l] == set)
                .fold(0, |m, l| m | 1 << l),
        });
        let values = std::array::from_fn(|_| pick(numbers));
        // Shuffles are by one amount in a set, as compilers write them, and by any in others.
        let b = std::array::from_fn(|_| numbers.within((0, 40)) as u32);
        let segments = [0x1f, 0x181f, 0x1c1f, 0x1e1f, 0, 0x1800, 7, 0x1807];
        let c = std::array::from_fn(|_| segments[numbers.within((0, 7)) as usize]);
        Self {
            values,
            b,
            c,
            masks,
        }
    }

    /// Results and predicates.
    fn run(&self, rig: &Rig) -> (Vec<u32>, Vec<u32>) {
        let (v, b, c) = (
            rig.buffer(&self.values),
            rig.buffer(&self.b),
            rig.buffer(&self.c),
        );
        let (m, out, p) = (
            rig.buffer(&self.masks),
            rig.buffer(&[0u32; 32]),
            rig.buffer(&[0u32; 32]),
        );
        rig.ok("k", 1, 32, &[v, b, c, m, out, p]);
        (rig.read(out, 32), rig.read(p, 32))
    }

    /// Returns the lanes of the set that contains `lane`.
    fn set(&self, lane: usize) -> impl Iterator<Item = usize> + '_ {
        let mask = self.masks[lane];
        (0..32).filter(move |l| mask >> l & 1 == 1)
    }
}

/// Runs the instruction on many warps. `expected(warp, lane)` returns result and predicate, if the
/// ISA defines them.
fn agree(
    instruction: &str,
    pick: fn(&mut Numbers) -> u64,
    expected: impl Fn(&Warp, usize) -> (Option<u32>, Option<bool>),
) {
    let rig = kernel(instruction);
    let mut numbers = Numbers(instruction.len() as u64);
    for round in 0..40 {
        let warp = Warp::random(&mut numbers, pick);
        let (results, predicates) = warp.run(&rig);
        for lane in 0..32 {
            let (result, predicate) = match warp.masks[lane] {
                0 => (Some(NOBODY), Some(false)),
                _ => expected(&warp, lane),
            };
            let at = || format!("{instruction} round {round} lane {lane}");
            if let Some(result) = result {
                assert_eq!(results[lane], result, "{}", at());
            }
            if let Some(predicate) = predicate {
                assert_eq!(predicates[lane] == 1, predicate, "predicate of {}", at());
            }
        }
    }
}

fn any(numbers: &mut Numbers) -> u64 {
    (numbers.within((0, i64::from(u32::MAX))) as u64) << 32
        | numbers.within((0, i64::from(u32::MAX))) as u64
}

/// Draws from few values, so that lanes often agree; the upper halves differ too.
fn few(numbers: &mut Numbers) -> u64 {
    (numbers.within((0, 1)) as u64) << 40 | numbers.within((0, 2)) as u64
}

#[test]
fn shuffles_follow_the_pseudocode() {
    for mode in ["up", "down", "bfly", "idx"] {
        for to in ["%d", "%d|%q"] {
            agree(
                &format!("shfl.sync.{mode}.b32 {to}, %a, %b, %c, %m;"),
                any,
                |warp, lane| {
                    let (l, b, c) = (lane as i64, i64::from(warp.b[lane] & 31), warp.c[lane]);
                    let (clamp, mask) = (i64::from(c & 31), i64::from(c >> 8 & 31));
                    let (max, min) = ((l & mask) | (clamp & !mask & 31), l & mask);
                    let (j, inside) = match mode {
                        "up" => (l - b, l - b >= max),
                        "down" => (l + b, l + b <= max),
                        "bfly" => (l ^ b, l ^ b <= max),
                        _ => (min | (b & !mask & 31), min | (b & !mask & 31) <= max),
                    };
                    let j = if inside { j } else { l } as usize;
                    // From a lane that is not in the set the value is undefined.
                    let there = warp.set(lane).any(|other| other == j);
                    (
                        there.then_some(warp.values[j % 32] as u32),
                        (to != "%d").then_some(inside),
                    )
                },
            );
        }
    }
}

#[test]
fn votes_are_those_of_the_set() {
    let odd = |warp: &Warp, lane: usize| warp.values[lane] & 1 == 1;
    agree(
        "vote.sync.ballot.b32 %d, %p, %m;",
        few,
        move |warp, lane| {
            (
                Some(
                    warp.set(lane)
                        .filter(|&l| odd(warp, l))
                        .fold(0, |m, l| m | 1 << l),
                ),
                None,
            )
        },
    );
    agree(
        "vote.sync.ballot.b32 %d, !%p, %m;",
        few,
        move |warp, lane| {
            (
                Some(
                    warp.set(lane)
                        .filter(|&l| !odd(warp, l))
                        .fold(0, |m, l| m | 1 << l),
                ),
                None,
            )
        },
    );
    agree("vote.sync.all.pred %q, %p, %m;", few, move |warp, lane| {
        (None, Some(warp.set(lane).all(|l| odd(warp, l))))
    });
    agree("vote.sync.any.pred %q, %p, %m;", few, move |warp, lane| {
        (None, Some(warp.set(lane).any(|l| odd(warp, l))))
    });
    agree("vote.sync.uni.pred %q, %p, %m;", few, move |warp, lane| {
        (
            None,
            Some(warp.set(lane).all(|l| odd(warp, l) == odd(warp, lane))),
        )
    });
}

#[test]
fn matches_compare_the_set() {
    let narrow = |warp: &Warp, lane: usize| warp.values[lane] & 0xffff_ffff;
    let wide = |warp: &Warp, lane: usize| warp.values[lane];
    for (value, ty, of) in [
        ("%a", "b32", narrow as fn(&Warp, usize) -> u64),
        ("%w", "b64", wide),
    ] {
        agree(
            &format!("match.any.sync.{ty} %d, {value}, %m;"),
            few,
            move |warp, lane| {
                let same = warp.set(lane).filter(|&l| of(warp, l) == of(warp, lane));
                (Some(same.fold(0, |m, l| m | 1 << l)), None)
            },
        );
        let all =
            move |warp: &Warp, lane: usize| warp.set(lane).all(|l| of(warp, l) == of(warp, lane));
        agree(
            &format!("match.all.sync.{ty} %d|%q, {value}, %m;"),
            few,
            move |warp, lane| {
                let same = all(warp, lane);
                (Some(if same { warp.masks[lane] } else { 0 }), Some(same))
            },
        );
        agree(
            &format!("match.all.sync.{ty} %d, {value}, %m;"),
            few,
            move |warp, lane| {
                (
                    Some(if all(warp, lane) { warp.masks[lane] } else { 0 }),
                    None,
                )
            },
        );
    }
}

#[test]
fn reductions_join_the_set() {
    type Join = fn(u32, u32) -> u32;
    let cases: [(&str, Join); 9] = [
        ("add.u32", |a, b| a.wrapping_add(b)),
        ("add.s32", |a, b| a.wrapping_add(b)),
        ("min.u32", |a, b| a.min(b)),
        ("max.u32", |a, b| a.max(b)),
        ("min.s32", |a, b| (a as i32).min(b as i32) as u32),
        ("max.s32", |a, b| (a as i32).max(b as i32) as u32),
        ("and.b32", |a, b| a & b),
        ("or.b32", |a, b| a | b),
        ("xor.b32", |a, b| a ^ b),
    ];
    for (operation, join) in cases {
        agree(
            &format!("redux.sync.{operation} %d, %a, %m;"),
            any,
            move |warp, lane| {
                (
                    warp.set(lane).map(|l| warp.values[l] as u32).reduce(join),
                    None,
                )
            },
        );
    }
}

/// Numbers of either sign, zeros, and now and then a NaN.
fn floats(numbers: &mut Numbers) -> u64 {
    let all = [
        0x3f80_0000,
        0xc120_0000,
        0x4120_0000,
        0x8000_0000,
        0,
        0x0000_0001,
        0x7f80_0000,
        0xff80_0000,
        0x7fc1_2345u64,
    ];
    // One NaN in twenty: most sets have none.
    match numbers.within((0, 19)) {
        0 => all[8],
        _ => all[numbers.within((0, 7)) as usize],
    }
}

#[test]
fn extremes_of_floats_are_those_of_the_set() {
    for (word, max) in [("min", false), ("max", true)] {
        for (abs_word, abs) in [("", false), (".abs", true)] {
            for (nan_word, nan) in [("", false), (".NaN", true)] {
                agree(
                    &format!("redux.sync.{word}{abs_word}{nan_word}.f32 %d, %a, %m;"),
                    floats,
                    move |warp, lane| {
                        let of = |l: usize| f32::from_bits(warp.values[l] as u32);
                        let all: Vec<f32> = warp
                            .set(lane)
                            .map(of)
                            .map(|v| if abs { v.abs() } else { v })
                            .collect();
                        let numbers: Vec<f32> =
                            all.iter().copied().filter(|v| !v.is_nan()).collect();
                        if numbers.is_empty() || (nan && numbers.len() < all.len()) {
                            return (Some(0x7fff_ffff), None);
                        }
                        // Negative zero is below positive zero.
                        let order = |a: &f32, b: &f32| a.total_cmp(b);
                        let it = numbers.into_iter();
                        let extreme = if max {
                            it.max_by(order)
                        } else {
                            it.min_by(order)
                        };
                        (extreme.map(f32::to_bits), None)
                    },
                );
            }
        }
    }
}

#[test]
fn one_lane_of_the_set_is_elected() {
    let rig = kernel("elect.sync %d|%q, %m;");
    let mut numbers = Numbers(5);
    for _ in 0..40 {
        let warp = Warp::random(&mut numbers, any);
        let (leaders, elected) = warp.run(&rig);
        for lane in (0..32).filter(|&lane| warp.masks[lane] != 0) {
            let leader = leaders[lane] as usize;
            assert!(
                warp.set(lane).any(|l| l == leader),
                "the leader is in the set"
            );
            assert!(
                warp.set(lane).all(|l| leaders[l] as usize == leader),
                "all name one leader"
            );
            assert_eq!(elected[lane] == 1, lane == leader);
        }
    }
    agree("elect.sync _|%q, %m;", any, |warp, lane| {
        (
            None,
            Some(warp.masks[lane].trailing_zeros() as usize == lane),
        )
    });
}

#[test]
fn activemask_is_a_set_of_lanes_that_are_there() {
    let rig = kernel("activemask.b32 %d;");
    let mut numbers = Numbers(9);
    for _ in 0..20 {
        let warp = Warp::random(&mut numbers, any);
        let (active, _) = warp.run(&rig);
        let there = (0..32)
            .filter(|&l| warp.masks[l] != 0)
            .fold(0u32, |m, l| m | 1 << l);
        for lane in (0..32).filter(|&lane| warp.masks[lane] != 0) {
            assert!(
                active[lane] >> lane & 1 == 1 && active[lane] & !there == 0,
                "{:#x} of {there:#x}",
                active[lane]
            );
        }
    }
}

#[test]
fn a_lane_outside_of_its_own_mask_is_said() {
    let mut warp = Warp::random(&mut Numbers(1), any);
    warp.masks = [0xffff_fffe; 32];
    let rig = kernel("vote.sync.ballot.b32 %d, %p, %m;");
    let (v, m, out) = (
        rig.buffer(&warp.values),
        rig.buffer(&warp.masks),
        rig.buffer(&[0u32; 32]),
    );
    let report = rig.fault("k", 1, 32, &[v, m, m, m, out, out]);
    assert!(
        report.contains("lane 0 is not in its own member mask 0xfffffffe"),
        "{report}"
    );
}

/// Without `.sync` the members are the lanes that run: all of them after a join, half of them
/// inside of a branch.
#[test]
fn without_sync_whoever_runs_takes_part() {
    let body = "
        .visible .entry k(.param .u64 out) {
            .reg .b64 %rd<3>; .reg .b32 %l, %a, %d, %e, %f; .reg .pred %low, %p, %q;
            ld.param.u64 %rd0, [out]; mov.u32 %l, %laneid; mad.wide.u32 %rd0, %l, 16, %rd0;
            setp.lt.u32 %low, %l, 16; mov.u32 %d, 0;
            @!%low bra HIGH;
            mul.lo.u32 %a, %l, 3; setp.lt.u32 %q, %l, 4; vote.ballot.b32 %d, %q; bra JOIN;
        HIGH: add.u32 %a, %l, 100; vote.all.pred %p, %low; @%p mov.u32 %d, 1; @!%p mov.u32 %d, 2;
        JOIN: shfl.idx.b32 %e|%p, %a, 20, 0x1f; shfl.down.b32 %f, %a, 1, 0x1f; vote.uni.pred %q, %low;
            @%q mov.u32 %d, 77;
            st.global.v4.u32 [%rd0], {%d, %e, %f, %l}; ret; }";
    let head =
        |version, target| format!(".version {version}\n.target {target}\n.address_size 64\n{body}");
    // On what has no `.sync` at all, and on what still takes it from old modules.
    for (version, target) in [("6.0", "sm_50"), ("9.0", "sm_62"), ("6.3", "sm_70")] {
        let rig = Rig::on(lanewise_sim::DeviceModel::h200(), &head(version, target));
        let out = rig.buffer(&[0u32; 128]);
        let report = rig.ok("k", 1, 32, &[out]);
        assert!(report.findings.is_empty());
        let a = |lane: u32| if lane < 16 { lane * 3 } else { lane + 100 };
        let expected: Vec<u32> = (0..32)
            .flat_map(|lane| {
                [
                    if lane < 16 { 0xf } else { 2 },
                    a(20),
                    a((lane + 1).min(31)),
                    lane,
                ]
            })
            .collect();
        assert_eq!(rig.read::<u32>(out, 128), expected, "{version} {target}");
    }
    let gone = lanewise_sim::Module::load(&head("6.4", "sm_75"))
        .expect_err("sm_70 and later have no such form");
    let message = gone.to_string();
    assert!(
        message.contains("without `.sync` is gone from PTX 6.4 for sm_70"),
        "{message}"
    );
}
