//! Softmax, norms, their gradients and cross entropy of the library in a user's program.
#![forbid(unsafe_code)]

use std::error::Error;

use lanewise::{Device, DeviceBuffer};
use lanewise_algorithms::{
    NormBackward, cross_entropy, cross_entropy_backward, layer_norm, rms_norm, softmax,
    softmax_backward,
};
use lanewise_std::half::Bf16;

#[test]
fn a_step_of_training_is_recorded_in_a_graph() -> Result<(), Box<dyn Error>> {
    const COLUMNS: u32 = 24;
    let device = Device::open()?;
    let stream = device.stream()?;
    let numbers: Vec<Bf16> = (0..3 * COLUMNS)
        .map(|i| Bf16::from_f32((i * 7 % 11) as f32 - 5.0))
        .collect();
    let ones = vec![Bf16::from_f32(1.0); COLUMNS as usize];
    let (x, gamma) = (
        DeviceBuffer::from_slice(&device, &numbers)?,
        DeviceBuffer::from_slice(&device, &ones)?,
    );
    let targets = DeviceBuffer::from_slice(&device, &[0u32, 23, 5])?;
    let zeros = || DeviceBuffer::<Bf16>::zeroed(&device, numbers.len());
    let (mut normal, mut logits, mut power) = (zeros()?, zeros()?, zeros()?);
    let (mut gradient, mut dx, mut of_softmax) = (zeros()?, zeros()?, zeros()?);
    let mut losses = [
        DeviceBuffer::<f32>::zeroed(&device, 3)?,
        DeviceBuffer::<f32>::zeroed(&device, 3)?,
    ];
    let mut of_gamma = DeviceBuffer::<Bf16>::zeroed(&device, COLUMNS as usize)?;
    let mut of_beta = DeviceBuffer::<Bf16>::zeroed(&device, COLUMNS as usize)?;
    let mut norm = NormBackward::new(&device, COLUMNS as usize)?;
    let graph = device.record(|record| {
        layer_norm(&mut *record, &x, (&gamma, &gamma), 1e-5, &mut normal)?;
        rms_norm(&mut *record, &normal, &gamma, 1e-5, &mut logits)?;
        softmax(&mut *record, &logits, COLUMNS, &mut power)?;
        let [loss, same] = &mut losses;
        cross_entropy(&mut *record, &logits, COLUMNS, &targets, loss)?;
        cross_entropy_backward(
            &mut *record,
            &logits,
            COLUMNS,
            &targets,
            1.0,
            same,
            &mut gradient,
        )?;
        softmax_backward(&mut *record, &power, &gradient, COLUMNS, &mut of_softmax)?;
        let factors = (&mut of_gamma, &mut of_beta);
        norm.layer_norm(&mut *record, &x, &gradient, &gamma, 1e-5, &mut dx, factors)?;
        norm.rms_norm(
            &mut *record,
            &x,
            &gradient,
            &gamma,
            1e-5,
            &mut dx,
            &mut of_gamma,
        )?;
        Ok(())
    })?;
    graph.launch(&stream)?;

    let wide = |buffer: &DeviceBuffer<Bf16>| -> Result<Vec<f32>, Box<dyn Error>> {
        Ok(buffer.to_vec()?.into_iter().map(Bf16::to_f32).collect())
    };
    let [losses, same] = [losses[0].to_vec()?, losses[1].to_vec()?];
    assert_eq!(losses, same);
    // The gradient of a loss is the softmax of its row, less 1 at the target.
    let (power, gradient) = (wide(&power)?, wide(&gradient)?);
    for (row, target) in [0, 23, 5].into_iter().enumerate() {
        let at = row * COLUMNS as usize + target;
        assert!((power[at] - (-losses[row]).exp()).abs() < 4e-3);
        assert!((gradient[at] - (power[at] - 1.0)).abs() < 8e-3);
    }
    // A softmax does not change when a number is added to its row: gradients add up to 0.
    for row in wide(&of_softmax)?.chunks(COLUMNS as usize) {
        assert!(row.iter().sum::<f32>().abs() < 2e-2, "{row:?}");
    }
    let total: f32 = wide(&of_beta)?.iter().sum();
    assert!((total - gradient.iter().sum::<f32>()).abs() < 5e-2);
    assert!(wide(&dx)?.iter().all(|x| x.is_finite()));
    Ok(())
}
