//! The operation beside candle's own on a GPU: microseconds of the device for a call, the median of
//! 21 rounds.

use candle_client::SwiGlu;
use candle_core::cuda_backend::WrapErr;
use candle_core::cuda_backend::cudarc::driver::sys::CUevent_flags;
use candle_core::{Device, Result, Tensor};

/// The calls between two events. The driver keeps freed memory until it is waited for, so all but
/// the first reuse memory.
const CALLS: usize = 10;

fn main() -> Result<()> {
    let device = Device::new_cuda(0)?;
    let stream = device.as_cuda_device()?.cuda_stream();
    let numbers: Vec<f32> = (0..1 << 27)
        .map(|i| (i % 1000) as f32 * 0.01 - 5.0)
        .collect();
    let a = Tensor::from_slice(&numbers, numbers.len(), &device)?;
    let b = Tensor::from_slice(&numbers, numbers.len(), &device)?;
    let swiglu = SwiGlu::new(&device)?;
    let ours = || swiglu.apply(&a, &b);
    let theirs = || a.silu()? * &b;
    let time = |work: &dyn Fn() -> Result<Tensor>| {
        let mut times = Vec::new();
        for _ in 0..24 {
            let timed = Some(CUevent_flags::CU_EVENT_DEFAULT);
            let start = stream.record_event(timed).w()?;
            for _ in 0..CALLS {
                work()?;
            }
            let end = stream.record_event(timed).w()?;
            times.push(start.elapsed_ms(&end).w()? * 1e3 / CALLS as f32);
        }
        times.drain(..3);
        times.sort_by(f32::total_cmp);
        Ok::<f32, candle_core::Error>(times[10])
    };
    for turn in 1..=3 {
        println!(
            "turn {turn}: lanewise {:.1} us, candle {:.1} us",
            time(&ours)?,
            time(&theirs)?
        );
    }
    let [ours, theirs] = [ours()?, theirs()?].map(|it| it.narrow(0, 0, 1 << 16)?.to_vec1::<f32>());
    let differences = ours?.into_iter().zip(theirs?).map(|(a, b)| (a - b).abs());
    println!("greatest difference {:e}", differences.fold(0.0, f32::max));
    Ok(())
}
