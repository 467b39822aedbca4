//! Computes the bytes of a box, row by row.
//!
//! PTX ISA 5.5.3 "Tiled Mode" and 5.5.4 "im2col mode". In shared memory a box is dense, with its
//! first dimension innermost. Swizzling comes after that. Bytes at coordinates outside the tensor
//! are filled when they are read, and dropped when they are written.
//!
//! In im2col mode, pixels follow each other in the order of width, height, depth and image. The
//! step is the dimension's traversal stride. Past the bounding box, a dimension starts again at its
//! lower corner. The box and the coordinates are positions of the filter's corner. The offsets
//! select a position inside the filter, and are added to each coordinate.
//!
//! Not modelled: packed elements; `im2col::w`; interleaved layouts, except with a box that is one
//! slice wide, because the ISA shows the positions of other slices only in figures.

use super::map::{Access, Im2col, Interleave, MOST, TensorMap};

/// Bytes of the unit's smallest access to global memory.
const PIECE: i64 = 16;

/// A run of adjacent bytes: its position in the box, and its address in global memory if it is
/// inside the tensor.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Run {
    /// The offset in the box, before swizzling.
    pub offset: u32,
    /// The number of bytes.
    pub bytes: u32,
    /// The address, or `None` outside the tensor.
    pub global: Option<u64>,
}

/// The position of the box that is copied.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BoxPosition {
    /// The box of a tiled map that starts at these coordinates.
    Tile([i32; MOST]),
    /// Four rows of a two-dimensional map: the column where they start, and their row numbers.
    Rows(i32, [i32; 4]),
    /// A column of pixels: the coordinates of the first pixel, and the offsets in the
    /// filter, width first.
    Column([i32; MOST], [u16; 3]),
}

/// The reason why an instruction cannot use a map.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum WalkError {
    /// An instruction for tiles with a map for images, or the reverse.
    #[error("the instruction is for {instruction}, and the tensor map for {map}")]
    Mode {
        /// The mode of the instruction.
        instruction: &'static str,
        /// The mode of the map.
        map: &'static str,
    },
    /// A copy of four rows with a map whose box is not a row.
    #[error("four rows are taken by a tensor map of two dimensions whose box is one row")]
    Rows,
    /// An offset in the filter that is too large for the map.
    #[error("an im2col offset of {offset}; with {rank} dimensions it has to be below {limit}")]
    Offset {
        /// The offset that was given.
        offset: u16,
        /// The tensor's number of dimensions.
        rank: u32,
        /// The first offset that is too large.
        limit: u32,
    },
    /// A box that begins at an address that is not aligned.
    #[error(
        "a box that begins at element {element} of its row, which is byte {byte}; it has to begin at a multiple of 16 bytes"
    )]
    Start {
        /// The first coordinate.
        element: i32,
        /// The byte where it begins.
        byte: i64,
    },
    /// A store of a box that begins before the tensor.
    #[error(
        "a store of a box that begins at {coordinate} in dimension {dimension}; loads may begin before the tensor, stores may not"
    )]
    Before {
        /// Which dimension, from the contiguous one.
        dimension: usize,
        /// The coordinate where the box begins.
        coordinate: i32,
    },
    /// A store of pixels whose bounding box extends beyond the image.
    #[error(
        "a store of pixels whose box reaches out of the image in spatial dimension {dimension}, by corners {lower} and {upper}; of a map for stores the lower \
         one is not negative, and the upper one not positive"
    )]
    Corners {
        /// Which spatial dimension, from the width.
        dimension: usize,
        /// The map's lower corner in it.
        lower: i16,
        /// The map's upper corner in it, relative to the last pixel.
        upper: i16,
    },
    /// A store of pixels that begins outside the bounding box.
    #[error(
        "a store of pixels that begins at {coordinate} in dimension {dimension}, where the map's box has {first} to {last}"
    )]
    OutsideBox {
        /// Which dimension, from the contiguous one.
        dimension: usize,
        /// The coordinate where the pixels begin.
        coordinate: i32,
        /// The first coordinate in the bounding box.
        first: i64,
        /// The last coordinate in the bounding box.
        last: i64,
    },
    /// A feature that the simulator does not model.
    #[error("{0} are not modelled")]
    NotModelled(&'static str),
}

impl TensorMap {
    /// Returns the bytes of the box in shared memory. An mbarrier receives this count.
    ///
    /// # Errors
    /// The instruction does not fit the map, or the box begins at a position where no
    /// box can begin.
    pub fn bytes(&self, place: &BoxPosition) -> Result<u64, WalkError> {
        let Some(size) = self.element.size() else {
            return Err(WalkError::NotModelled("packed elements"));
        };
        let row = |elements: u32| u64::from(elements) * u64::from(size);
        let bytes = match (place, &self.access) {
            (BoxPosition::Tile(_), Access::Tiled(sizes)) => {
                let others = 1..self.rank.min(MOST as u32) as usize;
                others.fold(row(sizes[0]), |all, i| {
                    all * u64::from(self.count(sizes, i))
                })
            }
            (BoxPosition::Rows(..), Access::Tiled(sizes)) => {
                if self.rank != 2 || sizes[1] != 1 {
                    return Err(WalkError::Rows);
                }
                4 * row(sizes[0])
            }
            (BoxPosition::Column(_, offsets), Access::Im2col(it)) => {
                self.check_offsets(offsets)?;
                row(it.channels) * u64::from(it.pixels)
            }
            (BoxPosition::Column(..), _) => return Err(mode("images", "tiles")),
            _ => return Err(mode("tiles", "images")),
        };
        self.check_slices()?;
        self.check_start(place, size)?;
        Ok(bytes)
    }

    /// Checks whether a store or a reduction of this box may begin at this position. The ISA does
    /// not define it. An H200 (driver 580.159, 2026-11-22) ends a kernel with
    /// `CUDA_ERROR_ILLEGAL_INSTRUCTION` in three cases: a negative coordinate in any dimension, a
    /// store of pixels whose bounding box extends beyond the image, and a store of pixels that
    /// begins outside that box.
    ///
    /// # Errors
    /// The position is not allowed.
    pub fn check_stored(&self, place: &BoxPosition) -> Result<(), WalkError> {
        let rank = (self.rank as usize).min(MOST);
        // Scattered rows were not measured on a GPU.
        if let BoxPosition::Tile(at) | BoxPosition::Column(at, _) = place
            && let Some(dimension) = at[..rank].iter().position(|&coordinate| coordinate < 0)
        {
            let coordinate = at[dimension];
            return Err(WalkError::Before {
                dimension,
                coordinate,
            });
        }
        let (BoxPosition::Column(at, _), Access::Im2col(it)) = (place, &self.access) else {
            return Ok(());
        };
        for spatial in 0..rank.saturating_sub(2) {
            let (lower, upper) = (it.lower[spatial], it.upper[spatial]);
            if lower < 0 || upper > 0 {
                return Err(WalkError::Corners {
                    dimension: spatial,
                    lower,
                    upper,
                });
            }
            let dimension = spatial + 1;
            let (first, last) = (
                i64::from(lower),
                self.size[dimension] as i64 - 1 + i64::from(upper),
            );
            if !(first..=last).contains(&i64::from(at[dimension])) {
                return Err(WalkError::OutsideBox {
                    dimension,
                    coordinate: at[dimension],
                    first,
                    last,
                });
            }
        }
        Ok(())
    }

    /// Checks that the box begins at an aligned position. The ISA does not define it, and an H200
    /// ends such a kernel with `CUDA_ERROR_ILLEGAL_INSTRUCTION`.
    fn check_start(&self, place: &BoxPosition, size: u32) -> Result<(), WalkError> {
        let element = match place {
            BoxPosition::Tile(at) | BoxPosition::Column(at, _) => at[0],
            BoxPosition::Rows(column, _) => *column,
        };
        let byte = i64::from(element) * i64::from(size);
        // In an interleaved layout, the first coordinate counts inside a slice.
        if self.interleave == Interleave::None && byte % PIECE != 0 {
            return Err(WalkError::Start { element, byte });
        }
        Ok(())
    }

    /// Returns the bytes of the box, in its order. [`TensorMap::bytes`] must accept the box.
    pub fn runs(&self, place: &BoxPosition) -> Vec<Run> {
        self.runs_within(place, self.size[0] as i64)
    }

    /// Returns the [`TensorMap::runs`] of a plain store. It writes whole pieces of 16 bytes, so a
    /// row that ends inside a piece is written past its end (Triton's issue 11583, on an H100).
    pub fn stored_runs(&self, place: &BoxPosition) -> Vec<Run> {
        let elements = PIECE / i64::from(self.element.size().unwrap_or(1));
        let width = (self.size[0] as i64 + elements - 1) / elements * elements;
        self.runs_within(place, width)
    }

    /// Returns the bytes of the box, for a tensor whose rows have `width` elements.
    fn runs_within(&self, place: &BoxPosition, width: i64) -> Vec<Run> {
        let mut runs = Vec::new();
        match (place, &self.access) {
            (BoxPosition::Tile(start), Access::Tiled(sizes)) => {
                self.tile(start, sizes, width, &mut runs)
            }
            (BoxPosition::Rows(column, rows), Access::Tiled(sizes)) => {
                for &row in rows {
                    let at = [*column, row, 0, 0, 0].map(i64::from);
                    self.row(at, sizes[0], width, &mut runs);
                }
            }
            (BoxPosition::Column(start, offsets), Access::Im2col(it)) => {
                self.column(start.map(i64::from), offsets, it, width, &mut runs);
            }
            _ => {}
        }
        runs
    }

    /// Returns the number of elements of a dimension that a box copies.
    fn count(&self, sizes: &[u32; MOST], dimension: usize) -> u32 {
        sizes[dimension].div_ceil(self.steps[dimension].max(1))
    }

    fn check_offsets(&self, offsets: &[u16; 3]) -> Result<(), WalkError> {
        let (rank, limit) = match self.rank {
            3 => return Ok(()),
            4 => (4, 1 << 8),
            rank => (rank, 1 << 5),
        };
        match offsets.iter().find(|&&offset| u32::from(offset) >= limit) {
            Some(&offset) => Err(WalkError::Offset {
                offset,
                rank,
                limit,
            }),
            None => Ok(()),
        }
    }

    /// Checks that the box is as wide as one slice of an interleaved layout.
    fn check_slices(&self) -> Result<(), WalkError> {
        let slice = match self.interleave {
            Interleave::None => return Ok(()),
            Interleave::B16 => 128,
            Interleave::B32 => 256,
        };
        let width = match &self.access {
            Access::Tiled(sizes) => sizes[0],
            Access::Im2col(it) => it.channels,
        };
        match width * self.element.bits() == slice && self.steps[0] == 1 {
            true => Ok(()),
            false => Err(WalkError::NotModelled(
                "interleaved layouts whose box is not one slice wide",
            )),
        }
    }

    fn tile(&self, start: &[i32; MOST], sizes: &[u32; MOST], width: i64, runs: &mut Vec<Run>) {
        let rank = self.rank as usize;
        let counts: [u32; MOST] = std::array::from_fn(|i| match i {
            0 => 1,
            i if i < rank => self.count(sizes, i),
            _ => 1,
        });
        let mut index = [0u32; MOST];
        loop {
            let at = std::array::from_fn(|i| {
                i64::from(start[i]) + i64::from(index[i]) * i64::from(self.steps[i])
            });
            self.row(at, sizes[0], width, runs);
            let mut dimension = 1;
            loop {
                if dimension == MOST {
                    return;
                }
                index[dimension] += 1;
                if index[dimension] < counts[dimension] {
                    break;
                }
                index[dimension] = 0;
                dimension += 1;
            }
        }
    }

    #[expect(
        clippy::needless_range_loop,
        reason = "several arrays are walked by the number of a dimension"
    )]
    fn column(
        &self,
        mut at: [i64; MOST],
        offsets: &[u16; 3],
        it: &Im2col,
        width: i64,
        runs: &mut Vec<Run>,
    ) {
        let last = self.rank as usize - 1;
        for _ in 0..it.pixels {
            let mut pixel = at;
            for dimension in 1..last {
                pixel[dimension] += i64::from(offsets[dimension - 1]);
            }
            self.row(pixel, it.channels, width, runs);
            for dimension in 1..=last {
                if dimension == last {
                    at[dimension] += 1;
                    break;
                }
                at[dimension] += i64::from(self.steps[dimension]);
                let spatial = dimension - 1;
                let end = self.size[dimension] as i64 + i64::from(it.upper[spatial]);
                if at[dimension] < end {
                    break;
                }
                at[dimension] = it.lower[spatial].into();
            }
        }
    }

    /// Adds `count` elements from `at`, in up to three runs: before the tensor, inside its `width`
    /// elements, and after it.
    fn row(&self, at: [i64; MOST], count: u32, width: i64, runs: &mut Vec<Run>) {
        let size = i64::from(self.element.size().unwrap_or(0));
        let rank = self.rank as usize;
        let mut offset = runs.last().map_or(0, |run| run.offset + run.bytes);
        let inside = (1..rank).all(|i| (0..self.size[i] as i64).contains(&at[i]));
        let (first, end) = (at[0], at[0] + i64::from(count));
        let limits = match inside {
            true => [0i64.clamp(first, end), width.clamp(first, end)],
            false => [end, end],
        };
        // A sum may be beyond the address space, where there is no memory either.
        let start = (1..rank).fold(i128::from(self.address), |sum, i| {
            sum + i128::from(at[i]) * i128::from(self.strides[i - 1])
        });
        for (from, to, there) in [
            (first, limits[0], false),
            (limits[0], limits[1], true),
            (limits[1], end, false),
        ] {
            if to <= from {
                continue;
            }
            let bytes = ((to - from) * size) as u32;
            let address = start + i128::from(from) * i128::from(size);
            let global = there.then(|| u64::try_from(address).unwrap_or(u64::MAX));
            runs.push(Run {
                offset,
                bytes,
                global,
            });
            offset += bytes;
        }
    }
}

fn mode(instruction: &'static str, map: &'static str) -> WalkError {
    WalkError::Mode { instruction, map }
}
