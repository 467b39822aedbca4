//! Streams: queues of work, each run in order by a thread of its own.
//!
//! Source: CUDA driver API reference, "Stream synchronization behavior". The legacy default stream
//! waits for all blocking streams of its context and they wait for it; a stream made with
//! `CU_STREAM_NON_BLOCKING` takes no part in that. The per-thread default stream is an ordinary
//! blocking stream, one for each host thread.
//!
//! What goes into a stream goes through [`super::submission`]. A stream's thread is started by the
//! first operation that cannot be done at once, and ends when the stream is destroyed and its queue
//! is empty.

pub(crate) mod capturing;
pub(crate) mod event;
pub(crate) mod points;
pub(crate) mod work;

use crate::abi::enums::stream_flags;
use crate::abi::{CUcontext, CUlaunchAttributeValue, CUstream};
use crate::error::{Error, Result};
use crate::settings;
use crate::time::operation::{Cost, Lane};
use capturing::Capturing;
use parking_lot::Mutex;
use std::collections::HashMap;
use std::sync::{Arc, mpsc};
use work::Work;

/// What an operation does when its turn comes. It is told the context's fault, if there is one.
pub(crate) type Job = Box<dyn FnOnce(Option<&Error>) -> Result<Cost> + Send>;

/// A queue of work.
#[derive(Debug)]
pub(crate) struct Stream {
    pub(crate) handle: CUstream,
    pub(crate) context: CUcontext,
    pub(crate) flags: u32,
    pub(crate) priority: i32,
    /// Its way to the device's engines.
    pub(super) lane: Lane,
    /// Whether it is its context's legacy default stream.
    pub(crate) legacy: bool,
    /// What `cuStreamSetAttribute` set.
    pub(crate) attributes: Mutex<HashMap<u32, CUlaunchAttributeValue>>,
    /// Its part in a capture, while it is being captured.
    pub(crate) capturing: Mutex<Option<Capturing>>,
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    /// The operation that was submitted last.
    tail: Option<Arc<Work>>,
    worker: Option<mpsc::Sender<Task>>,
}

/// What the stream's thread does with an operation: waits for what comes before it, and runs it.
pub(super) type Task = Box<dyn FnOnce() + Send>;

impl Stream {
    /// A stream with nothing in it, the so many-th of its context; the first, number 0, is the
    /// legacy default stream. The streams share the device's hardware queues in turn.
    pub(crate) fn new(
        handle: CUstream,
        context: CUcontext,
        flags: u32,
        priority: i32,
        number: usize,
    ) -> Stream {
        let queues = settings::connections();
        Stream {
            handle,
            context,
            flags,
            priority,
            lane: Lane {
                queue: Some(number as u32 % queues),
                priority,
                stream: number,
            },
            legacy: number == 0,
            attributes: Mutex::default(),
            capturing: Mutex::default(),
            state: Mutex::default(),
        }
    }

    /// Whether it waits for the legacy default stream and the other way round.
    pub(crate) fn is_blocking(&self) -> bool {
        !self.legacy && self.flags & stream_flags::NON_BLOCKING == 0
    }

    /// The operation that was submitted last.
    pub(crate) fn tail(&self) -> Option<Arc<Work>> {
        self.state.lock().tail.clone()
    }

    /// Makes `work` the stream's last operation. With a task its thread does that; a task that it
    /// cannot have, because the host gives no thread, comes back, for the caller to do it: later,
    /// but in order all the same.
    pub(super) fn append(&self, work: &Arc<Work>, task: Option<Task>) -> Option<Task> {
        let mut state = self.state.lock();
        state.tail = Some(work.clone());
        let task = task?;
        if let Some(worker) = &state.worker {
            return worker.send(task).err().map(|refused| refused.0);
        }
        let (sender, receiver) = mpsc::channel::<Task>();
        let name = format!("stream {:#x}", self.handle.0);
        let spawned = std::thread::Builder::new()
            .name(name)
            .spawn(move || receiver.into_iter().for_each(|task| task()));
        if spawned.is_err() {
            return Some(task);
        }
        let refused = sender.send(task).err();
        state.worker = Some(sender);
        refused.map(|refused| refused.0)
    }

    /// Lets the stream's thread end once its queue is empty.
    pub(crate) fn close(&self) {
        self.state.lock().worker = None;
    }
}
