//! Streams: queues of work. A thread for each stream runs its operations in order.
//!
//! Source: CUDA driver API reference, "Stream synchronization behavior". The legacy default stream
//! waits for all blocking streams of its context, and they wait for it. A stream made with
//! `CU_STREAM_NON_BLOCKING` takes no part in that. The per-thread default stream is an ordinary
//! blocking stream, one for each host thread.
//!
//! Operations are added to a stream through [`super::submission`]. A stream's thread is started by
//! the first operation that cannot be done at once. It ends when the stream is destroyed and its
//! queue is empty.

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

/// The code that runs an operation when its turn comes. Its argument is the context's fault, if
/// there is one.
pub(crate) type Job = Box<dyn FnOnce(Option<&Error>) -> Result<Cost> + Send>;

/// A queue of work.
#[derive(Debug)]
pub(crate) struct Stream {
    pub(crate) handle: CUstream,
    pub(crate) context: CUcontext,
    pub(crate) flags: u32,
    pub(crate) priority: i32,
    /// The lane on which its operations reach the device's engines.
    pub(super) lane: Lane,
    /// Whether it is its context's legacy default stream.
    pub(crate) legacy: bool,
    /// The attributes that `cuStreamSetAttribute` has set.
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

/// The work of the stream's thread for an operation: it waits for what comes before the operation,
/// and runs it.
pub(super) type Task = Box<dyn FnOnce() + Send>;

impl Stream {
    /// Makes an empty stream, the stream with this number in its context. Number 0 is the legacy
    /// default stream. The streams are assigned to the device's hardware queues in turn.
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

    /// Returns whether it waits for the legacy default stream, and that stream for it.
    pub(crate) fn is_blocking(&self) -> bool {
        !self.legacy && self.flags & stream_flags::NON_BLOCKING == 0
    }

    /// Returns the operation that was submitted last.
    pub(crate) fn tail(&self) -> Option<Arc<Work>> {
        self.state.lock().tail.clone()
    }

    /// Makes `work` the stream's last operation. If there is a task, the stream's thread runs it.
    /// If the host refuses to start a thread, the task is returned, and the caller has to run it.
    /// That is later, but still in order.
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
