//! Cubemaps: a direction to a face and a place on it.
//!
//! CUDA C++ Programming Guide, "Cubemap Textures": the face is that of the component of largest magnitude, the other two,
//! divided by it, are the place. Open there: components of equal magnitude; here x before y before z.

/// The face (+x, -x, +y, -y, +z, -z) of a direction, and the normalised coordinates on it.
#[inline]
pub fn face(x: f32, y: f32, z: f32) -> (u32, f32, f32) {
    let (ax, ay, az) = (x.abs(), y.abs(), z.abs());
    let (number, major, s, t) = if ax >= ay && ax >= az {
        if x >= 0.0 {
            (0, ax, -z, -y)
        } else {
            (1, ax, z, -y)
        }
    } else if ay >= az {
        if y >= 0.0 {
            (2, ay, x, z)
        } else {
            (3, ay, x, -z)
        }
    } else if z >= 0.0 {
        (4, az, x, -y)
    } else {
        (5, az, -x, -y)
    };
    (number, (s / major + 1.0) / 2.0, (t / major + 1.0) / 2.0)
}
