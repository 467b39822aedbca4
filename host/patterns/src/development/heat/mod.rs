//! Heat in a plate, by Jacobi's method: a program that goes through assess, parallelise, optimise
//! and deploy. Each stage is a module that runs.

pub mod assess;
pub mod deploy;
pub mod optimise;
pub mod parallelise;

use anyhow::Result;
use lanewise::testing::{self, Agreement, Mismatch};
use lanewise::{DeviceBuffer, Stream};

use crate::{Case, Pattern, Setup, Size, Variant, Work};

/// This pattern's row in the catalog: its name, variants and how each is set up.
pub static PATTERN: Pattern = Pattern {
    name: "heat",
    chapter: "development",
    summary: "one program through assess, parallelise, optimise, deploy: heat in a plate, by Jacobi's method",
    source: "Professional CUDA C Programming, chapter 10",
    size: Size {
        of: "columns and rows of the plate",
        is_square: true,
        default: 128,
        bench: None,
    },
    variants: &[
        Variant::on_the_host("assess", assess::prepare),
        Variant::on_the_host("parallelise", parallelise::prepare),
        Variant::on_the_host("optimise_resident", |device, setup| {
            optimise::prepare(device, setup, optimise::Kernel::ByColumns)
        }),
        Variant::on_the_host("optimise_coalesced", |device, setup| {
            optimise::prepare(device, setup, optimise::Kernel::ByRows)
        }),
        Variant::on_the_host("optimise_tiled", |device, setup| {
            optimise::prepare(device, setup, optimise::Kernel::Tiled)
        }),
        Variant::on_the_host("deploy", deploy::prepare),
    ],
};

/// The number of sweeps in a run. It is even, so that the last sweep leaves its cells in the buffer
/// from which the first one read.
pub const SWEEPS: usize = 20;

/// A plate whose upper edge is hot. The other edges and the inner cells are cold.
#[derive(Debug, Clone, PartialEq)]
pub struct Plate {
    /// The number of cells in a row.
    pub columns: usize,
    /// The number of rows, with the rows at the edges.
    pub rows: usize,
    /// Temperatures, row after row.
    pub cells: Vec<f32>,
}

impl Plate {
    /// Makes the plate as it is before any sweep.
    pub fn new(columns: usize, rows: usize) -> Self {
        let hot = |at: usize| if at < columns { 100.0 } else { 0.0 };
        Self {
            columns,
            rows,
            cells: (0..columns * rows).map(hot).collect(),
        }
    }

    /// Makes the plate that the setup describes.
    fn of(setup: Setup) -> Result<Self> {
        let (columns, rows) = setup.matrix()?;
        Ok(Self::new(columns, rows))
    }

    /// Returns the bytes of `sweeps` sweeps, each of which reads and writes every cell once.
    fn work(&self, sweeps: usize) -> Work {
        Work::Bytes(2 * 4 * (self.cells.len() * sweeps) as u64)
    }
}

// On the CPU.

/// Sweeps from one plate to another, and returns the greatest change of a cell.
pub fn sweep(from: &Plate, to: &mut Plate) -> f32 {
    let (columns, rows) = (from.columns, from.rows);
    let mut greatest = 0.0f32;
    for y in 0..rows {
        for x in 0..columns {
            let at = y * columns + x;
            let was = from.cells[at];
            let is_edge = x == 0 || y == 0 || x + 1 == columns || y + 1 == rows;
            let next = match is_edge {
                true => was,
                false => {
                    let cell = |at: usize| from.cells[at];
                    let upright = cell(at - columns) + cell(at + columns);
                    (upright + (cell(at - 1) + cell(at + 1))) * 0.25
                }
            };
            greatest = greatest.max((next - was).abs());
            to.cells[at] = next;
        }
    }
    greatest
}

/// Returns the plate after this many sweeps.
pub fn swept(mut plate: Plate, sweeps: usize) -> Plate {
    let mut other = plate.clone();
    for _ in 0..sweeps {
        sweep(&plate, &mut other);
        std::mem::swap(&mut plate, &mut other);
    }
    plate
}

/// Two plates on the device, and a launch that sweeps from one to the other. The launch
/// runs [`SWEEPS`] times.
struct Sweeps<L> {
    start: Plate,
    plates: [DeviceBuffer<f32>; 2],
    expected: Vec<f32>,
    launch: L,
}

impl<L> Case for Sweeps<L>
where
    L: FnMut(&Stream, &mut [DeviceBuffer<f32>; 2]) -> Result<()>,
{
    fn launch(&mut self, stream: &Stream) -> Result<()> {
        self.plates[0].copy_from_slice(&self.start.cells)?;
        (self.launch)(stream, &mut self.plates)
    }

    fn check(&mut self) -> Result<Result<Agreement, Mismatch>> {
        Ok(testing::equal(&self.plates[0].to_vec()?, &self.expected))
    }

    fn work(&self) -> Work {
        self.start.work(SWEEPS)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn heat_flows_from_the_hot_edge_and_stays_within_its_bounds() {
        let plate = swept(Plate::new(9, 7), 200);
        for y in 1..6 {
            let middle = plate.cells[y * 9 + 4];
            assert!(middle > plate.cells[(y + 1) * 9 + 4]);
            assert!(middle < 100.0 && middle > 0.0);
            // The plate is symmetric about its middle column.
            assert_eq!(plate.cells[y * 9 + 1], plate.cells[y * 9 + 7]);
        }
    }

    #[test]
    fn a_plate_that_is_all_edge_does_not_change() {
        for (columns, rows) in [(0, 0), (1, 1), (2, 5), (5, 2)] {
            let plate = Plate::new(columns, rows);
            assert_eq!(swept(plate.clone(), 3), plate);
        }
    }
}
