//! What the simulator counted: requests, sectors, wavefronts, branches, instructions of a launch.
//!
//! Time is modelled on one clock for the whole process, and what is counted is often timed too. So while something is counted,
//! launches of other threads wait. A real GPU does not count: [`of`] answers `None` there.
//!
//! Definitions: the simulator's `counters` module. A GPU's own profiler counts the same by the names given there.

use std::cell::Cell;
use std::panic::Location;
use std::sync::{PoisonError, RwLock, RwLockReadGuard};

pub use lanewise_driver::{Counters, Metric};
use lanewise_driver::{LaunchOverrides, Observer};

use crate::device::recording::is_recording;
use crate::{Backend, Device, DriverError};

/// Held for reading by each launch, and for writing by whoever counts one.
static LAUNCHING: RwLock<()> = RwLock::new(());

thread_local! {
    /// Whether this thread holds [`LAUNCHING`] for writing.
    static COUNTING: Cell<bool> = const { Cell::new(false) };
}

/// Runs `launch` and returns the counters of the kernels that it launched, added up; `None` where nobody counts.
///
/// # Errors
/// What `launch` answers, or the fault of a kernel.
#[track_caller]
pub fn of<E: From<DriverError>>(
    device: &Device,
    launch: impl FnOnce() -> Result<(), E>,
) -> Result<Option<Counters>, E> {
    let at = Location::caller();
    if device.backend() == Backend::Cuda {
        launch()?;
        return Ok(None);
    }
    // Whoever holds it already counts inside of what it counts; who records is refused below.
    let _alone = (!COUNTING.get() && !is_recording())
        .then(|| LAUNCHING.write().unwrap_or_else(PoisonError::into_inner));
    // Whatever others have launched before has to be over.
    device.synchronize_at(at)?;
    let _on = Counting::start();
    let observer = Observer::start(LaunchOverrides {
        count: true,
        ..LaunchOverrides::default()
    });
    launch()?;
    device.synchronize_at(at)?;
    let mut sum = Counters::default();
    for observed in observer.take() {
        sum += observed.counters.unwrap_or_default();
    }
    Ok(Some(sum))
}

/// Whether this thread counts.
pub(crate) fn is_counting() -> bool {
    COUNTING.get()
}

/// This thread counts while this lives, and afterwards if it did before.
pub(crate) struct Counting {
    before: bool,
}

impl Counting {
    pub(crate) fn start() -> Self {
        let before = COUNTING.replace(true);
        Self { before }
    }
}

impl Drop for Counting {
    fn drop(&mut self) {
        COUNTING.set(self.before);
    }
}

/// What each launch takes first, and holds: it waits while another thread counts. It is taken before the launch's buffers are, since that thread may wait for
/// those. A thread that records a graph does not wait: who counts waits for recordings.
pub(crate) fn turn() -> Option<RwLockReadGuard<'static, ()>> {
    (!COUNTING.get() && !is_recording())
        .then(|| LAUNCHING.read().unwrap_or_else(PoisonError::into_inner))
}
