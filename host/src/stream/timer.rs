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
use std::fmt;
use std::time::{Duration, Instant};

use crate::{DriverError, Event, Stream};

/// A unit in which a measured time is shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TimeUnit {
    /// Times are shown in seconds.
    Seconds,
    /// Times are shown in milliseconds.
    Milliseconds,
    /// Times are shown in microseconds.
    Microseconds,
}

/// A measured (or modelled) duration.
#[derive(Debug, Clone, Copy, PartialEq, PartialOrd)]
pub struct Elapsed {
    seconds: f64,
}

impl Elapsed {
    /// Makes a duration of this many seconds.
    pub fn from_seconds(seconds: f64) -> Self {
        Self { seconds }
    }

    /// Returns the duration in `unit`.
    pub fn get(self, unit: TimeUnit) -> f64 {
        match unit {
            TimeUnit::Seconds => self.seconds,
            TimeUnit::Milliseconds => self.seconds * 1e3,
            TimeUnit::Microseconds => self.seconds * 1e6,
        }
    }

    /// Returns the duration in seconds.
    pub fn seconds(self) -> f64 {
        self.seconds
    }

    /// Returns the duration as the type of the standard library, in whole nanoseconds. A negative
    /// duration, as between events in the other order, becomes zero.
    pub fn as_duration(self) -> Duration {
        Duration::try_from_secs_f64(self.seconds.max(0.0)).unwrap_or(Duration::MAX)
    }
}

/// The conversion of [`Elapsed::as_duration`].
impl From<Elapsed> for Duration {
    fn from(span: Elapsed) -> Self {
        span.as_duration()
    }
}

impl From<Duration> for Elapsed {
    fn from(span: Duration) -> Self {
        Self::from_seconds(span.as_secs_f64())
    }
}

impl fmt::Display for Elapsed {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.seconds {
            s if s >= 1.0 => write!(out, "{s:.3} s"),
            s if s >= 1e-3 => write!(out, "{:.3} ms", s * 1e3),
            s => write!(out, "{:.2} us", s * 1e6),
        }
    }
}

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
    fn between(&self, start: &Self::Mark, stop: &Self::Mark) -> Result<Elapsed, Self::Error>;
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

    fn between(&self, start: &Instant, stop: &Instant) -> Result<Elapsed, Infallible> {
        Ok(stop.duration_since(*start).into())
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
    fn between(&self, start: &Event, stop: &Event) -> Result<Elapsed, DriverError> {
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
    pub fn stop(self) -> Result<Elapsed, C::Error> {
        let stop = self.clock.mark()?;
        self.clock.between(&self.start, &stop)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_span_reads_in_every_unit() {
        let span = Elapsed::from_seconds(0.25);
        assert_eq!(span.get(TimeUnit::Seconds), 0.25);
        assert_eq!(span.get(TimeUnit::Milliseconds), 250.0);
        assert_eq!(span.get(TimeUnit::Microseconds), 250_000.0);
    }

    #[test]
    fn a_span_is_a_duration_of_the_standard_librarys() {
        let duration = Duration::from_micros(1500);
        assert_eq!(Elapsed::from(duration).seconds(), 0.0015);
        assert_eq!(Duration::from(Elapsed::from_seconds(0.0015)), duration);
        let ends = [-1.0, f64::NAN, f64::INFINITY];
        let durations = ends.map(|seconds| Elapsed::from_seconds(seconds).as_duration());
        assert_eq!(durations, [Duration::ZERO, Duration::ZERO, Duration::MAX]);
    }

    #[test]
    fn a_span_is_printed_in_the_unit_that_suits_it() {
        let printed =
            [2.0, 0.0125, 0.0000015].map(|seconds| Elapsed::from_seconds(seconds).to_string());
        assert_eq!(printed, ["2.000 s", "12.500 ms", "1.50 us"]);
    }

    #[test]
    fn the_wall_clock_measures_at_least_the_sleep() {
        let Ok(timer) = Timer::start(WallClock);
        std::thread::sleep(Duration::from_millis(5));
        let Ok(elapsed) = timer.stop();
        assert!(elapsed.get(TimeUnit::Milliseconds) >= 5.0, "{elapsed}");
    }
}
