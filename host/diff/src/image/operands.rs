//! Coordinates, levels and gradients: random ones, and those where the result of a fetch changes.
//!
//! For floats these are edges and centres of texels, the neighbouring numbers of the format, halves
//! of a 256th, values outside, infinities and NaN. For surfaces each thread has its own texel, or
//! writes to none, so that the result does not depend on the order.

use lanewise_sim::image::Shape;
use lanewise_sim::isa::sample::{Register, Usage};
use lanewise_sim::ptx::ast::{Modifier, Opcode, Type};

use super::{Setup, is_handle, of_thread};
use crate::case::{BLOCK, Case};
use crate::values::{self, Random};

/// Returns the values of a thread's registers that are loaded from its record, in order.
pub fn of(case: &Case, thread: usize, objects: &[Setup], random: &mut Random) -> Vec<u128> {
    let setup = &objects[of_thread(thread, objects.len())];
    let writes = matches!(case.row.opcode, Opcode::Suld | Opcode::Sust | Opcode::Sured);
    let place = match writes {
        true => element(case, setup, number(thread, objects.len()), random),
        false => spot(case, setup, random),
    };
    let layered = layered(setup.shape);
    // In a layered geometry the layer's number takes the first register, and this one is not used.
    let mut axis = if layered { 0 } else { 1 };
    let object = object_operand(case);
    // Only one gradient is not zero. No document specifies how two of them determine a level.
    let gradients = case
        .inputs()
        .filter(|(_, r)| r.usage == Usage::Texture && Some(r.operand) != object)
        .count();
    // There are two vectors, whose fourth element is padding.
    let each = (gradients / 2).max(1);
    let real = each.min(3);
    let picked = random.below(2 * real as u64) as usize;
    let chosen = picked / real * each + picked % real;
    let mut seen = 0;
    let mut value = |register: Register, random: &mut Random| -> u128 {
        if register.usage != Usage::Texture {
            return match case.has(Modifier::Level) {
                true => level(register.declared, random).into(),
                false => values::value(register.value, random),
            };
        }
        if Some(register.operand) != object {
            seen += 1;
            return if seen == chosen + 1 {
                gradient(setup.size[chosen % each], random).into()
            } else {
                0
            };
        }
        if layered && register.declared == Type::U32 {
            return place[0].into();
        }
        axis += 1;
        place.get(axis - 1).copied().unwrap_or(0).into()
    };
    case.inputs()
        .map(|(_, register)| value(register, random))
        .collect()
}

/// Returns the operand that is the object: the one of the handle's register.
fn object_operand(case: &Case) -> Option<usize> {
    let mut registers = case.sample.registers.iter();
    registers
        .find(|register| is_handle(case, **register))
        .map(|register| register.operand)
}

fn layered(shape: Shape) -> bool {
    matches!(
        shape,
        Shape::Layered1 | Shape::Layered2 | Shape::LayeredCube
    )
}

/// Returns a thread's number among those that have the same object.
fn number(thread: usize, objects: usize) -> u32 {
    (thread / (BLOCK * objects) * BLOCK + thread % BLOCK) as u32
}

/// Returns the layer's number of a fetch, then the coordinates on each axis. The layer is 0 if
/// there are no layers. Unused coordinates are 0 too.
fn spot(case: &Case, setup: &Setup, random: &mut Random) -> [u32; 4] {
    let layers = match setup.shape {
        Shape::LayeredCube => setup.size[2] / 6,
        shape if layered(shape) => setup.size[2],
        _ => 1,
    };
    let layer = if layers > 1 {
        random.below(u64::from(layers) + 2) as u32
    } else {
        0
    };
    if matches!(setup.shape, Shape::Cube | Shape::LayeredCube) {
        let [x, y, z] = direction(random);
        return [layer, x, y, z];
    }
    let floats = case.types().last() == Some(&Type::F32);
    // A volume's gradients become differences of coordinates. Far from zero
    // these differences vanish.
    let near = case.has(Modifier::Grad) && setup.shape == Shape::D3;
    let mut at = [layer, 0, 0, 0];
    for (axis, to) in at[1..].iter_mut().enumerate() {
        *to = match floats {
            true if near => (random.below(4096) as f32 / 4096.0).to_bits(),
            true => coordinate(setup.size[axis], setup.sampler.normalized, random),
            false => integer(setup.size[axis], random),
        };
    }
    at
}

/// Returns a coordinate on an axis of this many texels, as bits of an f32.
fn coordinate(size: u32, normalized: bool, random: &mut Random) -> u32 {
    let scale = if normalized { 1.0 / size as f32 } else { 1.0 };
    let texel = random.below(u64::from(size) + 8) as f32 - 4.0;
    let fraction = random.below(4096) as f32 / 4096.0;
    match random.below(16) {
        // The edge of a texel, and the neighbouring numbers of the format.
        0 | 1 => ((texel * scale).to_bits() as i32).wrapping_add(random.below(3) as i32 - 1) as u32,
        2 => ((texel + 0.5) * scale).to_bits(),
        3 => ((texel + random.below(512) as f32 / 512.0) * scale).to_bits(),
        4 => random.bits() as u32,
        5 => [
            f32::NAN,
            f32::INFINITY,
            f32::NEG_INFINITY,
            1e10,
            -1e10,
            -0.0,
        ][random.below(6) as usize]
            .to_bits(),
        _ => ((texel + fraction) * scale).to_bits(),
    }
}

/// Returns an integer coordinate: inside, near, or far away.
fn integer(size: u32, random: &mut Random) -> u32 {
    match random.below(8) {
        0 => {
            [i32::MAX, i32::MIN, -1, size as i32, 1 << 16, 1 << 20][random.below(6) as usize] as u32
        }
        _ => (random.below(u64::from(size) + 6) as i32 - 3) as u32,
    }
}

/// Returns a direction to a cube's face: ordinary, along axes, or between faces. It has many bits,
/// so that it does not point to an edge between texels, where an H200's division is not exact.
fn direction(random: &mut Random) -> [u32; 3] {
    let mut one = || (random.bits() >> 40) as f32 / (1u32 << 23) as f32 - 1.0;
    let mut at = [one(), one(), one()];
    let axis = random.below(3) as usize;
    match random.below(8) {
        0 => at[axis] = 0.0,
        1 => at[axis] = at[(axis + 1) % 3],
        2 => at[axis] = -at[(axis + 1) % 3],
        _ => {}
    }
    at.map(f32::to_bits)
}

/// Returns a level: between two existing levels, at one, or outside.
fn level(ty: Type, random: &mut Random) -> u32 {
    match (ty, random.below(8)) {
        (Type::F32, 0) => values::value(Type::F32, random) as u32,
        (Type::F32, 1) => (random.below(9) as f32 / 2.0 - 1.0).to_bits(),
        (Type::F32, _) => (random.below(4096) as f32 / 1024.0 - 0.5).to_bits(),
        _ => random.below(5) as u32,
    }
}

/// Returns how much a coordinate changes to the next pixel. The number of texels is chosen so that
/// the level is not at the boundary between two levels, because an H200's logarithm is exact to
/// 256ths only. It is even less exact if it is computed from differences (for volumes).
fn gradient(size: u32, random: &mut Random) -> u32 {
    let texels = f32::exp2(random.below(6) as f32 - 2.0 + 0.2);
    let sign = if random.below(2) == 0 { 1.0 } else { -1.0 };
    (sign * texels / size as f32).to_bits()
}

/// Returns the element that a thread accesses. Some threads access outside of the surface, if the
/// instruction defines the result. A clamped access goes to the thread's own element.
fn element(case: &Case, setup: &Setup, number: u32, random: &mut Random) -> [u32; 4] {
    let [width, height, depth] = setup.size;
    let own = [
        number % width,
        number / width % height,
        number / width / height % depth,
    ];
    let scale = if case.has(Modifier::P) {
        1
    } else {
        setup.texel()
    };
    let outside = random.below(8) == 0;
    let mut axes = own;
    for (axis, at) in axes.iter_mut().enumerate().filter(|_| outside) {
        let size = setup.size[axis];
        if size == 1 {
            continue;
        }
        // Far enough to be outside in any unit, and near enough that a product does not overflow.
        let (below, beyond) = (
            (-1 - random.below(100) as i32) as u32,
            size + random.below(100) as u32,
        );
        match () {
            () if case.has(Modifier::Zero) => {
                *at = if random.below(2) == 0 { below } else { beyond }
            }
            // A layer's number has no sign. A number below the first layer wraps to one beyond the
            // last, whose element belongs to another thread.
            () if case.has(Modifier::Clamp) && *at == 0 && !(axis == 2 && layered(setup.shape)) => {
                *at = below
            }
            () if case.has(Modifier::Clamp) && *at == size - 1 => *at = beyond,
            () => {}
        }
    }
    axes[0] = axes[0].wrapping_mul(scale);
    match setup.shape {
        Shape::Layered1 => [axes[2], axes[0], 0, 0],
        Shape::Layered2 => [axes[2], axes[0], axes[1], 0],
        _ => [0, axes[0], axes[1], axes[2]],
    }
}
