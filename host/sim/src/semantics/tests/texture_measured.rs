//! Fetches as measured on an H200 (driver 580.159.04, 2026-11-21): reference tables of behaviour
//! that is not documented.
//!
//! The tables come from the raw results of kernels that fetched at random and edge coordinates.
//! They contain a few rows of each kind.

use super::texture::{linear, point};
use crate::semantics::texture::AddressMode::{self, Border, Clamp, Mirror, Wrap};
use crate::semantics::texture::{blend, cube, filter, level};

/// Texels, address mode, bits of a normalised coordinate, bits of what came back from an axis whose
/// texels are 0, 1, 2, ...
type Row = (u32, AddressMode, u32, u32);

/// Nearest texels, as an H200 read them.
#[rustfmt::skip]
const POINTS: &[Row] = &[
    (5, Wrap, 0x4f800000, 0x00000000),
    (5, Wrap, 0x7fc00000, 0x00000000),
    (5, Wrap, 0x3f006383, 0x40000000),
    (5, Clamp, 0x47800020, 0x40800000),
    (5, Clamp, 0x80000001, 0x00000000),
    (5, Mirror, 0x00000000, 0x00000000),
    (5, Mirror, 0x470000c0, 0x40400000),
    (5, Mirror, 0x4f000000, 0x00000000),
    (5, Mirror, 0x7fc00000, 0x00000000),
    (7, Wrap, 0x7f61b1e6, 0x00000000),
    (7, Wrap, 0x00000001, 0x00000000),
    (7, Wrap, 0xc023e1e7, 0x40400000),
    (7, Clamp, 0x80000000, 0x00000000),
    (7, Clamp, 0x00000000, 0x00000000),
    (7, Clamp, 0x7f800000, 0x40c00000),
    (7, Mirror, 0xd01502f9, 0x00000000),
    (7, Mirror, 0xc01b71e2, 0x40400000),
    (8, Wrap, 0x7fc00000, 0x00000000),
    (8, Wrap, 0xbf00199a, 0x40400000),
    (8, Wrap, 0xaedbe6ff, 0x40e00000),
    (8, Clamp, 0x470000c0, 0x40e00000),
    (8, Clamp, 0x00000001, 0x00000000),
    (8, Clamp, 0xbf4ccccc, 0x00000000),
    (8, Mirror, 0x80000002, 0x00000000),
    (8, Mirror, 0x4f000000, 0x00000000),
    (8, Mirror, 0xff800000, 0x00000000),
    (8, Mirror, 0x47800020, 0x40000000),
    (100, Wrap, 0x470000c0, 0x42960000),
    (100, Wrap, 0x00000000, 0x00000000),
    (100, Wrap, 0x7f61b1e6, 0x00000000),
    (100, Clamp, 0xc70000c0, 0x00000000),
    (100, Clamp, 0x00000000, 0x00000000),
    (100, Clamp, 0xbf101000, 0x00000000),
    (100, Clamp, 0x3fa67333, 0x42c60000),
    (100, Mirror, 0x4b800000, 0x00000000),
    (100, Mirror, 0x2edbe6ff, 0x00000000),
    (100, Mirror, 0xffc00000, 0x00000000),
    (100, Mirror, 0x80000001, 0x00000000),
];

/// Blends of texels, as an H200 read them.
#[rustfmt::skip]
const LINES: &[Row] = &[
    (5, Wrap, 0xffc00000, 0x40000000),
    (5, Wrap, 0xc70000c0, 0x3f400000),
    (5, Wrap, 0x3fe00000, 0x40500000),
    (5, Clamp, 0x80000000, 0x00000000),
    (5, Clamp, 0xaedbe6ff, 0x00000000),
    (5, Clamp, 0xff61b1e6, 0x00000000),
    (5, Mirror, 0xbf500000, 0x40640000),
    (5, Mirror, 0xbf124923, 0x4016c000),
    (7, Wrap, 0x3ee611c3, 0x40294000),
    (7, Wrap, 0x80000000, 0x40400000),
    (7, Clamp, 0x3f18195a, 0x406a4000),
    (7, Clamp, 0x47800020, 0x40c00000),
    (7, Clamp, 0x7f800001, 0x00000000),
    (7, Clamp, 0xffc00000, 0x00000000),
    (7, Mirror, 0x3fb3db4b, 0x406a8000),
    (7, Mirror, 0xcf000000, 0x00000000),
    (7, Mirror, 0x501502f9, 0x00000000),
    (7, Mirror, 0x3e800002, 0x3fa00000),
    (8, Wrap, 0x3d92db6e, 0x3d980000),
    (8, Wrap, 0x7f800001, 0x40600000),
    (8, Clamp, 0xc70000c0, 0x00000000),
    (8, Clamp, 0x3e148000, 0x3f290000),
    (8, Clamp, 0x3ffeb375, 0x40e00000),
    (8, Mirror, 0x00000000, 0x00000000),
    (8, Mirror, 0x4f800000, 0x00000000),
    (8, Mirror, 0x80000000, 0x00000000),
    (8, Mirror, 0x00000001, 0x00000000),
    (100, Wrap, 0xbd8f5c27, 0x42b90000),
    (100, Wrap, 0xaedbe6ff, 0x42460000),
    (100, Wrap, 0x80000000, 0x42460000),
    (100, Wrap, 0x470000c0, 0x42950000),
    (100, Clamp, 0xbca3d708, 0x00000000),
    (100, Clamp, 0xc0203881, 0x00000000),
    (100, Clamp, 0xc70000c0, 0x00000000),
    (100, Mirror, 0x80000000, 0x00000000),
    (100, Mirror, 0x80000001, 0x00000000),
    (100, Mirror, 0xbe924926, 0x41e09000),
    (100, Mirror, 0x7f800001, 0x00000000),
];

/// Blends, with coordinates that count texels.
#[rustfmt::skip]
const PLAIN: &[Row] = &[
    (8, Clamp, 0xffc00000, 0x00000000),
    (8, Clamp, 0x00000000, 0x00000000),
    (8, Clamp, 0x80000000, 0x00000000),
    (8, Clamp, 0x00000001, 0x00000000),
    (8, Clamp, 0x4b800000, 0x40e00000),
    (100, Clamp, 0x2edbe6ff, 0x00000000),
    (100, Clamp, 0x501502f9, 0x42c60000),
    (100, Clamp, 0xaedbe6ff, 0x00000000),
    (100, Clamp, 0x413003fe, 0x41280000),
    (100, Clamp, 0xff61b1e6, 0x00000000),
    (100, Clamp, 0xffc00000, 0x00000000),
];

fn on_the_line(rows: &[Row], normalized: bool, filtered: bool) {
    for &(size, mode, x, expected) in rows {
        let x = f32::from_bits(x);
        let got = if filtered {
            let tap = linear(x, size, normalized, mode);
            let texels = tap.texels.map(|texel| texel.unwrap_or(0) as f32);
            blend::singles(&texels, &filter::split(256, tap.weight))
        } else {
            point(x, size, normalized, mode).unwrap_or(0) as f32
        };
        let expected = f32::from_bits(expected);
        assert_eq!(got, expected, "{x:e} of {size}, {mode:?}");
    }
}

#[test]
fn coordinates_lead_where_a_gpu_went() {
    on_the_line(POINTS, true, false);
    on_the_line(LINES, true, true);
    on_the_line(PLAIN, false, true);
    assert_eq!(point(f32::NAN, 4, true, Border), Some(0));
}

/// Four texels of `f32`, the weights of columns and rows, what came back.
#[rustfmt::skip]
const SINGLES: &[([u32; 4], u32, u32, u32)] = &[
    ([0x3f05d786, 0x3ea8d124, 0xbf375df6, 0x3e6bea90], 19, 106, 0x3cfe4c20),
    ([0x3f05d786, 0x3ea8d124, 0xbf375df6, 0x3e6bea90], 4, 244, 0xbf24b612),
    ([0x3f05d786, 0x3ea8d124, 0xbf375df6, 0x3e6bea90], 253, 56, 0x3e9c9216),
    ([0x3fea92b5, 0x3e2f0168, 0xbebcc3c4, 0x3fd5a98d], 178, 86, 0x3f4e07cc),
    ([0xbfa99404, 0x3fee1c80, 0x3e2f0168, 0x3ebc613d], 244, 211, 0x3f1900f3),
    ([0x3fea92b5, 0x3e2f0168, 0xbebcc3c4, 0x3fd5a98d], 102, 202, 0x3f16f687),
    ([0x3e9fb5c3, 0xbf375df6, 0x3f802bca, 0x3ec54099], 179, 4, 0xbec866cb),
    ([0x3f5bd34f, 0xbc87a30b, 0xbfed0a78, 0xbfd4795b], 18, 19, 0x3f19a31e),
];

/// The same of `f16`, as `f32`.
#[rustfmt::skip]
const HALVES: &[([u32; 4], u32, u32, u32)] = &[
    ([0x3e700000, 0xbfe80000, 0x3fa5a000, 0xbe904000], 197, 215, 0xbe16c000),
    ([0x3fa5a000, 0xbe904000, 0x3fa3a000, 0x3fb4c000], 38, 141, 0x3f988000),
    ([0x3fabe000, 0x3f816000, 0x3fd74000, 0x3f6a4000], 81, 169, 0x3faf8000),
    ([0x3fa08000, 0x3ff94000, 0x3fd94000, 0x3f8b2000], 181, 234, 0x3fa7a000),
    ([0x3f80e000, 0x3ed8c000, 0xbf67e000, 0xbe158000], 97, 166, 0xbdfdc000),
    ([0x3fd94000, 0x3f8b2000, 0x3dc60000, 0xbf86c000], 13, 183, 0x3f00c000),
    ([0x3f5cc000, 0x3fa08000, 0xbf9c4000, 0x3fd94000], 231, 237, 0x3fb32000),
    ([0x3f6a4000, 0x3fa40000, 0xbf89c000, 0xbf988000], 174, 65, 0x3f136000),
];

/// The same of 8 bits, from 0 to 1.
#[rustfmt::skip]
const BYTES: &[([u32; 4], u32, u32, u32)] = &[
    ([8, 143, 106, 41], 208, 59, 0x3ece5ace),
    ([215, 113, 209, 54], 129, 202, 0x3f0a4a8a),
    ([209, 54, 137, 95], 7, 209, 0x3f153695),
    ([133, 187, 115, 239], 142, 190, 0x3f3300b3),
    ([187, 106, 239, 198], 20, 166, 0x3f5944d9),
    ([143, 38, 41, 154], 122, 23, 0x3ebb0ebb),
];

/// The same of 16 bits, from 0 to 1.
#[rustfmt::skip]
const WORDS: &[([u32; 4], u32, u32, u32)] = &[
    ([14099, 26530, 51799, 14062], 255, 120, 0x3ea13aa1),
    ([27788, 20713, 32954, 58725], 73, 183, 0x3f0d278d),
    ([28698, 36826, 7155, 35869], 53, 133, 0x3ea780a8),
    ([41700, 23311, 37245, 28698], 26, 13, 0x3f1add9b),
    ([37245, 28698, 33683, 7155], 200, 1, 0x3eee28ee),
    ([51336, 8596, 17092, 52949], 88, 229, 0x3eec74ec),
];

/// The same of 16 bits, from -1 to 1.
#[rustfmt::skip]
const SIGNED: &[([i32; 4], u32, u32, u32)] = &[
    ([-9784, 4406, 30465, -21384], 96, 16, 0xbdda71b5),
    ([10187, -20789, 228, -9784], 168, 246, 0xbe4bf998),
    ([-15658, 18273, -11596, -24351], 180, 140, 0xbe68d9d2),
    ([228, -9784, 220, 30465], 193, 85, 0x3dab5157),
    ([-24351, -13386, 17263, 7322], 188, 152, 0xbcb84171),
    ([228, -9784, 220, 30465], 36, 45, 0xbbee01dc),
];

fn flat(a: u32, b: u32) -> [u32; 4] {
    let [[w00, w10], [w01, w11]] = filter::plane(256, a, b);
    [w00, w10, w01, w11]
}

#[test]
fn planes_blend_as_a_gpu_did() {
    let same = |got: f32, expected: u32| {
        assert_eq!(
            got,
            f32::from_bits(expected),
            "{:#x} {expected:#x}",
            got.to_bits()
        );
    };
    for &(texels, a, b, expected) in SINGLES {
        same(
            blend::singles(&texels.map(f32::from_bits), &flat(a, b)),
            expected,
        );
    }
    for &(texels, a, b, expected) in HALVES {
        same(
            blend::halves(&texels.map(f32::from_bits), &flat(a, b)),
            expected,
        );
    }
    for &(texels, a, b, expected) in BYTES {
        same(blend::unorm8(&texels, &flat(a, b)), expected);
    }
    for &(texels, a, b, expected) in WORDS {
        same(blend::unorm16(&texels, &flat(a, b)), expected);
    }
    for &(texels, a, b, expected) in SIGNED {
        same(blend::snorm16(&texels, &flat(a, b)), expected);
    }
}

/// Weights of columns, rows and slices; the texel among eight, as x, y, z; its weight.
#[rustfmt::skip]
const VOLUMES: &[([u32; 3], [usize; 3], u32)] = &[
    ([78, 154, 151], [0, 0, 1], 42),
    ([164, 80, 1], [1, 0, 1], 1),
    ([89, 140, 221], [1, 0, 0], 5),
    ([57, 21, 222], [1, 1, 1], 4),
    ([220, 71, 82], [1, 1, 0], 42),
    ([157, 26, 138], [0, 1, 1], 5),
    ([18, 243, 241], [0, 0, 1], 11),
    ([191, 12, 58], [0, 1, 0], 2),
    ([69, 204, 163], [0, 1, 1], 95),
    ([35, 93, 22], [0, 0, 1], 12),
    ([3, 61, 5], [1, 0, 1], 0),
    ([118, 113, 92], [0, 1, 0], 39),
    ([217, 148, 226], [0, 1, 1], 20),
    ([71, 145, 75], [0, 1, 0], 74),
    ([83, 108, 50], [1, 1, 0], 28),
    ([53, 108, 106], [1, 0, 0], 18),
];

#[test]
fn volumes_are_split_as_by_a_gpu() {
    for &([a, b, c], [x, y, z], expected) in VOLUMES {
        let slice = filter::split(256, c)[z];
        assert_eq!(
            filter::plane(slice, a, b)[y][x],
            expected,
            "{a} {b} {c}, {x} {y} {z}"
        );
    }
}

/// Texels between pixels, as bits, and the level in 256ths.
#[rustfmt::skip]
const DISTANCES: &[(u32, i32)] = &[
    (0x423f179a, 1428),
    (0x416e9910, 998),
    (0x422dd090, 1393),
    (0x40204116, 339),
    (0x415c9468, 969),
    (0x403f179a, 404),
    (0x410d7cd0, 804),
    (0x41360094, 898),
    (0x408fce0c, 555),
    (0x420ddf04, 1318),
    (0x41fb3194, 1273),
    (0x41d2164c, 1207),
    (0x3f93c072, 53),
    (0x424eb3a1, 1457),
    (0x41dbfbb8, 1224),
    (0x403aff5b, 395),
    (0x3fe5b907, 216),
    (0x41211fd9, 853),
    (0x427f4ecb, 1535),
    (0x4018a197, 321),
    (0x4189b541, 1051),
    (0x3f8fce0c, 43),
    (0x4249b9be, 1448),
    (0x423487a6, 1407),
];

#[test]
fn distances_are_levels() {
    for &(distance, expected) in DISTANCES {
        let distance = f32::from_bits(distance);
        assert_eq!(level::of_distance(distance), expected, "{distance}");
    }
    // Of a chain with levels from 1.25 to 3.7; a NaN is level 0, a bias is cut towards zero.
    let clamp = |asked: f32| level::clamped(level::of(asked), 0.0, [1.25, 3.7], 6);
    assert_eq!([0.0, 2.999, f32::NAN, 9.0].map(clamp), [320, 767, 320, 947]);
    assert_eq!(
        level::clamped(level::of(1.1015625), -1.1, [0.0, 100.0], 6),
        1
    );
    assert_eq!(level::clamped(level::of(0.2002), 0.3, [0.0, 6.0], 6), 127);
}

#[test]
fn between_faces_z_goes_first() {
    let faces = [
        ((0.0, 0.0, 0.0), 4),
        ((1.0, 0.0, 1.0), 4),
        ((0.0, -1.0, -1.0), 5),
        ((1.0, 1.0, 0.0), 2),
        ((-1.0, -1.0, 0.0), 3),
        ((1.0, 1.0, 1.0), 4),
    ];
    for ((x, y, z), face) in faces {
        assert_eq!(cube::place([x, y, z]).face, face, "{x} {y} {z}");
    }
}
