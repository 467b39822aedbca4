//! A graph that is built node by node: two branches may run side by side, and a third node combines
//! their results. It is printed, launched, changed, and launched again.

use kernels::vec_add;
use lanewise::{Device, DeviceBuffer, LaunchConfig};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let device = Device::open()?;
    let stream = device.stream()?;
    let config = LaunchConfig::for_num_elems(1000);
    let one = DeviceBuffer::from_slice(&device, &[1.0f32; 1000])?;
    let ten = DeviceBuffer::from_slice(&device, &[10.0f32; 1000])?;
    let mut sum = DeviceBuffer::<f32>::zeroed(&device, 1000)?;

    let (template, last) = device.build_graph(|graph| {
        // This memory exists while the graph runs.
        let mut left = graph.allocate::<f32>(&[], 1000)?;
        let mut right = graph.allocate::<f32>(&[], 1000)?;
        let twice = graph.launch(&[], vec_add, config, (&one, &one, &mut left))?;
        let twenty = graph.launch(&[], vec_add, config, (&ten, &ten, &mut right))?;
        let (added, last) =
            graph.launch_to_change(&[twice, twenty], vec_add, config, (&left, &right, &mut sum))?;
        graph.call(&[added], || println!("the sum is there"))?;
        Ok(last)
    })?;
    println!("{}", template.debug_dot(false)?);

    let mut graph = template.instantiate()?;
    graph.launch(&stream)?;
    println!("{:?}", &sum.to_vec()?[..3]); // [22.0, 22.0, 22.0]

    graph.set_launch(last, config, (&one, &ten, &mut sum))?;
    graph.launch(&stream)?;
    println!("{:?}", &sum.to_vec()?[..3]); // [11.0, 11.0, 11.0]
    Ok(())
}
