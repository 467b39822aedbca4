//! The order in which blocks, or clusters of blocks, take the tiles of products.

/// Rows of tiles that are taken together, column by column. Blocks that run at the same time have
/// tiles near each other, and find each other's factors in L2.
const GROUP: u32 = 8;

/// The tiles of all products of one shape.
#[derive(Clone, Copy)]
pub(crate) struct Tiles {
    /// Rows and columns of a tile.
    size: [u32; 2],
    /// Tiles of a product, from top to bottom and from left to right.
    down: u32,
    across: u32,
    /// The number of tiles.
    pub(crate) all: u32,
}

impl Tiles {
    /// Returns the tiles, which have so many rows and columns, of products with this shape: `m`,
    /// `n`, `k`, and how many they are. There are no tiles if they are more than 2^32.
    #[inline(always)]
    pub(crate) fn new([m, n, _, batch]: [u32; 4], size: [u32; 2]) -> Self {
        let (down, across) = (m.div_ceil(size[0]), n.div_ceil(size[1]));
        let all = u64::from(down) * u64::from(across) * u64::from(batch);
        Tiles {
            size,
            down,
            across,
            all: u32::try_from(all).unwrap_or(0),
        }
    }

    /// Returns the first row and column of the tile with this number, and its product.
    #[inline(always)]
    pub(crate) fn corner(self, number: u32) -> [u32; 3] {
        let of_product = (self.down * self.across).max(1);
        let (product, number) = (number / of_product, number % of_product);
        let together = (GROUP * self.across).max(1);
        let (first, inside) = (number / together * GROUP, number % together);
        let height = self.down.saturating_sub(first).clamp(1, GROUP);
        let (row, column) = (first + inside % height, inside / height);
        [row * self.size[0], column * self.size[1], product]
    }
}
