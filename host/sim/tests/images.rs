//! Textures and surfaces: fetches, filters, bounds, reductions, queries, and what goes wrong.

mod common;

use common::Rig;
use sim::Kind;
use sim::image::{AddressMode, Filter, Format, Image, Object, Sampler, Shape, Texture};

/// Makes a kernel that does `body` with thread-private operands and stores `%r0` to `%r3` for each thread: parameters are a
/// handle, the output, and the address of four words of coordinates for each thread.
fn kernel(body: &str) -> String {
    format!(
        ".visible .entry k(.param .u64 object, .param .u64 out, .param .u64 at)
{{
    .reg .b32 %r<4>; .reg .b32 %c<4>; .reg .b32 %t; .reg .b64 %rd<6>; .reg .pred %p; .reg .b64 %l<2>; .reg .b16 %h<4>;
    ld.param.u64 %rd0, [object];
    ld.param.u64 %rd1, [out];
    ld.param.u64 %rd2, [at];
    mov.u32 %t, %tid.x;
    mad.wide.u32 %rd3, %t, 16, %rd1;
    mad.wide.u32 %rd4, %t, 16, %rd2;
    ld.global.v4.u32 {{%c0, %c1, %c2, %c3}}, [%rd4];
    mov.u32 %r0, 0; mov.u32 %r1, 0; mov.u32 %r2, 0; mov.u32 %r3, 0;
    {body}
    st.global.v4.u32 [%rd3], {{%r0, %r1, %r2, %r3}};
    ret;
}}"
    )
}

/// An image of `values` with rows padded to 64 bytes, as an array has them.
fn image<T: Copy>(
    rig: &Rig,
    shape: Shape,
    [width, height, depth]: [u32; 3],
    (format, channels): (Format, u32),
    values: &[T],
) -> Image {
    let bytes = std::mem::size_of_val(values);
    let texel = channels * format.bytes();
    assert_eq!(bytes as u32, width * height * depth * texel);
    let row = u64::from(width * texel).next_multiple_of(64);
    let slice = row * u64::from(height);
    let kind = if shape == Shape::Linear {
        Kind::Device
    } else {
        Kind::Array
    };
    let address = rig
        .device
        .memory()
        .allocate(slice * u64::from(depth), 1, kind, None)
        .expect("memory");
    let line = (width * texel) as usize;
    for n in 0..(height * depth) as usize {
        let from = values.as_ptr().cast::<u8>().wrapping_add(n * line);
        // SAFETY: both ends have the bytes of this row.
        unsafe { ((address + n as u64 * row) as *mut u8).copy_from_nonoverlapping(from, line) };
    }
    Image {
        address,
        format,
        channels,
        shape,
        width,
        height,
        depth,
        row,
        slice,
    }
}

fn texture(rig: &Rig, image: Image, sampler: Sampler) -> u64 {
    let levels = vec![image];
    rig.device
        .images()
        .add(Object::Texture(Texture { levels, sampler }))
}

/// What threads at these coordinates get.
fn at<const N: usize>(rig: &Rig, object: u64, coordinates: &[[u32; N]]) -> Vec<[u32; 4]> {
    let padded: Vec<u32> = coordinates
        .iter()
        .flat_map(|c| std::array::from_fn::<u32, 4, _>(|i| c.get(i).copied().unwrap_or(0)))
        .collect();
    let (from, out) = (rig.buffer(&padded), rig.buffer(&vec![0u32; padded.len()]));
    rig.ok("k", 1, coordinates.len() as u32, &[object, out, from]);
    let words: Vec<u32> = rig.read(out, padded.len());
    words.chunks(4).map(|c| [c[0], c[1], c[2], c[3]]).collect()
}

/// The first channel, as floats, at these one-dimensional coordinates.
fn line(rig: &Rig, object: u64, coordinates: &[f32]) -> Vec<f32> {
    let coordinates: Vec<[u32; 1]> = coordinates.iter().map(|x| [x.to_bits()]).collect();
    at(rig, object, &coordinates)
        .iter()
        .map(|v| f32::from_bits(v[0]))
        .collect()
}

const TEX_1D: &str = "tex.1d.v4.f32.f32 {%r0, %r1, %r2, %r3}, [%rd0, {%c0}];";
const TEX_2D: &str = "tex.2d.v4.f32.f32 {%r0, %r1, %r2, %r3}, [%rd0, {%c0, %c1}];";

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
    // Half a 256th rounds to the even number of them: none.
    assert_eq!(got, [0.0, 128.0, 192.0, 256.0, 0.0, 512.0, 0.0]);
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
        image(&rig, Shape::D1, [width, 1, 1], (format, channels), bytes)
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
        (Shape::Layered2, "a2d", [99, 4, 3, 0], 59),
        (Shape::D3, "3d", [-7i32 as u32, 99, 99, 0], 55),
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
    let plane = image(
        &rig,
        Shape::D2,
        [2, 2, 1],
        (Format::F32, 1),
        &[0.0f32, 4.0, 8.0, 16.0],
    );
    let object = texture(&rig, plane, linear);
    let got = at(
        &rig,
        object,
        &[[1.0f32, 1.0], [0.75, 0.5], [0.5, 0.75]].map(|c| c.map(f32::to_bits)),
    );
    assert_eq!(
        got.iter().map(|v| f32::from_bits(v[0])).collect::<Vec<_>>(),
        [7.0, 1.0, 2.0]
    );

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

#[test]
fn levels_are_chosen_clamped_and_blended() {
    let rig = Rig::new(&kernel(
        "tex.level.1d.v4.f32.f32 {%r0, %r1, %r2, %r3}, [%rd0, {%c0}], %c1;",
    ));
    let level = |width: u32, value: f32| {
        image(
            &rig,
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
fn gradients_choose_a_level() {
    let rig = Rig::new(&kernel(
        "tex.grad.1d.v4.f32.f32 {%r0, %r1, %r2, %r3}, [%rd0, {%c0}], {%c1}, {%c2};",
    ));
    let level = |width: u32, value: f32| {
        image(
            &rig,
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
        Shape::D1,
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

/// A surface of 5 x 4 words that count up, and its handle.
fn surface(rig: &Rig) -> (Image, u64) {
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

#[test]
fn wrong_objects_and_places_are_reported() {
    let rig = Rig::new(&kernel(TEX_2D));
    let (plane, written) = surface(&rig);
    let object = texture(&rig, plane, Sampler::default());
    let (from, out) = (rig.buffer(&[0u32; 4]), rig.buffer(&[0u32; 4]));
    let fault = |rig: &Rig, object| rig.fault("k", 1, 1, &[object, out, from]);
    assert!(fault(&rig, 0).starts_with("0x0 is no texture object\n"));
    assert!(fault(&rig, written).contains("is a surface, where a texture is read"));
    let line = image(&rig, Shape::D1, [4, 1, 1], (Format::U32, 1), &[0u32; 4]);
    let narrow = texture(&rig, line, Sampler::default());
    assert!(fault(&rig, narrow).starts_with("a `.2d` fetch of a texture that is 1-D\n"));
    rig.ok("k", 1, 1, &[object, out, from]);
    rig.device.memory().free(plane.address).expect("it is ours");
    let report = fault(&rig, object);
    assert!(
        report.starts_with("a texture or surface over memory that is not live\n"),
        "{report}"
    );
    assert!(report.contains("`tex.2d.v4.f32.f32`"), "{report}");

    let rig = Rig::new(&kernel("sust.b.2d.b32.trap [%rd0, {%c0, %c1}], 1;"));
    let (_, object) = surface(&rig);
    let place = |x: i32, y: i32| {
        let (from, out) = (
            rig.buffer(&[x as u32, y as u32, 0, 0]),
            rig.buffer(&[0u32; 4]),
        );
        rig.fault("k", 1, 1, &[object, out, from])
    };
    for (x, y) in [(20, 0), (-4, 0), (0, 4), (0, -1)] {
        let report = place(x, y);
        assert!(
            report.starts_with("a surface access of 4 bytes outside of the surface\n"),
            "{report}"
        );
        assert!(
            report.contains(&format!("coordinates are ({x}, {y})")),
            "{report}"
        );
    }
    assert!(place(6, 0).starts_with("a surface access of 4 bytes at byte 6 of a row\n"));
}

#[test]
fn arrays_are_out_of_reach_of_pointers() {
    let rig = Rig::new(&kernel("ld.global.u32 %r0, [%rd0];"));
    let (plane, _) = surface(&rig);
    let (from, out) = (rig.buffer(&[0u32; 4]), rig.buffer(&[0u32; 4]));
    let report = rig.fault("k", 1, 1, &[plane.address, out, from]);
    assert!(report.contains("of an array"), "{report}");
}

#[test]
fn references_are_bound_by_the_host() {
    let body = kernel(
        "tex.1d.v4.u32.s32 {%r0, %r1, %r2, %r3}, [lookup, {%c0}]; sust.b.1d.b32.trap [sink, {%c1}], 5;
         mov.u64 %l0, lookup; istypep.texref %p, %l0; selp.u32 %r1, 1, 0, %p; istypep.surfref %p, %l0; selp.u32 %r2, 1, 0, %p;",
    );
    let rig = Rig::new(&format!(
        ".global .texref lookup;\n.global .surfref sink;\n{body}"
    ));
    let (lookup, sink) = (
        rig.instance
            .texture_reference("lookup")
            .expect("a reference"),
        rig.instance.surface_reference("sink").expect("a reference"),
    );
    assert_eq!(rig.instance.texture_reference("sink"), None);
    assert!(rig.instance.global("lookup").is_none());
    let (from, out) = (rig.buffer(&[2u32, 4, 0, 0]), rig.buffer(&[0u32; 4]));
    let report = rig.fault("k", 1, 1, &[0, out, from]);
    assert!(
        report.starts_with("a texture reference that nothing is bound to\n"),
        "{report}"
    );
    let line = image(
        &rig,
        Shape::D1,
        [4, 1, 1],
        (Format::U32, 1),
        &[1u32, 2, 3, 4],
    );
    let images = rig.device.images();
    let (levels, sampler) = (vec![line], Sampler::default());
    assert!(images.set(lookup, Object::Texture(Texture { levels, sampler })));
    assert!(images.set(sink, Object::Surface(line)));
    assert_eq!(at(&rig, 0, &[[2, 4]])[0], [3, 1, 0, 0]);
    assert_eq!(rig.read::<u32>(line.address, 4), [1, 5, 3, 4]);
    let device = rig.device;
    drop(rig.instance);
    assert_eq!(device.images().live(), 0);
}

#[test]
fn every_row_but_those_of_many_samples_is_modelled() {
    use sim::isa::Section;
    for found in sim::isa::coverage::coverage() {
        if !matches!(found.row.section, Section::Texture | Section::Surface)
            || found.row.modifiers.contains("2dms")
        {
            continue;
        }
        if found.row.modifiers.contains("samplerref") {
            assert_eq!(found.modelled, found.samples - 1, "{:?}", found.missing);
            continue;
        }
        assert_eq!(
            found.modelled, found.samples,
            "{:?}: {:?}",
            found.row, found.missing
        );
    }
}

#[test]
fn samplers_of_their_own_are_refused_by_name() {
    let text = format!("{}.global .samplerref s;\n", common::HEAD);
    let error = sim::Module::load(&text)
        .expect_err("no such sampler")
        .to_string();
    assert!(error.contains("a sampler of its own"), "{error}");
}
