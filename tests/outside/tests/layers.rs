//! Layers and attention of the library in a user's program, with an activation of the user's own.
#![forbid(unsafe_code)]

use std::error::Error;

use lanewise::{Device, DeviceBuffer};
use lanewise_algorithms::{Activation, Attention, LayerElement, Linear, Relu};
use lanewise_std::half::Bf16;
use own_layers::SquaredRelu;

/// Whole numbers from -2 to 2, so that all sums are exact.
fn numbers(len: usize) -> Vec<Bf16> {
    let number = |i: usize| ((i * 7 + i / 11) % 5) as f32 - 2.0;
    (0..len).map(|i| Bf16::from_f32(number(i))).collect()
}

/// Compares a layer of 20 inputs with the CPU's. Rows of `outputs` elements that do not begin at
/// multiples of sixteen bytes take the kernel for any GPU.
fn compare<F: Activation>(activation: F, outputs: usize, transposed: bool) -> Result<(), Box<dyn Error>>
where
    Bf16: LayerElement<F>,
{
    let (batch, inputs) = (20, 24);
    let device = Device::open()?;
    let (x, weights, bias) = (numbers(batch * inputs), numbers(inputs * outputs), numbers(outputs));
    let upload = |numbers: &[Bf16]| DeviceBuffer::from_slice(&device, numbers);
    let mut y = DeviceBuffer::<Bf16>::uninit(&device, batch * outputs)?;
    let layer = Linear {
        are_weights_transposed: transposed,
        ..Linear::new(batch as u32, inputs as u32, outputs as u32)
    };
    let (on_x, on_weights, on_bias) = (upload(&x)?, upload(&weights)?, upload(&bias)?);
    layer.forward(&device.stream()?, activation, &on_x, &on_weights, Some(&on_bias), &mut y)?;
    for (i, found) in y.to_vec()?.into_iter().enumerate() {
        let (row, column) = (i / outputs, i % outputs);
        let weight = |k: usize| {
            let place = if transposed { column * inputs + k } else { k * outputs + column };
            weights[place].to_f32()
        };
        let sum: f32 = (0..inputs).map(|k| x[row * inputs + k].to_f32() * weight(k)).sum();
        let expected = Bf16::from_f32(activation.apply(sum + bias[column].to_f32()));
        assert_eq!(found, expected, "row {row}, column {column} of {outputs}");
    }
    Ok(())
}

#[test]
fn a_layer_has_an_activation_of_the_users_own() {
    for outputs in [8, 9] {
        for transposed in [false, true] {
            compare(SquaredRelu, outputs, transposed).expect("a layer");
            compare(Relu, outputs, transposed).expect("a layer");
        }
    }
}

#[test]
fn queries_that_are_zero_get_the_mean_of_the_values() {
    let means = || -> Result<Vec<Bf16>, Box<dyn Error>> {
        let device = Device::open()?;
        let stream = device.stream()?;
        // Four heads, of which two share keys and values; 40 queries and 30 keys of 64 columns.
        let attention = Attention {
            key_heads: 2,
            ..Attention::new(4, 40, 30, 64)
        };
        let queries = DeviceBuffer::from_slice(&device, &[Bf16::from_f32(0.0); 4 * 40 * 64])?;
        let keys = DeviceBuffer::from_slice(&device, &numbers(2 * 30 * 64))?;
        let values: Vec<Bf16> = (0..2 * 30 * 64).map(|i| Bf16::from_f32((i / 64 / 30) as f32 + 1.0)).collect();
        let values = DeviceBuffer::from_slice(&device, &values)?;
        let mut results = DeviceBuffer::from_slice(&device, &[Bf16::from_f32(0.0); 4 * 40 * 64])?;
        attention.forward(&stream, &queries, &keys, &values, &mut results)?;
        let uneven = Attention { key_heads: 3, ..attention };
        let error = uneven.forward(&stream, &queries, &keys, &values, &mut results);
        let error = error.expect_err("three do not divide four").to_string();
        assert_eq!(error, "expected a multiple of the 3 heads of keys, found 4 heads of queries");
        Ok(results.to_vec()?)
    };
    for (i, found) in means().expect("attention").into_iter().enumerate() {
        // The value of the head's pair, rounded weights added up.
        let expected = (i / 64 / 40 / 2) as f32 + 1.0;
        assert!((found.to_f32() - expected).abs() < 0.02, "result {i}: {found:?}");
    }
}
