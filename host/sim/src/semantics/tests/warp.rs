//! What lanes get from their warp, and atomics: H200 cases.

use crate::semantics::atomic::*;
use crate::semantics::warp::*;

#[test]
fn reductions_of_floats_cover_members_only() {
    let mut floats: [f32; 32] = std::array::from_fn(|lane| lane as f32 - 16.0);
    floats[3] = f32::NAN;
    assert_eq!(
        (
            redux_f32(&floats, !0, false, false, false),
            redux_f32(&floats, !0, true, true, false)
        ),
        (-16.0, 16.0)
    );
    assert!(
        redux_f32(&floats, !0, true, false, true).is_nan()
            && redux_f32(&floats, 8, true, false, false).is_nan()
    );
    assert_eq!(
        redux_f32(&floats, 8, true, false, false).to_bits(),
        0x7fff_ffff
    );
}

#[test]
fn atomics_are_as_measured() {
    assert_eq!(
        (
            inc_u32(5, 4),
            inc_u32(9, 9),
            inc_u32(3, 4),
            inc_u32(u32::MAX, u32::MAX)
        ),
        (0, 0, 4, 0)
    );
    assert_eq!(
        (dec_u32(0, 7), dec_u32(8, 7), dec_u32(7, 7), dec_u32(1, 7)),
        (7, 7, 6, 0)
    );
    assert_eq!((cas(5, 5, 6), cas(4, 5, 6)), (6, 4));
}
