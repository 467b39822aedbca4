//! What the program measures: each algorithm at its size, with its result compared with the CPU's.

mod fft;
mod keys;
mod long;
mod products;
mod rows;
mod tuning;

pub(crate) use tuning::SPACES;

use std::fmt::Display;

use anyhow::{Result, ensure};
use lanewise::{Backend, Device, DeviceBuffer, DeviceCopy, EventClock, Pod, Stream, Timer};
use lanewise_algorithms::{
    ArgMin, Fold, MeanVariance, Moments, Monoid, NotZero, Number, Philox, Place, Reduction, Scan,
    ScanKernel, Select, histogram_bytes, histogram_even, transpose,
};
use lanewise_records::{Beside, Row, Unit};
use lanewise_std::collective::{Max, Sum};
use lanewise_std::half::Bf16;
use lanewise_std::vector::{Double2, Float2};

/// What all jobs need.
pub(crate) struct Runner {
    pub(crate) device: Device,
    pub(crate) stream: Stream,
    pub(crate) len: usize,
    pub(crate) rounds: u32,
}

/// What a job measured.
pub(crate) struct Measured {
    /// Milliseconds: the median of each round.
    times: Rounds,
    /// What it moves or computes in that time.
    work: (usize, Unit),
    /// Its size, where that is not the number of elements that was asked for.
    size: Option<usize>,
    /// The device's copy of as many bytes, where nothing can be faster.
    copy: Option<Rounds>,
}

/// Medians of the rounds, in milliseconds.
type Rounds = Vec<f64>;

/// A job: its name, and what measures it and compares its result with the CPU's.
pub(crate) type Job = (&'static str, fn(&Runner) -> Result<Measured>);

impl Measured {
    fn of(times: Rounds, amount: usize, unit: Unit) -> Result<Self> {
        let work = (amount, unit);
        Ok(Self {
            times,
            work,
            size: None,
            copy: None,
        })
    }

    /// Returns the same, of another size than the number of elements that was asked for.
    fn at(self, size: usize) -> Self {
        Self {
            size: Some(size),
            ..self
        }
    }
}

/// Returns a row of a record. It has no times if the job failed. `library` is what another program
/// measured of a library.
pub(crate) fn row(
    name: &str,
    size: usize,
    measured: Option<Measured>,
    library: Option<Beside>,
) -> Row {
    let mut row = Row {
        name: name.into(),
        of: None,
        size,
        milliseconds: Vec::new(),
        work: None,
        beside: library,
    };
    if let Some(measured) = measured {
        row.size = measured.size.unwrap_or(size);
        row.milliseconds = measured.times;
        row.work = Some((measured.work.0 as f64, measured.work.1));
        let copy = measured.copy.map(|milliseconds| Beside {
            name: "copy".into(),
            milliseconds,
        });
        row.beside = row.beside.or(copy);
    }
    row
}

pub(crate) const JOBS: &[Job] = &[
    ("copy", copy),
    ("sum_i32", sum_i32),
    ("sum_f32", |run| sum_f32(run, Reduction::new(&run.device)?)),
    ("max_f32", max_f32),
    ("arg_min_f32", arg_min_f32),
    ("mean_variance_f32", mean_variance_f32),
    ("scan_i32", |run| {
        scan(run, |word| word as i32, i32::wrapping_add)
    }),
    ("scan_i64", |run| scan(run, i64::from, i64::wrapping_add)),
    // Sums with fewer than 53 bits, so that their order does not matter.
    ("scan_f64", |run| {
        scan(run, |word| f64::from(word >> 8), |a, b| a + b)
    }),
    ("select_i32", select_i32),
    ("partition_i32", partition_i32),
    ("unique_i32", unique_i32),
    ("long_sum", long::sum),
    ("long_scan", long::scan),
    ("long_select", long::select),
    ("scan_by_key_u32", keys::scan_by_key),
    ("reduce_by_key_u32", |run| keys::reduce_by_key(run, false)),
    ("run_lengths_u32", |run| keys::reduce_by_key(run, true)),
    ("gather_u32", |run| keys::move_by_places(run, false)),
    ("scatter_u32", |run| keys::move_by_places(run, true)),
    ("top_8_of_50257", |run| keys::top(run, 8)),
    ("top_64_of_50257", |run| keys::top(run, 64)),
    ("sort_u32", keys::sort_u32),
    ("sort_pairs_u32", keys::sort_pairs_u32),
    ("sort_f32", keys::sort_f32),
    ("sort_u64", keys::sort_u64),
    ("sort_pairs_u64", keys::sort_pairs_u64),
    ("sort_segments_64", |run| keys::sort_segments(run, 64)),
    ("sort_segments_1000", |run| keys::sort_segments(run, 1000)),
    ("sort_segments_20000", |run| {
        keys::sort_segments(run, 20_000)
    }),
    ("histogram_u8", histogram_u8),
    ("histogram_i32", histogram_i32),
    ("histogram_65536", histogram_65536),
    ("transpose_f32", transpose_f32),
    ("gemm_f32_2048", |run| products::gemm_f32(run, 8)),
    ("gemm_f32_4096", |run| products::gemm_f32(run, 4)),
    ("gemm_f32_8192", |run| products::gemm_f32(run, 2)),
    ("gemm_f64_2048", |run| products::gemm_f64(run, 8)),
    ("gemm_f64_4096", |run| products::gemm_f64(run, 4)),
    ("gemm_f64_8192", |run| products::gemm_f64(run, 2)),
    ("gemm_bf16_4096", |run| products::gemm_bf16(run, 4)),
    ("gemm_bf16_8192", |run| products::gemm_bf16(run, 2)),
    ("gemm_bf16_to_f32_4096", |run| {
        products::gemm_bf16_to_f32(run, 4)
    }),
    ("gemm_bf16_to_f32_8192", |run| {
        products::gemm_bf16_to_f32(run, 2)
    }),
    ("gemm_e4m3_4096", |run| products::gemm_e4m3(run, 4)),
    ("gemm_e4m3_8192", |run| products::gemm_e4m3(run, 2)),
    ("linear_bf16_4096", |run| products::linear_bf16(run, 4)),
    ("linear_bf16_8192", |run| products::linear_bf16(run, 2)),
    ("attention_64_2048", |run| {
        products::attention(run, 64, 2048, false)
    }),
    ("attention_64_2048_causal", |run| {
        products::attention(run, 64, 2048, true)
    }),
    ("attention_64_4096", |run| {
        products::attention(run, 64, 4096, false)
    }),
    ("attention_64_8192", |run| {
        products::attention(run, 64, 8192, false)
    }),
    ("attention_64_8192_causal", |run| {
        products::attention(run, 64, 8192, true)
    }),
    ("attention_64_16384", |run| {
        products::attention(run, 64, 16_384, false)
    }),
    ("attention_64_16384_causal", |run| {
        products::attention(run, 64, 16_384, true)
    }),
    ("attention_128_2048", |run| {
        products::attention(run, 128, 2048, false)
    }),
    ("attention_128_2048_causal", |run| {
        products::attention(run, 128, 2048, true)
    }),
    ("attention_128_8192", |run| {
        products::attention(run, 128, 8192, false)
    }),
    ("attention_128_8192_causal", |run| {
        products::attention(run, 128, 8192, true)
    }),
    ("attention_128_16384", |run| {
        products::attention(run, 128, 16_384, false)
    }),
    ("attention_128_16384_causal", |run| {
        products::attention(run, 128, 16_384, true)
    }),
    ("gemv_f32", |run| products::gemv_f32(run, false)),
    ("gemv_f32_transposed", |run| products::gemv_f32(run, true)),
    ("gemv_f64", |run| products::gemv_f64(run, false)),
    ("gemv_f64_transposed", |run| products::gemv_f64(run, true)),
    ("gemv_bf16", |run| products::gemv_bf16(run, false)),
    ("gemv_bf16_transposed", |run| products::gemv_bf16(run, true)),
    ("spmv_f32", |run| products::spmv_f32(run, false)),
    ("spmv_f32_uneven", |run| products::spmv_f32(run, true)),
    ("spmv_f64", |run| products::spmv_f64(run, false)),
    ("spmv_f64_uneven", |run| products::spmv_f64(run, true)),
    ("fft_1024", |run| {
        fft::transform::<Float2>(run, 1 << 10, None)
    }),
    ("fft_4096", |run| {
        fft::transform::<Float2>(run, 1 << 12, None)
    }),
    ("fft_1048576", |run| {
        fft::transform::<Float2>(run, 1 << 20, None)
    }),
    ("fft_f64_1024", |run| {
        fft::transform::<Double2>(run, 1 << 10, None)
    }),
    ("fft_f64_4096", |run| {
        fft::transform::<Double2>(run, 1 << 12, None)
    }),
    ("fft_f64_1048576", |run| {
        fft::transform::<Double2>(run, 1 << 20, None)
    }),
    ("fft_r2c_1024", |run| {
        fft::of_reals::<Float2>(run, 1 << 10, false)
    }),
    ("fft_r2c_4096", |run| {
        fft::of_reals::<Float2>(run, 1 << 12, false)
    }),
    ("fft_r2c_1048576", |run| {
        fft::of_reals::<Float2>(run, 1 << 20, false)
    }),
    ("fft_r2c_f64_1024", |run| {
        fft::of_reals::<Double2>(run, 1 << 10, false)
    }),
    ("fft_r2c_f64_4096", |run| {
        fft::of_reals::<Double2>(run, 1 << 12, false)
    }),
    ("fft_r2c_f64_1048576", |run| {
        fft::of_reals::<Double2>(run, 1 << 20, false)
    }),
    ("fft_c2r_1024", |run| {
        fft::of_reals::<Float2>(run, 1 << 10, true)
    }),
    ("fft_c2r_4096", |run| {
        fft::of_reals::<Float2>(run, 1 << 12, true)
    }),
    ("fft_c2r_1048576", |run| {
        fft::of_reals::<Float2>(run, 1 << 20, true)
    }),
    ("fft_c2r_f64_1024", |run| {
        fft::of_reals::<Double2>(run, 1 << 10, true)
    }),
    ("fft_c2r_f64_4096", |run| {
        fft::of_reals::<Double2>(run, 1 << 12, true)
    }),
    ("fft_c2r_f64_1048576", |run| {
        fft::of_reals::<Double2>(run, 1 << 20, true)
    }),
    ("fft_2d_1024", |run| fft::of_matrices::<Float2>(run, 1024)),
    ("fft_2d_4096", |run| fft::of_matrices::<Float2>(run, 4096)),
    ("fft_2d_f64_1024", |run| {
        fft::of_matrices::<Double2>(run, 1024)
    }),
    ("fft_2d_f64_4096", |run| {
        fft::of_matrices::<Double2>(run, 4096)
    }),
    ("philox_uniform", |run| {
        random::<f32>(run, UNIFORM, |to| Ok(STREAM.uniform(&run.stream, to)?))
    }),
    ("philox_normal", |run| {
        random::<f32>(run, NORMAL, |to| Ok(STREAM.normal(&run.stream, to)?))
    }),
    ("philox_uniform_f64", |run| {
        random::<f64>(run, UNIFORM, |to| Ok(STREAM.uniform(&run.stream, to)?))
    }),
    ("philox_normal_f64", |run| {
        random::<f64>(run, NORMAL, |to| Ok(STREAM.normal(&run.stream, to)?))
    }),
    ("cross_entropy_f32", rows::cross_entropy_f32),
    ("cross_entropy_bf16", rows::cross_entropy_bf16),
    (
        "cross_entropy_backward_f32",
        rows::cross_entropy_backward_f32,
    ),
    (
        "cross_entropy_backward_bf16",
        rows::cross_entropy_backward_bf16,
    ),
    ("softmax_4096", |run| rows::forward::<f32>(run, 4096, 0)),
    ("softmax_16384", |run| rows::forward::<f32>(run, 16384, 0)),
    ("softmax_131072", |run| {
        rows::forward::<f32>(run, 131_072, 0)
    }),
    ("layer_norm_4096", |run| rows::forward::<f32>(run, 4096, 1)),
    ("layer_norm_16384", |run| {
        rows::forward::<f32>(run, 16384, 1)
    }),
    ("layer_norm_131072", |run| {
        rows::forward::<f32>(run, 131_072, 1)
    }),
    ("rms_norm_4096", |run| rows::forward::<f32>(run, 4096, 2)),
    ("rms_norm_16384", |run| rows::forward::<f32>(run, 16384, 2)),
    ("rms_norm_131072", |run| {
        rows::forward::<f32>(run, 131_072, 2)
    }),
    ("softmax_bf16_4096", |run| {
        rows::forward::<Bf16>(run, 4096, 0)
    }),
    ("softmax_bf16_16384", |run| {
        rows::forward::<Bf16>(run, 16384, 0)
    }),
    ("softmax_bf16_131072", |run| {
        rows::forward::<Bf16>(run, 131_072, 0)
    }),
    ("layer_norm_bf16_4096", |run| {
        rows::forward::<Bf16>(run, 4096, 1)
    }),
    ("layer_norm_bf16_16384", |run| {
        rows::forward::<Bf16>(run, 16384, 1)
    }),
    ("layer_norm_bf16_131072", |run| {
        rows::forward::<Bf16>(run, 131_072, 1)
    }),
    ("rms_norm_bf16_4096", |run| {
        rows::forward::<Bf16>(run, 4096, 2)
    }),
    ("rms_norm_bf16_16384", |run| {
        rows::forward::<Bf16>(run, 16384, 2)
    }),
    ("rms_norm_bf16_131072", |run| {
        rows::forward::<Bf16>(run, 131_072, 2)
    }),
    ("softmax_backward_4096", |run| {
        rows::backward::<f32>(run, 4096, 0)
    }),
    ("softmax_backward_16384", |run| {
        rows::backward::<f32>(run, 16384, 0)
    }),
    ("softmax_backward_131072", |run| {
        rows::backward::<f32>(run, 131_072, 0)
    }),
    ("layer_norm_backward_4096", |run| {
        rows::backward::<f32>(run, 4096, 1)
    }),
    ("layer_norm_backward_16384", |run| {
        rows::backward::<f32>(run, 16384, 1)
    }),
    ("layer_norm_backward_131072", |run| {
        rows::backward::<f32>(run, 131_072, 1)
    }),
    ("rms_norm_backward_4096", |run| {
        rows::backward::<f32>(run, 4096, 2)
    }),
    ("rms_norm_backward_16384", |run| {
        rows::backward::<f32>(run, 16384, 2)
    }),
    ("rms_norm_backward_131072", |run| {
        rows::backward::<f32>(run, 131_072, 2)
    }),
    ("softmax_backward_bf16_4096", |run| {
        rows::backward::<Bf16>(run, 4096, 0)
    }),
    ("softmax_backward_bf16_16384", |run| {
        rows::backward::<Bf16>(run, 16384, 0)
    }),
    ("softmax_backward_bf16_131072", |run| {
        rows::backward::<Bf16>(run, 131_072, 0)
    }),
    ("layer_norm_backward_bf16_4096", |run| {
        rows::backward::<Bf16>(run, 4096, 1)
    }),
    ("layer_norm_backward_bf16_16384", |run| {
        rows::backward::<Bf16>(run, 16384, 1)
    }),
    ("layer_norm_backward_bf16_131072", |run| {
        rows::backward::<Bf16>(run, 131_072, 1)
    }),
    ("rms_norm_backward_bf16_4096", |run| {
        rows::backward::<Bf16>(run, 4096, 2)
    }),
    ("rms_norm_backward_bf16_16384", |run| {
        rows::backward::<Bf16>(run, 16384, 2)
    }),
    ("rms_norm_backward_bf16_131072", |run| {
        rows::backward::<Bf16>(run, 131_072, 2)
    }),
];

impl Runner {
    /// Measures some work.
    fn time(&self, mut work: impl FnMut() -> Result<()>) -> Result<Rounds> {
        (0..self.rounds).map(|_| self.median(&mut work)).collect()
    }

    /// Measures some work, in turn with the device's copy of that many bytes.
    fn time_beside_copy(
        &self,
        bytes: usize,
        mut work: impl FnMut() -> Result<()>,
    ) -> Result<(Rounds, Option<Rounds>)> {
        let from = DeviceBuffer::<u8>::zeroed(&self.device, bytes)?;
        let mut to = DeviceBuffer::<u8>::uninit(&self.device, bytes)?;
        let (mut times, mut copy) = (Rounds::new(), Rounds::new());
        for _ in 0..self.rounds {
            times.push(self.median(&mut work)?);
            copy.push(self.median(&mut || Ok(self.stream.copy(&from, &mut to)?))?);
        }
        Ok((times, Some(copy)))
    }

    /// Returns the median of 21 launches after three that warm up; on the simulator one is enough.
    fn median(&self, work: &mut impl FnMut() -> Result<()>) -> Result<f64> {
        let (warm_ups, repeats) = match self.device.backend() {
            Backend::Cuda => (3, 21),
            Backend::Sim => (0, 1),
        };
        let mut times = Vec::new();
        for _ in 0..warm_ups + repeats {
            let timer = Timer::start(EventClock::on(&self.stream))?;
            work()?;
            times.push(timer.stop()?.as_secs_f64() * 1e3);
        }
        let timed = &mut times[warm_ups..];
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

fn copy(run: &Runner) -> Result<Measured> {
    let from = run.upload(&run.words())?;
    let mut to = DeviceBuffer::<u32>::uninit(&run.device, run.len)?;
    let times = run.time(|| Ok(run.stream.copy(&from, &mut to)?))?;
    Measured::of(times, run.len * 8, Unit::Bytes)
}

fn sum_i32(run: &Runner) -> Result<Measured> {
    let host: Vec<i32> = run.words().into_iter().map(|word| word as i32).collect();
    let (input, mut output) = (run.upload(&host)?, run.upload(&[0])?);
    let mut reduction = Reduction::new(&run.device)?;
    let times = run.time(|| Ok(reduction.reduce(&run.stream, Sum, &input, &mut output)?))?;
    let expected = host
        .iter()
        .fold(0i32, |sum, value| sum.wrapping_add(*value));
    ensure!(output.to_vec()? == [expected]);
    Measured::of(times, run.len * 4, Unit::Bytes)
}

fn sum_f32(run: &Runner, mut reduction: Reduction<f32>) -> Result<Measured> {
    let host: Vec<f32> = run
        .words()
        .into_iter()
        .map(|word| (word >> 8) as f32 / 16_777_216.0)
        .collect();
    let (input, mut output) = (run.upload(&host)?, run.upload(&[0.0])?);
    let times = run.time(|| Ok(reduction.reduce(&run.stream, Sum, &input, &mut output)?))?;
    let expected: f64 = host.iter().map(|value| f64::from(*value)).sum();
    let found = f64::from(output.to_vec()?[0]);
    ensure!((found / expected - 1.0).abs() < 1e-6, "{found}, {expected}");
    Measured::of(times, run.len * 4, Unit::Bytes)
}

fn max_f32(run: &Runner) -> Result<Measured> {
    let host: Vec<f32> = run.words().into_iter().map(|word| word as f32).collect();
    let (input, mut output) = (run.upload(&host)?, run.upload(&[0.0])?);
    let mut reduction = Reduction::new(&run.device)?;
    let times = run.time(|| Ok(reduction.reduce(&run.stream, Max, &input, &mut output)?))?;
    let expected = host.iter().copied().fold(f32::NEG_INFINITY, f32::max);
    ensure!(output.to_vec()? == [expected]);
    Measured::of(times, run.len * 4, Unit::Bytes)
}

fn arg_min_f32(run: &Runner) -> Result<Measured> {
    let host: Vec<f32> = run.words().into_iter().map(|word| word as f32).collect();
    let mut output = DeviceBuffer::<Place>::zeroed(&run.device, 1)?;
    let input = run.upload(&host)?;
    let mut fold = Fold::new(&run.device)?;
    let times = run.time(|| Ok(fold.fold(&run.stream, ArgMin, &input, &mut output)?))?;
    let least = host.iter().copied().fold(f32::INFINITY, f32::min);
    let expected = host.iter().position(|value| *value == least);
    let index = output.to_vec()?[0].index;
    ensure!(
        expected == Some(index as usize),
        "{index}, not {expected:?}"
    );
    Measured::of(times, run.len * 4, Unit::Bytes)
}

fn mean_variance_f32(run: &Runner) -> Result<Measured> {
    let host: Vec<f32> = run.words().into_iter().map(|word| word as f32).collect();
    let mut output = DeviceBuffer::<Moments>::zeroed(&run.device, 1)?;
    let input = run.upload(&host)?;
    let mut fold = Fold::new(&run.device)?;
    let times = run.time(|| Ok(fold.fold(&run.stream, MeanVariance, &input, &mut output)?))?;
    let (found, n) = (output.to_vec()?[0], host.len() as f64);
    let mean = host.iter().map(|x| f64::from(*x)).sum::<f64>() / n;
    let squares = host.iter().map(|x| (f64::from(*x) - mean).powi(2));
    let variance = squares.sum::<f64>() / n;
    ensure!(
        (found.mean / mean - 1.0).abs() < 1e-9,
        "mean {}, not {mean}",
        found.mean
    );
    ensure!(
        (found.variance() / variance - 1.0).abs() < 1e-9,
        "variance {}, not {variance}",
        found.variance()
    );
    Measured::of(times, run.len * 4, Unit::Bytes)
}

/// Measures a scan of as many bytes as `run.len` elements of 32 bits have.
fn scan<T: Number + Pod + DeviceCopy + Display, Kernels>(
    run: &Runner,
    of_word: impl Fn(u32) -> T,
    add: impl Fn(T, T) -> T,
) -> Result<Measured>
where
    Sum: ScanKernel<T, Kernels>,
{
    let mut host: Vec<T> = run.words().into_iter().map(of_word).collect();
    host.truncate(run.len * 4 / size_of::<T>());
    let input = run.upload(&host)?;
    let mut output = DeviceBuffer::<T>::uninit(&run.device, host.len())?;
    let mut scan = Scan::new(&run.device, host.len())?;
    let times = run.time(|| Ok(scan.inclusive(&run.stream, Sum, &input, &mut output)?))?;
    let mut sum = Sum::NEUTRAL;
    for (i, (value, found)) in host.iter().zip(output.to_vec()?).enumerate() {
        sum = add(sum, *value);
        ensure!(sum == found, "element {i}: {found}, not {sum}");
    }
    Ok(Measured::of(times, run.len * 8, Unit::Bytes)?.at(host.len()))
}

/// Numbers of which one half are 0.
fn half_zeros(run: &Runner) -> Vec<i32> {
    let half = |word: u32| if word & 1 == 0 { 0 } else { word as i32 };
    run.words().into_iter().map(half).collect()
}

/// What a selection reads, and where it writes what it keeps, and how much that is.
struct Selection {
    select: Select,
    input: DeviceBuffer<i32>,
    output: DeviceBuffer<i32>,
    count: DeviceBuffer<u64>,
}

impl Selection {
    /// Measures a selection from these numbers. It keeps `kept` of them, and writes what is
    /// `expected`.
    fn measure(
        run: &Runner,
        numbers: &[i32],
        (kept, expected): (usize, &[i32]),
        work: impl Fn(&mut Self) -> Result<()>,
    ) -> Result<Measured> {
        let mut of = Self {
            select: Select::new(&run.device, run.len)?,
            input: run.upload(numbers)?,
            output: DeviceBuffer::uninit(&run.device, run.len)?,
            count: run.upload(&[0])?,
        };
        let times = run.time(|| work(&mut of))?;
        ensure!(of.count.to_vec()? == [kept as u64], "count");
        ensure!(of.output.slice(..expected.len()).to_vec()? == expected);
        Measured::of(times, (run.len + expected.len()) * 4, Unit::Bytes)
    }
}

fn select_i32(run: &Runner) -> Result<Measured> {
    let host = half_zeros(run);
    let kept: Vec<i32> = host.iter().copied().filter(|value| *value != 0).collect();
    Selection::measure(run, &host, (kept.len(), &kept), |of| {
        let (output, count) = (&mut of.output, &mut of.count);
        Ok(of
            .select
            .select(&run.stream, NotZero, &of.input, output, count)?)
    })
}

fn partition_i32(run: &Runner) -> Result<Measured> {
    let host = half_zeros(run);
    let mut all: Vec<i32> = host.iter().copied().filter(|value| *value != 0).collect();
    let kept = all.len();
    // The others are all 0.
    all.resize(run.len, 0);
    Selection::measure(run, &host, (kept, &all), |of| {
        let (output, count) = (&mut of.output, &mut of.count);
        Ok(of
            .select
            .partition(&run.stream, NotZero, &of.input, output, count)?)
    })
}

/// Runs of two on average.
fn unique_i32(run: &Runner) -> Result<Measured> {
    let bits = run.words().into_iter().map(|word| (word >> 31) as i32);
    let host: Vec<i32> = bits.collect();
    let mut firsts = host.clone();
    firsts.dedup();
    Selection::measure(run, &host, (firsts.len(), &firsts), |of| {
        let (output, count) = (&mut of.output, &mut of.count);
        Ok(of.select.unique(&run.stream, &of.input, output, count)?)
    })
}

fn histogram_u8(run: &Runner) -> Result<Measured> {
    let host: Vec<u8> = run.words().into_iter().map(|word| word as u8).collect();
    let (input, mut bins) = (run.upload(&host)?, run.upload(&[0u32; 256])?);
    let times = run.time(|| Ok(histogram_bytes(&run.stream, &input, &mut bins)?))?;
    bins.fill_zero()?;
    histogram_bytes(&run.stream, &input, &mut bins)?;
    let mut expected = [0; 256];
    host.iter().for_each(|byte| expected[*byte as usize] += 1);
    ensure!(bins.to_vec()? == expected);
    Measured::of(times, run.len, Unit::Bytes)
}

fn histogram_i32(run: &Runner) -> Result<Measured> {
    let host: Vec<i32> = (0..run.len as u32)
        .map(|i| (i.wrapping_mul(2_654_435_761) >> 16) as i32)
        .collect();
    let (input, mut bins) = (run.upload(&host)?, run.upload(&[0u32; 256])?);
    let times = run.time(|| Ok(histogram_even(&run.stream, &input, 0, 8, &mut bins)?))?;
    bins.fill_zero()?;
    histogram_even(&run.stream, &input, 0, 8, &mut bins)?;
    let mut expected = [0; 256];
    host.iter()
        .for_each(|value| expected[(*value >> 8) as usize] += 1);
    ensure!(bins.to_vec()? == expected);
    Measured::of(times, run.len * 4, Unit::Bytes)
}

fn histogram_65536(run: &Runner) -> Result<Measured> {
    let host: Vec<i32> = (0..run.len as u32)
        .map(|i| (i.wrapping_mul(2_654_435_761) >> 16) as i32)
        .collect();
    let (input, mut bins) = (run.upload(&host)?, run.upload(&vec![0u32; 1 << 16])?);
    let times = run.time(|| Ok(histogram_even(&run.stream, &input, 0, 0, &mut bins)?))?;
    bins.fill_zero()?;
    histogram_even(&run.stream, &input, 0, 0, &mut bins)?;
    let mut expected = vec![0; 1 << 16];
    host.iter().for_each(|value| expected[*value as usize] += 1);
    ensure!(bins.to_vec()? == expected);
    Measured::of(times, run.len * 4, Unit::Bytes)
}

fn transpose_f32(run: &Runner) -> Result<Measured> {
    let side = run.len.isqrt();
    let host: Vec<f32> = (0..side * side).map(|i| i as f32).collect();
    let input = run.upload(&host)?;
    let mut output = DeviceBuffer::<f32>::uninit(&run.device, side * side)?;
    let (times, copy) = run.time_beside_copy(side * side * 4, || {
        Ok(transpose(&run.stream, &input, side as u32, &mut output)?)
    })?;
    let found = output.to_vec()?;
    for row in 0..side {
        for column in (row % 7..side).step_by(7) {
            ensure!(found[column * side + row] == host[row * side + column]);
        }
    }
    Ok(Measured {
        copy,
        ..Measured::of(times, side * side * 8, Unit::Bytes)?
    })
}

const STREAM: Philox = Philox {
    seed: 1,
    stream: 2,
    first: 0,
};

/// Mean and variance.
const UNIFORM: [f64; 2] = [0.5, 1.0 / 12.0];
const NORMAL: [f64; 2] = [0.0, 1.0];

/// Numbers of a distribution, as many as have the bytes of the other jobs' words.
fn random<T: Pod + DeviceCopy + Into<f64>>(
    run: &Runner,
    [mean, variance]: [f64; 2],
    fill: impl Fn(&mut DeviceBuffer<T>) -> Result<()>,
) -> Result<Measured> {
    let len = run.len * size_of::<u32>() / size_of::<T>();
    let mut output = DeviceBuffer::<T>::uninit(&run.device, len)?;
    let times = run.time(|| fill(&mut output))?;
    let (mut sum, mut squares) = (0.0, 0.0);
    for number in output.to_vec()? {
        let distance = number.into() - mean;
        (sum, squares) = (sum + distance, squares + distance * distance);
    }
    let (off, spread) = (sum / len as f64, squares / len as f64);
    let unit = 1.0 / (len as f64).sqrt();
    ensure!(off.abs() < 5.0 * unit, "mean {}, not {mean}", mean + off);
    ensure!(
        (spread - variance).abs() < 8.0 * unit,
        "variance {spread}, not {variance}"
    );
    Ok(Measured::of(times, len, Unit::Samples)?.at(len))
}
