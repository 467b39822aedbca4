//! What an algorithm refuses.

use lanewise::tensor_map::TensorMapError;
use lanewise::{GraphError, LaunchError, MemoryError};

/// Why an algorithm was not queued.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// A kernel could not be launched.
    #[error(transparent)]
    Launch(#[from] LaunchError),
    /// Memory could not be allocated or set.
    #[error(transparent)]
    Memory(#[from] MemoryError),
    /// The graph can't have the kernel.
    #[error(transparent)]
    Graph(#[from] GraphError),
    /// The driver could not encode a tensor map.
    #[error(transparent)]
    TensorMap(#[from] TensorMapError),
    /// A buffer has too few elements.
    #[error("expected {what} of at least {expected} elements, found {found}")]
    TooShort {
        /// Which buffer it is.
        what: &'static str,
        /// How many elements are needed.
        expected: usize,
        /// How many it has.
        found: usize,
    },
    /// There is more of something than the algorithm can take.
    #[error("expected at most {most} {what}, found {found}")]
    TooMany {
        /// What it is.
        what: &'static str,
        /// How many there may be.
        most: usize,
        /// How many there are.
        found: usize,
    },
    /// The heads of an attention do not share those of keys evenly.
    #[error("expected a multiple of the {key_heads} heads of keys, found {heads} heads of queries")]
    Heads {
        /// Heads of queries.
        heads: u32,
        /// Heads of keys and values.
        key_heads: u32,
    },
    /// No kernel computes this.
    #[error("{0}")]
    Unsupported(&'static str),
    /// A row of a sparse matrix is not what it has to be.
    #[error("row {row} {problem} {found}")]
    Row {
        /// The number of the row.
        row: usize,
        /// What is wrong with it.
        problem: &'static str,
        /// The number that is wrong.
        found: u32,
    },
}

impl Error {
    /// Returns an error if a buffer of `found` elements is too short.
    pub(crate) fn unless_enough(
        what: &'static str,
        expected: usize,
        found: usize,
    ) -> Result<(), Self> {
        if found < expected {
            return Err(Error::TooShort {
                what,
                expected,
                found,
            });
        }
        Ok(())
    }

    /// Returns an error if there are more than `most`.
    pub(crate) fn unless_few(what: &'static str, most: usize, found: usize) -> Result<(), Self> {
        if found > most {
            return Err(Error::TooMany { what, most, found });
        }
        Ok(())
    }
}

/// So that `?` works in `Device::record`.
impl From<Error> for GraphError {
    fn from(error: Error) -> Self {
        match error {
            Error::Launch(error) => error.into(),
            Error::Memory(error) => error.into(),
            Error::Graph(error) => error,
            other => GraphError::Other(Box::new(other)),
        }
    }
}
