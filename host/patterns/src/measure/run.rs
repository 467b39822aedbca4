//! Running a variant: whether it is right, and how fast it is.
//!
//! The result of the first launch is compared with the CPU's. Events around each launch measure the
//! time. On the simulator times are modelled and do not vary, so the time of the first launch is
//! reported. On a GPU three more launches warm up, and the median of [`REPEATS`] launches is
//! reported. Twins in CUDA C++ ([`nvcc`]) are measured in the same way.

use std::time::Duration;

use anyhow::Result;
use lanewise::counters::{self, Counters};
use lanewise::testing::{Agreement, Mismatch};
use lanewise::trace;
use lanewise::{Backend, Device, EventClock, Stream, Timer};

use crate::nvidia::nvcc;
use crate::{Figure, Setup, Variant, Work};

/// Launches that warm up before a measurement.
pub const WARM_UPS: usize = 3;

/// Launches of a measurement; the median is reported.
pub const REPEATS: usize = 21;

/// The result of running a variant.
#[derive(Debug, Clone)]
pub struct Outcome {
    /// Whether the first run agrees with the CPU; `None` if the setup asks for no comparison.
    pub check: Option<Result<Agreement, Mismatch>>,
    /// The time of a run, in each round. There is at least one.
    pub rounds: Vec<Duration>,
    /// The work of a run.
    pub work: Work,
    /// The simulator's counters; `None` on a GPU, which does not count.
    pub counters: Option<Counters>,
    /// On a GPU: the time of NVIDIA's library for the same work, or of the variant's twin by nvcc,
    /// if it has such a job, or the reason why it did not run.
    pub library: Option<Result<Library, String>>,
    /// The other figures of the pattern for this run.
    pub figures: Vec<Figure>,
}

/// A library that did the same work, or a twin by nvcc.
#[derive(Debug, Clone)]
pub struct Library {
    /// The library and its version.
    pub name: String,
    /// The time of a run, in each round. There is at least one.
    pub rounds: Vec<Duration>,
}

impl Outcome {
    /// Returns the time of a run: the median of the rounds.
    pub fn time(&self) -> Duration {
        median(&self.rounds)
    }

    /// Returns the work divided by the time, in 10^9 bytes or operations per second.
    pub fn rate(&self) -> Option<Rate> {
        self.rate_in(self.time())
    }

    /// Returns the rate for the same work in another time.
    pub fn rate_in(&self, time: Duration) -> Option<Rate> {
        let per_second = |amount: u64| amount as f64 / time.as_secs_f64() / 1e9;
        match self.work {
            _ if time.is_zero() => None,
            Work::Bytes(bytes) => Some(Rate::Bandwidth(per_second(bytes))),
            Work::Flops(flops) => Some(Rate::Arithmetic(per_second(flops))),
            Work::Keys(keys) => Some(Rate::Sorted(per_second(keys))),
            Work::Nothing => None,
        }
    }
}

impl Library {
    /// Returns the time of a run: the median of the rounds.
    pub fn time(&self) -> Duration {
        median(&self.rounds)
    }
}

/// The speed of the work.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Rate {
    /// Effective bandwidth, GB/s.
    Bandwidth(f64),
    /// Operations on floats, in GFLOP/s.
    Arithmetic(f64),
    /// Keys that are sorted, in Gkeys/s.
    Sorted(f64),
}

impl std::fmt::Display for Rate {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Bandwidth(rate) => write!(out, "{rate:.1} GB/s"),
            Self::Arithmetic(rate) => write!(out, "{rate:.1} GFLOP/s"),
            Self::Sorted(rate) => write!(out, "{rate:.2} Gkeys/s"),
        }
    }
}

/// Runs a variant once and compares it with the CPU.
///
/// # Errors
/// An error if it cannot be set up or launched, or has a fault.
pub fn check(
    device: &Device,
    variant: &Variant,
    setup: Setup,
) -> Result<Result<Agreement, Mismatch>> {
    let stream = device.stream()?;
    let mut case = (variant.prepare)(device, setup)?;
    case.launch(&stream)?;
    stream.synchronize()?;
    case.check()
}

/// Runs a variant, compares it with the CPU and measures its time.
///
/// # Errors
/// As [`check`].
pub fn run(device: &Device, variant: &Variant, setup: Setup) -> Result<Outcome> {
    let stream = device.stream()?;
    let mut case = (variant.prepare)(device, setup)?;
    // This launch is counted, because the model of time has the number of sectors only if
    // they are counted.
    let (first, counters) = counters::of(device, || {
        timed(variant.name, &stream, || case.launch(&stream))
    })?;
    // The check comes before any further launch, because a variant that works in place
    // changes its input.
    let check = setup.is_checked.then(|| case.check()).transpose()?;
    let mut rounds = Vec::new();
    let mut library = None;
    match device.backend() {
        Backend::Sim => rounds.push(first),
        Backend::Cuda => {
            let mut job = match variant.library {
                Some(make) => Some(make(device, setup)),
                None => nvcc::twin(device, variant.name, setup),
            };
            let mut theirs = Vec::new();
            // In turn, so that a clock that changes meanwhile changes both.
            for _ in 0..setup.rounds.max(1) {
                rounds.push(measured(variant.name, &stream, || case.launch(&stream))?);
                let Some(Ok(ready)) = &mut job else { continue };
                let name = ready.name().to_owned();
                match measured(&name, &stream, || ready.launch(&stream)) {
                    Ok(time) => theirs.push(time),
                    Err(error) => job = Some(Err(error)),
                }
            }
            // A missing library is not a failure of the variant.
            library = job.map(|done| match done {
                Ok(job) => Ok(Library {
                    name: job.name().to_owned(),
                    rounds: theirs,
                }),
                Err(error) => Err(format!("{error:#}")),
            });
        }
    }
    Ok(Outcome {
        check,
        rounds,
        work: case.work(),
        figures: case.figures(counters.as_ref())?,
        counters,
        library,
    })
}

/// Returns the median time of a launch, after some launches that warm up.
fn measured(
    name: &str,
    stream: &Stream,
    mut launch: impl FnMut() -> Result<()>,
) -> Result<Duration> {
    for _ in 0..WARM_UPS {
        launch()?;
    }
    let times = (0..REPEATS).map(|_| timed(name, stream, &mut launch));
    Ok(median(&times.collect::<Result<Vec<_>>>()?))
}

/// Measures one launch between two events.
fn timed(name: &str, stream: &Stream, launch: impl FnOnce() -> Result<()>) -> Result<Duration> {
    // The range in the trace and the timeline ends when the device is done.
    trace::range(name, || {
        let timer = Timer::start(EventClock::on(stream))?;
        launch()?;
        Ok(timer.stop()?)
    })
}

/// Returns the median of times: the lower one of two in the middle. There is at least one.
fn median(times: &[Duration]) -> Duration {
    let mut times = times.to_vec();
    times.sort_unstable();
    times[(times.len() - 1) / 2]
}
