//! Indices into the lists of a body: registers, labels, and ranges of operands.

/// A register of one function: an index into [`Body::registers`](super::Body::registers).
pub type RegisterId = u32;
/// An index into [`Body::labels`](super::Body::labels).
pub type LabelId = u32;

/// A range of one of the body's arrays.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Slice {
    /// The index of the first element.
    pub start: u32,
    /// The number of elements.
    pub len: u32,
}

impl Slice {
    /// Returns the range as indices of a Rust slice.
    pub fn range(self) -> std::ops::Range<usize> {
        self.start as usize..self.start as usize + self.len as usize
    }
}
