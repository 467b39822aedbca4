//! Checks of indices. The panic message of an index past the end has the same words as `core`'s for
//! slices: the line of the kernel, the index and the length.

/// Panics at the caller's line unless `index` is below `length`.
#[inline(always)]
#[track_caller]
pub fn check(index: usize, length: usize) {
    if index >= length {
        past_the_end(index, length);
    }
}

/// Panics at the caller's line unless the row and the column are in the tile.
#[inline(always)]
#[track_caller]
pub(crate) fn check_place(place: (usize, usize), rows: usize, columns: usize) {
    if place.0 >= rows || place.1 >= columns {
        past_the_edge(place, (rows, columns));
    }
}

/// Returns the index of an element of a matrix, or `None` outside of it.
#[inline(always)]
pub(crate) fn place((row, column): (usize, usize), rows: u32, columns: u32) -> Option<usize> {
    // One branch for both.
    let is_inside = (row < rows as usize) & (column < columns as usize);
    let [row, columns, column] = [row as u32, columns, column as u32].map(|x| x as usize);
    // SAFETY: of numbers below 2^32, the product and the sum are below 2^64. LLVM adds row and
    // column to the address one by one. It has to see that neither sum overflows: otherwise the
    // address could be null, and each `Option` of an element would be compared with null.
    is_inside.then_some(unsafe { row.unchecked_mul(columns).unchecked_add(column) })
}

/// Not inlined, so that a kernel contains the text and its formatting once.
#[cold]
#[inline(never)]
#[track_caller]
fn past_the_end(index: usize, length: usize) -> ! {
    panic!("index out of bounds: the len is {length} but the index is {index}");
}

#[cold]
#[inline(never)]
#[track_caller]
fn past_the_edge((row, column): (usize, usize), (rows, columns): (usize, usize)) -> ! {
    panic!(
        "place out of bounds: the tile is {rows} x {columns} but the place is ({row}, {column})"
    );
}
