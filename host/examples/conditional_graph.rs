//! A loop without the host: a graph halves a number while the number is even.

use kernels::halve;
use lanewise::{Device, DeviceBuffer, LaunchConfig};

// ANCHOR: main
fn main() -> Result<(), Box<dyn std::error::Error>> {
    let device = Device::open()?;
    let stream = device.stream()?;
    let mut number = DeviceBuffer::from_slice(&device, &[0u32])?;
    let mut times = DeviceBuffer::from_slice(&device, &[0u32])?;

    let (template, ()) = device.build_graph(|graph| {
        graph.fill_zero(&[], &mut times)?;
        let (is_even, setter) = graph.condition(1)?; // at the beginning of each launch
        graph.while_loop(&[], is_even, |body| {
            let one = LaunchConfig::new(1, 1);
            body.launch(&[], halve, one, (&mut number, &mut times, &setter))?;
            Ok(())
        })?;
        Ok(())
    })?;
    let graph = template.instantiate()?;
    for start in [96u32, 1000, 1 << 20] {
        number.copy_from_slice(&[start])?;
        graph.launch(&stream)?;
        // 96 = 3 * 2^5, 1000 = 125 * 2^3, 1048576 = 1 * 2^20
        println!(
            "{start} = {} * 2^{}",
            number.to_vec()?[0],
            times.to_vec()?[0]
        );
    }
    Ok(())
}
// ANCHOR_END: main
