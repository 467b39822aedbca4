//! A thread that queues work and then releases the function for which a stream waits. Its work
//! waits for nothing.

use std::sync::{Mutex, PoisonError, mpsc};

use lanewise::{Device, DeviceBuffer, PinnedBuffer, Pinning, StreamOptions};

use super::calls::{Kind, Queue};
use super::world::{Did, World, good};

/// Does so until nobody asks any more.
pub(super) fn help(
    device: &Device,
    asked: mpsc::Receiver<(usize, mpsc::Sender<()>)>,
    wrong: &Mutex<Vec<String>>,
) {
    let mut own = None;
    for (what, go) in asked {
        let did = queue(device, &mut own, what);
        let _ = go.send(());
        if let Err(why) = did {
            let why = format!("the helper, {what}: {why}");
            wrong
                .lock()
                .unwrap_or_else(PoisonError::into_inner)
                .push(why);
        }
    }
}

/// What it works on.
struct Own {
    queue: Queue,
    buffers: [DeviceBuffer<u32>; 2],
    pinned: PinnedBuffer<u32>,
    graph: lanewise::ExecutableGraph,
}

impl Own {
    fn new(device: &Device) -> Result<Self, String> {
        let free = StreamOptions::new().non_blocking();
        let stream = good(device.stream_with(free))?;
        let zeros = || good(DeviceBuffer::zeroed_on(&stream, 48));
        let mut buffers = [zeros()?, zeros()?];
        let graph = good(device.record(|record| record.fill_zero(&mut buffers[0])))?;
        Ok(Self {
            queue: Queue::new(stream, Kind::Free),
            buffers,
            pinned: good(PinnedBuffer::zeroed(device, 48, Pinning::Cached))?,
            graph,
        })
    }
}

fn queue(device: &Device, own: &mut Option<Own>, what: usize) -> Did {
    let own = match own {
        Some(own) => own,
        None => own.insert(Own::new(device)?),
    };
    let [one, other] = &mut own.buffers;
    let stream = &own.queue.stream;
    match what {
        0 => good(device.stream()).map(drop),
        1 => World::advance(&own.queue, one, other, 1),
        2 => good(device.record(|record| record.copy(one, other))).map(drop),
        3 => {
            let built = device.build_graph(|graph| graph.copy(&[], one, other).map(drop));
            let (template, ()) = good(built)?;
            good(template.instantiate()).map(drop)
        }
        4 => good(own.graph.launch(stream)),
        5 => good(stream.copy_in(&own.pinned, one)).map(|copy| copy.detach()),
        6 => good(stream.call(|| ())),
        _ => {
            let event = good(stream.record())?;
            good(device.default_stream().wait_event(&event))
        }
    }
}
