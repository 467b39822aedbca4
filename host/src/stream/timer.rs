//! One timer over two clocks: the wall, and events on a stream.
//!
//! The wall clock times what the host waits for. A pair of events times what the device does
//! between two points of a stream. On the simulator that is modelled time, which is the same in
//! every run ([`crate::Backend::times`]).
//!
//! A timer exists only after it was started, and [`Timer::stop`] consumes it. So it cannot be
//! stopped before it was started, and not twice.
//! ```compile_fail,E0382
//! # use lanewise::{Timer, WallClock};
//! let timer = Timer::start(WallClock)?;
//! let first = timer.stop()?;
//! let second = timer.stop()?;
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//! Source: CUDA driver API, "Event Management"; Fengchen's introduction, chapter 2.2.

use std::convert::Infallible;
use std::time::{Duration, Instant};

use crate::{DriverError, Event, Stream};

/// A clock that can mark points in time and measure the time between two of them.
pub trait Clock {
    /// A point in time.
    type Mark;
    /// The error if a point cannot be marked or the time cannot be measured.
    type Error;

    /// Marks the present point in time.
    ///
    /// # Errors
    /// The clock's error: [`Clock::Error`].
    #[track_caller]
    fn mark(&self) -> Result<Self::Mark, Self::Error>;

    /// Waits until `stop` has occurred, and returns the time between the two marks.
    ///
    /// # Errors
    /// The clock's error: [`Clock::Error`].
    #[track_caller]
    fn between(&self, start: &Self::Mark, stop: &Self::Mark) -> Result<Duration, Self::Error>;
}

/// The host's monotonic clock.
#[derive(Debug, Clone, Copy, Default)]
pub struct WallClock;

impl Clock for WallClock {
    type Mark = Instant;
    type Error = Infallible;

    fn mark(&self) -> Result<Instant, Infallible> {
        Ok(Instant::now())
    }

    fn between(&self, start: &Instant, stop: &Instant) -> Result<Duration, Infallible> {
        Ok(stop.duration_since(*start))
    }
}

/// Events on a stream: the device's own clock.
#[derive(Debug, Clone)]
pub struct EventClock(Stream);

impl EventClock {
    /// Makes a clock whose marks are events on this stream, after what is queued on it.
    pub fn on(stream: &Stream) -> Self {
        Self(stream.clone())
    }
}

impl Clock for EventClock {
    type Mark = Event;
    type Error = DriverError;

    #[track_caller]
    fn mark(&self) -> Result<Event, DriverError> {
        self.0.record()
    }

    #[track_caller]
    fn between(&self, start: &Event, stop: &Event) -> Result<Duration, DriverError> {
        stop.synchronize()?;
        stop.since(start)
    }
}

/// A running timer. [`Timer::stop`] returns the time since its start.
#[derive(Debug)]
#[must_use = "a timer that is never stopped measures nothing"]
pub struct Timer<C: Clock> {
    clock: C,
    start: C::Mark,
}

impl<C: Clock> Timer<C> {
    /// Starts timing on `clock`.
    ///
    /// # Errors
    /// The clock's error: [`Clock::Error`].
    #[track_caller]
    pub fn start(clock: C) -> Result<Self, C::Error> {
        let start = clock.mark()?;
        Ok(Self { clock, start })
    }

    /// Stops the timer and returns the time since its start.
    ///
    /// # Errors
    /// The clock's error: [`Clock::Error`].
    #[track_caller]
    pub fn stop(self) -> Result<Duration, C::Error> {
        let stop = self.clock.mark()?;
        self.clock.between(&self.start, &stop)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_wall_clock_measures_at_least_the_sleep() {
        let Ok(timer) = Timer::start(WallClock);
        std::thread::sleep(Duration::from_millis(5));
        let Ok(elapsed) = timer.stop();
        assert!(elapsed >= Duration::from_millis(5), "{elapsed:?}");
    }
}
