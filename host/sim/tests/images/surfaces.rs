//! Loads, stores and reductions through surfaces.

use lanewise_sim::image::{Format, Image, Object, Shape};

use crate::common::Rig;
use crate::images::{at, image, kernel};

/// A surface of 5 x 4 words that count up, and its handle.
pub(crate) fn surface(rig: &Rig) -> (Image, u64) {
    let numbers: Vec<u32> = (100..120).collect();
    let plane = image(rig, Shape::D2, [5, 4, 1], (Format::U32, 1), &numbers);
    (plane, rig.device.images().add(Object::Surface(plane)))
}

fn row(rig: &Rig, image: &Image, y: u64) -> Vec<u32> {
    rig.read(image.address + y * image.row, image.width as usize)
}

#[test]
fn surface_loads_clamp_or_read_zeros() {
    let outside = [
        [4u32, 1],
        [16, 3],
        [-4i32 as u32, 1],
        [20, 1],
        [0, -1i32 as u32],
        [8, 4],
    ];
    for (mode, expected) in [
        ("clamp", [106, 119, 105, 109, 100, 117]),
        ("zero", [106, 119, 0, 0, 0, 0]),
    ] {
        let rig = Rig::new(&kernel(&format!(
            "suld.b.2d.b32.{mode} %r0, [%rd0, {{%c0, %c1}}];"
        )));
        let (_, object) = surface(&rig);
        let got: Vec<u32> = at(&rig, object, &outside).iter().map(|v| v[0]).collect();
        assert_eq!(got, expected, "{mode}");
    }
}

#[test]
fn surface_stores_write_where_they_may() {
    for (mode, last) in [("clamp", 4), ("zero", 119)] {
        let rig = Rig::new(&kernel(&format!(
            "sust.b.2d.b32.{mode} [%rd0, {{%c0, %c1}}], %t;"
        )));
        let (image, object) = surface(&rig);
        at(&rig, object, &[[0u32, 0], [4, 0], [8, 1], [12, 2], [16, 9]]);
        assert_eq!(row(&rig, &image, 0), [0, 1, 102, 103, 104]);
        assert_eq!(row(&rig, &image, 1), [105, 106, 2, 108, 109]);
        assert_eq!(row(&rig, &image, 3)[4], last, "{mode}");
    }
}

#[test]
fn surfaces_are_accessed_by_every_width() {
    let rig = Rig::new(&kernel(
        "sust.b.1d.b8.trap [%rd0, {0}], %c0; sust.b.1d.b16.trap [%rd0, {2}], %c0; sust.b.1d.v2.b32.trap [%rd0, {8}], {%c0, %c1};
         mov.b64 %l0, {%c0, %c1}; sust.b.1d.b64.trap [%rd0, {16}], %l0;
         suld.b.1d.b8.trap %r0, [%rd0, {1}]; suld.b.1d.b64.trap %l1, [%rd0, {8}]; mov.b64 {_, %r1}, %l1;
         suld.b.1d.v2.b32.trap {%r2, _}, [%rd0, {16}]; suld.b.1d.b16.trap %h0, [%rd0, {2}]; cvt.u32.u16 %r3, %h0;",
    ));
    let line = image(&rig, Shape::D1, [32, 1, 1], (Format::U8, 1), &[0xeeu8; 32]);
    let object = rig.device.images().add(Object::Surface(line));
    assert_eq!(
        at(&rig, object, &[[0x1234_5678u32, 0x9abc_def0]])[0],
        [0xee, 0x9abc_def0, 0x1234_5678, 0x5678]
    );
    let words: Vec<u32> = rig.read(line.address, 8);
    assert_eq!(
        words,
        [
            0x5678_ee78,
            0xeeee_eeee,
            0x1234_5678,
            0x9abc_def0,
            0x1234_5678,
            0x9abc_def0,
            0xeeee_eeee,
            0xeeee_eeee
        ]
    );
}

#[test]
fn formatted_stores_saturate() {
    let rig = Rig::new(&kernel("sust.p.1d.v2.b32.zero [%rd0, {%c0}], {%c1, %c2};"));
    let line = image(&rig, Shape::D1, [2, 1, 1], (Format::I8, 2), &[0i8; 4]);
    let object = rig.device.images().add(Object::Surface(line));
    at(&rig, object, &[[1u32, 200, -200i32 as u32], [7, 1, 1]]);
    assert_eq!(rig.read::<u8>(line.address, 4), [0, 0, 127, 128]);
}

#[test]
fn reductions_of_all_threads_count() {
    let rig = Rig::new(&kernel(
        "sured.b.add.2d.u32.trap [%rd0, {%c0, %c1}], 2; sured.b.max.2d.s32.trap [%rd0, {4, 0}], %c2; sured.p.min.2d.b32.trap [%rd0, {2, 0}], %c3;
         sured.b.or.2d.b32.zero [%rd0, {40, 0}], 1;",
    ));
    let (image, object) = surface(&rig);
    let places: Vec<[u32; 4]> = (0..32).map(|i| [8, 3, 200 + i, 50 - i]).collect();
    at(&rig, object, &places);
    assert_eq!(row(&rig, &image, 3), [115, 116, 117 + 64, 118, 119]);
    assert_eq!(row(&rig, &image, 0), [100, 231, 19, 103, 104]);
}
