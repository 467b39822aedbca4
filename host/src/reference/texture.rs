//! Textures on the CPU: the texels around a coordinate, blended with weights of 8 bits behind the point.
//!
//! Source: CUDA C++ Programming Guide, "Linear Filtering".

/// The two texels around `x` on an axis of `size`, held to the edges, and the weight of the second.
fn around(x: f32, size: usize) -> (usize, usize, f32) {
    let centred = x - 0.5;
    let first = centred.floor();
    let weight = ((centred - first) * 256.0).round_ties_even() / 256.0;
    let last = size as i64 - 1;
    let held = |index: i64| index.clamp(0, last) as usize;
    (held(first as i64), held(first as i64 + 1), weight)
}

/// A table at `x`, blended, its ends going on.
pub fn line(table: &[f32], x: f32) -> f32 {
    let (first, second, weight) = around(x, table.len());
    (1.0 - weight) * table[first] + weight * table[second]
}

/// An image of `nx` columns and `ny` rows at another size, blended, its edges going on.
pub fn resize(image: &[f32], [nx, ny]: [usize; 2], [width, height]: [usize; 2]) -> Vec<f32> {
    let mut output = Vec::with_capacity(width * height);
    for row in 0..height {
        let y = (row as f32 + 0.5) / height as f32 * ny as f32;
        let (top, bottom, down) = around(y, ny);
        for column in 0..width {
            let x = (column as f32 + 0.5) / width as f32 * nx as f32;
            let (left, right, across) = around(x, nx);
            let blend = |row: usize| {
                (1.0 - across) * image[row * nx + left] + across * image[row * nx + right]
            };
            output.push((1.0 - down) * blend(top) + down * blend(bottom));
        }
    }
    output
}

/// An image moved right by `dx` and down by `dy`, with `border` where nothing was.
pub fn shift(image: &[f32], [nx, ny]: [usize; 2], [dx, dy]: [i32; 2], border: f32) -> Vec<f32> {
    let mut output = Vec::with_capacity(nx * ny);
    for row in 0..ny as i64 {
        for column in 0..nx as i64 {
            let (x, y) = (column - i64::from(dx), row - i64::from(dy));
            let inside = (0..nx as i64).contains(&x) && (0..ny as i64).contains(&y);
            output.push(match inside {
                true => image[y as usize * nx + x as usize],
                false => border,
            });
        }
    }
    output
}
