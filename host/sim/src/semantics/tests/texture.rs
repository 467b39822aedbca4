//! Texture coordinates and filtering, compared with the Programming Guide's formulas.

use crate::semantics::texture::AddressMode::{self, Border, Clamp, Mirror, Wrap};
use crate::semantics::texture::address::texel;
use crate::semantics::texture::filter::{self, gather};
use crate::semantics::texture::fixed::{self, Tap};
use crate::semantics::texture::{SurfaceClamp, Texel, blend, cube, format, *};
use proptest::prelude::*;

/// A fetch of one texel without an offset.
pub(super) fn point(x: f32, size: u32, normalized: bool, mode: AddressMode) -> Option<u32> {
    fixed::point(x, 0, size, normalized, mode)
}

/// A linear fetch without an offset.
pub(super) fn linear(x: f32, size: u32, normalized: bool, mode: AddressMode) -> Tap {
    fixed::linear(x, 0, size, normalized, mode)
}

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
                    assert!(tap.weight < 256);
                }
            }
        }
    }
}

#[test]
fn a_linear_fetch_at_a_centre_is_the_texel() {
    for i in 0..8u32 {
        let tap = linear(i as f32 + 0.5, 8, false, Clamp);
        assert_eq!((tap.texels[0], tap.weight), (Some(i), 0));
    }
    // Before the first centre, nothing is blended.
    let edge = linear(0.0, 8, false, Clamp);
    assert_eq!((edge.texels[0], edge.weight), (Some(0), 0));
    let border = linear(8.0, 8, false, Border);
    assert_eq!((border.texels, border.weight), ([Some(7), None], 128));
    // Half a 256th is one, and 255.6 are the next texel.
    assert_eq!(linear(0.5 + 0.5 / 256.0, 8, false, Clamp).weight, 1);
    let next = linear(0.5 + 255.6 / 256.0, 8, false, Clamp);
    assert_eq!((next.texels[0], next.weight), (Some(1), 0));
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

/// Formatted stores and border colours as on an H200 (driver 580.159.04, 2026-11-21).
#[test]
fn floats_are_brought_into_formats() {
    let halves = [
        (300.7, 0x5cb2),
        (-1e10, 0xfbff),
        (f32::INFINITY, 0x7c00),
        (f32::from_bits(0x7f80_0001), 0x7c01),
        (f32::from_bits(0xffa1_2345), 0xfd09),
        (f32::NAN, 0x7e00),
    ];
    for (x, expected) in halves {
        assert_eq!(format::half(x), expected, "{x}");
    }
    let unsigned = [0.25, 0.5, 0.75, 9.0, f32::NAN].map(|x| format::unorm(x, 8));
    assert_eq!(unsigned, [64, 127, 191, 255, 0]);
    let signed = [0.5, -0.5, -75.5 / 127.0, -9.0].map(|x| format::snorm(x, 8));
    assert_eq!(signed, [63, -63, -75, -127]);
}

fn face(x: f32, y: f32, z: f32) -> (u32, f32, f32) {
    let cube::FacePoint { face, s, t } = cube::place([x, y, z]);
    (face, s, t)
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
        assert_eq!(face(x, y, z), (number, 0.5, 0.5));
    }
    assert_eq!(face(2.0, -1.0, 1.0), (0, 0.25, 0.75));
    assert_eq!(face(0.0, 0.0, 0.0), (4, 0.5, 0.5));
    assert_eq!(face(1.0, 1.0, -4.0), (5, 0.375, 0.375));
}

proptest! {
    #[test]
    fn weights_are_one_together_and_near_the_products(a in 0..256u32, b in 0..256u32, c in 0..256u32) {
        let mut sum = 0;
        for (slice, part) in filter::split(256, c).into_iter().enumerate() {
            for (row, weights) in filter::plane(part, a, b).into_iter().enumerate() {
                for (column, weight) in weights.into_iter().enumerate() {
                    let of = |second: usize, w: u32| f64::from(if second == 1 { w } else { 256 - w }) / 256.0;
                    let exact = of(column, a) * of(row, b) * of(slice, c) * 256.0;
                    prop_assert!((f64::from(weight) - exact).abs() < 1.51, "{weight} {exact}");
                    sum += weight;
                }
            }
        }
        prop_assert_eq!(sum, 256);
    }

    #[test]
    fn blends_lie_between_their_texels(
        t in prop::array::uniform4(-1000f32..1000.0), a in 0..256u32, b in 0..256u32, bytes in prop::array::uniform4(0..256u32),
    ) {
        let weights = filter::plane(256, a, b).concat();
        let (low, high) = (t.iter().copied().fold(f32::MAX, f32::min), t.iter().copied().fold(f32::MIN, f32::max));
        let exact: f64 = t.iter().zip(&weights).map(|(t, w)| f64::from(*t) * f64::from(*w) / 256.0).sum();
        let single = blend::singles(&t, &weights);
        prop_assert!((low..=high).contains(&single));
        prop_assert!((f64::from(single) - exact).abs() < 1e-4, "{single} {exact}");
        prop_assert!((f64::from(blend::halves(&t, &weights)) - exact).abs() < 1.0);
        let exact: f64 = bytes.iter().zip(&weights).map(|(t, w)| f64::from(t * w)).sum::<f64>() / 255.0 / 256.0;
        prop_assert!((f64::from(blend::unorm8(&bytes, &weights)) - exact).abs() < 1e-5);
        let signed = bytes.map(|byte| byte as i32 - 128);
        let exact: f64 = signed.iter().zip(&weights).map(|(t, w)| f64::from(*t) * f64::from(*w)).sum::<f64>() / 127.0 / 256.0;
        prop_assert!((f64::from(blend::snorm8(&signed, &weights)) - exact.max(-1.0)).abs() < 1e-4);
    }

    #[test]
    fn any_floats_blend_to_something(t in prop::array::uniform4(any::<u32>()), a in 0..256u32, b in 0..256u32) {
        let weights = filter::plane(256, a, b).concat();
        let texels = t.map(f32::from_bits);
        let all_finite = texels.iter().all(|texel| texel.is_finite());
        prop_assert!(!all_finite || blend::singles(&texels, &weights).is_finite());
        prop_assert_eq!(blend::singles(&[1.0, f32::NAN], &[256, 0]), 1.0);
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
