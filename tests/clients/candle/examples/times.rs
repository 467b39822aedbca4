//! The operation beside candle's own on a GPU: microseconds for a call, of the device for a large
//! tensor and of the host for a small one, medians of 21 rounds.

use candle_client::SwiGlu;
use candle_core::cuda_backend::WrapErr;
use candle_core::cuda_backend::cudarc::driver::sys::CUevent_flags;
use candle_core::{Device, Result, Tensor};
use std::time::Instant;

/// Returns the median of 21 rounds, after three.
fn median(mut round: impl FnMut() -> Result<f64>) -> Result<f64> {
    let times: Result<Vec<f64>> = (0..24).map(|_| round()).collect();
    let mut times = times?.split_off(3);
    times.sort_by(f64::total_cmp);
    Ok(times[10])
}

/// Calls the work, and drops each result.
fn repeat(calls: usize, work: &dyn Fn() -> Result<Tensor>) -> Result<()> {
    (0..calls).try_for_each(|_| work().map(drop))
}

fn main() -> Result<()> {
    let device = Device::new_cuda(0)?;
    let stream = device.as_cuda_device()?.cuda_stream();
    // The driver keeps freed memory until it is waited for, so all calls of a round but the first
    // reuse memory.
    let on_device = |work: &dyn Fn() -> Result<Tensor>| {
        median(|| {
            let timed = Some(CUevent_flags::CU_EVENT_DEFAULT);
            let start = stream.record_event(timed).w()?;
            repeat(10, work)?;
            let end = stream.record_event(timed).w()?;
            Ok(f64::from(start.elapsed_ms(&end).w()?) * 1e3 / 10.0)
        })
    };
    let on_host = |work: &dyn Fn() -> Result<Tensor>| {
        median(|| {
            let begun = Instant::now();
            repeat(1000, work)?;
            stream.synchronize().w()?;
            Ok(begun.elapsed().as_secs_f64() * 1e6 / 1000.0)
        })
    };
    let swiglu = SwiGlu::new(&device)?;
    let numbers: Vec<f32> = (0..1 << 27)
        .map(|i| (i % 1000) as f32 * 0.01 - 5.0)
        .collect();
    let tensors = |n: usize| {
        let tensor = || Tensor::from_slice(&numbers[..n], n, &device);
        Ok::<_, candle_core::Error>((tensor()?, tensor()?))
    };
    let (few, factors) = tensors(1 << 10)?;
    for turn in 1..=3 {
        println!(
            "1024, turn {turn}: lanewise {:.1} us, candle {:.1} us of the host",
            on_host(&|| swiglu.apply(&few, &factors))?,
            on_host(&|| few.silu()? * &factors)?
        );
    }
    let (a, b) = tensors(numbers.len())?;
    let ours = || swiglu.apply(&a, &b);
    let theirs = || a.silu()? * &b;
    for turn in 1..=3 {
        println!(
            "2^27, turn {turn}: lanewise {:.1} us, candle {:.1} us of the device",
            on_device(&ours)?,
            on_device(&theirs)?
        );
    }
    let [ours, theirs] = [ours()?, theirs()?].map(|it| it.narrow(0, 0, 1 << 16)?.to_vec1::<f32>());
    let differences = ours?.into_iter().zip(theirs?).map(|(a, b)| (a - b).abs());
    println!("greatest difference {:e}", differences.fold(0.0, f32::max));
    Ok(())
}
