//! More elements than 32 bits with a sign can count: eight times as many as the other jobs have,
//! and one. So 2^28 make 2^31 + 1.

use anyhow::{Result, ensure};
use lanewise::DeviceBuffer;
use lanewise_algorithms::{NotZero, Reduction, Scan, Select};
use lanewise_records::Unit;
use lanewise_std::collective::Sum;

use super::{Measured, Runner};

/// Zeros, but for a few elements.
struct Sparse {
    input: DeviceBuffer<u32>,
    /// The places of the others. The first has 1, the second 2.
    places: [usize; 5],
}

impl Sparse {
    fn new(run: &Runner) -> Result<Self> {
        let len = 8 * run.len + 1;
        let places = [0, len / 2 - 1, len / 2, len - 2, len - 1];
        let mut input = DeviceBuffer::zeroed(&run.device, len)?;
        for (value, place) in (1..).zip(places) {
            input
                .slice_mut(place..place + 1)
                .copy_from_slice(&[value])?;
        }
        Ok(Self { input, places })
    }

    fn measured(&self, times: Vec<f64>, reads_and_writes: usize) -> Result<Measured> {
        let len = self.input.len();
        let bytes = reads_and_writes * len * size_of::<u32>();
        Ok(Measured::of(times, bytes, Unit::Bytes)?.at(len))
    }
}

pub(super) fn sum(run: &Runner) -> Result<Measured> {
    let sparse = Sparse::new(run)?;
    let mut sum = DeviceBuffer::<u32>::uninit(&run.device, 1)?;
    let mut reduction = Reduction::new(&run.device)?;
    let times = run.time(|| Ok(reduction.reduce(&run.stream, Sum, &sparse.input, &mut sum)?))?;
    let sum = sum.to_vec()?[0];
    ensure!(sum == 15, "the sum is {sum}, not 15");
    sparse.measured(times, 1)
}

pub(super) fn scan(run: &Runner) -> Result<Measured> {
    let sparse = Sparse::new(run)?;
    let len = sparse.input.len();
    let mut sums = DeviceBuffer::<u32>::uninit(&run.device, len)?;
    let mut scan = Scan::new(&run.device, len)?;
    let times = run.time(|| Ok(scan.inclusive(&run.stream, Sum, &sparse.input, &mut sums)?))?;
    for (place, expected) in sparse.places.into_iter().zip([1, 3, 6, 10, 15]) {
        let found = sums.slice(place..place + 1).to_vec()?[0];
        ensure!(
            found == expected,
            "the sum at {place} is {found}, not {expected}"
        );
    }
    sparse.measured(times, 2)
}

pub(super) fn select(run: &Runner) -> Result<Measured> {
    let sparse = Sparse::new(run)?;
    let len = sparse.input.len();
    let mut kept = DeviceBuffer::<u32>::uninit(&run.device, len)?;
    let mut count = DeviceBuffer::<u64>::uninit(&run.device, 1)?;
    let mut select = Select::new(&run.device, len)?;
    let (stream, input) = (&run.stream, &sparse.input);
    let times = run.time(|| Ok(select.select(stream, NotZero, input, &mut kept, &mut count)?))?;
    let count = count.to_vec()?[0];
    ensure!(count == 5, "{count} elements are kept, not 5");
    let found = kept.slice(..5).to_vec()?;
    ensure!(found == [1, 2, 3, 4, 5], "{found:?} are kept");
    sparse.measured(times, 1)
}
