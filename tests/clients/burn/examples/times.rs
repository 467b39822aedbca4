//! The operation beside burn's own on a GPU: microseconds of the host for a call, with the wait for
//! the device after each round of calls, the median of 21 rounds.

use burn_client::{Cuda, SwiGlu};
use burn_cuda::CudaDevice;
use burn_tensor::activation::silu;
use burn_tensor::backend::Backend;
use burn_tensor::{Tensor, TensorData};
use std::error::Error;
use std::time::Instant;

/// Returns the microseconds of a call. The results are kept until all are there: with fusion, what
/// nobody needs might not be written.
fn time<B: Backend, T>(device: &B::Device, calls: usize, work: impl Fn() -> T) -> f64 {
    let mut times = Vec::new();
    for _ in 0..24 {
        let begun = Instant::now();
        let _results: Vec<T> = (0..calls).map(|_| work()).collect();
        B::sync(device).expect("the work succeeds");
        times.push(begun.elapsed().as_secs_f64() * 1e6 / calls as f64);
    }
    times.drain(..3);
    times.sort_by(f64::total_cmp);
    times[10]
}

/// Returns the arguments, for any backend.
fn tensors<B: Backend>(device: &B::Device, n: usize) -> [Tensor<B, 1>; 2] {
    [0.0f32, 1.0].map(|first| {
        let numbers = (0..n).map(|i| first + (i % 1000) as f32 * 0.01 - 5.0);
        Tensor::from_data(TensorData::new(numbers.collect(), [n]), device)
    })
}

fn main() -> Result<(), Box<dyn Error>> {
    let device = CudaDevice::default();
    let swiglu = SwiGlu::new(&device)?;
    // Large tensors once in a round: burn's fusion would read the arguments once for several calls.
    for (n, calls) in [(1 << 27, 1), (1 << 10, 1000)] {
        let [a, b] = tensors::<Cuda>(&device, n);
        let ours = || swiglu.apply(a.clone(), b.clone()).expect("a launch");
        let theirs = || silu(a.clone()) * b.clone();
        let difference = (ours() - theirs()).abs().max().into_scalar();
        println!("{n} elements, greatest difference {difference:e}");
        // burn's own backend, which fuses.
        let [c, d] = tensors::<burn_cuda::Cuda>(&device, n);
        let fused = || silu(c.clone()) * d.clone();
        for turn in 1..=3 {
            let ours = time::<Cuda, _>(&device, calls, ours);
            let theirs = time::<Cuda, _>(&device, calls, theirs);
            let fused = time::<burn_cuda::Cuda, _>(&device, calls, fused);
            println!(
                "turn {turn}: lanewise {ours:.1} us, burn {theirs:.1} us, fused {fused:.1} us"
            );
        }
    }
    Ok(())
}
