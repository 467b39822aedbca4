//! Contexts: the state of a process on one device, and the stack of contexts of each thread.
//!
//! Source: CUDA driver API reference, "Context Management" and "Primary Context Management". A
//! kernel's fault stays with its context: every later call on it returns the fault's code until the
//! context is destroyed.

pub(crate) mod primary;

use super::device::Device;
use super::handle::ledger::ObjectKind;
use super::handle::registry::Registry;
use super::order;
use super::stream::Stream;
use super::stream::work::Work;
use crate::abi::enums::{limit, stream_flags};
use crate::abi::{CUcontext, CUstream};
use crate::error::{Error, Result, fail};
use parking_lot::Mutex;
use smallvec::SmallVec;
use std::cell::RefCell;
use std::collections::{HashMap, HashSet};
use std::mem::ManuallyDrop;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::thread::ThreadId;

/// All live contexts and streams.
pub(crate) static CONTEXTS: Registry<CUcontext, Context> =
    Registry::to_give_back(ObjectKind::Context);
pub(crate) static STREAMS: Registry<CUstream, Stream> = Registry::to_give_back(ObjectKind::Stream);

#[derive(Debug)]
pub(crate) struct Context {
    pub(crate) handle: CUcontext,
    pub(crate) device: &'static Device,
    /// Whether it is its device's primary context.
    pub(crate) primary: bool,
    /// The version that `cuCtxGetApiVersion` returns.
    pub(crate) version: u32,
    pub(crate) flags: AtomicU32,
    /// Users besides the code that made it (`cuCtxAttach`).
    pub(crate) attached: AtomicU32,
    pub(crate) settings: Mutex<Settings>,
    /// The contexts whose memory its kernels may access (`cuCtxEnablePeerAccess`).
    pub(crate) peers: Mutex<HashSet<CUcontext>>,
    fault: Mutex<Option<Error>>,
    pub(super) streams: Mutex<Streams>,
}

/// The settings that the `cuCtxSet*` calls change.
#[derive(Debug, Clone)]
pub(crate) struct Settings {
    pub(crate) limits: [u64; limit::COUNT as usize],
    pub(crate) cache: u32,
    pub(crate) shared: u32,
}

/// The streams of a context. Their lock defines the order in which work is submitted.
#[derive(Debug)]
pub(super) struct Streams {
    pub(super) legacy: Arc<Stream>,
    per_thread: HashMap<ThreadId, Arc<Stream>>,
    /// All streams but the legacy default stream.
    pub(super) others: Vec<Arc<Stream>>,
    /// The number of streams made so far.
    made: usize,
    /// The last operations of destroyed streams, until they have run and the host has
    /// waited for them.
    pub(super) unfinished: Vec<Unfinished>,
    /// The waits of the whole context, for which all later work waits. The program doesn't see it.
    pub(super) gate: Arc<Stream>,
}

/// The last operation of a stream that was destroyed.
#[derive(Debug)]
pub(super) struct Unfinished {
    pub(super) work: Arc<Work>,
    /// Whether the destroyed stream was a blocking stream.
    pub(super) is_blocking: bool,
}

impl Unfinished {
    /// Returns whether it has run, and the host has waited for it.
    pub(super) fn is_settled(&self) -> bool {
        let ticket = self.work.ticket.as_ref();
        self.work.is_done() && ticket.is_none_or(|ticket| order::host_has_waited_for(ticket))
    }
}

/// A thread's stack of contexts. Few programs push more than these.
type Stack = SmallVec<[CUcontext; 4]>;

thread_local! {
    // The stack has no destructor. Destructors of the program's own thread-local variables may run
    // later and free their objects.
    static STACK: RefCell<ManuallyDrop<Stack>> = RefCell::default();
}

/// Calls `with` with the calling thread's stack of contexts. The last one is current.
pub(crate) fn stack<T>(with: impl FnOnce(&mut Stack) -> T) -> T {
    STACK.with_borrow_mut(|stack| with(stack))
}

/// Returns the calling thread's current context, which must be usable.
pub(crate) fn current() -> Result<Arc<Context>> {
    let context = current_even_faulted()?;
    context.check()?;
    Ok(context)
}

/// Checks the calling thread's current context, if it has one. For calls that need none, because
/// what they are given says of which context it is; NVIDIA's driver tells which these are.
pub(crate) fn check_current() -> Result {
    match current_handle() {
        Some(_) => current().map(drop),
        None => Ok(()),
    }
}

/// Returns the handle of the calling thread's current context, if it has one.
fn current_handle() -> Option<CUcontext> {
    stack(|stack| stack.last().copied()).filter(|handle| handle.0 != 0)
}

/// Returns the calling thread's current context, whether or not a kernel has faulted on it.
pub(crate) fn current_even_faulted() -> Result<Arc<Context>> {
    let Some(handle) = current_handle() else {
        fail!(
            ERROR_INVALID_CONTEXT,
            "no context is current on this thread; each thread makes one current for itself: create one, or cuCtxSetCurrent"
        )
    };
    match CONTEXTS.get(handle) {
        Some(context) => Ok(context),
        None => fail!(
            ERROR_CONTEXT_IS_DESTROYED,
            "the context {:#x}, current on this thread, was destroyed; make another one current",
            handle.0
        ),
    }
}

/// Returns the context that `handle` names, usable or not.
pub(crate) fn get(handle: CUcontext) -> Result<Arc<Context>> {
    match CONTEXTS.get(handle) {
        Some(context) => Ok(context),
        None => fail!(
            ERROR_INVALID_CONTEXT,
            "{:#x} is not a live context: it was destroyed, or never was one",
            handle.0
        ),
    }
}

impl Context {
    /// Makes a new context on `device`.
    pub(crate) fn make(device: &'static Device, flags: u32, primary: bool) -> Arc<Context> {
        device.timeline.catch_up();
        let model = device.sim.model();
        CONTEXTS.add(|handle| Context {
            handle,
            device,
            primary,
            // The version that the reference states for cuCtxCreate_v2 and later.
            version: 3020,
            flags: AtomicU32::new(flags),
            attached: AtomicU32::new(0),
            settings: Mutex::new(Settings {
                limits: default_limits(model.limits.heap),
                cache: 0,
                shared: 0,
            }),
            peers: Mutex::default(),
            fault: Mutex::default(),
            streams: Mutex::new(Streams {
                legacy: Arc::new(Stream::new(CUstream::LEGACY, handle, 0, 0, 0)),
                per_thread: HashMap::new(),
                others: Vec::new(),
                made: 1,
                unfinished: Vec::new(),
                gate: Arc::new(Stream::new(CUstream(0), handle, 0, 0, usize::MAX)),
            }),
        })
    }

    /// Returns the fault of one of its kernels, if there was one.
    pub(crate) fn fault(&self) -> Option<Error> {
        self.fault.lock().clone()
    }

    /// Returns its fault as an error. The report is printed the first time only.
    pub(crate) fn check(&self) -> Result {
        match self.fault.lock().as_mut() {
            None => Ok(()),
            Some(fault) => {
                let returned = fault.clone();
                fault.loud = false;
                Err(returned)
            }
        }
    }

    /// Stores a fault. If there is one already, that one stays.
    pub(crate) fn set_fault(&self, fault: Error) {
        self.fault.lock().get_or_insert(fault);
    }

    /// Returns the flags it has.
    pub(crate) fn flags(&self) -> u32 {
        self.flags.load(Ordering::Relaxed)
    }

    /// Returns its legacy default stream.
    pub(crate) fn legacy(&self) -> Arc<Stream> {
        self.streams.lock().legacy.clone()
    }

    /// Returns the calling thread's own default stream, and makes it at first use.
    pub(crate) fn per_thread(&self) -> Arc<Stream> {
        let thread = std::thread::current().id();
        let streams = &mut *self.streams.lock();
        let made = streams.per_thread.entry(thread).or_insert_with(|| {
            let number = streams.made;
            let stream = Arc::new(Stream::new(CUstream::PER_THREAD, self.handle, 0, 0, number));
            streams.made += 1;
            streams.others.push(stream.clone());
            stream
        });
        made.clone()
    }

    /// Makes a new stream.
    pub(crate) fn add_stream(&self, flags: u32, priority: i32) -> Arc<Stream> {
        let mut streams = self.streams.lock();
        let number = streams.made;
        let flags = flags & stream_flags::NON_BLOCKING;
        let stream =
            STREAMS.add(|handle| Stream::new(handle, self.handle, flags, priority, number));
        streams.made += 1;
        streams.others.push(stream.clone());
        stream
    }

    /// Waits for `work` and moves the host's modelled time to its end.
    pub(crate) fn wait_for(&self, work: &[Arc<Work>]) {
        work.iter().for_each(|work| work.wait());
        let tickets = work.iter().filter_map(|work| work.ticket.as_ref());
        tickets.for_each(|ticket| order::host_waited_for(ticket));
        self.device
            .timeline
            .wait(work.iter().map(|work| work.node.clone()).collect());
    }

    /// Calls `act` while none of its work is running and none can be submitted.
    pub(crate) fn while_idle<T>(&self, act: impl FnOnce() -> T) -> T {
        loop {
            let mut streams = self.streams.lock();
            let tails = streams.all_tails();
            if tails.iter().all(|work| work.is_done()) {
                return act();
            }
            drop(streams);
            self.wait_for(&tails);
        }
    }

    /// Waits for everything that was submitted so far.
    pub(crate) fn wait(&self) {
        self.wait_for(&self.under_way());
    }

    /// Returns the operation that was submitted last to each stream. When all of these have run,
    /// everything that was submitted so far has run.
    pub(crate) fn under_way(&self) -> Vec<Arc<Work>> {
        self.streams.lock().all_tails()
    }
}

impl Streams {
    fn all_tails(&mut self) -> Vec<Arc<Work>> {
        let mut work: Vec<_> = self
            .others
            .iter()
            .filter_map(|stream| stream.tail())
            .collect();
        work.extend(self.legacy.tail());
        // They stay until they are settled, because other threads and the default stream wait
        // for them too.
        self.unfinished.retain(|left| !left.is_settled());
        work.extend(self.unfinished.iter().map(|left| left.work.clone()));
        work
    }
}

/// Returns the limits that `cuCtxGetLimit` reports with a current driver. The heap's limit
/// is the model's.
fn default_limits(heap: u64) -> [u64; limit::COUNT as usize] {
    let mut limits = [0; limit::COUNT as usize];
    limits[limit::STACK_SIZE as usize] = 1024;
    limits[limit::PRINTF_FIFO_SIZE as usize] = 8 << 20;
    limits[limit::MALLOC_HEAP_SIZE as usize] = heap;
    limits[limit::DEV_RUNTIME_PENDING_LAUNCH_COUNT as usize] = 2048;
    limits[limit::MAX_L2_FETCH_GRANULARITY as usize] = 64;
    limits
}
