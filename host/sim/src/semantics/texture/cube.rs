//! Cubemaps: a direction to a face and a place on it.
//!
//! CUDA C++ Programming Guide, "Cubemap Textures": the face is that of the component of largest magnitude, the other two,
//! divided by it, are the place. Open there: components of equal magnitude. On an H200 (driver 580.159.04, 2026-11-21) z goes before
//! y, and y before x; a direction of no length leads to the middle of +z. The division is exact
//! here; the H200's is not, so that a place on the edge between two texels may go to the one before.

/// The face (+x, -x, +y, -y, +z, -z) of a direction, and the normalised coordinates on it.
#[inline]
pub(crate) fn face(x: f32, y: f32, z: f32) -> (u32, f32, f32) {
    let (ax, ay, az) = (x.abs(), y.abs(), z.abs());
    let (number, major, s, t) = if az >= ax && az >= ay {
        if z >= 0.0 {
            (4, az, x, -y)
        } else {
            (5, az, -x, -y)
        }
    } else if ay >= ax {
        if y >= 0.0 {
            (2, ay, x, z)
        } else {
            (3, ay, x, -z)
        }
    } else if x >= 0.0 {
        (0, ax, -z, -y)
    } else {
        (1, ax, z, -y)
    };
    if major == 0.0 {
        return (4, 0.5, 0.5);
    }
    // Rounded once.
    let place = |side: f32| ((f64::from(side) / f64::from(major) + 1.0) / 2.0) as f32;
    (number, place(s), place(t))
}
