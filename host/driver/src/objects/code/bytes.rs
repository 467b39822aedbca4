//! Numbers in the headers of image files.

/// Returns the little-endian number of `size` bytes at `at`.
pub(super) fn number(bytes: &[u8], at: usize, size: usize) -> Option<u64> {
    let bytes = bytes.get(at..at + size)?;
    Some(
        bytes
            .iter()
            .rev()
            .fold(0, |number, &byte| number << 8 | u64::from(byte)),
    )
}
