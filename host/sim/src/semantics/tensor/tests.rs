//! The object in memory, and the errors of invalid maps.

use super::*;

fn map() -> TensorMap {
    TensorMap {
        element: Element::F16,
        rank: 4,
        address: 0x7000,
        size: [64, 1 << 32, 7, 3, 1],
        strides: [128, (1 << 40) - 16, 1 << 20, 0],
        steps: [1, 8, 2, 1, 1],
        access: Access::Tiled([64, 256, 1, 4, 1]),
        interleave: Interleave::None,
        swizzle: Swizzle::B128,
        promotion: Promotion::B256,
        fill: Fill::Nan,
    }
}

fn images() -> TensorMap {
    TensorMap {
        access: Access::Im2col(Im2col {
            lower: [-128, 127, 0],
            upper: [-1, 126, 0],
            channels: 64,
            pixels: 1024,
        }),
        size: [64, 500, 300, 3, 1],
        ..map()
    }
}

#[test]
fn maps_go_to_memory_and_back() {
    for map in [map(), images()] {
        assert_eq!(TensorMap::decode(&map.encode()), Some(map));
        assert_eq!(map.check(90), Ok(()));
    }
    assert_eq!(TensorMap::decode(&[0; 128]), None);
    assert_eq!(TensorMap::decode(&[0xff; 128]), None);
}

#[test]
fn zeros_begin_a_map_and_other_bytes_do_not() {
    let mut bytes = [0; 128];
    TensorMap::begin(&mut bytes);
    let begun = TensorMap::decode(&bytes).expect("all fields are zero");
    assert_eq!((begun.rank, begun.address, begun.size), (0, 0, [1; 5]));
    assert!(begun.check(90).is_err(), "no field is set");
    let mut bytes = [0xff; 128];
    TensorMap::begin(&mut bytes);
    assert_eq!(bytes, [0xff; 128]);
}

#[test]
fn a_map_that_cannot_be_says_why() {
    use TensorMapError as E;
    let wrong = |change: fn(&mut TensorMap), images_too: bool| {
        let mut map = if images_too { images() } else { map() };
        change(&mut map);
        map.check(90).expect_err("it cannot be")
    };
    let tiles = |change| wrong(change, false);
    let columns = |change| wrong(change, true);
    assert!(matches!(tiles(|m| m.rank = 0), E::Rank { .. }));
    assert!(matches!(tiles(|m| m.rank = 6), E::Rank { .. }));
    assert!(matches!(columns(|m| m.rank = 2), E::Rank { least: 3, .. }));
    assert!(matches!(
        tiles(|m| m.address += 8),
        E::Address { align: 16, .. }
    ));
    assert!(matches!(
        tiles(|m| m.size[1] = 0),
        E::Size { dimension: 1, .. }
    ));
    assert!(matches!(
        tiles(|m| m.size[3] = (1 << 32) + 1),
        E::Size { dimension: 3, .. }
    ));
    assert!(matches!(
        tiles(|m| m.strides[0] = 8),
        E::Stride { dimension: 1, .. }
    ));
    assert!(matches!(
        tiles(|m| m.strides[2] = 1 << 40),
        E::Stride { dimension: 3, .. }
    ));
    assert!(matches!(
        tiles(|m| m.access = Access::Tiled([64, 257, 1, 1, 1])),
        E::Box { dimension: 1, .. }
    ));
    assert!(matches!(
        tiles(|m| m.access = Access::Tiled([64, 1, 1, 0, 1])),
        E::Box { dimension: 3, .. }
    ));
    assert!(matches!(
        tiles(|m| m.access = Access::Tiled([4, 1, 1, 1, 1])),
        E::Row { bits: 64 }
    ));
    assert!(matches!(
        tiles(|m| m.access = Access::Tiled([72, 1, 1, 1, 1])),
        E::Span {
            bytes: 144,
            span: 128
        }
    ));
    assert!(matches!(
        tiles(|m| m.steps[1] = 9),
        E::Step { dimension: 1, .. }
    ));
    assert!(matches!(
        tiles(|m| m.steps[2] = 0),
        E::Step { dimension: 2, .. }
    ));
    assert!(matches!(
        tiles(|m| m.interleave = Interleave::B32),
        E::Address { .. } | E::Stride { .. }
    ));
    assert!(matches!(
        tiles(|m| m.element = Element::S32),
        E::Span { .. } | E::Fill
    ));
    assert!(matches!(
        tiles(|m| m.swizzle = Swizzle::B128Atom32),
        E::Capability { .. }
    ));
    assert!(matches!(
        tiles(|m| m.element = Element::U4x16),
        E::Capability { .. }
    ));
    assert!(matches!(
        columns(|m| change(m, |i| i.channels = 257)),
        E::Channels(257)
    ));
    assert!(matches!(
        columns(|m| change(m, |i| i.pixels = 0)),
        E::Pixels(0)
    ));
    assert!(matches!(
        columns(|m| change(m, |i| i.lower[0] = -129)),
        E::Corner { corner: -129, .. }
    ));
    assert!(matches!(
        columns(|m| change(m, |i| i.upper[1] = 128)),
        E::Corner { corner: 128, .. }
    ));
    assert!(matches!(
        columns(|m| {
            m.size[1] = 10;
            change(m, |i| (i.lower[0], i.upper[0]) = (0, -10))
        }),
        E::Empty { dimension: 0 }
    ));
    // Without slices the first dimension's traversal stride is ignored, but an H200
    // nevertheless refuses 0.
    let mut ignored = map();
    ignored.steps[0] = 2;
    assert_eq!(ignored.check(90), Ok(()));
    ignored.steps[0] = 0;
    assert!(matches!(
        ignored.check(90),
        Err(E::Step { dimension: 0, .. })
    ));
}

fn change(map: &mut TensorMap, f: impl Fn(&mut Im2col)) {
    if let Access::Im2col(images) = &mut map.access {
        f(images);
    }
}

#[test]
fn a_box_far_outside_touches_nothing() {
    let map = map();
    // Rows of a box begin at multiples of 16 bytes.
    for at in [i32::MIN, i32::MAX & !7] {
        let place = BoxPosition::Tile([at; 5]);
        let bytes = map.bytes(&place).expect("a tiled map");
        let runs = map.runs(&place);
        assert!(runs.iter().all(|run| run.global.is_none()));
        assert_eq!(
            runs.iter().map(|run| u64::from(run.bytes)).sum::<u64>(),
            bytes
        );
    }
}
