//! Running a variant: is it right, and how fast.
//!
//! The first launch is compared with the CPU. Times are taken by events around each launch. On the
//! simulator they are modelled and do not vary, so the first launch's is the answer; on a GPU three
//! more launches warm up and the median of [`REPEATS`] is taken, as for the twins in CUDA C++ that
//! the README compares with.

use anyhow::Result;
use lanewise::compare::{Agreement, Mismatch};
use lanewise::counters::{self, Counters};
use lanewise::trace;
use lanewise::{Backend, Device, Elapsed, EventClock, Stream, Timer};

use crate::{Figure, Setup, Variant, Work};

/// Launches that warm up before a measurement.
pub const WARM_UPS: usize = 3;

/// Launches of a measurement; the median is reported.
pub const REPEATS: usize = 21;

/// What came of running a variant.
#[derive(Debug, Clone)]
pub struct Outcome {
    /// Whether the first run agrees with the CPU; none where the setup asks for no comparison.
    pub check: Option<Result<Agreement, Mismatch>>,
    /// How long a run takes.
    pub time: Elapsed,
    /// What a run has to do.
    pub work: Work,
    /// What the simulator counted; a GPU does not count.
    pub counters: Option<Counters>,
    /// What NVIDIA's library takes for the same, on a GPU, where the variant has one beside it; or
    /// why it did not run.
    pub library: Option<Result<Library, String>>,
    /// What the pattern has to say of the run beside that.
    pub figures: Vec<Figure>,
}

/// A library that did the same work.
#[derive(Debug, Clone)]
pub struct Library {
    /// The library and its version.
    pub name: String,
    /// How long a run takes.
    pub time: Elapsed,
}

impl Outcome {
    /// Work by time: 10^9 bytes or operations a second.
    pub fn rate(&self) -> Option<Rate> {
        self.rate_in(self.time)
    }

    /// The rate of one that does the same work in this time.
    pub fn rate_in(&self, time: Elapsed) -> Option<Rate> {
        let per_second = |amount: u64| amount as f64 / time.seconds() / 1e9;
        match self.work {
            _ if time.seconds() <= 0.0 => None,
            Work::Bytes(bytes) => Some(Rate::Bandwidth(per_second(bytes))),
            Work::Flops(flops) => Some(Rate::Arithmetic(per_second(flops))),
            Work::Nothing => None,
        }
    }
}

/// How fast the work was done.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Rate {
    /// Effective bandwidth, GB/s.
    Bandwidth(f64),
    /// Operations on floats, in GFLOP/s.
    Arithmetic(f64),
}

impl std::fmt::Display for Rate {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Bandwidth(rate) => write!(out, "{rate:.1} GB/s"),
            Self::Arithmetic(rate) => write!(out, "{rate:.1} GFLOP/s"),
        }
    }
}

/// Runs a variant once and compares it with the CPU.
///
/// # Errors
/// When it cannot be set up or launched, or faults.
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

/// Runs a variant, compares it with the CPU and takes its time.
///
/// # Errors
/// What [`check`] fails with.
pub fn run(device: &Device, variant: &Variant, setup: Setup) -> Result<Outcome> {
    let stream = device.stream()?;
    let mut case = (variant.prepare)(device, setup)?;
    // Counted, because the model of time knows sectors only where they are counted.
    let (first, counters) = counters::of(device, || {
        timed(variant.name, &stream, || case.launch(&stream))
    })?;
    // Before any further launch: what works in place finds changed input there.
    let check = setup.is_checked.then(|| case.check()).transpose()?;
    let (time, library) = match device.backend() {
        Backend::Sim => (first, None),
        Backend::Cuda => {
            let time = measured(variant.name, &stream, || case.launch(&stream))?;
            let library = variant.library.map(|make| {
                let mut job = make(device, setup)?;
                let name = job.name().to_owned();
                let time = measured(&name, &stream, || job.launch(&stream))?;
                Ok(Library { name, time })
            });
            (time, library)
        }
    };
    // That there is no library is no failure of the variant.
    let library = library.map(|done: Result<_>| done.map_err(|error| format!("{error:#}")));
    Ok(Outcome {
        check,
        time,
        work: case.work(),
        figures: case.figures(counters.as_ref())?,
        counters,
        library,
    })
}

/// The median time of a launch, after some that warm up.
fn measured(
    name: &str,
    stream: &Stream,
    mut launch: impl FnMut() -> Result<()>,
) -> Result<Elapsed> {
    for _ in 0..WARM_UPS {
        launch()?;
    }
    let times = (0..REPEATS).map(|_| timed(name, stream, &mut launch));
    Ok(median(times.collect::<Result<_>>()?))
}

/// One launch between two events.
fn timed(name: &str, stream: &Stream, launch: impl FnOnce() -> Result<()>) -> Result<Elapsed> {
    // A name for the trace and the timeline, up to when the device is done.
    trace::range(name, || {
        let timer = Timer::start(EventClock::on(stream))?;
        launch()?;
        Ok(timer.stop()?)
    })
}

/// The middle of an odd number of times.
fn median(mut times: Vec<Elapsed>) -> Elapsed {
    times.sort_by(|a, b| a.seconds().total_cmp(&b.seconds()));
    times[times.len() / 2]
}
