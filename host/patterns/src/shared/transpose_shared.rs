//! The transpose through a tile in shared memory: both sides of global memory coalesced.

use crate::memory::transpose::transpose;
use gpu::shared::transpose_shared::transpose_smem_pad;

use crate::matrix::{self, Tiles};
use crate::{Pattern, Size, Variant};

/// The pattern.
pub static PATTERN: Pattern = Pattern {
    name: "transpose_shared",
    chapter: "shared",
    summary: "a padded tile turns the matrix over without strided access or bank conflicts",
    source: "CUDA study notes, chapters 5.4.2 and 5.4.3",
    size: Size {
        of: "rows and columns",
        default: 1024,
        bench: Some(16384),
    },
    variants: &[Variant::new("transpose_smem_pad", |device, setup| {
        matrix::prepare(device, setup, transpose_smem_pad, Tiles::Tile32, transpose)
    })],
};
