//! Texture coordinates and filtering against the Programming Guide's formulas.

use crate::semantics::texture::AddressMode::{self, Border, Clamp, Mirror, Wrap};
use crate::semantics::texture::{SurfaceClamp, Texel, cube, format, *};
use proptest::prelude::*;

#[test]
fn modes_extend_four_texels_both_ways() {
    let along = |mode| (-6..10).map(|i| texel(i, 4, mode)).collect::<Vec<_>>();
    let some = |texels: [u32; 16]| texels.map(Some).to_vec();
    assert_eq!(
        along(Wrap),
        some([2, 3, 0, 1, 2, 3, 0, 1, 2, 3, 0, 1, 2, 3, 0, 1])
    );
    assert_eq!(
        along(Mirror),
        some([2, 3, 3, 2, 1, 0, 0, 1, 2, 3, 3, 2, 1, 0, 0, 1])
    );
    assert_eq!(
        along(Clamp),
        some([0, 0, 0, 0, 0, 0, 0, 1, 2, 3, 3, 3, 3, 3, 3, 3])
    );
    let border = along(Border);
    assert!(border[..6].iter().chain(&border[10..]).all(Option::is_none));
    assert_eq!(border[6..10], [0, 1, 2, 3].map(Some));
    assert!(
        [Wrap, Mirror, Clamp, Border]
            .iter()
            .all(|&mode| texel(0, 0, mode).is_none())
    );
}

#[test]
fn wrapping_needs_normalised_coordinates() {
    assert_eq!(
        (point(1.25, 4, true, Wrap), point(5.5, 4, false, Wrap)),
        (Some(1), Some(3))
    );
    assert_eq!(
        (
            point(-0.25, 4, true, Mirror),
            point(-0.25, 4, false, Mirror)
        ),
        (Some(0), Some(0))
    );
    assert_eq!(
        (point(3.999, 4, false, Border), point(4.0, 4, false, Border)),
        (Some(3), None)
    );
}

#[test]
fn strange_coordinates_stay_inside() {
    for x in [
        f32::NAN,
        f32::INFINITY,
        f32::NEG_INFINITY,
        f32::MAX,
        f32::MIN,
        1e-45,
    ] {
        for mode in [Wrap, Mirror, Clamp, Border] {
            for size in [0, 1, 7, u32::MAX] {
                for normalized in [false, true] {
                    let tap = linear(x, size, normalized, mode);
                    assert!(
                        tap.texels
                            .iter()
                            .chain([&point(x, size, normalized, mode)])
                            .flatten()
                            .all(|&t| t < size)
                    );
                    assert!((0.0..=1.0).contains(&tap.weight));
                }
            }
        }
    }
}

#[test]
fn a_linear_fetch_at_a_centre_is_the_texel() {
    for i in 0..8u32 {
        let tap = linear(i as f32 + 0.5, 8, false, Clamp);
        assert_eq!((tap.texels[0], tap.weight), (Some(i), 0.0));
    }
    let edge = linear(0.0, 8, false, Clamp);
    assert_eq!((edge.texels, edge.weight), ([Some(0), Some(0)], 0.5));
    let border = linear(8.0, 8, false, Border);
    assert_eq!((border.texels, border.weight), ([Some(7), None], 0.5));
    // 255.6 / 256 rounds to a weight of one.
    assert_eq!(linear(0.5 + 255.6 / 256.0, 8, false, Clamp).weight, 1.0);
}

#[test]
fn gathers_run_round_the_square() {
    assert_eq!(
        gather([["i0j0", "i1j0"], ["i0j1", "i1j1"]]),
        ["i0j1", "i1j1", "i1j0", "i0j0"]
    );
}

#[test]
fn surfaces_clamp_trap_or_vanish() {
    use SurfaceClamp::{Clamp, Trap, Zero};
    assert_eq!(
        [Trap, Clamp, Zero].map(|mode| surface_texel(3, 4, mode)),
        [Texel::At(3); 3]
    );
    assert_eq!(
        [Trap, Clamp, Zero].map(|mode| surface_texel(4, 4, mode)),
        [Texel::Fault, Texel::At(3), Texel::Nowhere]
    );
    assert_eq!(
        [Trap, Clamp, Zero].map(|mode| surface_texel(-1, 4, mode)),
        [Texel::Fault, Texel::At(0), Texel::Nowhere]
    );
    assert_eq!(surface_texel(0, 0, Clamp), Texel::Nowhere);
}

#[test]
fn integer_texels_span_the_unit() {
    assert_eq!(
        (
            format::unorm8(0),
            format::unorm8(255),
            format::unorm16(65535)
        ),
        (0.0, 1.0, 1.0)
    );
    assert_eq!(
        (
            format::snorm8(127),
            format::snorm8(-127),
            format::snorm8(-128)
        ),
        (1.0, -1.0, -1.0)
    );
    assert_eq!(
        (
            format::snorm16(32767),
            format::snorm16(-32768),
            format::snorm16(0)
        ),
        (1.0, -1.0, 0.0)
    );
}

#[test]
fn cube_faces_have_their_centres_and_corners() {
    let axes = [
        (1.0, 0.0, 0.0),
        (-1.0, 0.0, 0.0),
        (0.0, 1.0, 0.0),
        (0.0, -1.0, 0.0),
        (0.0, 0.0, 1.0),
        (0.0, 0.0, -1.0),
    ];
    for (number, (x, y, z)) in (0..).zip(axes) {
        assert_eq!(cube::face(x, y, z), (number, 0.5, 0.5));
    }
    assert_eq!(cube::face(2.0, -1.0, 1.0), (0, 0.25, 0.75));
    assert_eq!(cube::face(1.0, 1.0, -4.0), (5, 0.375, 0.375));
}

proptest! {
    #[test]
    fn blends_lie_between_their_texels_and_agree_across_dimensions(
        t in prop::array::uniform8(-1000f32..1000.0), a in 0..=256u32, b in 0..=256u32, c in 0..=256u32,
    ) {
        let [a, b, c] = [a, b, c].map(|w| w as f32 / 256.0);
        let rows = |i: usize| [[t[i], t[i + 1]], [t[i + 2], t[i + 3]]];
        let (low, high) = (t.iter().copied().fold(f32::MAX, f32::min), t.iter().copied().fold(f32::MIN, f32::max));
        let blended = blend_3d([rows(0), rows(4)], a, b, c);
        prop_assert!((low - 0.01..=high + 0.01).contains(&blended));
        // Repeated one-dimensional blends are the same but for rounding: a few parts in 2^24 of the largest texel.
        let row = |i: usize| blend_1d([t[i], t[i + 1]], a);
        let plane = |i: usize| blend_1d([row(i), row(i + 2)], b);
        prop_assert!((blend_1d([plane(0), plane(4)], c) - blended).abs() < 1e-3);
        prop_assert_eq!(blend_2d(rows(0), 0.0, 1.0), t[2]);
        prop_assert_eq!(blend_2d(rows(0), 1.0, 0.0), t[1]);
    }

    #[test]
    fn a_mode_gives_a_texel_of_the_texture(i in any::<i64>(), size in 1..10_000u32) {
        for mode in [AddressMode::Wrap, Mirror, Clamp, Border] {
            prop_assert!(texel(i, size, mode).is_none_or(|t| t < size));
        }
        let length = i64::from(size);
        prop_assert_eq!(texel(i % length + length, size, Wrap), texel(i % length, size, Wrap));
        prop_assert_eq!(texel(-1 - i % length, size, Mirror), texel(i % length, size, Mirror));
    }
}
