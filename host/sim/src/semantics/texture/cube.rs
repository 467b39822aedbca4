//! Cubemaps: converts a direction to a face and a position on it, and computes how the position
//! moves with the direction.
//!
//! CUDA C++ Programming Guide, "Cubemap Textures": the face belongs to the component of the largest
//! magnitude. The other two components, divided by it, are the position. The guide leaves details
//! open; here they are as on an H200 (driver 580.159.04, 2026-11-22). Among components of equal
//! magnitude, z comes before y, and y before x. A direction of length zero leads to the middle of
//! +z. A direction is first multiplied by the reciprocal of its largest magnitude, and each product
//! is rounded. The face is determined after that, so magnitudes that differ in their last bit may
//! become equal. Gradients are differences between the positions of the direction and of the two
//! directions beside it. A position on another face counts as if the cube's surface were unfolded
//! over the edge into the plane of the first face.

/// A position on a face: +x, -x, +y, -y, +z, -z, and coordinates from 0 to 1.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct FacePoint {
    pub(crate) face: u32,
    pub(crate) s: f32,
    pub(crate) t: f32,
}

/// Divides a direction by its largest magnitude.
fn scaled(direction: [f32; 3]) -> [f32; 3] {
    let most = direction.iter().fold(0.0f32, |most, x| most.max(x.abs()));
    let reciprocal = 1.0 / most;
    match most.is_normal() && reciprocal.is_finite() {
        true => direction.map(|x| x * reciprocal),
        false => direction,
    }
}

/// Returns the face of a direction.
fn face_of([x, y, z]: [f32; 3]) -> u32 {
    let (ax, ay, az) = (x.abs(), y.abs(), z.abs());
    if az >= ax && az >= ay {
        if z >= 0.0 { 4 } else { 5 }
    } else if ay >= ax {
        if y >= 0.0 { 2 } else { 3 }
    } else if x >= 0.0 {
        0
    } else {
        1
    }
}

/// Returns coordinates in the plane of a face. They may lie outside the face.
fn on_face(face: u32, [x, y, z]: [f64; 3]) -> [f64; 2] {
    let (major, s, t) = match face {
        0 => (x, -z, -y),
        1 => (-x, z, -y),
        2 => (y, x, z),
        3 => (-y, x, -z),
        4 => (z, x, -y),
        _ => (-z, -x, -y),
    };
    if major == 0.0 {
        return [0.5, 0.5];
    }
    [s, t].map(|side| (side / major + 1.0) / 2.0)
}

/// Returns the face of a direction, and the position on it.
#[inline]
pub(crate) fn place(direction: [f32; 3]) -> FacePoint {
    let direction = scaled(direction);
    let face = face_of(direction);
    // The coordinates are rounded once.
    let [s, t] = on_face(face, direction.map(f64::from)).map(|at| at as f32);
    FacePoint { face, s, t }
}

/// Returns the position of a direction in the plane of `face`, with the surface unfolded over the
/// edge between the faces. Returns `None` on the opposite face.
fn unfolded(direction: [f32; 3], face: u32) -> Option<[f64; 2]> {
    let own = face_of(direction);
    let direction = direction.map(f64::from);
    if own == face {
        return Some(on_face(face, direction));
    }
    let (axis, own_axis) = (face as usize / 2, own as usize / 2);
    if axis == own_axis {
        return None;
    }
    let sign = |face: u32| if face.is_multiple_of(2) { 1.0 } else { -1.0 };
    let on_cube = direction.map(|x| x / direction[own_axis].abs());
    // The distance beyond the edge is the distance of the position below it.
    let below = 1.0 - sign(face) * on_cube[axis];
    let mut flat = on_cube;
    flat[axis] = sign(face);
    flat[own_axis] = sign(own) * (1.0 + below);
    Some(on_face(face, flat))
}

/// Returns how the position on a cube's face moves with two gradients of the direction, and whether
/// it stays on the face.
pub(crate) fn moves(direction: [f32; 3], gradients: [[f32; 3]; 2]) -> ([[f32; 2]; 2], bool) {
    let start = scaled(direction);
    let face = face_of(start);
    let from = on_face(face, start.map(f64::from));
    let mut stays = true;
    let moves = gradients.map(|gradient| {
        let to = scaled([0, 1, 2].map(|axis| direction[axis] + gradient[axis]));
        stays &= face_of(to) == face;
        match unfolded(to, face) {
            Some(to) => [0, 1].map(|axis| (to[axis] - from[axis]) as f32),
            // This case was not measured. The distance is at least two faces.
            None => [2.0, 0.0],
        }
    });
    (moves, stays)
}
