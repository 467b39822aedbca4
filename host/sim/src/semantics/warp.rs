//! `shfl`, `vote`, `match`, `redux`, `elect` and the lane masks: what one lane gets from a warp.
//!
//! PTX ISA 9.7.9 "shfl.sync", 9.7.13 "vote.sync", "match.sync", "redux.sync", "elect.sync", chapter 10 "%lanemask_*".
//! `members` is the set of lanes that take part, bit by lane: the membermask less the lanes that exited. Who waits for whom,
//! and what is reported of lanes outside their own mask, is the machine's.

use super::float::{max_f32, max_nan_f32, min_f32, min_nan_f32, nan::NAN_F32};

/// How `shfl` finds the lane to read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shuffle {
    /// `.up`: so many lanes below.
    Up,
    /// `.down`: so many lanes above.
    Down,
    /// `.bfly`: the lane's number with these bits flipped.
    Bfly,
    /// `.idx`: that lane.
    Idx,
}

/// `shfl`: the lane that `lane` reads, and whether that lies within its segment and bound; if not it reads itself.
///
/// Five bits of `b` count. `c` holds the bound in its low five bits and from bit 8 the lane bits that segments keep.
#[inline(always)]
pub fn shfl_source(mode: Shuffle, lane: u32, b: u32, c: u32) -> (u32, bool) {
    let (lane, b) = (lane & 31, b & 31);
    let (clamp, segment) = (c & 31, c >> 8 & 31);
    let first = lane & segment;
    let bound = first | (clamp & !segment);
    let (from, inside) = match mode {
        Shuffle::Up => (lane.wrapping_sub(b), lane as i32 - b as i32 >= bound as i32),
        Shuffle::Down => (lane + b, lane + b <= bound),
        Shuffle::Bfly => (lane ^ b, lane ^ b <= bound),
        Shuffle::Idx => (first | (b & !segment), first | (b & !segment) <= bound),
    };
    (if inside { from } else { lane }, inside)
}

/// `vote.all`: the predicate holds in all members.
#[inline(always)]
pub fn vote_all(predicates: u32, members: u32) -> bool {
    predicates & members == members
}

/// `vote.any`: the predicate holds in a member.
#[inline(always)]
pub fn vote_any(predicates: u32, members: u32) -> bool {
    predicates & members != 0
}

/// `vote.uni`: the predicate is the same in all members.
#[inline(always)]
pub fn vote_uni(predicates: u32, members: u32) -> bool {
    vote_all(predicates, members) || !vote_any(predicates, members)
}

/// `vote.ballot`: the members in which the predicate holds.
#[inline(always)]
pub fn vote_ballot(predicates: u32, members: u32) -> u32 {
    predicates & members
}

/// The members of a set, in order.
#[inline(always)]
fn lanes(members: u32) -> impl Iterator<Item = usize> {
    (0..32).filter(move |lane| members >> lane & 1 == 1)
}

/// `match.any`: the members that hold the same value as `lane`.
#[inline(always)]
pub fn match_any<T: PartialEq>(values: &[T; 32], lane: u32, members: u32) -> u32 {
    let own = &values[(lane & 31) as usize];
    lanes(members)
        .filter(|&other| values[other] == *own)
        .fold(0, |set, other| set | 1 << other)
}

/// `match.all`: `members` and true if all hold one value, else zero and false.
#[inline(always)]
pub fn match_all<T: PartialEq>(values: &[T; 32], members: u32) -> (u32, bool) {
    let first = &values[(members.trailing_zeros() & 31) as usize];
    let same = lanes(members).all(|lane| values[lane] == *first);
    if same { (members, true) } else { (0, false) }
}

/// `redux`: `op` over the members' values, in lane order; `None` without members.
#[inline(always)]
pub fn redux<T: Copy>(values: &[T; 32], members: u32, op: impl Fn(T, T) -> T) -> Option<T> {
    lanes(members).map(|lane| values[lane]).reduce(op)
}

/// `redux.{min,max}{.abs}{.NaN}.f32`: as the two-operand extreme; one NaN if every value is NaN.
#[inline(always)]
pub fn redux_f32(values: &[f32; 32], members: u32, max: bool, abs: bool, nan: bool) -> f32 {
    let op = match (max, nan) {
        (false, false) => min_f32,
        (false, true) => min_nan_f32,
        (true, false) => max_f32,
        (true, true) => max_nan_f32,
    };
    let of = |lane: usize| {
        if abs {
            values[lane].abs()
        } else {
            values[lane]
        }
    };
    lanes(members)
        .map(of)
        .reduce(op)
        .map_or(NAN_F32, super::float::canonical_f32)
}

/// `elect`: the leader of a set. Open in the ISA but for its being always the same; here the lowest. 32 if there is none.
#[inline(always)]
pub fn elect(members: u32) -> u32 {
    members.trailing_zeros()
}

/// `%lanemask_eq`: the lane alone.
#[inline(always)]
pub fn lanemask_eq(lane: u32) -> u32 {
    1 << (lane & 31)
}

/// `%lanemask_lt`: the lanes below.
#[inline(always)]
pub fn lanemask_lt(lane: u32) -> u32 {
    lanemask_eq(lane) - 1
}

/// `%lanemask_le`: the lane and those below.
#[inline(always)]
pub fn lanemask_le(lane: u32) -> u32 {
    lanemask_eq(lane) | lanemask_lt(lane)
}

/// `%lanemask_gt`: the lanes above.
#[inline(always)]
pub fn lanemask_gt(lane: u32) -> u32 {
    !lanemask_le(lane)
}

/// `%lanemask_ge`: the lane and those above.
#[inline(always)]
pub fn lanemask_ge(lane: u32) -> u32 {
    !lanemask_lt(lane)
}
