//! One timer over two clocks, read in three units.

use anyhow::{Context, Result};
use gpu::basics::vector_add::vec_add;
use lanewise::compare::{self, Agreement, Expected, Mismatch};
use lanewise::counters::Counters;
use lanewise::{
    Device, DeviceBuffer, Elapsed, EventClock, LaunchConfig, Stream, TimeUnit, Timer, WallClock,
};

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
type Time = fn(&mut Timed, &Stream) -> Result<Elapsed>;

struct Timed {
    device: Device,
    time: Time,
    a: DeviceBuffer<f32>,
    sum: DeviceBuffer<f32>,
    elapsed: Option<Elapsed>,
}

impl Timed {
    fn prepare(device: &Device, setup: Setup, time: Time) -> Result<Box<dyn Case>> {
        let n = setup.elements()?;
        Ok(Box::new(Self {
            device: device.clone(),
            time,
            a: DeviceBuffer::zeroed(device, n)?,
            sum: DeviceBuffer::zeroed(device, n)?,
            elapsed: None,
        }))
    }

    fn add(&mut self, stream: &Stream) -> Result<()> {
        let config = LaunchConfig::for_num_elems(self.sum.len());
        let arguments = (&self.a, &self.a, &mut self.sum);
        Ok(self.device.launch(stream, vec_add, config, arguments)?)
    }
}

impl Case for Timed {
    fn launch(&mut self, stream: &Stream) -> Result<()> {
        self.elapsed = Some((self.time)(self, stream)?);
        Ok(())
    }

    fn check(&mut self) -> Result<Result<Agreement, Mismatch>> {
        let elapsed = self.elapsed.context("nothing was timed")?;
        let seconds = elapsed.seconds();
        anyhow::ensure!(seconds > 0.0, "a kernel that took {elapsed}");
        let in_units = [
            TimeUnit::Seconds,
            TimeUnit::Milliseconds,
            TimeUnit::Microseconds,
        ]
        .map(|unit| elapsed.get(unit) as f32);
        let expected = [1.0, 1e3, 1e6].into_iter().enumerate();
        Ok(compare::within(
            &in_units,
            expected.map(|(index, each)| Expected {
                index,
                value: seconds * each,
                // This allows for the rounding to f32.
                tolerance: seconds * each * 1e-6,
            }),
        ))
    }

    fn work(&self) -> Work {
        Work::Bytes(3 * 4 * self.sum.len() as u64)
    }

    fn figures(&self, _: Option<&Counters>) -> Result<Vec<Figure>> {
        let elapsed = self.elapsed.context("nothing was timed")?;
        let to_a_nanosecond = |unit, in_one: f64| (elapsed.get(unit) * in_one).round() / in_one;
        Ok(vec![
            Figure::new("s", to_a_nanosecond(TimeUnit::Seconds, 1e9)),
            Figure::new("ms", to_a_nanosecond(TimeUnit::Milliseconds, 1e6)),
            Figure::new("us", to_a_nanosecond(TimeUnit::Microseconds, 1e3)),
        ])
    }
}
