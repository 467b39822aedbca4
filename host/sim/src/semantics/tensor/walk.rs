//! The bytes of a box, row by row.
//!
//! PTX ISA 5.5.3 "Tiled Mode" and 5.5.4 "im2col mode". In shared memory a box is dense, its first
//! dimension innermost; swizzling comes after. Coordinates outside of the tensor give bytes that
//! are filled when read and dropped when written.
//!
//! im2col: pixels follow each other in the order of width, height, depth and image, each step as
//! long as the dimension's traversal stride; past the bounding box a dimension starts again at its
//! lower corner. The box and the coordinates are places of the filter's corner; the offsets, which
//! are those of a place inside of the filter, are added to each.
//!
//! Not modelled: packed elements; `im2col::w`; interleaved layouts but those whose box is one slice
//! wide, because the ISA says only in figures where other slices lie.

use super::map::{Access, Im2col, Interleave, MOST, TensorMap};

/// Bytes that the unit moves at once in global memory.
const PIECE: i64 = 16;

/// Bytes side by side: in the box, and in global memory where they are inside of the tensor.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Run {
    /// Where they start in the box, before swizzling.
    pub offset: u32,
    /// How many bytes they are.
    pub bytes: u32,
    /// Their address; none outside of the tensor.
    pub global: Option<u64>,
}

/// Which box of the tensor is copied.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BoxPosition {
    /// The box of a tiled map that starts at these coordinates.
    Tile([i32; MOST]),
    /// Four rows of a map of two dimensions: the column that they start at, and their numbers.
    Rows(i32, [i32; 4]),
    /// A column of pixels: the coordinates of the first, and the place in the filter, width first.
    Column([i32; MOST], [u16; 3]),
}

/// Why an instruction cannot take a map.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum WalkError {
    /// An instruction for tiles, a map for images, or the reverse.
    #[error("the instruction is for {instruction}, and the tensor map for {map}")]
    Mode {
        /// What the instruction says.
        instruction: &'static str,
        /// What the map says.
        map: &'static str,
    },
    /// Four rows of a box that is no row.
    #[error("four rows are taken by a tensor map of two dimensions whose box is one row")]
    Rows,
    /// A filter's place that does not fit.
    #[error("an im2col offset of {offset}; with {rank} dimensions it has to be below {limit}")]
    Offset {
        /// The offset that was given.
        offset: u16,
        /// The tensor's number of dimensions.
        rank: u32,
        /// The first that is too large.
        limit: u32,
    },
    /// A box that begins in between.
    #[error(
        "a box that begins at element {element} of its row, which is byte {byte}; it has to begin at a multiple of 16 bytes"
    )]
    Start {
        /// The first coordinate.
        element: i32,
        /// Where that is.
        byte: i64,
    },
    /// A store of a box that begins before the tensor.
    #[error(
        "a store of a box that begins at {coordinate} in dimension {dimension}; loads may begin before the tensor, stores may not"
    )]
    Before {
        /// Which dimension, from the contiguous one.
        dimension: usize,
        /// Where the box begins in it.
        coordinate: i32,
    },
    /// A store of pixels whose box reaches out of the image.
    #[error(
        "a store of pixels whose box reaches out of the image in spatial dimension {dimension}, by corners {lower} and {upper}; of a map for stores the lower \
         one is not negative, and the upper one not positive"
    )]
    Corners {
        /// Which spatial dimension, from the width.
        dimension: usize,
        /// The map's lower corner in it.
        lower: i16,
        /// The upper corner, from the last pixel.
        upper: i16,
    },
    /// A store of pixels that begins outside of their box.
    #[error(
        "a store of pixels that begins at {coordinate} in dimension {dimension}, where the map's box has {first} to {last}"
    )]
    OutsideBox {
        /// Which dimension, from the contiguous one.
        dimension: usize,
        /// Where the pixels begin in it.
        coordinate: i32,
        /// The first that is in the box.
        first: i64,
        /// The last coordinate that a box may have.
        last: i64,
    },
    /// What the simulator leaves out.
    #[error("{0} are not modelled")]
    NotModelled(&'static str),
}

impl TensorMap {
    /// Bytes of the box in shared memory; those that an mbarrier is told of.
    ///
    /// # Errors
    /// An instruction that the map is not for; a box that begins where none can.
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

    /// Whether a store or a reduction of this box may begin there. The ISA does not say it. An H200
    /// (driver 580.159, 2026-11-22) ends a kernel with `CUDA_ERROR_ILLEGAL_INSTRUCTION` for a
    /// negative coordinate in any dimension; for every store of pixels whose box reaches out of the
    /// image; and for one that begins outside of that box.
    ///
    /// # Errors
    /// Where it may not.
    pub fn check_stored(&self, place: &BoxPosition) -> Result<(), WalkError> {
        let rank = (self.rank as usize).min(MOST);
        // Of scattered rows nobody has asked a GPU.
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

    /// The ISA does not say it, and an H200 ends such a kernel with
    /// `CUDA_ERROR_ILLEGAL_INSTRUCTION`.
    fn check_start(&self, place: &BoxPosition, size: u32) -> Result<(), WalkError> {
        let element = match place {
            BoxPosition::Tile(at) | BoxPosition::Column(at, _) => at[0],
            BoxPosition::Rows(column, _) => *column,
        };
        let byte = i64::from(element) * i64::from(size);
        // In slices, the first coordinate counts inside of one.
        if self.interleave == Interleave::None && byte % PIECE != 0 {
            return Err(WalkError::Start { element, byte });
        }
        Ok(())
    }

    /// The bytes of the box, in its order. The box has to be one that [`TensorMap::bytes`] takes.
    pub fn runs(&self, place: &BoxPosition) -> Vec<Run> {
        self.runs_within(place, self.size[0] as i64)
    }

    /// [`TensorMap::runs`], as plain stores take them: they write whole pieces of 16 bytes, so that
    /// a row which ends inside of one is written past its end (Triton's issue 11583, on an H100).
    pub fn stored_runs(&self, place: &BoxPosition) -> Vec<Run> {
        let elements = PIECE / i64::from(self.element.size().unwrap_or(1));
        let width = (self.size[0] as i64 + elements - 1) / elements * elements;
        self.runs_within(place, width)
    }

    /// The bytes of the box, of a tensor whose rows have `width` elements.
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

    /// Elements of a dimension that a box moves.
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

    /// Whether the box is as wide as one slice of an interleaved layout.
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

    /// `count` elements from `at`, in up to three runs: before the tensor, inside its `width`
    /// elements, behind it.
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
        // Sums may be beyond all addresses: there is nothing there either.
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
