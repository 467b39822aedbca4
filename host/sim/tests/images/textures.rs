//! Fetches: texels, filters, address modes, levels, gathers, queries.

use lanewise_sim::image::{AddressMode, Filter, Format, Image, Object, Sampler, Shape, Texture};

use crate::common::Rig;
use crate::images::{TEX_1D, TEX_2D, at, image, kernel, line, texture};

#[test]
fn points_are_the_texels_that_coordinates_fall_into() {
    let rig = Rig::new(&kernel(TEX_1D));
    let texels = [10.0f32, 20.0, 30.0, 40.0];
    let image = image(&rig, Shape::D1, [4, 1, 1], (Format::F32, 1), &texels);
    let object = texture(&rig, image, Sampler::default());
    let got = line(&rig, object, &[0.0, 0.99, 1.0, 3.5, -5.0, 100.0, f32::NAN]);
    assert_eq!(got, [10.0, 10.0, 20.0, 40.0, 10.0, 40.0, 10.0]);
}

#[test]
fn blends_have_weights_of_256ths() {
    let rig = Rig::new(&kernel(TEX_1D));
    let image = image(
        &rig,
        Shape::D1,
        [3, 1, 1],
        (Format::F32, 1),
        &[0.0f32, 256.0, 512.0],
    );
    let object = texture(
        &rig,
        image,
        Sampler {
            filter: Filter::Linear,
            ..Sampler::default()
        },
    );
    let got = line(
        &rig,
        object,
        &[0.5, 1.0, 1.25, 1.5, 0.0, 9.0, 0.5 + 1.0 / 512.0],
    );
    // Half a 256th is one.
    assert_eq!(got, [0.0, 128.0, 192.0, 256.0, 0.0, 512.0, 1.0]);
}

#[test]
fn what_is_outside_depends_on_the_mode() {
    let rig = Rig::new(&kernel(TEX_1D));
    let image = image(
        &rig,
        Shape::D1,
        [4, 1, 1],
        (Format::F32, 1),
        &[1.0f32, 2.0, 3.0, 4.0],
    );
    let border = [9.0; 4];
    for (mode, expected) in [
        (AddressMode::Wrap, [4.0, 1.0, 1.0, 2.0]),
        (AddressMode::Mirror, [1.0, 1.0, 4.0, 3.0]),
        (AddressMode::Clamp, [1.0, 1.0, 4.0, 4.0]),
        (AddressMode::Border, [9.0, 1.0, 9.0, 9.0]),
    ] {
        let sampler = Sampler {
            address: [mode; 3],
            normalized: true,
            border,
            ..Sampler::default()
        };
        let object = texture(&rig, image, sampler);
        assert_eq!(
            line(&rig, object, &[-0.1, 0.1, 1.1, 1.4]),
            expected,
            "{mode:?}"
        );
    }
    // Coordinates that count texels neither wrap nor mirror.
    let sampler = Sampler {
        address: [AddressMode::Wrap; 3],
        ..Sampler::default()
    };
    let object = texture(&rig, image, sampler);
    assert_eq!(line(&rig, object, &[-1.0, 5.0]), [1.0, 4.0]);
}

#[test]
fn every_format_is_read_with_its_sign_and_its_channels() {
    let rig = Rig::new(&kernel(
        "tex.1d.v4.s32.s32 {%r0, %r1, %r2, %r3}, [%rd0, {%c0}];",
    ));
    let read = |image, sampler| at(&rig, texture(&rig, image, sampler), &[[1]])[0];
    let plain = Sampler::default();
    let floats = Sampler {
        as_float: true,
        ..plain
    };
    let line = |format, channels, bytes: &[u8]| {
        let width = bytes.len() as u32 / (channels * Format::bytes(format));
        image(
            &rig,
            Shape::Linear,
            [width, 1, 1],
            (format, channels),
            bytes,
        )
    };
    let bytes: Vec<u8> = (0..32).map(|i| 0x7e + i).collect();
    let word = |x: i32| x as u32;
    assert_eq!(read(line(Format::U8, 1, &bytes), plain), [0x7f, 0, 0, 0]);
    assert_eq!(
        read(line(Format::I8, 2, &bytes), plain),
        [word(-128), word(-127), 0, 0]
    );
    assert_eq!(
        read(line(Format::U8, 4, &bytes), plain),
        [0x82, 0x83, 0x84, 0x85]
    );
    assert_eq!(
        read(line(Format::U16, 2, &bytes), plain),
        [0x8382, 0x8584, 0, 0]
    );
    assert_eq!(
        read(line(Format::I16, 1, &bytes), plain),
        [word(0x8180u16 as i16 as i32), 0, 0, 0]
    );
    assert_eq!(
        read(line(Format::U32, 4, &bytes), plain),
        [0x9190_8f8e, 0x9594_9392, 0x9998_9796, 0x9d9c_9b9a]
    );
    assert_eq!(
        read(line(Format::F16, 2, &[0, 0, 0, 0, 0, 0x3c, 0, 0xc0]), plain),
        [1f32, -2.0, 0.0, 0.0].map(f32::to_bits)
    );
    assert_eq!(
        read(line(Format::U8, 2, &[0, 0, 255, 51]), floats),
        [1f32, 0.2, 0.0, 0.0].map(f32::to_bits)
    );
    assert_eq!(
        read(line(Format::I8, 2, &[0, 0, 0x80, 127]), floats),
        [-1f32, 1.0, 0.0, 0.0].map(f32::to_bits)
    );
    assert_eq!(
        read(line(Format::U16, 1, &[0, 0, 255, 255]), floats),
        [1f32, 0.0, 0.0, 0.0].map(f32::to_bits)
    );
    // 32-bit integers stay what they are.
    assert_eq!(
        read(line(Format::U32, 1, &bytes), floats),
        [0x8584_8382, 0, 0, 0]
    );
}

#[test]
fn planes_volumes_and_layers_are_indexed_in_their_order() {
    let numbers: Vec<u32> = (0..60).collect();
    for (shape, text, coordinates, expected) in [
        (Shape::D2, "2d", [3, 2, 0, 0], 13),
        (Shape::D3, "3d", [3, 2, 1, 0], 33),
        (Shape::Layered2, "a2d", [2, 3, 1, 0], 48),
        // Outside there is nothing for integers, whatever the address mode.
        (Shape::Layered2, "a2d", [99, 4, 3, 0], 0),
        (Shape::D3, "3d", [-7i32 as u32, 99, 99, 0], 0),
    ] {
        let count = if text == "2d" {
            "%c0, %c1"
        } else {
            "%c0, %c1, %c2, %c3"
        };
        let rig = Rig::new(&kernel(&format!(
            "tex.{text}.v4.u32.s32 {{%r0, %r1, %r2, %r3}}, [%rd0, {{{count}}}];"
        )));
        let depth = if shape == Shape::D2 { 1 } else { 3 };
        let values = &numbers[..20 * depth as usize];
        let image = image(&rig, shape, [5, 4, depth], (Format::U32, 1), values);
        let object = texture(&rig, image, Sampler::default());
        assert_eq!(
            at(&rig, object, &[coordinates])[0][0],
            expected,
            "{text} {coordinates:?}"
        );
    }
    let rig = Rig::new(&kernel(
        "tex.a1d.v4.u32.s32 {%r0, %r1, %r2, %r3}, [%rd0, {%c0, %c1}];",
    ));
    let lines = image(
        &rig,
        Shape::Layered1,
        [5, 1, 3],
        (Format::U32, 1),
        &numbers[..15],
    );
    let object = texture(&rig, lines, Sampler::default());
    assert_eq!(at(&rig, object, &[[2, 1]])[0][0], 11);
}

#[test]
fn planes_and_volumes_blend_along_every_axis() {
    let rig = Rig::new(&kernel(TEX_2D));
    let linear = Sampler {
        filter: Filter::Linear,
        ..Sampler::default()
    };
    let plane = |rig: &Rig| {
        let values = [0.0f32, 4.0, 8.0, 16.0];
        texture(
            rig,
            image(rig, Shape::D2, [2, 2, 1], (Format::F32, 1), &values),
            linear,
        )
    };
    let object = plane(&rig);
    let got = at(
        &rig,
        object,
        &[[1.0f32, 1.0], [0.75, 0.5], [0.5, 0.75]].map(|c| c.map(f32::to_bits)),
    );
    assert_eq!(
        got.iter().map(|v| f32::from_bits(v[0])).collect::<Vec<_>>(),
        [7.0, 1.0, 2.0]
    );

    // Coordinates can be constants.
    let rig = Rig::new(&kernel(
        "tex.2d.v4.f32.f32 {%r0, %r1, %r2, %r3}, [%rd0, {0.75, 0.5}];",
    ));
    let object = plane(&rig);
    assert_eq!(f32::from_bits(at(&rig, object, &[[0u32; 2]])[0][0]), 1.0);

    let rig = Rig::new(&kernel(
        "tex.3d.v4.f32.f32 {%r0, %r1, %r2, %r3}, [%rd0, {%c0, %c1, %c2, %c3}];",
    ));
    let values: Vec<f32> = (0..8).map(|i| i as f32).collect();
    let volume = image(&rig, Shape::D3, [2, 2, 2], (Format::F32, 1), &values);
    let object = texture(&rig, volume, linear);
    assert_eq!(
        f32::from_bits(at(&rig, object, &[[1f32.to_bits(); 3]])[0][0]),
        3.5
    );
}

#[test]
fn directions_find_their_face() {
    let rig = Rig::new(&kernel(
        "tex.cube.v4.u32.f32 {%r0, %r1, %r2, %r3}, [%rd0, {%c0, %c1, %c2, %c3}];",
    ));
    let values: Vec<u32> = (0..24).collect();
    let cube = image(&rig, Shape::Cube, [2, 2, 6], (Format::U32, 1), &values);
    let object = texture(&rig, cube, Sampler::default());
    let directions = [
        [9.0f32, 1.0, 1.0],
        [-9.0, 1.0, 1.0],
        [1.0, 9.0, 1.0],
        [1.0, -9.0, 1.0],
        [1.0, 1.0, 9.0],
        [1.0, 1.0, -9.0],
    ];
    let faces: Vec<u32> = at(&rig, object, &directions.map(|d| d.map(f32::to_bits)))
        .iter()
        .map(|v| v[0] / 4)
        .collect();
    assert_eq!(faces, [0, 1, 2, 3, 4, 5]);

    let rig = Rig::new(&kernel(
        "tex.acube.v4.u32.f32 {%r0, %r1, %r2, %r3}, [%rd0, {%c0, %c1, %c2, %c3}];",
    ));
    let values: Vec<u32> = (0..48).collect();
    let cubes = image(
        &rig,
        Shape::LayeredCube,
        [2, 2, 12],
        (Format::U32, 1),
        &values,
    );
    let object = texture(&rig, cubes, Sampler::default());
    let coordinates = [1, (-9f32).to_bits(), 1f32.to_bits(), 1f32.to_bits()];
    assert_eq!(at(&rig, object, &[coordinates])[0][0] / 4, 7);
}

#[test]
fn gathers_take_one_component_of_four_texels() {
    for (component, expected) in [("r", [4, 6, 2, 0]), ("g", [5, 7, 3, 1])] {
        let rig = Rig::new(&kernel(&format!(
            "tld4.{component}.2d.v4.u32.f32 {{%r0, %r1, %r2, %r3}}, [%rd0, {{%c0, %c1}}];"
        )));
        let plane = image(
            &rig,
            Shape::D2,
            [2, 2, 1],
            (Format::U32, 2),
            &[0u32, 1, 2, 3, 4, 5, 6, 7],
        );
        let object = texture(&rig, plane, Sampler::default());
        assert_eq!(at(&rig, object, &[[1f32.to_bits(); 2]])[0], expected);
    }
}

/// A row of four texels of 0, with its levels of 100 and 200, and a sampler that blends none.
fn three_levels(rig: &Rig) -> (Vec<Image>, Sampler) {
    let level = |width: u32, value: f32| {
        image(
            rig,
            Shape::D1,
            [width, 1, 1],
            (Format::F32, 1),
            &vec![value; width as usize],
        )
    };
    let levels = vec![level(4, 0.0), level(2, 100.0), level(1, 200.0)];
    let sampler = Sampler {
        levels: [0.0, 9.0],
        normalized: true,
        ..Sampler::default()
    };
    (levels, sampler)
}

#[test]
fn levels_are_chosen_clamped_and_blended() {
    let rig = Rig::new(&kernel(
        "tex.level.1d.v4.f32.f32 {%r0, %r1, %r2, %r3}, [%rd0, {%c0}], %c1;",
    ));
    let (levels, sampler) = three_levels(&rig);
    let read = |sampler: Sampler, level: f32| {
        let levels = levels.clone();
        let object = rig
            .device
            .images()
            .add(Object::Texture(Texture { levels, sampler }));
        f32::from_bits(at(&rig, object, &[[0.5f32, level].map(f32::to_bits)])[0][0])
    };
    assert_eq!(
        [0.0, 0.6, 1.0, 7.0, -3.0].map(|l| read(sampler, l)),
        [0.0, 100.0, 100.0, 200.0, 0.0]
    );
    let blended = Sampler {
        level_filter: Filter::Linear,
        filter: Filter::Linear,
        ..sampler
    };
    assert_eq!([0.25, 1.5].map(|l| read(blended, l)), [25.0, 150.0]);
    assert_eq!(
        read(
            Sampler {
                level_bias: 1.0,
                ..sampler
            },
            0.0
        ),
        100.0
    );
    assert_eq!(
        read(
            Sampler {
                levels: [0.0, 1.0],
                ..sampler
            },
            2.0
        ),
        100.0
    );
    assert_eq!(read(sampler, f32::NAN), 0.0);
}

#[test]
fn integers_with_a_level_stay_inside_of_it() {
    let rig = Rig::new(&kernel(
        "tex.level.2d.v4.u32.s32 {%r0, %r1, %r2, %r3}, [%rd0, {%c0, %c1}], %c2;",
    ));
    let numbers: Vec<u32> = (10..22).collect();
    let plane = |size, of: &[u32]| image(&rig, Shape::D2, size, (Format::U32, 1), of);
    let levels = vec![plane([4, 3, 1], &numbers), plane([2, 1, 1], &[1, 2])];
    let sampler = Sampler::default();
    let object = rig
        .device
        .images()
        .add(Object::Texture(Texture { levels, sampler }));
    let minus = -1i32 as u32;
    let places = [
        [1, 2, 0],
        [9, minus, 0],
        [9, 9, 1],
        [0, 0, 2],
        [0, 0, minus],
    ];
    let got = at(&rig, object, &places);
    let first: Vec<u32> = got.iter().map(|texel| texel[0]).collect();
    assert_eq!(first, [19, 13, 2, 0, 0]);
}

#[test]
fn gradients_choose_a_level() {
    let rig = Rig::new(&kernel(
        "tex.grad.1d.v4.f32.f32 {%r0, %r1, %r2, %r3}, [%rd0, {%c0}], {%c1}, {%c2};",
    ));
    let (levels, sampler) = three_levels(&rig);
    let object = rig
        .device
        .images()
        .add(Object::Texture(Texture { levels, sampler }));
    // A step of half the image is two texels of the first level, one of the second.
    let got = at(
        &rig,
        object,
        &[[0.5f32, 0.5, 0.25], [0.5, 0.0, 0.0], [0.5, 0.25, 1.0]].map(|c| c.map(f32::to_bits)),
    );
    assert_eq!(
        got.iter().map(|v| f32::from_bits(v[0])).collect::<Vec<_>>(),
        [100.0, 0.0, 200.0]
    );
}

#[test]
fn halves_come_back_alone_and_in_pairs() {
    let rig = Rig::new(&kernel(
        "tex.1d.v4.f16.s32 {%h0, %h1, %h2, %h3}, [%rd0, {%c0}]; cvt.u32.u16 %r2, %h0; cvt.u32.u16 %r3, %h1;
         tex.1d.v2.f16x2.s32 {%r0, %r1}, [%rd0, {%c0}];",
    ));
    let image = image(
        &rig,
        Shape::Linear,
        [1, 1, 1],
        (Format::F32, 4),
        &[1.0f32, -2.0, 0.5, 65504.0],
    );
    let object = texture(&rig, image, Sampler::default());
    assert_eq!(
        at(&rig, object, &[[0]])[0],
        [0xc000_3c00, 0x7bff_3800, 0x3c00, 0xc000]
    );
}

#[test]
fn linear_memory_reads_as_zero_outside() {
    let rig = Rig::new(&kernel(
        "tex.1d.v4.u32.s32 {%r0, %r1, %r2, %r3}, [%rd0, {%c0}];",
    ));
    let image = image(
        &rig,
        Shape::Linear,
        [16, 1, 1],
        (Format::U32, 1),
        &[7u32; 16],
    );
    let object = texture(&rig, image, Sampler::default());
    let got = at(&rig, object, &[[0], [15], [16], [u32::MAX]]);
    assert_eq!(got.iter().map(|v| v[0]).collect::<Vec<_>>(), [7, 7, 0, 0]);
}

#[test]
fn queries_answer_with_the_objects_own() {
    let rig = Rig::new(&kernel(
        "txq.width.b32 %r0, [%rd0]; txq.height.b32 %r1, [%rd0]; txq.channel_order.b32 %r2, [%rd0]; txq.channel_data_type.b32 %r3, [%rd0];",
    ));
    let plane = image(&rig, Shape::D2, [5, 3, 1], (Format::I16, 2), &[0i16; 30]);
    let object = texture(&rig, plane, Sampler::default());
    assert_eq!(at(&rig, object, &[[0]])[0], [5, 3, 0x10b2, 0x10d8]);
    let rig = Rig::new(&kernel(
        "suq.width.b32 %r0, [%rd0]; suq.height.b32 %r1, [%rd0]; suq.depth.b32 %r2, [%rd0]; suq.array_size.b32 %r3, [%rd0];",
    ));
    let volume = image(&rig, Shape::D3, [5, 3, 2], (Format::U8, 1), &[0u8; 30]);
    let object = rig.device.images().add(Object::Surface(volume));
    assert_eq!(at(&rig, object, &[[0]])[0], [5, 3, 2, 0]);
}

#[test]
fn offsets_move_a_fetch_by_whole_texels_before_the_edge_is_looked_at() {
    let values: Vec<f32> = (0..15).map(|n| n as f32).collect();
    let fetch = |body: &str, sampler: Sampler, at_: [[u32; 2]; 1]| {
        let rig = Rig::new(&kernel(body));
        let plane = image(&rig, Shape::D2, [5, 3, 1], (Format::F32, 1), &values);
        let object = texture(&rig, plane, sampler);
        at(&rig, object, &at_)[0]
    };
    let float = |v: [u32; 4]| f32::from_bits(v[0]);
    let middle = [[1.5f32.to_bits(), 1.5f32.to_bits()]];
    let tex = |offset: &str| {
        format!(
            "tex.2d.v4.f32.f32 {{%r0, %r1, %r2, %r3}}|%p, [%rd0, {{%c0, %c1}}], {offset}; selp.u32 %r3, 77, 0, %p;"
        )
    };
    let got = fetch(&tex("{1, -1}"), Sampler::default(), middle);
    assert_eq!((float(got), got[3]), (2.0, 77), "a texel right, a row up");
    // Clamped where it leaves the texture; only four bits of an offset count.
    let got = fetch(&tex("{-8, 7}"), Sampler::default(), middle);
    assert_eq!(float(got), 10.0);
    assert_eq!(
        float(fetch(&tex("{16, 0}"), Sampler::default(), middle)),
        6.0
    );
    let between = [[2.0f32.to_bits(), 1.5f32.to_bits()]];
    let linear = Sampler {
        filter: Filter::Linear,
        ..Sampler::default()
    };
    assert_eq!(float(fetch(&tex("{1, 0}"), linear, between)), 7.5);
    let gather = "tld4.r.2d.v4.f32.f32 {%r0, %r1, %r2, %r3}, [%rd0, {%c0, %c1}], {1, 0};";
    let got = fetch(
        gather,
        Sampler::default(),
        [[2.0f32.to_bits(), 1.0f32.to_bits()]],
    );
    assert_eq!(got.map(f32::from_bits), [7.0, 8.0, 3.0, 2.0]);
    let whole = "tex.2d.v4.f32.s32 {%r0, %r1, %r2, %r3}, [%rd0, {%c0, %c1}], {2, 1};";
    assert_eq!(float(fetch(whole, Sampler::default(), [[1, 1]])), 13.0);
    let level = "mov.b32 %c2, 0; tex.level.2d.v4.f32.s32 {%r0, %r1, %r2, %r3}, [%rd0, {%c0, %c1}], %c2, {7, 1};";
    assert_eq!(float(fetch(level, Sampler::default(), [[1, 1]])), 14.0);
}

/// An H200 (driver 580.159.04, 2026-11-22) makes no depth arrays for CUDA, and does not compare
/// depths for other arrays.
#[test]
fn a_depth_to_compare_with_is_not_looked_at() {
    const BOTH: [&str; 2] = ["", ", {1, -1}"];
    let planes = [
        "tex.2d.v4.f32.f32 {%r0, %r1, %r2, %r3}, [%rd0, {%c0, %c1}]",
        "tex.2d.v4.s32.f32 {%r0, %r1, %r2, %r3}, [%rd0, {%c0, %c1}]",
        "tex.base.2d.v4.f32.f32 {%r0, %r1, %r2, %r3}, [%rd0, {%c0, %c1}]",
        "tex.level.2d.v4.f32.f32 {%r0, %r1, %r2, %r3}, [%rd0, {%c0, %c1}], 0f00000000",
        "tex.grad.2d.v4.f32.f32 {%r0, %r1, %r2, %r3}, [%rd0, {%c0, %c1}], {%c0, %c1}, {%c1, %c0}",
        "tex.2d.v2.f16x2.f32 {%r0, %r1}, [%rd0, {%c0, %c1}]",
        "tld4.r.2d.v4.f32.f32 {%r0, %r1, %r2, %r3}|%p, [%rd0, {%c0, %c1}]",
    ];
    let values: Vec<f32> = (0..15).map(|n| n as f32 + 0.25).collect();
    let fetch = |body: &str| {
        let rig = Rig::new(&kernel(&format!(
            ".reg .f32 %d; mov.b32 %d, 0f3F000000; {body};"
        )));
        let plane = image(&rig, Shape::D2, [5, 3, 1], (Format::F32, 1), &values);
        let object = texture(&rig, plane, Sampler::default());
        let place = [[1.5f32.to_bits(), 1.5f32.to_bits()]];
        at(&rig, object, &place)[0]
    };
    for form in planes {
        for offset in BOTH {
            let plain = fetch(&format!("{form}{offset}"));
            for depth in ["%d", "0f3E800000", "0f42280000"] {
                assert_eq!(
                    fetch(&format!("{form}{offset}, {depth}")),
                    plain,
                    "{form}{offset}, {depth}"
                );
            }
        }
    }
    // Along one axis the offset has no braces, or some.
    let lines = [
        "tex.1d.v4.f32.f32 {%r0, %r1, %r2, %r3}, [%rd0, {%c0}], %d",
        "tex.1d.v4.f32.f32 {%r0, %r1, %r2, %r3}, [%rd0, {%c0}], %c1, %d",
        "tex.a1d.v4.f32.f32 {%r0, %r1, %r2, %r3}, [%rd0, {%c1, %c0}], {%c1}, %d",
        "tex.a2d.v4.f32.f32 {%r0, %r1, %r2, %r3}, [%rd0, {%c1, %c0, %c0, %c0}], {%c1, %c1}, %d",
        "tex.cube.v4.f32.f32 {%r0, %r1, %r2, %r3}, [%rd0, {%c0, %c0, %c0, %c0}], %d",
        "tex.acube.v4.f32.f32 {%r0, %r1, %r2, %r3}, [%rd0, {%c1, %c0, %c0, %c0}], %d",
        "tex.level.cube.v4.f32.f32 {%r0, %r1, %r2, %r3}, [%rd0, {%c0, %c0, %c0, %c0}], %c0, %d",
        "tld4.r.cube.v4.f32.f32 {%r0, %r1, %r2, %r3}, [%rd0, {%c0, %c0, %c0, %c0}], %d",
    ];
    for form in lines {
        let text = kernel(&format!(".reg .f32 %d; mov.b32 %d, 0f3F000000; {form};"));
        let module = lanewise_sim::Module::load(&format!(
            ".version 8.7\n.target sm_90\n.address_size 64\n{text}"
        ));
        let module = module.expect("it loads");
        let kernel = module.kernel("k").expect("the kernel");
        assert!(kernel.refused.is_none(), "{form}: {:?}", kernel.refused);
    }
}

#[test]
fn the_size_of_a_level_can_be_asked_for() {
    let rig = Rig::new(&kernel(
        "txq.level.width.b32 %r0, [%rd0], 1; txq.level.height.b32 %r1, [%rd0], %c0; txq.level.depth.b32 %r2, [%rd0], 0; txq.level.width.b32 %r3, [%rd0], 2;",
    ));
    let levels = [(8, 4), (4, 2)].map(|(width, height)| {
        let texels = vec![0u8; (width * height) as usize];
        image(
            &rig,
            Shape::D2,
            [width, height, 1],
            (Format::U8, 1),
            &texels,
        )
    });
    let object = rig.device.images().add(Object::Texture(Texture {
        levels: levels.to_vec(),
        sampler: Sampler::default(),
    }));
    assert_eq!(at(&rig, object, &[[1]])[0], [4, 2, 0, 0]);
}
