//! Fetches through a sampler, at places between the texels and outside of them. `--by` is the
//! distance by which the image is moved.

use anyhow::Result;
use gpu::shared::texture::{texture_1d, texture_2d_border, texture_2d_linear};
use lanewise::testing::{self, Agreement, Expected, Mismatch};
use lanewise::texture::{AddressMode, Filter, Sampling};
use lanewise::{Device, DeviceBuffer, LaunchConfig, Texture};

use crate::case::Filling;
use crate::{Case, Pattern, Setup, Size, Variant, Work, input};

/// The number of entries in the table.
const TABLE: usize = 1024;

/// The distance by which the image is moved, unless the setup gives one.
const DISTANCE: u32 = 11;

/// The value around the image that is moved. No texel has this value.
const BORDER: f32 = 2.0;

/// The pattern as `cargo xtask list` shows it and `cargo xtask run` runs it.
pub static PATTERN: Pattern = Pattern {
    name: "texture",
    chapter: "shared",
    summary: "the sampler blends neighbours and says what is outside; the kernel has no branch for either",
    source: "CUDA C++ Programming Guide, Texture and Surface Memory",
    size: Size {
        of: "rows and columns of the result",
        is_square: true,
        default: 512,
        bench: Some(8192),
    },
    variants: &[
        Variant::new("texture_1d", look_up),
        Variant::new("texture_2d_linear", |device, setup| {
            resized(device, setup, AddressMode::Clamp)
        }),
        Variant::new("texture_2d_wrap", |device, setup| {
            resized(device, setup, AddressMode::Wrap)
        })
        .runs("texture_2d_linear"),
        Variant::new("texture_2d_border", shifted),
    ],
};

/// Prepares the look-up of a table at places between its entries and a little outside.
fn look_up(device: &Device, setup: Setup) -> Result<Box<dyn Case>> {
    let (nx, ny) = setup.matrix()?;
    let table = input::floats(TABLE, setup.seed);
    // Maps the range -0.5 .. 0.5 to -56 .. 1080.
    let place = |x: f32| (x + 0.5) * (TABLE as f32 + 112.0) - 56.0;
    let at: Vec<f32> = input::floats(nx * ny, setup.seed ^ 1)
        .into_iter()
        .map(place)
        .collect();
    let expected = at.iter().map(|&x| line(&table, x)).collect();

    let sampling = Sampling {
        filter: Filter::Linear,
        ..Sampling::default()
    };
    let table = Texture::from_slice(device, &table, [TABLE], sampling)?;
    let config =
        LaunchConfig::cover_1d(at.len(), setup.block.unwrap_or(LaunchConfig::DEFAULT_BLOCK));
    let at = DeviceBuffer::from_slice(device, &at)?;
    let output = DeviceBuffer::zeroed(device, at.len())?;
    let work = Work::Bytes(2 * 4 * at.len() as u64);
    Ok(Filling::compared(
        [output],
        [expected],
        blends,
        work,
        move |stream, [output]| Ok(stream.launch(texture_1d, config, (&table, &at, output))?),
    ))
}

/// Prepares the enlargement of an image that has two thirds of the size, so that weights of all
/// kinds are needed.
fn resized(device: &Device, setup: Setup, address_mode: AddressMode) -> Result<Box<dyn Case>> {
    let (width, height) = setup.matrix()?;
    let from = [width * 2 / 3 + 1, height * 2 / 3 + 1];
    let image = input::floats(from[0] * from[1], setup.seed);
    let expected = resize(&image, from, [width, height], address_mode);

    let sampling = Sampling {
        filter: Filter::Linear,
        normalized: true,
        address_mode,
    };
    let image = Texture::from_slice(device, &image, from, sampling)?;
    let output = DeviceBuffer::zeroed(device, width * height)?;
    let config = LaunchConfig::cover_2d((width, height), (16, 16));
    let work = Work::Bytes(4 * (from[0] * from[1] + width * height) as u64);
    Ok(Filling::compared(
        [output],
        [expected],
        blends,
        work,
        move |stream, [output]| {
            let arguments = (&image, output.matrix_mut(width));
            Ok(stream.launch(texture_2d_linear, config, arguments)?)
        },
    ))
}

/// Prepares an image that is moved right and down, with a border around it.
fn shifted(device: &Device, setup: Setup) -> Result<Box<dyn Case>> {
    let (width, height) = setup.matrix()?;
    let by = i32::try_from(setup.by.unwrap_or(DISTANCE))?;
    let image = input::floats(width * height, setup.seed);
    let expected = shift(
        &image,
        [width, height],
        [by, by],
        AddressMode::Border(BORDER),
    );

    let sampling = Sampling {
        address_mode: AddressMode::Border(BORDER),
        ..Sampling::default()
    };
    // A texture needs at least one texel. A launch without outputs reads none of it.
    let (image, size) = match image.is_empty() {
        true => (vec![BORDER], [1, 1]),
        false => (image, [width, height]),
    };
    let image = Texture::from_slice(device, &image, size, sampling)?;
    let output = DeviceBuffer::zeroed(device, width * height)?;
    let config = LaunchConfig::cover_2d((width, height), (16, 16));
    let work = Work::Bytes(2 * 4 * (width * height) as u64);
    Ok(Filling::boxed(
        [output],
        [expected],
        work, // one texel each, and exactly: points are not blended
        move |stream, [output]| {
            let arguments = (&image, output.matrix_mut(width), by, by);
            Ok(stream.launch(texture_2d_border, config, arguments)?)
        },
    ))
}

/// Compares blended values. They may differ by a step of the weights on each of two axes. The CPU's
/// weight is the nearest multiple of 1/256. A GPU's weight may be the multiple on the other side.
/// That changes the result by 1/256 of the difference of two texels, which is below 1 here. An
/// H200 also rounds the products of both axes' weights to multiples of 1/256, half a step for each
/// of two columns.
fn blends(device: &[f32], cpu: &[f32]) -> Result<Agreement, Mismatch> {
    if device.len() != cpu.len() {
        return testing::equal(device, cpu);
    }
    let expected = cpu.iter().enumerate().map(|(index, &value)| Expected {
        index,
        value: f64::from(value),
        tolerance: 3.0 / 256.0,
    });
    testing::within(device, expected)
}

// On the CPU: the texels around a coordinate, blended with weights of 8 fractional bits. Source:
// CUDA C++ Programming Guide, "Texture Fetching".

/// Returns the blended value of a table at `x`. Outside of the table the end entries continue.
pub fn line(table: &[f32], x: f32) -> f32 {
    let (first, weight) = around(x);
    let entry = |index| texel(table, [table.len(), 1], [index, 0], AddressMode::Clamp);
    blend(entry(first), entry(first + 1), weight)
}

/// Resizes an image of `nx` columns and `ny` rows, with blending.
pub fn resize(
    image: &[f32],
    [nx, ny]: [usize; 2],
    [width, height]: [usize; 2],
    address_mode: AddressMode,
) -> Vec<f32> {
    let mut output = Vec::with_capacity(width * height);
    for row in 0..height {
        let (top, down) = around((row as f32 + 0.5) / height as f32 * ny as f32);
        for column in 0..width {
            let (left, across) = around((column as f32 + 0.5) / width as f32 * nx as f32);
            let in_row = |row| {
                let pixel = |column| texel(image, [nx, ny], [column, row], address_mode);
                blend(pixel(left), pixel(left + 1), across)
            };
            output.push(blend(in_row(top), in_row(top + 1), down));
        }
    }
    output
}

/// Moves an image right by `dx` and down by `dy`.
pub fn shift(
    image: &[f32],
    [nx, ny]: [usize; 2],
    [dx, dy]: [i32; 2],
    address_mode: AddressMode,
) -> Vec<f32> {
    let places = (0..ny as i64).flat_map(|row| (0..nx as i64).map(move |column| [column, row]));
    places
        .map(|[column, row]| [column - i64::from(dx), row - i64::from(dy)])
        .map(|from| texel(image, [nx, ny], from, address_mode))
        .collect()
}

/// Returns the index of the first of the two texels around `x`, and the weight of the second.
fn around(x: f32) -> (i64, f32) {
    let centred = x - 0.5; // texels are at halves
    let first = centred.floor();
    let weight = ((centred - first) * 256.0).round_ties_even() / 256.0;
    (first as i64, weight)
}

fn blend(first: f32, second: f32, weight: f32) -> f32 {
    (1.0 - weight) * first + weight * second
}

/// Returns the texel at a place that may lie outside of the image.
fn texel(
    image: &[f32],
    [nx, ny]: [usize; 2],
    [column, row]: [i64; 2],
    address_mode: AddressMode,
) -> f32 {
    let (width, height) = (nx as i64, ny as i64);
    let inside = |index: i64, size: i64| match address_mode {
        AddressMode::Clamp => index.clamp(0, size - 1),
        AddressMode::Wrap => index.rem_euclid(size),
        AddressMode::Mirror => {
            let there_and_back = index.rem_euclid(2 * size);
            there_and_back.min(2 * size - 1 - there_and_back)
        }
        AddressMode::Border(_) => index,
    };
    let (column, row) = (inside(column, width), inside(row, height));
    match address_mode {
        AddressMode::Border(value)
            if !(0..width).contains(&column) || !(0..height).contains(&row) =>
        {
            value
        }
        _ => image[(row * width + column) as usize],
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Moves an image of two rows of three texels left by four, and returns columns 4, 5 and 6.
    fn right_of(address_mode: AddressMode) -> [f32; 3] {
        let image = [1.0, 2.0, 3.0, 4.0, 5.0, 6.0];
        let shifted = shift(&image, [3, 2], [-4, 0], address_mode);
        [shifted[0], shifted[1], shifted[2]]
    }

    #[test]
    fn each_mode_has_its_own_outside() {
        assert_eq!(right_of(AddressMode::Clamp), [3.0, 3.0, 3.0]);
        assert_eq!(right_of(AddressMode::Wrap), [2.0, 3.0, 1.0]);
        assert_eq!(right_of(AddressMode::Mirror), [2.0, 1.0, 1.0]);
        assert_eq!(right_of(AddressMode::Border(9.0)), [9.0, 9.0, 9.0]);
    }

    #[test]
    fn a_table_blends_between_the_middles_of_its_entries() {
        let at = [0.0, 0.5, 1.0, 1.25, 1.5, 7.0];
        let seen = at.map(|x| line(&[0.0, 1.0], x));
        assert_eq!(seen, [0.0, 0.0, 0.5, 0.75, 1.0, 1.0]);
    }
}
