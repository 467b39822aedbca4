//! The transpose of a matrix, and its plain copy.

/// The transpose of a row-major matrix of `ny` rows and `nx` columns: row-major, `nx` rows and `ny` columns.
pub fn transpose<T: Copy>(input: &[T], nx: usize, ny: usize) -> Vec<T> {
    (0..nx * ny)
        .map(|out| input[(out % ny) * nx + out / ny])
        .collect()
}

#[cfg(test)]
mod tests {
    use super::transpose;

    #[test]
    fn rows_become_columns() {
        assert_eq!(transpose(&[1, 2, 3, 4, 5, 6], 3, 2), [1, 4, 2, 5, 3, 6]);
        assert_eq!(
            transpose(&transpose(&[1, 2, 3, 4, 5, 6], 3, 2), 2, 3),
            [1, 2, 3, 4, 5, 6]
        );
        assert_eq!(transpose::<u8>(&[], 0, 5), [0u8; 0]);
    }
}
