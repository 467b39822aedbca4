//! Deploy: a function for other programs, which checks its inputs and describes its errors.
//!
//! The number of sweeps that a plate needs is not known beforehand. So the last sweep of each batch
//! computes how much the plate still changes, and the host reads four bytes for each batch. A batch
//! is a graph, which is one launch for all of its kernels.

use anyhow::{Context, Result};
use gpu::development::heat::{HEIGHT, WIDTH, heat_measured, heat_tiled};
use lanewise::counters::Counters;
use lanewise::testing::{self, Agreement, Mismatch};
use lanewise::{Device, DeviceBuffer, DriverError, GraphError, LaunchConfig, MemoryError, Stream};

use super::{Plate, swept};
use crate::{Case, Figure, Setup, Work};

/// The number of sweeps in a batch. It is even.
pub const BATCH: usize = 32;

/// Why a plate could not be computed.
#[derive(Debug, thiserror::Error)]
pub enum HeatError {
    /// The number of cells is not the one that the shape requires.
    #[error(
        "a plate of {rows} rows and {columns} columns has {expected} cells, and {given} were given"
    )]
    Shape {
        /// The number of cells in a row.
        columns: usize,
        /// The number of rows.
        rows: usize,
        /// The number of cells that the shape requires.
        expected: usize,
        /// The number of cells that were given.
        given: usize,
    },
    /// The plate is too large for the device's indices.
    #[error("a plate of {rows} rows and {columns} columns is too large")]
    TooLarge {
        /// The number of cells in a row.
        columns: usize,
        /// The number of rows.
        rows: usize,
    },
    /// A temperature is not a finite number.
    #[error("the cell in row {row} and column {column} is {value}, which is no temperature")]
    NotATemperature {
        /// The row of the value, counted from 0.
        row: usize,
        /// The column of the value, counted from 0.
        column: usize,
        /// The value that the cell contains.
        value: f32,
    },
    /// The plate still changes after the last sweep.
    #[error(
        "after {sweeps} sweeps the plate still changes by {change} in each: allow more, or a greater change"
    )]
    Unsettled {
        /// The number of sweeps that were done.
        sweeps: usize,
        /// The greatest change of a cell in the last sweep.
        change: f32,
    },
    /// Memory could not be allocated or copied.
    #[error(transparent)]
    Memory(#[from] MemoryError),
    /// The graph of a batch could not be made or launched.
    #[error(transparent)]
    Graph(#[from] GraphError),
    /// The device could not be used.
    #[error(transparent)]
    Driver(#[from] DriverError),
}

/// A plate that no longer changes.
#[derive(Debug, Clone, PartialEq)]
pub struct Settled {
    /// The plate after the last sweep.
    pub plate: Plate,
    /// The number of sweeps that were needed.
    pub sweeps: usize,
    /// The greatest change of a cell in the last sweep.
    pub change: f32,
}

/// Sweeps until no cell changes by more than `tolerance`, but at most `most` times. The number of
/// sweeps is a multiple of [`BATCH`].
///
/// # Errors
/// [`HeatError`] if the plate is not valid, if it still changes after `most` sweeps, or if the
/// driver returns an error.
pub fn settle(
    device: &Device,
    plate: Plate,
    tolerance: f32,
    most: usize,
) -> Result<Settled, HeatError> {
    check(&plate)?;
    let columns = plate.columns;
    let config = LaunchConfig::cover_2d((plate.columns, plate.rows), (WIDTH as u32, HEIGHT as u32));
    let mut a = DeviceBuffer::from_slice(device, &plate.cells)?;
    let mut b = DeviceBuffer::zeroed(device, plate.cells.len())?;
    let mut change = DeviceBuffer::<u32>::zeroed(device, 1)?;
    // ANCHOR: batch
    let batch = device.record(|record| {
        record.fill_zero(&mut change)?;
        for number in 0..BATCH / 2 {
            let sweep = (a.matrix(columns), b.matrix_mut(columns));
            record.launch(heat_tiled, config, sweep)?;
            if number + 1 < BATCH / 2 {
                let sweep = (b.matrix(columns), a.matrix_mut(columns));
                record.launch(heat_tiled, config, sweep)?;
            }
        }
        let sweep = (b.matrix(columns), a.matrix_mut(columns), &mut change);
        record.launch(heat_measured, config, sweep)
    })?;
    // ANCHOR_END: batch
    let stream = device.stream()?;
    let (mut sweeps, mut last) = (0, f32::INFINITY);
    // ANCHOR: until
    while last > tolerance {
        if sweeps + BATCH > most {
            return Err(HeatError::Unsettled {
                sweeps,
                change: last,
            });
        }
        batch.launch(&stream)?;
        let mut bits = [0];
        change.copy_to_slice(&mut bits)?;
        (sweeps, last) = (sweeps + BATCH, f32::from_bits(bits[0]));
    }
    // ANCHOR_END: until
    Ok(Settled {
        plate: Plate {
            cells: a.to_vec()?,
            ..plate
        },
        sweeps,
        change: last,
    })
}

/// Returns the number of columns and rows if the plate is valid.
fn check(plate: &Plate) -> Result<(), HeatError> {
    let (columns, rows) = (plate.columns, plate.rows);
    let too_large = HeatError::TooLarge { columns, rows };
    let Some(expected) = columns.checked_mul(rows) else {
        return Err(too_large);
    };
    let given = plate.cells.len();
    if given != expected {
        return Err(HeatError::Shape {
            columns,
            rows,
            expected,
            given,
        });
    }
    if let Some(at) = plate.cells.iter().position(|cell| !cell.is_finite()) {
        return Err(HeatError::NotATemperature {
            row: at / columns,
            column: at % columns,
            value: plate.cells[at],
        });
    }
    match (u32::try_from(columns), u32::try_from(rows)) {
        (Ok(_), Ok(_)) => Ok(()),
        _ => Err(too_large),
    }
}

/// The greatest change of a cell that the pattern still accepts.
const TOLERANCE: f32 = 0.05;

struct Deployed {
    device: Device,
    start: Plate,
    settled: Option<Settled>,
}

pub(super) fn prepare(device: &Device, setup: Setup) -> Result<Box<dyn Case>> {
    Ok(Box::new(Deployed {
        device: device.clone(),
        start: Plate::of(setup)?,
        settled: None,
    }))
}

impl Case for Deployed {
    fn launch(&mut self, _: &Stream) -> Result<()> {
        let settled = settle(&self.device, self.start.clone(), TOLERANCE, 100_000)?;
        self.settled = Some(settled);
        Ok(())
    }

    fn check(&mut self) -> Result<Result<Agreement, Mismatch>> {
        let settled = self.settled.as_ref().context("nothing was launched")?;
        let expected = swept(self.start.clone(), settled.sweeps);
        Ok(testing::equal(&settled.plate.cells, &expected.cells))
    }

    fn work(&self) -> Work {
        let sweeps = self.settled.as_ref().map_or(0, |settled| settled.sweeps);
        self.start.work(sweeps)
    }

    fn figures(&self, _: Option<&Counters>) -> Result<Vec<Figure>> {
        let sweeps = self
            .settled
            .iter()
            .map(|it| Figure::new("sweeps", it.sweeps));
        Ok(sweeps.collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_no_plate_is_told_with_the_place() {
        let told = |plate| check(&plate).map_err(|error| error.to_string());
        let mut plate = Plate::new(4, 3);
        assert_eq!(told(plate.clone()), Ok(()));
        plate.cells[6] = f32::NAN;
        let expected = "the cell in row 1 and column 2 is NaN, which is no temperature";
        assert_eq!(told(plate.clone()), Err(expected.into()));
        plate.rows = 4;
        let expected = "a plate of 4 rows and 4 columns has 16 cells, and 12 were given";
        assert_eq!(told(plate.clone()), Err(expected.into()));
        plate.rows = usize::MAX;
        assert!(told(plate).expect_err("too large").contains("too large"));
    }
}
