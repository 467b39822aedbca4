//! Errors of tensor maps.

use lanewise_driver::tensor::TensorMapError as Requirement;

use crate::error::in_words;
use crate::{ComputeCapability, DriverError};

/// Why a tensor map cannot be made.
#[derive(thiserror::Error)]
pub enum TensorMapError {
    /// The device has no tensor memory accelerator.
    #[error("tensor maps need compute capability 9.0, and this device has {0}")]
    OldDevice(ComputeCapability),
    /// The tensor reaches past the end of its buffer.
    #[error(
        "the tensor reaches to byte {needed} of a buffer of {has}: look at its size, its strides and its offset"
    )]
    OutsideBuffer {
        /// Bytes that the tensor covers, from the buffer's start. A number that does
        /// not fit saturates.
        needed: u64,
        /// Bytes of the buffer.
        has: u64,
    },
    /// The number of strides is wrong: there must be one for each dimension but the first.
    #[error(
        "{given} strides for a tensor of {rank} dimensions; there is one for each but the first"
    )]
    Strides {
        /// How many strides were given.
        given: usize,
        /// How many dimensions the tensor has.
        rank: usize,
    },
    /// Stores would write past the ends of the tensor's rows.
    #[error(
        "rows of {bytes} bytes are not to be stored to: the hardware writes whole pieces of 16 bytes, and past the end of such a row; make its size a \
         multiple, with room for that in the buffer"
    )]
    StoredRow {
        /// Bytes of a row.
        bytes: u64,
    },
    /// Two elements of a tensor that is written have the same place, so stores would race.
    #[error(
        "a stride of {stride} bytes in dimension {dimension} is not to be stored with: expected at least {covered} bytes, which the dimensions of smaller \
         strides cover"
    )]
    StoredOverlap {
        /// The number of the dimension, counted from the contiguous one.
        dimension: usize,
        /// Its stride in bytes.
        stride: u64,
        /// Bytes from the first to the last element of the dimensions of smaller strides.
        covered: u64,
    },
    /// Stores would reach out of the image.
    #[error(
        "pixels are not to be stored by a map whose box reaches out of the image, by corners {lower} and {upper} in spatial dimension {dimension}: the \
         hardware ends such a kernel; give a lower one from 0 on and an upper one up to 0, and load by an `Im2colMap`"
    )]
    StoredCorners {
        /// The number of the spatial dimension, counted from the width.
        dimension: usize,
        /// The lower corner, from the first pixel.
        lower: i16,
        /// The upper corner, from the last pixel.
        upper: i16,
    },
    /// The hardware does not support this map.
    #[error("the tensor map cannot be: {0}")]
    Requirement(#[from] Requirement),
    /// The driver refused, for a reason that no other variant has.
    #[error("the driver does not encode the tensor map")]
    Driver(#[from] DriverError),
}

in_words! { TensorMapError }
