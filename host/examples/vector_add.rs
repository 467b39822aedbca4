//! The README's program: it adds two vectors, on a GPU or on the simulator.

use kernels::vec_add;
use lanewise::{Device, DeviceBuffer, LaunchConfig};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let device = Device::open()?; // a GPU if there is one, else the simulated one
    let stream = device.stream()?;
    let a = DeviceBuffer::from_slice(&device, &[1.0f32, 2.0, 3.0])?;
    let b = DeviceBuffer::from_slice(&device, &[10.0f32, 20.0, 30.0])?;
    let mut c = DeviceBuffer::<f32>::zeroed(&device, 3)?;

    let config = LaunchConfig::for_num_elems(3);
    stream.launch(vec_add, config, (&a, &b, &mut c))?;
    println!("{:?}", c.to_vec()?); // [11.0, 22.0, 33.0]
    Ok(())
}
