//! Reads of a sampler: texels at coordinates, as points or filtered.
//!
//! CUDA C++ Programming Guide, "Texture Fetching". `semantics::texture` computes the texels of a
//! coordinate, their weights and their sum, one axis at a time. Here the axes are combined and
//! texels are read.
//!
//! The ISA leaves the following open, and an H200 (driver 580.159.04, 2026-11-21) does it so:
//! channels that a texture does not have read as zero; the border's colour is converted to the
//! texels' format; a filtered fetch of a line has its one row of texels between rows of border, if
//! the second address mode is border; a fetch near an edge of a cube's face stays on the face, by
//! the address modes. (Not modelled: seamless cubes.)

use super::Geometry;
use crate::image::{AddressMode, Filter, Format, Image, Sampler, Shape, Texture};
use crate::semantics::texture::fixed::{self, Tap};
use crate::semantics::texture::{blend, cube, filter, format, level};

/// The level that a fetch requests.
#[derive(Debug, Clone, Copy)]
pub(in crate::machine) enum Level {
    /// The first existing level.
    First,
    /// This level, in 256ths, before the sampler's bias.
    At(i32),
}

/// The position of a fetch: its coordinates, with a layer's number first, and its
/// offsets in texels.
#[derive(Clone, Copy)]
pub(in crate::machine) struct TexelFetch {
    pub(in crate::machine) at: [u32; 4],
    pub(in crate::machine) offset: [i32; 3],
}

/// A texel as it is stored: floats of 16 bits are widened, integers are extended.
type Raw = [u32; 4];

/// Returns whether the values that are read are floats.
fn reads_floats(image: &Image, sampler: &Sampler) -> bool {
    image.format.is_float() || (sampler.as_float && image.format.bytes() < 4)
}

/// A coordinate for each axis of the image, and the slice if that is not an axis.
struct Coordinates {
    axes: usize,
    at: [u32; 3],
    offset: [i32; 3],
    slice: u32,
    normalized: bool,
    modes: [AddressMode; 3],
}

impl Coordinates {
    /// Returns the texel of a point-sampled fetch on each axis.
    fn points(&self, image: &Image) -> [Option<u32>; 3] {
        let sizes = [image.width, image.height, image.depth];
        std::array::from_fn(|axis| match axis < self.axes {
            true => {
                let x = f32::from_bits(self.at[axis]);
                fixed::point(
                    x,
                    self.offset[axis].into(),
                    sizes[axis],
                    self.normalized,
                    self.modes[axis],
                )
            }
            false => Some(0),
        })
    }

    /// Returns the two texels of a filtered fetch on each axis. A missing axis has one.
    fn taps(&self, image: &Image) -> [Tap; 3] {
        let sizes = [image.width, image.height, image.depth];
        std::array::from_fn(|axis| match axis < self.axes {
            true => {
                let x = f32::from_bits(self.at[axis]);
                fixed::linear(
                    x,
                    self.offset[axis].into(),
                    sizes[axis],
                    self.normalized,
                    self.modes[axis],
                )
            }
            false => Tap::ONLY,
        })
    }
}

/// Separates layers and faces from the coordinates.
fn spot(
    image: &Image,
    sampler: &Sampler,
    geometry: Geometry,
    TexelFetch { at, offset }: TexelFetch,
) -> Coordinates {
    let (layer, [x, y, z]) = match geometry.layered() {
        true => (
            at[0].min(image.layers().saturating_sub(1)),
            [at[1], at[2], at[3]],
        ),
        false => (0, [at[0], at[1], at[2]]),
    };
    let plain = |axes| Coordinates {
        axes,
        at: [x, y, z],
        offset,
        slice: layer,
        normalized: sampler.normalized,
        modes: sampler.address,
    };
    match geometry {
        Geometry::D1 | Geometry::A1d | Geometry::Any => plain(1),
        Geometry::D2 | Geometry::A2d => plain(2),
        Geometry::D3 => plain(3),
        Geometry::Cube | Geometry::Acube => {
            let cube::FacePoint { face, s, t } = cube::place([x, y, z].map(f32::from_bits));
            Coordinates {
                axes: 2,
                at: [s.to_bits(), t.to_bits(), 0],
                offset,
                slice: layer * 6 + face,
                normalized: true,
                modes: sampler.address,
            }
        }
    }
}

/// Texels with their weights: up to eight for each of two levels.
#[derive(Default)]
struct Mix {
    texels: [Raw; 16],
    weights: [u32; 16],
    count: usize,
}

impl Mix {
    fn add(&mut self, texel: Raw, weight: u32) {
        if weight > 0 && self.count < self.weights.len() {
            self.texels[self.count] = texel;
            self.weights[self.count] = weight;
            self.count += 1;
        }
    }

    /// Adds the texel at `spot`, or the texels around it, with the total weight `whole`.
    fn add_level(
        &mut self,
        image: &Image,
        sampler: &Sampler,
        geometry: Geometry,
        spot: &Coordinates,
        whole: u32,
    ) {
        if sampler.filter == Filter::Point {
            return self.add(texel(image, sampler, spot, spot.points(image)), whole);
        }
        let [x, y, z] = spot.taps(image);
        let slices = match spot.axes {
            3 => filter::split(whole, z.weight),
            _ => [whole, 0],
        };
        let between_borders = geometry == Geometry::D1 && spot.modes[1] == AddressMode::Border;
        for (slice, part) in slices.into_iter().enumerate().filter(|(_, part)| *part > 0) {
            let b = if between_borders { 128 } else { y.weight };
            for (row, weights) in filter::plane(part, x.weight, b).into_iter().enumerate() {
                for (column, weight) in weights.into_iter().enumerate() {
                    let y = match between_borders {
                        true if row == 0 => None,
                        true => Some(0),
                        false => y.texels[row],
                    };
                    let at = [x.texels[column], y, z.texels[slice]];
                    self.add(texel(image, sampler, spot, at), weight);
                }
            }
        }
    }

    /// Returns the weighted result of the texels.
    fn values(&self, image: &Image, sampler: &Sampler) -> [u32; 4] {
        let (texels, weights) = (&self.texels[..self.count], &self.weights[..self.count]);
        if let ([texel], false) = (
            texels,
            sampler.filter == Filter::Linear && reads_floats(image, sampler),
        ) {
            return texel.map(|raw| value(raw, image.format, sampler.as_float));
        }
        let mut values = [0; 4];
        for (c, to) in values.iter_mut().enumerate().take(image.channels as usize) {
            let mut channel = [0; 16];
            for (raw, texel) in channel.iter_mut().zip(texels) {
                *raw = texel[c];
            }
            *to = blended(&channel[..self.count], weights, image.format).to_bits();
        }
        values
    }
}

fn blended(raw: &[u32], weights: &[u32], format: Format) -> f32 {
    let mut floats = [0.0; 16];
    let mut signed = [0; 16];
    for (n, &bits) in raw.iter().enumerate().take(16) {
        floats[n] = f32::from_bits(bits);
        signed[n] = bits as i32;
    }
    let (floats, signed) = (&floats[..raw.len()], &signed[..raw.len()]);
    match format {
        Format::U8 => blend::unorm8(raw, weights),
        Format::U16 => blend::unorm16(raw, weights),
        Format::I8 => blend::snorm8(signed, weights),
        Format::I16 => blend::snorm16(signed, weights),
        Format::F16 => blend::halves(floats, weights),
        _ => blend::singles(floats, weights),
    }
}

/// Performs a fetch with float coordinates.
pub(in crate::machine) fn sample(
    texture: &Texture,
    geometry: Geometry,
    at: TexelFetch,
    asked: Level,
) -> [u32; 4] {
    let (base, sampler) = (&texture.levels[0], &texture.sampler);
    if base.shape == Shape::Linear {
        return [0; 4];
    }
    let floats = reads_floats(base, sampler);
    let sampler = &Sampler {
        filter: if floats {
            sampler.filter
        } else {
            Filter::Point
        },
        ..*sampler
    };
    let last = texture.levels.len() - 1;
    let (asked, bias) = match asked {
        Level::First => (0, 0.0),
        Level::At(level) => (level, sampler.level_bias),
    };
    let asked = match last {
        0 => 0,
        _ => level::clamped(asked, bias, sampler.levels, last),
    };
    let (first, weight) = match sampler.level_filter {
        Filter::Linear if floats => (asked >> 8, asked & 255),
        _ => ((asked + 128) >> 8, 0),
    };
    let first = (first as usize).min(last);
    let mut mix = Mix::default();
    for (number, whole) in (first..).zip(filter::split(256, weight as u32)) {
        let Some(image) = texture.levels.get(number).filter(|_| whole > 0) else {
            continue;
        };
        let spot = spot(image, sampler, geometry, at);
        mix.add_level(image, sampler, geometry, &spot, whole);
    }
    mix.values(base, sampler)
}

/// Performs a fetch with integer coordinates. Outside of the texture it returns zero, or the
/// nearest texel if the fetch names its level.
pub(in crate::machine) fn load(
    texture: &Texture,
    geometry: Geometry,
    TexelFetch { at, offset }: TexelFetch,
    level: i32,
    named: bool,
) -> [u32; 4] {
    let sampler = &texture.sampler;
    let image = usize::try_from(level)
        .ok()
        .and_then(|level| texture.levels.get(level));
    let Some(image) =
        image.filter(|image| geometry != Geometry::D1 || image.shape == Shape::Linear)
    else {
        return [0; 4];
    };
    let (layer, [x, y, z]) = match geometry {
        Geometry::D1 => (0, [at[0], 0, 0]),
        Geometry::D2 => (0, [at[0], at[1], 0]),
        Geometry::A1d => (at[0], [at[1], 0, 0]),
        Geometry::A2d => (at[0], [at[1], at[2], 0]),
        _ => (0, [at[0], at[1], at[2]]),
    };
    let [x, y, z] = [0, 1, 2].map(|axis| [x, y, z][axis].wrapping_add_signed(offset[axis]));
    let nearest = |x: u32, size: u32| (x as i32).max(0).unsigned_abs().min(size.saturating_sub(1));
    let [x, y, z] = match named {
        true => [
            nearest(x, image.width),
            nearest(y, image.height),
            nearest(z, image.depth),
        ],
        false => [x, y, z],
    };
    let layer = if named {
        layer.min(image.layers().saturating_sub(1))
    } else {
        layer
    };
    // Negative coordinates are large unsigned numbers.
    let inside = x < image.width && y < image.height && z < image.depth && layer < image.layers();
    if !inside {
        return [0; 4];
    }
    read(image, [x, y, z.max(layer)]).map(|raw| value(raw, image.format, sampler.as_float))
}

/// `tld4`: returns one component of the four texels of a filtered fetch.
pub(in crate::machine) fn gather(
    texture: &Texture,
    geometry: Geometry,
    at: TexelFetch,
    component: usize,
) -> [u32; 4] {
    let (image, sampler) = (&texture.levels[0], &texture.sampler);
    let spot = spot(image, sampler, geometry, at);
    let sizes = [image.width, image.height];
    let [x, y] = [0, 1].map(|axis| {
        let at = f32::from_bits(spot.at[axis]);
        fixed::around(
            at,
            spot.offset[axis].into(),
            sizes[axis],
            spot.normalized,
            spot.modes[axis],
        )
    });
    let plane = [0, 1].map(|row| {
        [0, 1].map(|column| {
            let at = [x[column], y[row], Some(0)];
            let raw = texel(image, sampler, &spot, at)[component];
            value(raw, image.format, sampler.as_float)
        })
    });
    filter::gather(plane)
}

/// Returns the texel at a place, or the border.
fn texel(image: &Image, sampler: &Sampler, spot: &Coordinates, at: [Option<u32>; 3]) -> Raw {
    let [Some(x), Some(y), Some(z)] = at else {
        return std::array::from_fn(|c| match c < image.channels as usize {
            true => border(sampler.border[c], image.format, sampler.as_float),
            false => 0,
        });
    };
    // A cubemap may have been made with fewer than six faces.
    let z = (z + spot.slice).min(image.depth - 1);
    read(image, [x, y, z])
}

/// Returns the border's colour as a texel.
fn border(colour: f32, kind: Format, as_float: bool) -> u32 {
    let bits = colour.to_bits();
    match kind {
        Format::U8 if as_float => format::unorm(colour, 8),
        Format::U16 if as_float => format::unorm(colour, 16),
        Format::I8 if as_float => format::snorm(colour, 8) as u32,
        Format::I16 if as_float => format::snorm(colour, 16) as u32,
        Format::U8 => bits & 0xff,
        Format::U16 => bits & 0xffff,
        Format::I8 => bits as i8 as u32,
        Format::I16 => bits as i16 as u32,
        Format::F16 => half::f16::from_bits(format::half(colour))
            .to_f32()
            .to_bits(),
        Format::U32 | Format::I32 | Format::F32 => bits,
    }
}

/// Reads the texel at `x, y, z`, which must be inside.
fn read(image: &Image, [x, y, z]: [u32; 3]) -> Raw {
    let at = image.at(u64::from(x) * u64::from(image.texel_bytes()), y, z);
    let mut values = [0; 4];
    for (c, value) in values.iter_mut().enumerate().take(image.channels as usize) {
        *value = channel(
            at + c as u64 * u64::from(image.format.bytes()),
            image.format,
        );
    }
    values
}

/// Reads one channel at an address inside a live image.
fn channel(place: u64, kind: Format) -> u32 {
    let place = place as *const u8;
    // SAFETY: `Run::texture` has checked that the image's memory is live while the launch runs, and
    // its callers request texels inside it. Others may write there at the same time, which is a
    // race of the simulated program.
    unsafe {
        match kind {
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

/// Returns a channel's value for a fetch of one texel, in 32 bits.
fn value(raw: u32, kind: Format, as_float: bool) -> u32 {
    match kind {
        Format::U8 if as_float => format::unorm8(raw as u8).to_bits(),
        Format::I8 if as_float => format::snorm8(raw as i8).to_bits(),
        Format::U16 if as_float => format::unorm16(raw as u16).to_bits(),
        Format::I16 if as_float => format::snorm16(raw as i16).to_bits(),
        _ => raw,
    }
}
