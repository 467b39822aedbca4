//! The operation gives what burn's own operations give.

use burn_client::{Cuda, SwiGlu};
use burn_cuda::CudaDevice;
use burn_tensor::activation::silu;
use burn_tensor::{Tensor, TensorData};
use std::error::Error;

/// What burn computes with kernels of its own.
fn theirs<const D: usize>(a: Tensor<Cuda, D>, b: Tensor<Cuda, D>) -> Tensor<Cuda, D> {
    silu(a) * b
}

fn tensor(shape: [usize; 2], step: f32) -> Tensor<Cuda, 2> {
    let numbers = (0..shape[0] * shape[1]).map(|i| (i as f32 * step).sin() * 6.0);
    let data = TensorData::new(numbers.collect(), shape);
    Tensor::from_data(data, &CudaDevice::default())
}

fn agree(ours: Tensor<Cuda, 2>, theirs: Tensor<Cuda, 2>) {
    assert_eq!(ours.dims(), theirs.dims());
    let [ours, theirs] = [ours, theirs].map(|it| it.into_data().to_vec::<f32>().expect("f32"));
    for (i, (ours, theirs)) in ours.into_iter().zip(theirs).enumerate() {
        // Each side rounds its exponential and its quotient to within two units.
        let bound = 1e-6 * theirs.abs().max(1e-3);
        assert!(
            (ours - theirs).abs() <= bound,
            "element {i}: {ours}, expected {theirs}"
        );
    }
}

#[test]
fn whole_tensors_agree_with_burn() -> Result<(), Box<dyn Error>> {
    let swiglu = SwiGlu::new(&CudaDevice::default())?;
    for shape in [[1, 1], [3, 5], [33, 257]] {
        let (a, b) = (tensor(shape, 0.1), tensor(shape, 0.3));
        agree(swiglu.apply(a.clone(), b.clone())?, theirs(a, b));
    }
    Ok(())
}

#[test]
fn a_part_of_a_tensor_and_a_transposed_one_agree() -> Result<(), Box<dyn Error>> {
    let swiglu = SwiGlu::new(&CudaDevice::default())?;
    let whole = tensor([6, 10], 0.2);
    let (a, b) = (whole.clone().narrow(0, 1, 2), whole.narrow(0, 4, 2));
    agree(
        swiglu.apply(a.clone(), b.clone())?,
        theirs(a.clone(), b.clone()),
    );
    let (a, b) = (a.transpose(), b.transpose());
    agree(swiglu.apply(a.clone(), b.clone())?, theirs(a, b));
    Ok(())
}

/// Each operation takes what the one before it wrote, on the other's stream, and writes memory that
/// an earlier one has read.
#[test]
fn operations_of_both_follow_one_another() -> Result<(), Box<dyn Error>> {
    let swiglu = SwiGlu::new(&CudaDevice::default())?;
    let (mut ours, mut expected) = (tensor([64, 64], 0.1), tensor([64, 64], 0.1));
    for _ in 0..20 {
        ours = swiglu.apply(ours.clone() + 1.0, ours)? - 0.5;
        expected = theirs(expected.clone() + 1.0, expected) - 0.5;
        ours = ours.clamp(-3.0, 3.0);
        expected = expected.clamp(-3.0, 3.0);
    }
    let difference = (ours - expected).abs().max().into_scalar();
    // Twenty steps, each of which adds to the difference.
    assert!(difference < 1e-3, "{difference}");
    Ok(())
}

#[test]
fn shapes_that_differ_are_refused_by_the_contract() -> Result<(), Box<dyn Error>> {
    let swiglu = SwiGlu::new(&CudaDevice::default())?;
    let refused = swiglu.apply(tensor([2, 4], 0.2), tensor([3, 3], 0.2));
    let refused = refused.expect_err("the lengths differ").to_string();
    assert!(
        refused.contains("its #[launch_contract] does not allow"),
        "{refused}"
    );
    Ok(())
}
