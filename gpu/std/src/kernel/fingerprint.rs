//! Fingerprints that are computed when a kernel is compiled: FNV-1a, 64 bits.
//!
//! [`super::layout`] compares the fingerprints of a kernel's two halves. [`super::Value`] contains
//! the fingerprint of each type.

/// The fingerprint of an empty input, with which every other fingerprint starts.
pub const START: u64 = 0xcbf2_9ce4_8422_2325;

/// Returns the fingerprint of the input so far followed by this text.
#[must_use]
pub const fn text(number: u64, text: &str) -> u64 {
    bytes(number, text.as_bytes())
}

/// Returns the fingerprint of the input so far followed by this number.
#[must_use]
pub const fn number(number: u64, more: u64) -> u64 {
    bytes(number, &more.to_le_bytes())
}

const fn bytes(mut number: u64, bytes: &[u8]) -> u64 {
    let mut at = 0;
    while at < bytes.len() {
        number = (number ^ bytes[at] as u64).wrapping_mul(0x0000_0100_0000_01b3);
        at += 1;
    }
    number
}

/// Returns the fingerprint of a type of which only the size and the alignment are known.
#[must_use]
pub const fn of_size<T>() -> u64 {
    number(number(START, size_of::<T>() as u64), align_of::<T>() as u64)
}

/// Returns a fingerprint in the form that the builder reads: 16 digits.
#[must_use]
pub const fn digits(number: u64) -> [u8; 16] {
    let mut digits = [0; 16];
    let mut at = 0;
    while at < 16 {
        digits[at] = b"0123456789abcdef"[(number >> (60 - 4 * at)) as usize & 15];
        at += 1;
    }
    digits
}
