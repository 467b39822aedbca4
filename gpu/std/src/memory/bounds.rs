//! Indices that are checked, and what a kernel says of one that is past the end: the line of the
//! kernel, the index and the length, in the words in which `core` says it of slices.

/// Panics at the caller's line unless `index` is below `length`.
#[inline(always)]
#[track_caller]
pub(crate) fn check(index: usize, length: usize) {
    if index >= length {
        past_the_end(index, length);
    }
}

/// The same of a row and a column.
#[inline(always)]
#[track_caller]
pub(crate) fn check_place(place: (usize, usize), rows: usize, columns: usize) {
    if place.0 >= rows || place.1 >= columns {
        past_the_edge(place, (rows, columns));
    }
}

/// Out of line, so that a kernel has the text and its formatting once.
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
