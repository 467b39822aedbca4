//! Two processes and one buffer: the first fills it, and the second doubles its values. Events
//! order the two.

use std::error::Error;
use std::io::{BufRead, BufReader};
use std::process::{Command, Stdio};

use kernels::vec_add;
use lanewise::{Device, DeviceBuffer, EventOptions, IpcBuffer, IpcEvent, IpcMemory, LaunchConfig};

const N: usize = 1000;

fn main() -> Result<(), Box<dyn Error>> {
    let words: Vec<String> = std::env::args().skip(1).collect();
    match &words[..] {
        [memory, filled, done] => second(memory, filled, done),
        _ => first(),
    }
}

/// Fills a buffer, and starts another process that doubles its values.
fn first() -> Result<(), Box<dyn Error>> {
    let device = Device::open()?;
    let stream = device.stream()?;
    let [filled, done] = [(); 2].map(|()| device.event_with(EventOptions::new().interprocess()));
    let (filled, done) = (filled?, done?);
    let half = DeviceBuffer::from_slice(&device, &[0.5f32; N])?;
    let mut ones = DeviceBuffer::<f32>::zeroed(&device, N)?;
    let config = LaunchConfig::for_num_elems(N);
    stream.launch(vec_add, config, (&half, &half, &mut ones))?;
    filled.record(&stream)?;

    let mut other = Command::new(std::env::current_exe()?)
        .args([
            ones.ipc_handle()?.to_string(),
            filled.ipc_handle()?.to_string(),
            done.ipc_handle()?.to_string(),
        ])
        .stdout(Stdio::piped())
        .spawn()?;
    let out = other.stdout.take().ok_or("it has a pipe")?;
    let mut line = String::new();
    BufReader::new(out).read_line(&mut line)?; // it has recorded the event
    stream.wait_event(&done)?;
    stream.synchronize()?;
    println!("{line}{:?}", &ones.to_vec()?[..3]); // [2.0, 2.0, 2.0]
    other.wait()?;
    Ok(())
}

/// Doubles the values in another process' buffer, after that process has filled it.
fn second(memory: &str, filled: &str, done: &str) -> Result<(), Box<dyn Error>> {
    let device = Device::open()?;
    let stream = device.stream()?;
    // SAFETY: the first process wrote the words, and keeps the events until this one has ended.
    let filled = unsafe { filled.parse::<IpcEvent>()?.open(&device)? };
    // SAFETY: as above.
    let done = unsafe { done.parse::<IpcEvent>()?.open(&device)? };
    // SAFETY: the first process keeps the buffer until this one has ended, and leaves it alone
    // between the two events.
    let mut buffer: IpcBuffer<f32> = unsafe { memory.parse::<IpcMemory>()?.open(&device)? };

    stream.wait_event(&filled)?;
    let mut sum = DeviceBuffer::<f32>::zeroed(&device, N)?;
    let config = LaunchConfig::for_num_elems(N);
    stream.launch(vec_add, config, (&buffer, &buffer, &mut sum))?;
    let zero = DeviceBuffer::<f32>::zeroed(&device, N)?;
    stream.launch(vec_add, config, (&sum, &zero, &mut buffer))?;
    done.record(&stream)?;
    println!("process {} has queued its work", std::process::id());
    Ok(stream.synchronize()?)
}
