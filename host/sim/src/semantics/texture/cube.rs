//! Cubemaps: a direction to a face and a place on it, and how far the place moves with the
//! direction.
//!
//! CUDA C++ Programming Guide, "Cubemap Textures": the face is that of the component of largest
//! magnitude, the other two, divided by it, are the place. Open there, and as an H200 (driver
//! 580.159.04, 2026-11-22) has it: of components of equal magnitude z goes before y, and y before
//! x; a direction of no length leads to the middle of +z; a direction is first multiplied by the
//! reciprocal of its largest magnitude, each product rounded, and the face is looked for behind
//! that, so that magnitudes which differ in their last bit may be equal. Gradients are differences:
//! the direction and the two beside it have places, and those on another face count as if the
//! cube's surface were unfolded over the edge into the plane of the first one's face.

/// A place on a face: +x, -x, +y, -y, +z, -z, and coordinates from 0 to 1.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct FacePoint {
    pub(crate) face: u32,
    pub(crate) s: f32,
    pub(crate) t: f32,
}

/// A direction by its largest magnitude.
fn scaled(direction: [f32; 3]) -> [f32; 3] {
    let most = direction.iter().fold(0.0f32, |most, x| most.max(x.abs()));
    let reciprocal = 1.0 / most;
    match most.is_normal() && reciprocal.is_finite() {
        true => direction.map(|x| x * reciprocal),
        false => direction,
    }
}

/// The face of a direction.
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

/// Coordinates in the plane of a face, which a direction may leave.
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

/// The face of a direction, and the place on it.
#[inline]
pub(crate) fn place(direction: [f32; 3]) -> FacePoint {
    let direction = scaled(direction);
    let face = face_of(direction);
    // Rounded once.
    let [s, t] = on_face(face, direction.map(f64::from)).map(|at| at as f32);
    FacePoint { face, s, t }
}

/// Where a direction's place is in the plane of `face`, if the surface is unfolded over the edge
/// between; nowhere on the opposite face.
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
    // Behind the edge, as far as the place is below it.
    let below = 1.0 - sign(face) * on_cube[axis];
    let mut flat = on_cube;
    flat[axis] = sign(face);
    flat[own_axis] = sign(own) * (1.0 + below);
    Some(on_face(face, flat))
}

/// How the place on a cube's face moves with two gradients of the direction, and whether it stays
/// on the face.
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
            // Not measured: at least two faces away.
            None => [2.0, 0.0],
        }
    });
    (moves, stays)
}
