//! `tex`, `tld4`: operands of fetches, levels, and the format of results.
//!
//! PTX ISA 9.7.10; CUDA C++ Programming Guide, "Texture Fetching". Texels are read and
//! blended in [`sampling`](super::sampling).
//!
//! The ISA leaves the following open, and an H200 (driver 580.159.04, 2026-11-21) does it so. A
//! fetch without a level reads the first level that the sampler's clamps allow, without its bias,
//! since compute kernels have no derivatives. A fetch by integers reads zero outside of the
//! texture, whatever the address mode is. If it names a level, it reads the nearest texel, or zero
//! if that level does not exist. A line that is plain memory is read by integers, and a line that
//! is an array is read by floats; the other way reads zero.

use super::sampling::{self, Level, TexelFetch};
use super::{
    Action, Geometry, ImageSite, LevelOf, ResultAs, coordinates, double, offsets, set_word, site,
    word,
};
use crate::image::{Image, Texture};
use crate::machine::core::Core;
use crate::machine::lane::lanes;
use crate::machine::memory::transfer::NOWHERE;
use crate::machine::op::Op;
use crate::semantics::texture::{cube, level};

/// `tex`, `tld4`.
///
/// # Safety
/// As for every handler.
pub(crate) unsafe fn fetch(core: &mut Core<'_>, op: *const Op) -> *const Op {
    let run = core.run;
    // SAFETY: the decoder gave rows of the frame and an index of a site.
    unsafe {
        let site = site(run, op);
        let mask = core.mask(&*op);
        let mut found: Option<(u64, &Texture)> = None;
        for lane in lanes(mask) {
            let handle = double(core, site.handle, lane);
            let texture = match found {
                Some((of, texture)) if of == handle => texture,
                _ => match run.texture(handle, site.geometry) {
                    Ok(texture) => texture,
                    Err(what) => return core.fault(op, lane, *what),
                },
            };
            found = Some((handle, texture));
            let at = TexelFetch {
                at: coordinates(core, site, lane),
                offset: offsets(core, site, lane),
            };
            let (values, result) = match &site.action {
                Action::Fetch {
                    integers,
                    level,
                    result,
                } => {
                    let values = if *integers {
                        let named = matches!(level, LevelOf::Row(_));
                        let level = level_number(core, level, lane);
                        sampling::load(texture, site.geometry, at, level, named)
                    } else {
                        let level = level_of(core, texture, (site.geometry, at), level, lane);
                        sampling::sample(texture, site.geometry, at, level)
                    };
                    (values, *result)
                }
                Action::Gather { component, result } => {
                    let values = sampling::gather(texture, site.geometry, at, *component);
                    (values, *result)
                }
                _ => continue,
            };
            core.tally.read += u64::from(texture.levels[0].texel_bytes());
            write(core, site, lane, values, result);
        }
        if let Some(predicate) = site.resident {
            core.set_predicate(predicate, mask, mask);
        }
        op.wrapping_add(1)
    }
}

/// Writes a lane's results.
///
/// # Safety
/// `site` must be of an operation of the running frame.
unsafe fn write(
    core: &mut Core<'_>,
    site: &ImageSite,
    lane: usize,
    values: [u32; 4],
    how: ResultAs,
) {
    // Rounds to the nearest, and converts a NaN to the one that arithmetic returns.
    let half = |bits: u32| match f32::from_bits(bits) {
        x if x.is_nan() => 0x7fff,
        x => u32::from(half::f16::from_f32(x).to_bits()),
    };
    let [r, g, b, a] = values;
    let values = match how {
        ResultAs::Words => values,
        ResultAs::Halves => values.map(half),
        ResultAs::PackedHalves => [half(r) | half(g) << 16, half(b) | half(a) << 16, 0, 0],
    };
    for (&row, value) in site.values.iter().zip(values) {
        if row != NOWHERE {
            // SAFETY: the decoder gave rows of 32-bit values.
            unsafe { set_word(core, row, lane, value) };
        }
    }
}

/// Returns the number of the level that a fetch by integers names.
///
/// # Safety
/// A row in `level` must be of the running frame.
unsafe fn level_number(core: &Core<'_>, level: &LevelOf, lane: usize) -> i32 {
    match level {
        // SAFETY: the decoder gave rows of 32-bit values.
        LevelOf::Row(row) => unsafe { word(core, *row, lane) as i32 },
        _ => 0,
    }
}

/// Returns the level that a fetch requests.
///
/// # Safety
/// Rows in `level` must be of the running frame.
unsafe fn level_of(
    core: &Core<'_>,
    texture: &Texture,
    (geometry, at): (Geometry, TexelFetch),
    level: &LevelOf,
    lane: usize,
) -> Level {
    // SAFETY: the decoder gave rows of 32-bit values.
    let read = |&row: &u32| f32::from_bits(unsafe { word(core, row, lane) });
    match level {
        LevelOf::Base => Level::First,
        LevelOf::Row(row) => Level::At(level::of(read(row))),
        LevelOf::Gradient(x, y) => {
            let Image {
                width,
                height,
                depth,
                ..
            } = texture.levels[0];
            let vector = |rows: &[u32]| {
                let value = |axis| rows.get(axis).map_or(0.0, read);
                [0, 1, 2].map(value)
            };
            let gradients = [vector(x), vector(y)];
            if matches!(geometry, Geometry::Cube | Geometry::Acube) {
                let first = usize::from(geometry == Geometry::Acube);
                let direction = [0, 1, 2].map(|axis| f32::from_bits(at.at[first + axis]));
                let (moves, stays) = cube::moves(direction, gradients);
                let texels = moves.map(|[s, t]| [s * width as f32, t * height as f32, 0.0]);
                return Level::At(level::of_gradients(texels, stays));
            }
            let axes = geometry.coordinates() - usize::from(geometry.layered());
            let sizes = match texture.sampler.normalized {
                true => [width, height, depth].map(|size| size as f32),
                false => [1.0; 3],
            };
            let texels = gradients.map(|gradient| {
                [0, 1, 2].map(|axis| match axis < axes {
                    true => gradient[axis] * sizes[axis],
                    // Padding of a vector to four elements.
                    false => 0.0,
                })
            });
            Level::At(level::of_gradients(texels, true))
        }
    }
}
