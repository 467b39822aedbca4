//! Places in a PTX text.

/// A place in the PTX text. Both numbers start at 1, and columns count bytes.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug, Default)]
pub struct Position {
    /// The line, from 1.
    pub line: u32,
    /// The column in the line, counted in bytes.
    pub column: u32,
}

impl std::fmt::Display for Position {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "line {}, column {}", self.line, self.column)
    }
}
