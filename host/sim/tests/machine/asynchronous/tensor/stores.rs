//! Copies from shared memory to a tensor, and the limits of what they write.

use lanewise_sim::DeviceModel;
use lanewise_sim::tensor::{Access, Element, Im2col, Swizzle, TensorMap};

use super::{
    BLACKWELL, HOPPER, SHARED, WAIT, bytes, check_shared, dense, fault, kernel, load, ok, store,
};
use crate::common::Rig;

/// Loads a box to shared memory, and stores it to another place of the tensor. Elements outside of
/// the tensor are dropped.
#[test]
fn stores_and_reductions_drop_what_is_outside() {
    /// What the memory holds after a reduction of two words; `None` for a plain store.
    type Reduced = Option<fn(u32, u32) -> u32>;
    let ways: [(&str, Reduced); 5] = [
        (
            "cp.async.bulk.tensor.2d.global.shared::cta.tile.bulk_group",
            None,
        ),
        (
            "cp.reduce.async.bulk.tensor.2d.global.shared::cta.add.tile.bulk_group",
            Some(u32::wrapping_add),
        ),
        (
            "cp.reduce.async.bulk.tensor.2d.global.shared::cta.min.bulk_group",
            Some(|a, b| a.min(b)),
        ),
        (
            "cp.reduce.async.bulk.tensor.2d.global.shared::cta.xor.bulk_group",
            Some(|a, b| a ^ b),
        ),
        (
            "cp.reduce.async.bulk.tensor.2d.global.shared::cta.inc.bulk_group",
            Some(|a, b| if a >= b { 0 } else { a + 1 }),
        ),
    ];
    for (way, join) in ways {
        for swizzle in [Swizzle::None, Swizzle::B32, Swizzle::B128] {
            let body = format!(
                "{} mov.u32 %x0, 16; mov.u32 %x1, 13; {way} [%rd1, {{%x0, %x1}}], [%rd3];
                cp.async.bulk.commit_group; cp.async.bulk.wait_group 0;",
                load(2, 8 * 4 * 6)
            );
            let rig = Rig::new(&kernel(HOPPER, &body));
            let words: Vec<u32> = (0..20 * 16)
                .map(|i: u32| i.wrapping_mul(0x0123_4567))
                .collect();
            let (from, out) = (rig.buffer_aligned(&words, 16), rig.buffer(&[0u8; SHARED]));
            let map = TensorMap {
                swizzle,
                ..dense(Element::U32, from, &[20, 16], &[8, 6])
            };
            ok(&rig, &map, out, [4, 1, 0, 0, 0], [0; 3]);
            let mut after = words.clone();
            for y in 0..6 {
                for x in 0..8 {
                    let (to_x, to_y) = (x + 16, y + 13);
                    if to_x >= 20 || to_y >= 16 {
                        continue;
                    }
                    let to = &mut after[to_y * 20 + to_x];
                    let value = words[(y + 1) * 20 + x + 4];
                    *to = join.map_or(value, |join| join(*to, value));
                }
            }
            assert_eq!(rig.read::<u32>(from, 20 * 16), after, "{way} {swizzle:?}");
        }
    }
}

/// Rows of 18 words: the last piece of 16 bytes has 2 of them, and a plain store writes
/// the whole piece.
#[test]
fn plain_stores_write_whole_pieces_and_reductions_elements() {
    for (way, joins) in [("cp.async", false), ("cp.reduce.async", true)] {
        let kind = if joins { ".add" } else { "" };
        let body = format!(
            "{way}.bulk.tensor.2d.global.shared::cta{kind}.tile.bulk_group [%rd1, {{%c0, %c1}}], [%rd3];
            cp.async.bulk.commit_group; cp.async.bulk.wait_group 0;"
        );
        let rig = Rig::new(&kernel(HOPPER, &body));
        let (to, out) = (
            rig.buffer_aligned(&[7u32; 3 * 24], 16),
            rig.buffer(&[0u8; SHARED]),
        );
        let map = TensorMap {
            size: [18, 3, 1, 1, 1],
            ..dense(Element::U32, to, &[24, 3], &[8, 2])
        };
        ok(&rig, &map, out, [16, 0, 0, 0, 0], [0; 3]);
        let (end, value) = match joins {
            true => (18, 0xeeee_eef5),
            false => (20, 0xeeee_eeee),
        };
        let expected: Vec<u32> = (0..3 * 24)
            .map(|i| match (16..end).contains(&(i % 24)) && i < 48 {
                true => value,
                false => 7,
            })
            .collect();
        assert_eq!(rig.read::<u32>(to, 3 * 24), expected, "{way}");
    }
}

#[test]
fn four_rows_are_gathered_and_scattered() {
    let memory = bytes(64 * 20);
    let map = dense(Element::U16, 0, &[32, 20], &[16, 1]);
    let body = format!(
        "mbarrier.arrive.expect_tx.shared.b64 _, [%rd4], 128;
        cp.async.bulk.tensor.2d.shared::cluster.global.tile::gather4.mbarrier::complete_tx::bytes
            [%rd3], [%rd1, {{%c0, %c1, %c2, %c3, %c4}}], [%rd4]; {WAIT}
        mov.u32 %x0, 0; mov.u32 %x1, 19; mov.u32 %x2, 25;
        cp.async.bulk.tensor.2d.global.shared::cta.tile::scatter4.bulk_group [%rd1, {{%x0, %x0, %x1, %x2, %c1}}], [%rd3];
        cp.async.bulk.commit_group; cp.async.bulk.wait_group 0;"
    );
    let rig = Rig::on(DeviceModel::b200(), &kernel(BLACKWELL, &body));
    let (from, out) = (rig.buffer_aligned(&memory, 16), rig.buffer(&[0u8; SHARED]));
    let map = TensorMap {
        address: from,
        ..map
    };
    ok(&rig, &map, out, [8, 7, 30, 2, 11], [0; 3]);
    let row = |y: usize| memory[y * 64 + 16..y * 64 + 48].to_vec();
    let rows = [row(7), vec![0; 32], row(2), row(11)];
    check_shared(&rig, out, &rows.concat(), Swizzle::None, "gather4");
    let mut after = memory.clone();
    for (y, row) in [0, 19, 25, 7].into_iter().zip(&rows) {
        if y < 20 {
            after[y * 64..y * 64 + 32].copy_from_slice(row);
        }
    }
    assert_eq!(rig.read::<u8>(from, 64 * 20), after);
}

/// An H200 (driver 580.159, 2026-11-22) ends three kinds of kernel: one that stores to a negative
/// coordinate, one that stores pixels with a map whose box extends beyond the image, and one whose
/// coordinates begin outside of that box.
#[test]
fn stores_do_not_begin_before_the_tensor() {
    for kind in ["", ".add"] {
        let rig = Rig::new(&kernel(HOPPER, &store(kind, 3, "tile")));
        let (from, out) = (
            rig.buffer_aligned(&[0u8; 4096], 16),
            rig.buffer(&[0u8; SHARED]),
        );
        let map = dense(Element::U32, from, &[8, 4, 4], &[4, 2, 2]);
        for at in [[0, 3, 3, 0, 0], [4, 100, 0, 0, 0], [100, 0, 5, 0, 0]] {
            ok(&rig, &map, out, at, [0; 3]);
        }
        for (at, words) in [
            ([-4, 0, 0, 0, 0], "begins at -4 in dimension 0"),
            ([0, -1, 0, 0, 0], "begins at -1 in dimension 1"),
            ([0, 0, -7, 0, 0], "begins at -7 in dimension 2"),
        ] {
            let text = fault(&rig, &map, out, at);
            assert!(text.contains(words), "{words}: {text}");
        }
        let rig = Rig::new(&kernel(HOPPER, &store(kind, 4, "im2col_no_offs")));
        let from = rig.buffer_aligned(&[0u8; 4096], 16);
        let out = rig.buffer(&[0u8; SHARED]);
        let map = |lower: i16, upper: i16| TensorMap {
            access: Access::Im2col(Im2col {
                lower: [0, lower, 0],
                upper: [0, upper, 0],
                channels: 4,
                pixels: 8,
            }),
            ..dense(Element::U32, from, &[4, 5, 4, 2], &[])
        };
        for (map, at) in [
            (map(0, 0), [0, 3, 2, 1, 0]),
            (map(0, 0), [4, 4, 3, 1, 0]),
            (map(1, -1), [0, 0, 1, 0, 0]),
        ] {
            ok(&rig, &map, out, at, [0; 3]);
        }
        let outside = "reaches out of the image in spatial dimension 1";
        for (map, at, words) in [
            (map(0, 0), [0, 0, 0, -1, 0], "begins at -1 in dimension 3"),
            (map(-1, 0), [0; 5], outside),
            (map(0, 1), [0; 5], outside),
            (
                map(1, 0),
                [0; 5],
                "begins at 0 in dimension 2, where the map's box has 1 to 3",
            ),
            (
                map(0, -1),
                [0, 0, 3, 0, 0],
                "begins at 3 in dimension 2, where the map's box has 0 to 2",
            ),
        ] {
            let text = fault(&rig, &map, out, at);
            assert!(text.contains(words), "{words}: {text}");
        }
    }
}
