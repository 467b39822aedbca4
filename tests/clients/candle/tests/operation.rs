//! The operation gives what candle's own operations give.

use candle_client::SwiGlu;
use candle_core::{Device, Result, Tensor};

/// What candle computes with two kernels.
fn theirs(a: &Tensor, b: &Tensor) -> Result<Tensor> {
    a.silu()? * b
}

fn numbers(n: usize, step: f32) -> Vec<f32> {
    (0..n).map(|i| (i as f32 * step).sin() * 6.0).collect()
}

fn agree(a: &Tensor, b: &Tensor) -> Result<()> {
    let ours = SwiGlu::new(a.device())?.apply(a, b)?;
    assert_eq!(ours.dims(), a.dims());
    let [ours, theirs] = [ours, theirs(a, b)?].map(|it| it.flatten_all()?.to_vec1::<f32>());
    for (i, (ours, theirs)) in ours?.iter().zip(theirs?).enumerate() {
        // Each side rounds its exponential and its quotient to within two units.
        let bound = 1e-6 * theirs.abs().max(1e-3);
        assert!(
            (ours - theirs).abs() <= bound,
            "element {i}: {ours}, expected {theirs}"
        );
    }
    Ok(())
}

#[test]
fn whole_tensors_agree_with_candle() -> Result<()> {
    let device = Device::new_cuda(0)?;
    for (rows, columns) in [(1, 1), (3, 5), (33, 257)] {
        let n = rows * columns;
        let a = Tensor::from_vec(numbers(n, 0.1), (rows, columns), &device)?;
        let b = Tensor::from_vec(numbers(n, 0.3), (rows, columns), &device)?;
        agree(&a, &b)?;
    }
    Ok(())
}

#[test]
fn a_part_of_a_tensor_is_read_where_it_is() -> Result<()> {
    let device = Device::new_cuda(0)?;
    let whole = Tensor::from_vec(numbers(60, 0.2), (6, 10), &device)?;
    agree(&whole.narrow(0, 1, 2)?, &whole.narrow(0, 4, 2)?)
}

#[test]
fn shapes_that_differ_are_refused_by_the_contract() -> Result<()> {
    let device = Device::new_cuda(0)?;
    let a = Tensor::from_vec(numbers(8, 0.2), 8, &device)?;
    let b = Tensor::from_vec(numbers(9, 0.2), 9, &device)?;
    let refused = SwiGlu::new(&device)?.apply(&a, &b).unwrap_err();
    assert!(
        refused
            .to_string()
            .contains("its #[launch_contract] does not allow"),
        "{refused}"
    );
    Ok(())
}
