//! Features of launches from Hopper on: clusters of the largest size and number that the device
//! allows, and kernels that begin before the kernel before them has ended.

use kernels::{add_inverse, fill, vec_add};
use lanewise::{ComputeCapability, Device, DeviceBuffer, LaunchConfig};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let device = Device::open()?;
    let stream = device.stream()?;
    let ComputeCapability { major, .. } = device.properties().compute_capability;
    if major < 9 {
        println!("{} has neither", device.properties().name);
        return Ok(());
    }

    device.allow_large_clusters(vec_add)?; // more than the 8 blocks that every such device takes
    for blocks in [1, 2, 4, 8, 16] {
        let config = LaunchConfig::new(64, 256).with_cluster(blocks);
        let clusters = device.max_active_clusters(vec_add, config)?;
        println!("clusters of {blocks:2} blocks: {clusters} at once");
    }

    let mut output = DeviceBuffer::<f32>::zeroed(&device, 100_000)?;
    let config = LaunchConfig::for_num_elems(100_000);
    // SAFETY: both kernels wait before they access memory.
    let early = unsafe { config.with_programmatic_start() };
    for round in 0..10 {
        stream.launch(fill, early, (&mut output, round as f32))?;
        stream.launch(add_inverse, early, (&mut output,))?;
    }
    println!("{:?}", &output.to_vec()?[..3]); // [10.0, 9.5, 9.333333]
    Ok(())
}
