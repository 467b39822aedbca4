//! One timer over two clocks, read in three units.

use std::time::Duration;

use anyhow::{Context, Result};
use gpu::basics::vector_add::vec_add;
use lanewise::counters::Counters;
use lanewise::testing::{self, Agreement, Mismatch};
use lanewise::{Device, DeviceBuffer, EventClock, LaunchConfig, Stream, Timer, WallClock};

use crate::{Case, Figure, Pattern, Setup, Size, Variant, Work};

/// The pattern as `cargo xtask list` shows it and `cargo xtask run` runs it.
pub static PATTERN: Pattern = Pattern {
    name: "timing",
    chapter: "basics",
    summary: "one timer over the wall clock and over events; only a started timer can be stopped",
    source: "Fengchen's introduction, chapter 2.2",
    size: Size {
        of: "elements",
        is_square: false,
        default: 1 << 20,
        bench: None,
    },
    variants: &[
        Variant::on_the_host("timer_wall_clock", |device, setup| {
            Timed::prepare(device, setup, |timed, stream| {
                // ANCHOR: wall_clock
                let Ok(timer) = Timer::start(WallClock);
                timed.add(stream)?;
                // A launch returns at once: without this, the wall clock would time the launch and
                // not the kernel.
                stream.synchronize()?;
                let Ok(elapsed) = timer.stop();
                Ok(elapsed)
                // ANCHOR_END: wall_clock
            })
        }),
        Variant::on_the_host("timer_events", |device, setup| {
            Timed::prepare(device, setup, |timed, stream| {
                // ANCHOR: events
                let timer = Timer::start(EventClock::on(stream))?;
                timed.add(stream)?;
                Ok(timer.stop()?)
                // ANCHOR_END: events
            })
        }),
    ],
};

/// A function that times the addition.
type Time = fn(&mut Timed, &Stream) -> Result<Duration>;

struct Timed {
    time: Time,
    a: DeviceBuffer<f32>,
    sum: DeviceBuffer<f32>,
    elapsed: Option<Duration>,
}

impl Timed {
    fn prepare(device: &Device, setup: Setup, time: Time) -> Result<Box<dyn Case>> {
        let n = setup.elements()?;
        Ok(Box::new(Self {
            time,
            a: DeviceBuffer::zeroed(device, n)?,
            sum: DeviceBuffer::zeroed(device, n)?,
            elapsed: None,
        }))
    }

    fn add(&mut self, stream: &Stream) -> Result<()> {
        let config = LaunchConfig::for_num_elems(self.sum.len());
        let arguments = (&self.a, &self.a, &mut self.sum);
        Ok(stream.launch(vec_add, config, arguments)?)
    }
}

impl Case for Timed {
    fn launch(&mut self, stream: &Stream) -> Result<()> {
        self.elapsed = Some((self.time)(self, stream)?);
        Ok(())
    }

    fn check(&mut self) -> Result<Result<Agreement, Mismatch>> {
        let elapsed = self.elapsed.context("nothing was timed")?;
        anyhow::ensure!(!elapsed.is_zero(), "a kernel that took no time");
        Ok(testing::equal(
            &self.sum.to_vec()?,
            &vec![0.0; self.sum.len()],
        ))
    }

    fn work(&self) -> Work {
        Work::Bytes(3 * 4 * self.sum.len() as u64)
    }

    fn figures(&self, _: Option<&Counters>) -> Result<Vec<Figure>> {
        let elapsed = self.elapsed.context("nothing was timed")?;
        let seconds = elapsed.as_secs_f64();
        let to_a_nanosecond = |in_one: f64| (seconds * 1e9).round() / (1e9 / in_one);
        Ok(vec![
            Figure::new("s", to_a_nanosecond(1.0)),
            Figure::new("ms", to_a_nanosecond(1e3)),
            Figure::new("us", to_a_nanosecond(1e6)),
        ])
    }
}
