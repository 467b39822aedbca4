//! Chapter 8: algorithms and libraries.

mod distance;
mod fft;
mod gemm;
mod gemv;
mod matvec;
mod nvidia;
mod philox;
mod solver;
mod spmv;

use lanewise::{Device, DeviceBuffer, Stream};
use lanewise_patterns::algorithms::precision::Precision;
use lanewise_patterns::input;

/// A device and a stream of it.
struct Bench {
    device: Device,
    stream: Stream,
}

impl Bench {
    fn new() -> Self {
        let device = tests::device();
        let stream = device.stream().expect("a stream");
        Self { device, stream }
    }

    fn buffer<T: Precision>(&self, numbers: &[T]) -> DeviceBuffer<T> {
        DeviceBuffer::from_slice(&self.device, numbers).expect("a buffer")
    }
}

fn numbers<T: Precision>(n: usize, seed: u64) -> Vec<T> {
    let floats = input::floats(n, seed).into_iter();
    floats.map(|x| T::rounded(x.into())).collect()
}

/// Sums of up to a hundred products of numbers below a half.
#[track_caller]
fn assert_close<'a, T: Precision>(
    found: &[T],
    expected: impl ExactSizeIterator<Item = &'a T>,
    what: &str,
) {
    assert_eq!(found.len(), expected.len(), "{what}");
    for (i, (&found, &expected)) in found.iter().zip(expected).enumerate() {
        let off = (found.into() - expected.into()).abs();
        assert!(
            off <= 100.0 * T::UNIT,
            "{what}, [{i}]: {found:?} and {expected:?}"
        );
    }
}

/// Returns what a call that may be refused says.
fn text<E: std::fmt::Display>(done: Result<(), E>) -> String {
    done.map_or_else(|error| error.to_string(), |()| "done".to_owned())
}
