//! What lanes get from their warp, and atomics: H200 cases and the ISA's pseudo-code.

use crate::semantics::atomic::*;
use crate::semantics::int::{add_u32, max_s32, min_u32};
use crate::semantics::warp::*;

/// `shfl` of the lane numbers over a whole warp: the lanes read and the predicate mask.
fn shuffle(mode: Shuffle, b: u32, c: u32) -> (Vec<u32>, u32) {
    let results: Vec<(u32, bool)> = (0..32).map(|lane| shfl_source(mode, lane, b, c)).collect();
    let mask = (0..32).fold(0, |mask, lane| mask | u32::from(results[lane].1) << lane);
    (results.into_iter().map(|(from, _)| from).collect(), mask)
}

#[test]
fn shuffles_are_as_measured() {
    use Shuffle::{Bfly, Down, Idx, Up};
    assert_eq!(shuffle(Up, 33, 0), shuffle(Up, 1, 0));
    assert_eq!(shuffle(Down, 40, 31), shuffle(Down, 8, 31));
    assert_eq!(shuffle(Bfly, 33, 31), shuffle(Bfly, 1, 31));
    assert_eq!(shuffle(Idx, 40, 31), (vec![8; 32], !0));
    let (from, mask) = shuffle(Up, 2, 0);
    assert_eq!((from[0], from[1], from[2], mask), (0, 1, 0, 0xffff_fffc));
    assert_eq!(shuffle(Up, 4, 0x1800).1, 0xf0f0_f0f0);
    assert_eq!(shuffle(Down, 4, 0x181f).1, 0x0f0f_0f0f);
    let (from, mask) = shuffle(Bfly, 16, 0x181f);
    let expected: Vec<u32> = (0..16).chain(0..16).collect();
    assert_eq!((from, mask), (expected, 0xffff_0000));
    assert_eq!(shuffle(Idx, 3, 7).0, vec![3; 32]);
}

#[test]
fn shuffles_follow_the_isa_for_all_operands() {
    for mode in [Shuffle::Up, Shuffle::Down, Shuffle::Bfly, Shuffle::Idx] {
        for lane in 0..32i32 {
            for b in 0..33i32 {
                for c in (0..1 << 13).filter(|c| c & 0xe0 == 0) {
                    let (bval, cval, mask) = (b & 31, c & 31, c >> 8 & 31);
                    let (max_lane, min_lane) = ((lane & mask) | (cval & !mask), lane & mask);
                    let (j, inside) = match mode {
                        Shuffle::Up => (lane - bval, lane - bval >= max_lane),
                        Shuffle::Down => (lane + bval, lane + bval <= max_lane),
                        Shuffle::Bfly => (lane ^ bval, lane ^ bval <= max_lane),
                        Shuffle::Idx => (
                            min_lane | (bval & !mask),
                            min_lane | (bval & !mask) <= max_lane,
                        ),
                    };
                    let expected = (if inside { j } else { lane } as u32, inside);
                    let got = shfl_source(mode, lane as u32, b as u32, c as u32);
                    assert_eq!(got, expected, "{mode:?} lane {lane} b {b} c {c:#x}");
                    assert!(got.0 < 32);
                }
            }
        }
    }
}

#[test]
fn votes_count_members_only() {
    assert!(vote_all(0x0f, 0x0f) && vote_all(0xff, 0x0f) && !vote_all(0x07, 0x0f));
    assert!(vote_any(0x18, 0x0f) && !vote_any(0xf0, 0x0f));
    assert!(vote_uni(0xf0, 0x0f) && vote_uni(0x0f, 0x0f) && !vote_uni(0x01, 0x0f));
    assert_eq!(vote_ballot(0x1234_5678, 0xffff), 0x5678);
}

#[test]
fn matches_compare_members_only() {
    let values: [u64; 32] = std::array::from_fn(|lane| (lane % 3) as u64);
    assert_eq!(match_any(&values, 0, 0xff), 0b0100_1001);
    assert_eq!(match_any(&values, 4, 0xff), 0b1001_0010);
    assert_eq!(match_all(&values, 0xff), (0, false));
    assert_eq!(match_all(&values, 0b0100_1001), (0b0100_1001, true));
    assert_eq!(match_all(&values, 1 << 31), (1 << 31, true));
}

#[test]
fn reductions_cover_members_only() {
    let values: [u32; 32] = std::array::from_fn(|lane| lane as u32 * 0x0100_0001);
    assert_eq!(redux(&values, 0b1110, add_u32), Some(0x0600_0006));
    assert_eq!(redux(&values, !0, min_u32), Some(0));
    assert_eq!(
        redux(&values.map(|x| -(x as i32)), 0xff00, max_s32),
        Some(-0x0800_0008)
    );
    assert_eq!(redux(&values, 0, add_u32), None);
    let mut floats: [f32; 32] = std::array::from_fn(|lane| lane as f32 - 16.0);
    floats[3] = f32::NAN;
    assert_eq!(
        (
            redux_f32(&floats, !0, false, false, false),
            redux_f32(&floats, !0, true, true, false)
        ),
        (-16.0, 16.0)
    );
    assert!(
        redux_f32(&floats, !0, true, false, true).is_nan()
            && redux_f32(&floats, 8, true, false, false).is_nan()
    );
    assert_eq!(
        redux_f32(&floats, 8, true, false, false).to_bits(),
        0x7fff_ffff
    );
}

#[test]
fn lane_masks_partition_the_warp() {
    for lane in 0..32 {
        assert_eq!(lanemask_lt(lane).count_ones(), lane);
        assert_eq!(
            lanemask_lt(lane) | lanemask_eq(lane) | lanemask_gt(lane),
            !0
        );
        assert_eq!(
            (lanemask_le(lane), lanemask_ge(lane)),
            (!lanemask_gt(lane), !lanemask_lt(lane))
        );
    }
    assert_eq!((elect(0xf0), elect(!0), elect(0)), (4, 0, 32));
}

#[test]
fn atomics_are_as_measured() {
    let denormal = f32::from_bits;
    assert_eq!(add_global_f32(denormal(1), denormal(2)).to_bits(), 0);
    assert_eq!(add_shared_f32(denormal(1), denormal(2)).to_bits(), 3);
    assert_eq!(
        (
            inc_u32(5, 4),
            inc_u32(9, 9),
            inc_u32(3, 4),
            inc_u32(u32::MAX, u32::MAX)
        ),
        (0, 0, 4, 0)
    );
    assert_eq!(
        (dec_u32(0, 7), dec_u32(8, 7), dec_u32(7, 7), dec_u32(1, 7)),
        (7, 7, 6, 0)
    );
    assert_eq!((cas(5, 5, 6), cas(4, 5, 6), exch(1, 2)), (6, 4, 2));
}
