//! Times the algorithms at full size, and compares their results with the CPU's.

use std::io::{self, Write};
use std::process::ExitCode;

use anyhow::{Result, bail, ensure};
use clap::Parser;
use lanewise::{Device, DeviceBuffer, DeviceCopy, EventClock, Stream, Timer};
use lanewise_algorithms::{
    NotZero, Philox, Reduction, Scan, Select, histogram_bytes, histogram_even, layer_norm,
    rms_norm, softmax, transpose,
};
use lanewise_std::collective::{Max, Sum};

/// Time the algorithms of the library at full size, and compare their results with the CPU
#[derive(Parser)]
#[command(
    max_term_width = 100,
    after_help = "Examples:\n  algorithms                       # all of them, 2^28 elements\n  algorithms --log2 16 scan soft   # some of them, small\n  algorithms --json sum > sum.json\n  algorithms --list                # their names"
)]
struct Args {
    /// Those whose name begins with one of these; all if none is named
    names: Vec<String>,
    /// The logarithm of the number of elements to base 2
    #[arg(long, default_value_t = 28, value_parser = clap::value_parser!(u32).range(10..=30))]
    log2: u32,
    /// Print the names and end
    #[arg(long)]
    list: bool,
    /// Print the results as JSON
    #[arg(long)]
    json: bool,
}

/// The result of a job. It has no time if the algorithm failed.
#[derive(serde::Serialize)]
struct Line {
    name: &'static str,
    elements: usize,
    milliseconds: Option<f64>,
    rate: Option<f64>,
    unit: Option<&'static str>,
    error: Option<String>,
}

impl Line {
    fn of(run: &Runner, (name, job): &Job) -> Self {
        let done = job(run);
        let found = done.as_ref().ok();
        Self {
            name,
            elements: run.len,
            milliseconds: found.map(|(time, ..)| *time),
            rate: found.map(|(time, work, _)| work / time / 1e6),
            unit: found.map(|(.., unit)| *unit),
            error: done.err().map(|error| format!("{error:#}")),
        }
    }

    fn text(&self) -> String {
        match (self.milliseconds, self.rate, self.unit, &self.error) {
            (Some(time), Some(rate), Some(unit), _) => {
                format!("{:20} {time:9.4} ms {rate:10.1} {unit}", self.name)
            }
            (.., error) => {
                let error = error.as_deref().unwrap_or("no result");
                format!("{:20} {error}", self.name)
            }
        }
    }
}

/// What all jobs need.
struct Runner {
    device: Device,
    stream: Stream,
    len: usize,
}

/// A job: its name, and what runs it and returns milliseconds and how much it moves or computes.
type Job = (
    &'static str,
    fn(&Runner) -> Result<(f64, f64, &'static str)>,
);

const JOBS: &[Job] = &[
    ("copy", copy),
    ("sum_i32", sum_i32),
    ("sum_f32", sum_f32),
    ("max_f32", max_f32),
    ("scan_i32", scan_i32),
    ("select_i32", select_i32),
    ("histogram_u8", histogram_u8),
    ("histogram_i32", histogram_i32),
    ("histogram_65536", histogram_65536),
    ("transpose_f32", transpose_f32),
    ("philox_uniform", philox_uniform),
    ("philox_normal", philox_normal),
    ("softmax_4096", |run| rows(run, 4096, 0)),
    ("softmax_16384", |run| rows(run, 16384, 0)),
    ("softmax_131072", |run| rows(run, 131_072, 0)),
    ("layer_norm_4096", |run| rows(run, 4096, 1)),
    ("layer_norm_16384", |run| rows(run, 16384, 1)),
    ("layer_norm_131072", |run| rows(run, 131_072, 1)),
    ("rms_norm_4096", |run| rows(run, 4096, 2)),
    ("rms_norm_16384", |run| rows(run, 16384, 2)),
    ("rms_norm_131072", |run| rows(run, 131_072, 2)),
];

impl Runner {
    fn time(&self, mut work: impl FnMut() -> Result<()>) -> Result<f64> {
        let runs = if self.len < 1 << 20 { 1 } else { 24 };
        let mut times = Vec::new();
        for _ in 0..runs {
            let timer = Timer::start(EventClock::on(&self.stream))?;
            work()?;
            times.push(timer.stop()?.seconds() * 1e3);
        }
        let mut timed = times.split_off(times.len() / 8);
        timed.sort_by(f64::total_cmp);
        Ok(timed[timed.len() / 2])
    }

    fn words(&self) -> Vec<u32> {
        let mut state = 88_172_645_463_325_252u64;
        let mut next = || {
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            (state >> 16) as u32
        };
        (0..self.len).map(|_| next()).collect()
    }

    fn upload<T: DeviceCopy>(&self, values: &[T]) -> Result<DeviceBuffer<T>> {
        Ok(DeviceBuffer::from_slice(&self.device, values)?)
    }
}

fn copy(run: &Runner) -> Result<(f64, f64, &'static str)> {
    let from = run.upload(&run.words())?;
    let mut to = DeviceBuffer::<u32>::uninit(&run.device, run.len)?;
    let time = run.time(|| Ok(run.stream.copy(&from, &mut to)?))?;
    Ok((time, run.len as f64 * 8.0, "GB/s"))
}

fn sum_i32(run: &Runner) -> Result<(f64, f64, &'static str)> {
    let host: Vec<i32> = run.words().into_iter().map(|word| word as i32).collect();
    let (input, mut output) = (run.upload(&host)?, run.upload(&[0])?);
    let mut reduction = Reduction::new(&run.device)?;
    let time = run.time(|| Ok(reduction.reduce(&run.stream, Sum, &input, &mut output)?))?;
    let expected = host
        .iter()
        .fold(0i32, |sum, value| sum.wrapping_add(*value));
    ensure!(output.to_vec()? == [expected]);
    Ok((time, run.len as f64 * 4.0, "GB/s"))
}

fn sum_f32(run: &Runner) -> Result<(f64, f64, &'static str)> {
    let host: Vec<f32> = run
        .words()
        .into_iter()
        .map(|word| (word >> 8) as f32 / 16_777_216.0)
        .collect();
    let (input, mut output) = (run.upload(&host)?, run.upload(&[0.0])?);
    let mut reduction = Reduction::new(&run.device)?;
    let time = run.time(|| Ok(reduction.reduce(&run.stream, Sum, &input, &mut output)?))?;
    let expected: f64 = host.iter().map(|value| f64::from(*value)).sum();
    let found = f64::from(output.to_vec()?[0]);
    ensure!((found / expected - 1.0).abs() < 1e-6, "{found}, {expected}");
    Ok((time, run.len as f64 * 4.0, "GB/s"))
}

fn max_f32(run: &Runner) -> Result<(f64, f64, &'static str)> {
    let host: Vec<f32> = run.words().into_iter().map(|word| word as f32).collect();
    let (input, mut output) = (run.upload(&host)?, run.upload(&[0.0])?);
    let mut reduction = Reduction::new(&run.device)?;
    let time = run.time(|| Ok(reduction.reduce(&run.stream, Max, &input, &mut output)?))?;
    let expected = host.iter().copied().fold(f32::NEG_INFINITY, f32::max);
    ensure!(output.to_vec()? == [expected]);
    Ok((time, run.len as f64 * 4.0, "GB/s"))
}

fn scan_i32(run: &Runner) -> Result<(f64, f64, &'static str)> {
    let host: Vec<i32> = run.words().into_iter().map(|word| word as i32).collect();
    let input = run.upload(&host)?;
    let mut output = DeviceBuffer::<i32>::uninit(&run.device, run.len)?;
    let mut scan = Scan::new(&run.device, run.len)?;
    let time = run.time(|| Ok(scan.inclusive(&run.stream, Sum, &input, &mut output)?))?;
    let mut sum = 0i32;
    for (i, (value, found)) in host.iter().zip(output.to_vec()?).enumerate() {
        sum = sum.wrapping_add(*value);
        ensure!(sum == found, "element {i}: {found}, not {sum}");
    }
    Ok((time, run.len as f64 * 8.0, "GB/s"))
}

fn select_i32(run: &Runner) -> Result<(f64, f64, &'static str)> {
    let half_is_zero = |word: u32| if word & 1 == 0 { 0 } else { word as i32 };
    let host: Vec<i32> = run.words().into_iter().map(half_is_zero).collect();
    let (input, mut count) = (run.upload(&host)?, run.upload(&[0u64])?);
    let mut output = DeviceBuffer::<i32>::uninit(&run.device, run.len)?;
    let mut select = Select::new(&run.device, run.len)?;
    let time =
        run.time(|| Ok(select.select(&run.stream, NotZero, &input, &mut output, &mut count)?))?;
    let expected: Vec<i32> = host.into_iter().filter(|value| *value != 0).collect();
    ensure!(count.to_vec()? == [expected.len() as u64], "count");
    ensure!(output.view(..expected.len()).to_vec()? == expected);
    Ok((time, run.len as f64 * 6.0, "GB/s"))
}

fn histogram_u8(run: &Runner) -> Result<(f64, f64, &'static str)> {
    let host: Vec<u8> = run.words().into_iter().map(|word| word as u8).collect();
    let (input, mut bins) = (run.upload(&host)?, run.upload(&[0u32; 256])?);
    let time = run.time(|| Ok(histogram_bytes(&run.stream, &input, &mut bins)?))?;
    bins.fill_zero()?;
    histogram_bytes(&run.stream, &input, &mut bins)?;
    let mut expected = [0; 256];
    host.iter().for_each(|byte| expected[*byte as usize] += 1);
    ensure!(bins.to_vec()? == expected);
    Ok((time, run.len as f64, "GB/s"))
}

fn histogram_i32(run: &Runner) -> Result<(f64, f64, &'static str)> {
    let host: Vec<i32> = (0..run.len as u32)
        .map(|i| (i.wrapping_mul(2_654_435_761) >> 16) as i32)
        .collect();
    let (input, mut bins) = (run.upload(&host)?, run.upload(&[0u32; 256])?);
    let time = run.time(|| Ok(histogram_even(&run.stream, &input, 0, 8, &mut bins)?))?;
    bins.fill_zero()?;
    histogram_even(&run.stream, &input, 0, 8, &mut bins)?;
    let mut expected = [0; 256];
    host.iter()
        .for_each(|value| expected[(*value >> 8) as usize] += 1);
    ensure!(bins.to_vec()? == expected);
    Ok((time, run.len as f64 * 4.0, "GB/s"))
}

fn histogram_65536(run: &Runner) -> Result<(f64, f64, &'static str)> {
    let host: Vec<i32> = (0..run.len as u32)
        .map(|i| (i.wrapping_mul(2_654_435_761) >> 16) as i32)
        .collect();
    let (input, mut bins) = (run.upload(&host)?, run.upload(&vec![0u32; 1 << 16])?);
    let time = run.time(|| Ok(histogram_even(&run.stream, &input, 0, 0, &mut bins)?))?;
    bins.fill_zero()?;
    histogram_even(&run.stream, &input, 0, 0, &mut bins)?;
    let mut expected = vec![0; 1 << 16];
    host.iter().for_each(|value| expected[*value as usize] += 1);
    ensure!(bins.to_vec()? == expected);
    Ok((time, run.len as f64 * 4.0, "GB/s"))
}

fn transpose_f32(run: &Runner) -> Result<(f64, f64, &'static str)> {
    let side = run.len.isqrt();
    let host: Vec<f32> = (0..side * side).map(|i| i as f32).collect();
    let input = run.upload(&host)?;
    let mut output = DeviceBuffer::<f32>::uninit(&run.device, side * side)?;
    let time = run.time(|| Ok(transpose(&run.stream, &input, side as u32, &mut output)?))?;
    let found = output.to_vec()?;
    for row in 0..side {
        for column in (row % 7..side).step_by(7) {
            ensure!(found[column * side + row] == host[row * side + column]);
        }
    }
    Ok((time, (side * side) as f64 * 8.0, "GB/s"))
}

const STREAM: Philox = Philox {
    seed: 1,
    stream: 2,
    first: 0,
};

fn philox_uniform(run: &Runner) -> Result<(f64, f64, &'static str)> {
    let mut output = DeviceBuffer::<f32>::uninit(&run.device, run.len)?;
    let time = run.time(|| Ok(STREAM.uniform(&run.stream, &mut output)?))?;
    let mean = output.to_vec()?.iter().map(|x| f64::from(*x)).sum::<f64>() / run.len as f64;
    ensure!((mean - 0.5).abs() < 3.0 / (run.len as f64).sqrt(), "{mean}");
    Ok((time, run.len as f64, "Gsamples/s"))
}

fn philox_normal(run: &Runner) -> Result<(f64, f64, &'static str)> {
    let mut output = DeviceBuffer::<f32>::uninit(&run.device, run.len)?;
    let time = run.time(|| Ok(STREAM.normal(&run.stream, &mut output)?))?;
    let found = output.to_vec()?;
    let mean = found.iter().map(|x| f64::from(*x)).sum::<f64>() / run.len as f64;
    let square = found.iter().map(|x| f64::from(*x).powi(2)).sum::<f64>() / run.len as f64;
    ensure!(mean.abs() < 5.0 / (run.len as f64).sqrt(), "mean {mean}");
    ensure!(
        (square - 1.0).abs() < 8.0 / (run.len as f64).sqrt(),
        "variance {square}"
    );
    Ok((time, run.len as f64, "Gsamples/s"))
}

fn rows(run: &Runner, columns: usize, what: u32) -> Result<(f64, f64, &'static str)> {
    let rows = (run.len / columns).max(3);
    let host: Vec<f32> = (0..rows * columns)
        .map(|i| ((i as u32).wrapping_mul(2_654_435_761) >> 8) as f32 / 4_194_304.0)
        .collect();
    let input = run.upload(&host)?;
    let mut output = DeviceBuffer::<f32>::uninit(&run.device, rows * columns)?;
    let gamma = run.upload(&vec![0.5f32; columns])?;
    let beta = run.upload(&vec![0.25f32; columns])?;
    let time = run.time(|| {
        match what {
            0 => softmax(&run.stream, &input, columns as u32, &mut output)?,
            1 => layer_norm(&run.stream, &input, (&gamma, &beta), 1e-5, &mut output)?,
            _ => rms_norm(&run.stream, &input, &gamma, 1e-5, &mut output)?,
        }
        Ok(())
    })?;
    let found = output.to_vec()?;
    for row in [0, rows / 2, rows - 1] {
        let of = row * columns..(row + 1) * columns;
        let x: Vec<f64> = host[of.clone()].iter().map(|x| f64::from(*x)).collect();
        let mean = x.iter().sum::<f64>() / columns as f64;
        let square = |mean: f64| x.iter().map(|x| (x - mean).powi(2)).sum::<f64>() / columns as f64;
        let (variance, square) = (square(mean), square(0.0));
        let most = x.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        let total: f64 = x.iter().map(|x| (x - most).exp()).sum();
        for (x, found) in x.iter().zip(&found[of]) {
            let expected = match what {
                0 => (x - most).exp() / total,
                1 => (x - mean) / (variance + 1e-5).sqrt() * 0.5 + 0.25,
                _ => x / (square + 1e-5).sqrt() * 0.5,
            };
            let off = (f64::from(*found) - expected).abs();
            ensure!(
                off <= 2e-5 * expected.abs().max(if what == 0 { 0.0 } else { 0.1 }),
                "row {row}: {found}, not {expected}"
            );
        }
    }
    Ok((time, (rows * columns) as f64 * 8.0, "GB/s"))
}

/// Prints a line. If the reader has closed the pipe (`| head`), this is not an error.
fn say(text: &str) {
    let _ = writeln!(io::stdout(), "{text}");
}

fn main() -> Result<ExitCode> {
    let args = Args::parse();
    let begins = |name: &str| {
        args.names
            .iter()
            .any(|part| name.starts_with(part.as_str()))
    };
    let jobs = JOBS
        .iter()
        .filter(|(name, _)| args.names.is_empty() || begins(name));
    if let Some(none) = args
        .names
        .iter()
        .find(|part| !JOBS.iter().any(|(name, _)| name.starts_with(part.as_str())))
    {
        bail!("no algorithm's name begins with `{none}` (`algorithms --list` has the names)");
    }
    if args.list {
        for (name, _) in jobs {
            say(name);
        }
        return Ok(ExitCode::SUCCESS);
    }
    let device = Device::open()?;
    let stream = device.stream()?;
    let run = Runner {
        device,
        stream,
        len: 1 << args.log2,
    };
    let mut lines = Vec::new();
    for job in jobs {
        let line = Line::of(&run, job);
        if !args.json {
            say(&line.text());
        }
        lines.push(line);
    }
    if args.json {
        say(&serde_json::to_string_pretty(&lines)?);
    }
    let is_good = lines.iter().all(|line| line.error.is_none());
    Ok(if is_good {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    })
}
