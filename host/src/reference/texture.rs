//! Textures on the CPU: the texels around a coordinate, blended with weights of 8 bits behind the point.
//!
//! Source: CUDA C++ Programming Guide, "Texture Fetching".

use crate::texture::Outside;

/// A table at `x`, blended, its ends going on.
pub fn line(table: &[f32], x: f32) -> f32 {
    let (first, weight) = around(x);
    let entry = |index| texel(table, [table.len(), 1], [index, 0], Outside::Clamp);
    blend(entry(first), entry(first + 1), weight)
}

/// An image of `nx` columns and `ny` rows at another size, blended.
pub fn resize(
    image: &[f32],
    [nx, ny]: [usize; 2],
    [width, height]: [usize; 2],
    outside: Outside,
) -> Vec<f32> {
    let mut output = Vec::with_capacity(width * height);
    for row in 0..height {
        let (top, down) = around((row as f32 + 0.5) / height as f32 * ny as f32);
        for column in 0..width {
            let (left, across) = around((column as f32 + 0.5) / width as f32 * nx as f32);
            let in_row = |row| {
                let pixel = |column| texel(image, [nx, ny], [column, row], outside);
                blend(pixel(left), pixel(left + 1), across)
            };
            output.push(blend(in_row(top), in_row(top + 1), down));
        }
    }
    output
}

/// An image moved right by `dx` and down by `dy`.
pub fn shift(
    image: &[f32],
    [nx, ny]: [usize; 2],
    [dx, dy]: [i32; 2],
    outside: Outside,
) -> Vec<f32> {
    let places = (0..ny as i64).flat_map(|row| (0..nx as i64).map(move |column| [column, row]));
    places
        .map(|[column, row]| [column - i64::from(dx), row - i64::from(dy)])
        .map(|from| texel(image, [nx, ny], from, outside))
        .collect()
}

/// The first of the two texels around `x`, and the weight of the second.
fn around(x: f32) -> (i64, f32) {
    let centred = x - 0.5; // texels are at halves
    let first = centred.floor();
    let weight = ((centred - first) * 256.0).round_ties_even() / 256.0;
    (first as i64, weight)
}

fn blend(first: f32, second: f32, weight: f32) -> f32 {
    (1.0 - weight) * first + weight * second
}

/// The texel at a place that may lie outside.
fn texel(image: &[f32], [nx, ny]: [usize; 2], [column, row]: [i64; 2], outside: Outside) -> f32 {
    let (width, height) = (nx as i64, ny as i64);
    let inside = |index: i64, size: i64| match outside {
        Outside::Clamp => index.clamp(0, size - 1),
        Outside::Wrap => index.rem_euclid(size),
        Outside::Mirror => {
            let there_and_back = index.rem_euclid(2 * size);
            there_and_back.min(2 * size - 1 - there_and_back)
        }
        Outside::Border(_) => index,
    };
    let (column, row) = (inside(column, width), inside(row, height));
    match outside {
        Outside::Border(value) if !(0..width).contains(&column) || !(0..height).contains(&row) => {
            value
        }
        _ => image[(row * width + column) as usize],
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Two rows of three, moved left by four: columns 4, 5 and 6.
    fn right_of(outside: Outside) -> [f32; 3] {
        let image = [1.0, 2.0, 3.0, 4.0, 5.0, 6.0];
        let shifted = shift(&image, [3, 2], [-4, 0], outside);
        [shifted[0], shifted[1], shifted[2]]
    }

    #[test]
    fn each_mode_has_its_own_outside() {
        assert_eq!(right_of(Outside::Clamp), [3.0, 3.0, 3.0]);
        assert_eq!(right_of(Outside::Wrap), [2.0, 3.0, 1.0]);
        assert_eq!(right_of(Outside::Mirror), [2.0, 1.0, 1.0]);
        assert_eq!(right_of(Outside::Border(9.0)), [9.0, 9.0, 9.0]);
    }

    #[test]
    fn a_table_blends_between_the_middles_of_its_entries() {
        let at = [0.0, 0.5, 1.0, 1.25, 1.5, 7.0];
        let seen = at.map(|x| line(&[0.0, 1.0], x));
        assert_eq!(seen, [0.0, 0.0, 0.5, 0.75, 1.0, 1.0]);
    }
}
