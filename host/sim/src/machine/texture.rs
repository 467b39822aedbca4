//! `tex`, `tld4`, `txq`: reading through a sampler.
//!
//! PTX ISA 9.7.10; CUDA C++ Programming Guide, "Texture Fetching". Which texels a coordinate means and how they are blended is in
//! `semantics::texture`, one axis at a time; here the axes come together and texels are read.
//!
//! Open in the ISA, and chosen here: channels that a texture has not read as zero; the border of integers is the bits of the
//! colour's floats; a fetch near an edge of a cube's face stays on the face; the level of a gradient is exact to the last bit
//! that `f32` has; a fetch without a level reads the first, since compute kernels have no derivatives.

use super::core::Core;
use super::image::{
    Action, Geometry, ImageSite, LevelOf, Query, ResultAs, Wrong, coordinates, double, set_word,
    site, word,
};
use super::lane::lanes;
use super::op::Op;
use super::transfer::NOWHERE;
use crate::image::{AddressMode, Filter, Format, Image, Object, Sampler, Shape, Texture};
use crate::semantics::texture::{self as semantics, Tap, cube, format};

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
            let at = coordinates(core, site, lane);
            let (values, result) = match &site.action {
                Action::Fetch {
                    integers,
                    level,
                    result,
                } => {
                    let level = level_of(core, texture, site.geometry, level, lane);
                    (
                        at_level(texture, site.geometry, at, *integers, level),
                        *result,
                    )
                }
                Action::Gather { component, result } => {
                    (gather(texture, site.geometry, at, *component), *result)
                }
                _ => continue,
            };
            core.read += u64::from(texture.levels[0].texel_bytes());
            write(core, site, lane, values, result);
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
    let half = |bits: u32| u32::from(half::f16::from_f32(f32::from_bits(bits)).to_bits());
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

/// The level that a fetch asks for.
///
/// # Safety
/// Rows in `level` must be of the running frame.
unsafe fn level_of(
    core: &Core<'_>,
    texture: &Texture,
    geometry: Geometry,
    level: &LevelOf,
    lane: usize,
) -> f32 {
    // SAFETY: the decoder gave rows of 32-bit values.
    let read = |&row: &u32| f32::from_bits(unsafe { word(core, row, lane) });
    match level {
        LevelOf::Base => 0.0,
        LevelOf::Row(row) => read(row),
        LevelOf::Gradient(x, y) => {
            let Image {
                width,
                height,
                depth,
                ..
            } = texture.levels[0];
            let cube = matches!(geometry, Geometry::Cube | Geometry::Acube);
            let sizes = match texture.sampler.normalized || cube {
                true => [width, height, depth].map(|size| size as f32),
                false => [1.0; 3],
            };
            let length = |rows: &[u32]| {
                let squares = rows
                    .iter()
                    .zip(sizes)
                    .map(|(row, size)| (read(row) * size).powi(2));
                squares.sum::<f32>().sqrt()
            };
            length(x).max(length(y)).log2()
        }
    }
}

/// The levels around `level`, and the weight of the second.
fn levels(texture: &Texture, level: f32) -> (usize, usize, f32) {
    let last = texture.levels.len() - 1;
    let Sampler {
        level_filter,
        level_bias,
        levels: [least, most],
        ..
    } = texture.sampler;
    // `max` and `min` take the number where the other is none.
    let level = (level + level_bias)
        .max(least)
        .min(most)
        .max(0.0)
        .min(last as f32);
    match level_filter {
        Filter::Point => {
            let nearest = ((level + 0.5).floor() as usize).min(last);
            (nearest, nearest, 0.0)
        }
        Filter::Linear => {
            let first = (level.floor() as usize).min(last);
            let weight = ((level - level.floor()) * 256.0).round_ties_even() / 256.0;
            (first, (first + 1).min(last), weight)
        }
    }
}

fn at_level(
    texture: &Texture,
    geometry: Geometry,
    at: [u32; 4],
    integers: bool,
    level: f32,
) -> [u32; 4] {
    if texture.levels.len() == 1 {
        return sample(&texture.levels[0], &texture.sampler, geometry, at, integers);
    }
    let (first, second, weight) = levels(texture, level);
    let read = |level: usize| {
        sample(
            &texture.levels[level],
            &texture.sampler,
            geometry,
            at,
            integers,
        )
    };
    let low = read(first);
    if weight == 0.0 || first == second || !reads_floats(&texture.levels[0], &texture.sampler) {
        return low;
    }
    let high = read(second);
    std::array::from_fn(|c| {
        let ends = [f32::from_bits(low[c]), f32::from_bits(high[c])];
        semantics::blend_1d(ends, weight).to_bits()
    })
}

/// Whether values that are read are floats.
fn reads_floats(image: &Image, sampler: &Sampler) -> bool {
    image.format.is_float() || (sampler.as_float && image.format.bytes() < 4)
}

/// A coordinate on each axis that the image has, and the slice where that is no axis.
struct Spot {
    axes: usize,
    at: [u32; 3],
    slice: u32,
    normalized: bool,
    modes: [AddressMode; 3],
}

/// Takes layers and faces out of the coordinates.
fn spot(image: &Image, sampler: &Sampler, geometry: Geometry, at: [u32; 4]) -> Spot {
    let (layer, [x, y, z]) = match geometry.layered() {
        true => (
            at[0].min(image.layers().saturating_sub(1)),
            [at[1], at[2], at[3]],
        ),
        false => (0, [at[0], at[1], at[2]]),
    };
    let plain = |axes| Spot {
        axes,
        at: [x, y, z],
        slice: layer,
        normalized: sampler.normalized,
        modes: sampler.address,
    };
    match geometry {
        Geometry::D1 | Geometry::A1d | Geometry::Any => plain(1),
        Geometry::D2 | Geometry::A2d => plain(2),
        Geometry::D3 => plain(3),
        Geometry::Cube | Geometry::Acube => {
            let [x, y, z] = [x, y, z].map(f32::from_bits);
            let (face, s, t) = cube::face(x, y, z);
            Spot {
                axes: 2,
                at: [s.to_bits(), t.to_bits(), 0],
                slice: layer * 6 + face,
                normalized: true,
                modes: [AddressMode::Clamp; 3],
            }
        }
    }
}

/// One fetch from one level.
fn sample(
    image: &Image,
    sampler: &Sampler,
    geometry: Geometry,
    at: [u32; 4],
    integers: bool,
) -> [u32; 4] {
    let spot = spot(image, sampler, geometry, at);
    let sizes = [image.width, image.height, image.depth];
    if image.shape == Shape::Linear {
        let x = match integers {
            true => i64::from(spot.at[0] as i32),
            false => f32::from_bits(spot.at[0]).floor() as i64,
        };
        return match semantics::texel(x, image.width, AddressMode::Border) {
            Some(x) => read(image, sampler, [x, 0, 0]),
            None => [0; 4],
        };
    }
    let floats = reads_floats(image, sampler);
    if integers || sampler.filter == Filter::Point || !floats {
        let mut texel = [Some(0); 3];
        for axis in 0..spot.axes {
            let (size, mode) = (sizes[axis], spot.modes[axis]);
            texel[axis] = if integers {
                let mode = mode.for_coordinates(false);
                semantics::texel(i64::from(spot.at[axis] as i32), size, mode)
            } else {
                semantics::point(f32::from_bits(spot.at[axis]), size, spot.normalized, mode)
            };
        }
        return texel_or_border(image, sampler, &spot, texel);
    }
    let taps = taps(&spot, sizes);
    let corner = |x: usize, y: usize, z: usize| {
        let texel = [taps[0].texels[x], taps[1].texels[y], taps[2].texels[z]];
        texel_or_border(image, sampler, &spot, texel).map(f32::from_bits)
    };
    let [a, b, c] = taps.map(|tap| tap.weight);
    match spot.axes {
        1 => {
            let line = [corner(0, 0, 0), corner(1, 0, 0)];
            channels(|n| semantics::blend_1d(line.map(|t| t[n]), a))
        }
        2 => {
            let plane = [0, 1].map(|y| [0, 1].map(|x| corner(x, y, 0)));
            channels(|n| semantics::blend_2d(plane.map(|row| row.map(|t| t[n])), a, b))
        }
        _ => {
            let cube = [0, 1].map(|z| [0, 1].map(|y| [0, 1].map(|x| corner(x, y, z))));
            channels(|n| semantics::blend_3d(cube.map(|p| p.map(|row| row.map(|t| t[n]))), a, b, c))
        }
    }
}

fn channels(value: impl Fn(usize) -> f32) -> [u32; 4] {
    std::array::from_fn(|n| value(n).to_bits())
}

/// The two texels around the coordinate on each axis; axes that are none have one.
fn taps(spot: &Spot, sizes: [u32; 3]) -> [Tap; 3] {
    std::array::from_fn(|axis| match axis < spot.axes {
        true => {
            let x = f32::from_bits(spot.at[axis]);
            semantics::linear(x, sizes[axis], spot.normalized, spot.modes[axis])
        }
        false => Tap {
            texels: [Some(0); 2],
            weight: 0.0,
        },
    })
}

fn texel_or_border(
    image: &Image,
    sampler: &Sampler,
    spot: &Spot,
    texel: [Option<u32>; 3],
) -> [u32; 4] {
    let [Some(x), Some(y), Some(z)] = texel else {
        let border = sampler.border.map(f32::to_bits);
        return std::array::from_fn(|c| {
            if c < image.channels as usize {
                border[c]
            } else {
                0
            }
        });
    };
    // A cubemap may have been made of fewer faces than six.
    let z = (z + spot.slice).min(image.depth - 1);
    read(image, sampler, [x, y, z])
}

/// `tld4`: one component of the four texels of a linear fetch.
fn gather(texture: &Texture, geometry: Geometry, at: [u32; 4], component: usize) -> [u32; 4] {
    let (image, sampler) = (&texture.levels[0], &texture.sampler);
    let spot = spot(image, sampler, geometry, at);
    let taps = taps(&spot, [image.width, image.height, image.depth]);
    let plane = [0, 1].map(|y| {
        [0, 1].map(|x| {
            let texel = [taps[0].texels[x], taps[1].texels[y], Some(0)];
            texel_or_border(image, sampler, &spot, texel)[component]
        })
    });
    semantics::gather(plane)
}

/// The texel at `x, y, z`, which are inside, as a fetch gives it: 32 bits a channel.
fn read(image: &Image, sampler: &Sampler, [x, y, z]: [u32; 3]) -> [u32; 4] {
    let at = image.at(u64::from(x) * u64::from(image.texel_bytes()), y, z);
    let mut values = [0; 4];
    for (c, value) in values.iter_mut().enumerate().take(image.channels as usize) {
        let place = at + c as u64 * u64::from(image.format.bytes());
        *value = channel(place, image.format, sampler.as_float);
    }
    values
}

/// One channel at an address inside a live image.
fn channel(place: u64, kind: Format, as_float: bool) -> u32 {
    let place = place as *const u8;
    // SAFETY: `Run::texture` has seen that the image's memory is live for as long as the launch runs, and its callers ask for
    // texels inside it. Others may write there at the same time: what is read then is the program's race.
    unsafe {
        match kind {
            Format::U8 if as_float => format::unorm8(place.read()).to_bits(),
            Format::I8 if as_float => format::snorm8(place.cast::<i8>().read()).to_bits(),
            Format::U16 if as_float => {
                format::unorm16(place.cast::<u16>().read_unaligned()).to_bits()
            }
            Format::I16 if as_float => {
                format::snorm16(place.cast::<i16>().read_unaligned()).to_bits()
            }
            Format::U8 => place.read().into(),
            Format::I8 => place.cast::<i8>().read() as i32 as u32,
            Format::U16 => place.cast::<u16>().read_unaligned().into(),
            Format::I16 => place.cast::<i16>().read_unaligned() as i32 as u32,
            Format::F16 => {
                let bits = place.cast::<u16>().read_unaligned();
                half::f16::from_bits(bits).to_f32().to_bits()
            }
            Format::U32 | Format::I32 | Format::F32 => place.cast::<u32>().read_unaligned(),
        }
    }
}

/// `txq`, `suq`, and `istypep`, whose result is a predicate.
///
/// # Safety
/// As for every handler.
pub(crate) unsafe fn query(core: &mut Core<'_>, op: *const Op) -> *const Op {
    let run = core.run;
    // SAFETY: the decoder gave rows of the frame and an index of a site.
    unsafe {
        let site = site(run, op);
        let mask = core.mask(&*op);
        let mut references = 0;
        for lane in lanes(mask) {
            let handle = double(core, site.handle, lane);
            let asked = match site.action {
                Action::Query(asked) => asked,
                Action::Is { texture } => {
                    references |= u32::from(run.is_reference(handle, texture)) << lane;
                    continue;
                }
                _ => continue,
            };
            let answer: Result<u32, Wrong> = match run.images.get(handle) {
                Some(Object::Surface(_) | Object::UnboundSurface) => run
                    .surface(handle, Geometry::Any)
                    .map(|image| about(image, &Sampler::default(), 1, asked)),
                _ => run.texture(handle, Geometry::Any).map(|texture| {
                    let levels = texture.levels.len() as u32;
                    about(&texture.levels[0], &texture.sampler, levels, asked)
                }),
            };
            match answer {
                Ok(value) => set_word(core, site.values[0], lane, value),
                Err(what) => return core.fault(op, lane, *what),
            }
        }
        if matches!(site.action, Action::Is { .. }) {
            core.set_predicate(site.values[0], references, mask);
        }
        op.wrapping_add(1)
    }
}

/// What a query answers: sizes in texels, zero for an extent that the image has not; OpenCL's numbers for formats.
fn about(image: &Image, sampler: &Sampler, levels: u32, asked: Query) -> u32 {
    let flat = matches!(image.shape, Shape::Linear | Shape::D1 | Shape::Layered1);
    match asked {
        Query::Width => image.width,
        Query::Height if flat => 0,
        Query::Height => image.height,
        Query::Depth if image.shape == Shape::D3 => image.depth,
        Query::Depth => 0,
        Query::DataType => image.format.data_type(),
        Query::Order => match image.channels {
            1 => 0x10b0,
            2 => 0x10b2,
            _ => 0x10b5,
        },
        Query::Layers
            if matches!(
                image.shape,
                Shape::Layered1 | Shape::Layered2 | Shape::LayeredCube
            ) =>
        {
            image.layers()
        }
        Query::Layers => 0,
        Query::Normalized => sampler.normalized.into(),
        Query::Levels => levels,
        Query::Fixed(value) => value,
        Query::Filter => u32::from(sampler.filter == Filter::Linear),
        Query::Address(axis) => match sampler.address[axis] {
            AddressMode::Wrap => 0,
            AddressMode::Mirror => 1,
            AddressMode::Clamp => 2,
            AddressMode::Border => 3,
        },
    }
}
