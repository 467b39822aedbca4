//! The check is compared with its simple form on random sequences of events, and each rule is
//! tested by itself.

use super::*;
use crate::counters::even::Neighbours;
use proptest::prelude::*;

/// An event of a launch.
#[derive(Debug, Clone)]
enum Event {
    Access(Access, u64, u64),
    /// Accesses by the lanes of a mask: their addresses, and the bytes of each lane.
    Together(Access, u32, Box<[u64; LANES]>, u64),
    /// Such accesses in one instruction, recorded by the fast way if it is enough.
    Glance(Access, u32, Box<[u64; LANES]>, u64),
    Step(u64, u32),
    /// Discards the records that nothing refers to.
    Clean,
    Fence(u64, u32, bool),
    WarpBarrier(u64, u32),
    Complete((u64, u32, u32), Option<u64>, u64, u64),
    Arrive(u64, u32, (u64, u32)),
    Pass(u64, u32, (u64, u32)),
    Cluster(Vec<(u64, u32)>),
    Barrier(u64, Vec<u32>),
}

/// Returns events of three blocks of three warps. Most of them are accesses of a few words.
fn events() -> impl Strategy<Value = Vec<Event>> {
    let (block, warp, lane) = (0u64..3, 0u32..3, 0u32..4);
    let thread = (block.clone(), warp.clone(), lane);
    let warps = (block.clone(), warp.clone());
    let space = prop_oneof![Just(None), block.clone().prop_map(Some)];
    let place = (
        1020u64..1030,
        prop_oneof![Just(1u64), Just(2), Just(4), Just(8), Just(16)],
    );
    let kind = prop_oneof![
        Just(AccessKind::Read),
        Just(AccessKind::Write),
        Just(AccessKind::Atomic)
    ];
    let how = (
        kind,
        any::<bool>(),
        (any::<bool>(), any::<bool>(), any::<bool>()),
        proptest::bool::weighted(0.1),
        0u32..4,
    );
    let single = (thread.clone(), space.clone(), place.clone(), how).prop_map(
        |(
            (block, warp, lane),
            shared,
            (address, size),
            (kind, strong, (releases, acquires, narrow), pending, op),
        )| {
            let strong = strong || kind == AccessKind::Atomic;
            let access = Access {
                block,
                warp,
                lane,
                op,
                kind,
                strong,
                volatile: op == 2 && strong && kind != AccessKind::Atomic,
                releases,
                acquires,
                narrow,
                read_only: op == 3
                    && is_plain_read_of_global(kind, strong || narrow || pending, shared),
                shared,
                pending,
            };
            Event::Access(access, address, size)
        },
    );
    let mask = prop_oneof![
        Just(u32::MAX),
        Just(1),
        Just(0xffff),
        Just(0xffff_0000),
        any::<u32>()
    ];
    let size =
        prop_oneof![3 => Just(4u64), 1 => Just(8), 1 => Just(16), 1 => Just(1), 1 => Just(2)];
    let start = prop_oneof![3 => Just(1024u64), 1 => Just(1152), 1 => (250u64..264).prop_map(|word| word * 4)];
    // The addresses are adjacent, equal, a stride apart, in parts of a warp like those of narrow
    // blocks, or irregular.
    let form = prop_oneof![
        3 => Just((32usize, None)),
        2 => Just((32, Some(0))),
        1 => Just((32, Some(4))),
        1 => Just((32, Some(12))),
        2 => Just((16, None)),
        2 => Just((16, Some(0))),
        1 => Just((1, None)),
    ];
    let anywhere = proptest::array::uniform32(0u64..40);
    let kind = prop_oneof![4 => Just(AccessKind::Read), 2 => Just(AccessKind::Write), 1 => Just(AccessKind::Atomic)];
    let together = (
        any::<bool>(),
        warps.clone(),
        space.clone(),
        (mask, size, form, start, anywhere, any::<bool>()),
        (kind, 0u32..4, proptest::bool::weighted(0.1)),
    )
        .prop_map(
            |(
                at_once,
                (block, warp),
                shared,
                (mask, size, (part, step), start, anywhere, again),
                (kind, op, releases),
            )| {
                let access = Access {
                    shared,
                    op,
                    kind,
                    releases,
                    read_only: op == 3 && is_plain_read_of_global(kind, false, shared),
                    ..access(block, warp, 0, kind)
                };
                let start = start / size * size;
                let addresses = std::array::from_fn(|lane| match part {
                    1 => 1024 / size * size + anywhere[lane] * size,
                    _ if again => start + (lane % part) as u64 * step.unwrap_or(size),
                    _ => {
                        start
                            + (lane / part) as u64 * 256
                            + (lane % part) as u64 * step.unwrap_or(size)
                    }
                });
                let event = match at_once {
                    true => Event::Glance,
                    false => Event::Together,
                };
                event(access, mask, Box::new(addresses), size)
            },
        );
    let key = (block.clone(), Just(8u32));
    let event = prop_oneof![
        30 => single,
        25 => together,
        25 => warps.clone().prop_map(|(b, w)| Event::Step(b, w)),
        1 => Just(Event::Clean),
        1 => (warps.clone(), any::<bool>()).prop_map(|((b, w), wide)| Event::Fence(b, w, wide)),
        6 => warps.clone().prop_map(|(b, w)| Event::WarpBarrier(b, w)),
        2 => (thread, space, place).prop_map(|(t, s, (at, size))| Event::Complete(t, s, at, size)),
        2 => (warps.clone(), key.clone()).prop_map(|((b, w), key)| Event::Arrive(b, w, key)),
        2 => (warps, key).prop_map(|((b, w), key)| Event::Pass(b, w, key)),
        1 => Just(Event::Cluster(vec![(0, 3), (1, 3)])),
        8 => block.clone().prop_map(|b| Event::Barrier(b, vec![0, 1, 2])),
        2 => (block, proptest::sample::subsequence(vec![0u32, 1, 2], 1..=3))
            .prop_map(|(b, warps)| Event::Barrier(b, warps)),
    ];
    proptest::collection::vec(event, 1..160)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(500))]
    #[test]
    fn finds_what_the_plain_check_finds(events in events(), alone in any::<bool>()) {
        let alone = alone.then_some(3);
        let mut races = Races::begins(alone);
        let mut plain = plain::Races::begins(alone);
        for event in events.into_iter().filter_map(|event| if alone.is_some() { kept_to_itself(event) } else { Some(event) }) {
            match event.clone() {
                Event::Access(access, address, size) => {
                    let (found, expected) = (races.access(access, address, size), plain.access(access, address, size));
                    let expected = expected.map(remembered);
                    prop_assert_eq!(found, expected, "{:?}", event);
                }
                Event::Together(access, mask, addresses, size) | Event::Glance(access, mask, addresses, size) => {
                    let instruction = matches!(event, Event::Glance(..));
                    let (block, warp) = (access.block, access.warp);
                    if instruction {
                        plain.step(block, warp);
                        races.step(block, warp);
                    }
                    let found = match instruction && recorded_at_once(&mut races, &access, &addresses, mask, size) {
                        true => Vec::new(),
                        false => races.by_lanes(&access, &addresses, &Neighbours::of(&addresses, mask, size), size),
                    };
                    let mut expected = Vec::new();
                    for lane in lanes(mask) {
                        let access = Access { lane: lane as u32, ..access };
                        let before = plain.access(access, addresses[lane], size);
                        expected.extend(before.map(|before| (lane, remembered(before))));
                    }
                    prop_assert_eq!(found, expected, "{:?}", event);
                }
                Event::Clean => races.clean(),
                Event::Step(b, w) => { races.step(b, w); plain.step(b, w) }
                Event::Fence(b, w, wide) => { races.fence(b, w, wide); plain.fence(b, w, wide) }
                Event::WarpBarrier(b, w) => { races.warp_barrier(b, w); plain.warp_barrier(b, w) }
                Event::Complete(t, s, at, size) => { races.complete(t, s, at, size); plain.complete(t, s, at, size) }
                Event::Arrive(b, w, key) => { races.arrive(b, w, key); plain.arrive(b, w, key) }
                Event::Pass(b, w, key) => { races.pass(b, w, key); plain.pass(b, w, key) }
                Event::Cluster(blocks) => { races.cluster(&blocks); plain.cluster(&blocks) }
                Event::Barrier(b, warps) => { races.barrier(b, &warps); plain.barrier(b, &warps) }
            }
        }
    }
}

/// Returns the properties of an access that are recorded.
fn remembered(before: Access) -> Access {
    // No report of the later access contains whether the earlier one was a release or an acquire,
    // or a load of read-only data.
    Access {
        releases: false,
        acquires: false,
        read_only: false,
        ..before
    }
}

/// Whether an access may be a load of read-only data.
fn is_plain_read_of_global(kind: AccessKind, special: bool, shared: Option<u64>) -> bool {
    kind == AccessKind::Read && !special && shared.is_none()
}

/// Returns the event for a launch in which no block accesses another's shared memory, and
/// nothing is pending.
fn kept_to_itself(mut event: Event) -> Option<Event> {
    match &mut event {
        Event::Access(access, ..) | Event::Together(access, ..) | Event::Glance(access, ..) => {
            access.pending = false;
            access.shared = access.shared.map(|_| access.block);
        }
        Event::Complete(..) | Event::Cluster(..) => return None,
        _ => {}
    }
    Some(event)
}

/// Returns whether the machine uses the fast way: for plain accesses of global memory and of the
/// block's own shared memory with a fixed stride.
fn recorded_at_once(
    races: &mut Races,
    access: &Access,
    addresses: &[u64; LANES],
    mask: u32,
    size: u64,
) -> bool {
    let own = access.shared.is_none_or(|block| block == access.block);
    let by = PlainAccess {
        block: access.block,
        warp: access.warp,
        op: access.op,
        writes: access.kind == AccessKind::Write,
        shared: access.shared.is_some(),
    };
    let even = Even::of(addresses, mask).filter(|even| even.step == 0 || even.step == size);
    let plain = !access.strong && own;
    plain && even.is_some_and(|even| races.record_at_once(&by, even, mask, size))
}

#[test]
fn a_block_that_ended_leaves_no_shared_memory() {
    let mut races = Races::default();
    let mut now = Access {
        shared: Some(0),
        ..access(0, 0, 0, AccessKind::Write)
    };
    assert!(races.access(now, 64, 4).is_none());
    races.end(0);
    now.warp = 1;
    assert!(
        races.access(now, 64, 4).is_none(),
        "another block's memory by now"
    );
    now.warp = 2;
    assert!(races.access(now, 64, 4).is_some());
}

fn access(block: u64, warp: u32, lane: u32, kind: AccessKind) -> Access {
    Access {
        block,
        warp,
        lane,
        op: 0,
        kind,
        strong: kind == AccessKind::Atomic,
        volatile: false,
        releases: false,
        acquires: false,
        narrow: false,
        read_only: false,
        shared: None,
        pending: false,
    }
}

/// Returns whether a lane of a warp of a block races when it reads this many bytes from an address.
fn reads(races: &mut Races, thread: (u64, u32, u32), place: (u64, u64)) -> bool {
    accesses(races, AccessKind::Read, thread, place)
}

/// Returns whether it races when it writes.
fn writes(races: &mut Races, thread: (u64, u32, u32), place: (u64, u64)) -> bool {
    accesses(races, AccessKind::Write, thread, place)
}

/// Returns whether it races when it updates by an atomic.
fn updates(races: &mut Races, thread: (u64, u32, u32), place: (u64, u64)) -> bool {
    accesses(races, AccessKind::Atomic, thread, place)
}

fn accesses(
    races: &mut Races,
    kind: AccessKind,
    (block, warp, lane): (u64, u32, u32),
    (address, bytes): (u64, u64),
) -> bool {
    let access = access(block, warp, lane, kind);
    races.access(access, address, bytes).is_some()
}

#[test]
fn writes_of_two_blocks_race_and_atomics_do_not() {
    let mut races = Races::default();
    assert!(!writes(&mut races, (0, 0, 0), (64, 4)));
    assert!(writes(&mut races, (1, 0, 0), (64, 4)));
    assert!(!writes(&mut races, (1, 0, 0), (68, 4)));
    for block in 0..3 {
        assert!(!updates(&mut races, (block, 0, 0), (128, 4)));
    }
}

#[test]
fn neighbouring_bytes_do_not_race() {
    let mut races = Races::default();
    assert!(!writes(&mut races, (0, 0, 0), (64, 1)));
    assert!(!writes(&mut races, (0, 1, 0), (65, 1)));
    assert!(reads(&mut races, (0, 1, 0), (64, 2)));
}

#[test]
fn a_barrier_orders_the_warps_that_arrive() {
    let mut races = Races::default();
    writes(&mut races, (0, 0, 0), (64, 4));
    assert!(reads(&mut races, (0, 1, 0), (64, 4)));
    races.barrier(0, &[0, 1]);
    assert!(!reads(&mut races, (0, 1, 0), (64, 4)));
    assert!(reads(&mut races, (0, 2, 0), (64, 4)));
}

#[test]
fn lanes_of_a_warp_are_ordered_by_its_barrier_only() {
    let mut races = Races::default();
    races.step(0, 0);
    assert!(!writes(&mut races, (0, 0, 0), (64, 4)));
    assert!(!writes(&mut races, (0, 0, 1), (64, 4)), "one instruction");
    races.step(0, 0);
    assert!(reads(&mut races, (0, 0, 0), (64, 4)));
    races.warp_barrier(0, 0);
    assert!(!reads(&mut races, (0, 0, 0), (64, 4)));
}

/// Synchronises block 0 with another warp by a fence (of block scope or not), a flag, and a fence.
fn hand_over(to: (u64, u32), fences: [Option<bool>; 2], narrow: bool, shared: Option<u64>) -> bool {
    let mut races = Races::default();
    writes(&mut races, (0, 0, 0), (64, 4));
    if let Some(wide) = fences[0] {
        races.fence(0, 0, wide);
    }
    let flag = |block, warp| Access {
        narrow,
        shared,
        ..access(block, warp, 0, AccessKind::Atomic)
    };
    races.access(flag(0, 0), 128, 4);
    races.access(flag(to.0, to.1), 128, 4);
    if let Some(wide) = fences[1] {
        races.fence(to.0, to.1, wide);
    }
    !reads(&mut races, (to.0, to.1, 0), (64, 4))
}

#[test]
fn fences_and_a_flag_hand_over() {
    let (none, block, device) = (None, Some(false), Some(true));
    assert!(hand_over((1, 0), [device, device], false, None));
    assert!(
        !hand_over((1, 0), [none, device], false, None),
        "no release"
    );
    assert!(
        !hand_over((1, 0), [device, none], false, None),
        "no acquire"
    );
    assert!(!hand_over((1, 0), [block, device], false, None));
    assert!(!hand_over((1, 0), [device, block], false, None));
    assert!(
        !hand_over((1, 0), [device, device], true, None),
        "a flag of block scope"
    );
    // Within a block, block scope is enough, and so is shared memory.
    assert!(hand_over((0, 1), [block, block], true, None));
    assert!(hand_over((0, 1), [block, block], true, Some(0)));
    assert!(!hand_over((0, 1), [none, block], true, Some(0)));
}

#[test]
fn a_fence_covers_what_was_before_it_only() {
    let mut races = Races::default();
    races.fence(0, 0, true);
    writes(&mut races, (0, 0, 0), (64, 4));
    updates(&mut races, (0, 0, 0), (128, 4));
    updates(&mut races, (1, 0, 0), (128, 4));
    races.fence(1, 0, true);
    assert!(reads(&mut races, (1, 0, 0), (64, 4)));
}

#[test]
fn atomics_of_block_scope_race_between_blocks() {
    let mut races = Races::default();
    let narrow = |block, warp| Access {
        narrow: true,
        ..access(block, warp, 0, AccessKind::Atomic)
    };
    assert!(races.access(narrow(0, 0), 64, 4).is_none());
    assert!(races.access(narrow(0, 1), 64, 4).is_none());
    assert!(races.access(narrow(1, 0), 64, 4).is_some());
    assert!(updates(&mut races, (2, 0, 0), (64, 4)));
}
