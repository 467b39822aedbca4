//! Streams: queues of work, each run in order by a thread of its own.
//!
//! Source: CUDA driver API reference, "Stream synchronization behavior". The legacy default stream waits for all blocking
//! streams of its context and they wait for it; a stream made with `CU_STREAM_NON_BLOCKING` takes no part in that. The
//! per-thread default stream is an ordinary blocking stream, one for each host thread.
//!
//! A stream's thread is started by the first operation that cannot be done at once, and ends when the stream is
//! destroyed and its queue is empty.

use super::context::Context;
use super::graph::Kind;
use super::graph::capture::Capturing;
use super::graph::exec::Member;
use super::settings;
use super::work::Work;
use crate::abi::enums::stream_flags;
use crate::abi::{CUcontext, CUlaunchAttributeValue, CUstream};
use crate::error::{Error, Result};
use crate::time::timeline::{Cost, Lane, Node};
use crate::trace::sim::{self as trace, Label};
use parking_lot::Mutex;
use std::collections::HashMap;
use std::sync::{Arc, mpsc};

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
    lane: Lane,
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
    worker: Option<mpsc::Sender<Queued>>,
}

struct Queued {
    context: Arc<Context>,
    after: Vec<Arc<Work>>,
    work: Arc<Work>,
    job: Job,
}

impl Stream {
    /// A stream with nothing in it, the so many-th of its context; the first, number 0, is the legacy default stream. The streams share the
    /// device's hardware queues in turn.
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

    /// Adds an operation that `now` says how to run; the caller holds the context's order of submission.
    pub(crate) fn push(
        &self,
        context: &Arc<Context>,
        after: Vec<Arc<Work>>,
        run: Run,
    ) -> Arc<Work> {
        let (timeline, before) = (&context.device.timeline, nodes(&after));
        let work = Work::new(match run {
            Run::Light(_) => timeline.mark(before, self.lane),
            Run::ByCaller | Run::ByWorker(_) => timeline.submit(before, self.lane),
        });
        self.start(context, after, work.clone(), run);
        work
    }

    /// Adds all of a graph as one operation, which waits for `after`.
    pub(crate) fn push_graph(
        &self,
        context: &Arc<Context>,
        after: Vec<Arc<Work>>,
        members: Vec<Member>,
    ) -> Arc<Work> {
        let timeline = &context.device.timeline;
        // The launch itself, which is what the host pays for.
        let launched = Work::new(timeline.submit(nodes(&after), self.lane));
        // The nodes have no order but their own.
        let lane = Lane {
            queue: None,
            ..self.lane
        };
        let mut parts: Vec<(Arc<Work>, Option<Arc<Work>>, Kind)> =
            Vec::with_capacity(members.len());
        for Member { kind, after } in members {
            let mut before: Vec<Arc<Work>> = after.iter().map(|&i| parts[i].0.clone()).collect();
            if before.is_empty() {
                before.push(launched.clone());
            }
            let external = match &kind {
                Kind::Wait(event) => event.recorded(),
                _ => None,
            };
            before.extend(external.clone());
            let work = Work::new(timeline.follow(nodes(&before), lane));
            if let Kind::Record(event) = &kind {
                event.record(work.clone());
            }
            trace::submitted(Label::of(&kind), context, self, &work);
            parts.push((work, external, kind));
        }
        let ends: Vec<Arc<Work>> = parts.iter().map(|(work, ..)| work.clone()).collect();
        let whole = Work::new(timeline.follow(
            nodes(&[std::slice::from_ref(&launched), &ends].concat()),
            lane,
        ));
        let owner = context.clone();
        let job: Job = Box::new(move |_| {
            execute(&owner, &launched, Box::new(|_| Ok(Cost::NOTHING)));
            for (work, external, kind) in parts {
                if let Some(external) = external {
                    external.wait();
                }
                execute(&owner, &work, Box::new(move |fault| kind.run(fault)));
            }
            Ok(Cost::NOTHING)
        });
        self.start(context, after, whole.clone(), Run::ByWorker(job));
        whole
    }

    /// Makes `work` the stream's last operation and has it run after `after`.
    fn start(&self, context: &Arc<Context>, after: Vec<Arc<Work>>, work: Arc<Work>, run: Run) {
        let mut state = self.state.lock();
        state.tail = Some(work.clone());
        match run {
            Run::ByCaller => {}
            // An operation that takes no time and waits for nothing needs no thread.
            Run::Light(job) if after.iter().all(|work| work.is_done()) => {
                drop(state);
                execute(context, &work, job);
            }
            Run::Light(job) | Run::ByWorker(job) => {
                let queued = Queued {
                    context: context.clone(),
                    after,
                    work: work.clone(),
                    job,
                };
                let refused = match &state.worker {
                    Some(worker) => worker.send(queued).err(),
                    None => {
                        let (sender, receiver) = mpsc::channel();
                        let name = format!("stream {:#x}", self.handle.0);
                        let spawned = std::thread::Builder::new()
                            .name(name)
                            .spawn(move || run_all(receiver));
                        match spawned {
                            Ok(_) => {
                                let refused = sender.send(queued).err();
                                state.worker = Some(sender);
                                refused
                            }
                            Err(_) => Some(mpsc::SendError(queued)),
                        }
                    }
                };
                drop(state);
                // Without a thread (the host refused one) the caller does the work: later, but in order all the same.
                if let Some(mpsc::SendError(queued)) = refused {
                    run_one(queued);
                }
            }
        }
    }

    /// Lets the stream's thread end once its queue is empty.
    pub(crate) fn close(&self) {
        self.state.lock().worker = None;
    }
}

/// The operations' places in modelled time.
fn nodes(work: &[Arc<Work>]) -> Vec<Arc<Node>> {
    work.iter().map(|work| work.node.clone()).collect()
}

/// Who runs an operation.
pub(crate) enum Run {
    /// The calling thread, by [`execute`], after it has waited for what the operation waits for.
    ByCaller,
    /// The stream's thread.
    ByWorker(Job),
    /// The calling thread if nothing is in the way, else the stream's thread; for what takes next to no time.
    Light(Job),
}

/// Runs `job` as the operation `work`, all that it waits for being done.
pub(crate) fn execute(context: &Arc<Context>, work: &Work, job: Job) {
    let fault = context.fault();
    // A job's panic must not leave others waiting for its work.
    let outcome = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| job(fault.as_ref())));
    let cost = match outcome {
        Ok(Ok(cost)) => cost,
        Ok(Err(error)) => {
            context.set_fault(error);
            Cost::NOTHING
        }
        Err(_) => {
            let message =
                "a bug in the simulated driver (the panic above says where); please report it";
            context.set_fault(Error::loud(crate::abi::CUresult::ERROR_UNKNOWN, message));
            Cost::NOTHING
        }
    };
    context.device.timeline.ran(&work.node, cost);
    work.finish();
}

fn run_all(queue: mpsc::Receiver<Queued>) {
    for queued in queue {
        run_one(queued);
    }
}

fn run_one(
    Queued {
        context,
        after,
        work,
        job,
    }: Queued,
) {
    for earlier in &after {
        earlier.wait();
    }
    drop(after);
    execute(&context, &work, job);
}
