//! Submission to the streams of a context: operations, graphs and captured calls; and the end of
//! streams and contexts.
//!
//! The lock of a context's streams defines the order in which work is submitted. An operation waits
//! for its predecessors in its stream and for those required by the rules of the default stream. It
//! waits on the stream's thread or on the caller's.

pub(crate) mod host_access;
pub(crate) mod traced;

use super::context::{CONTEXTS, Context, STREAMS, Streams, Unfinished};
use super::graph::exec::{Exec, Member};
use super::graph::{Kind, capture};

use super::fault::host_finding;
use super::handle::ledger;
use super::memory;
use super::order::host_pages;
use super::order::{self, Ticket};
use super::stream::{Job, Stream};

use super::stream::work::{Needs, Work};
use crate::error::{Error, Result};
use crate::time::operation::{Cost, Lane, Node};
use std::sync::Arc;

impl Context {
    /// Waits for its work and closes its streams. Its handle is invalid from now on.
    pub(crate) fn close(&self) {
        CONTEXTS.remove(self.handle);
        self.wait();
        for stream in self.streams.lock().others.drain(..) {
            ledger::end_of_context(|| STREAMS.remove(stream.handle));
            capture::leave(&stream);
            stream.close();
        }
        let streams = self.streams.lock();
        streams.legacy.close();
        streams.gate.close();
    }

    /// Makes all work that is submitted later, to any stream, wait for these operations.
    pub(crate) fn hold_back(self: &Arc<Self>, mut until: Vec<Arc<Work>>) {
        let streams = self.streams.lock();
        until.extend(streams.gate.tail());
        let nothing = Run::Light(Box::new(|_| Ok(Cost::NOTHING)));
        streams.gate.push(self, until, nothing);
    }

    /// Removes a stream. Its submitted work still runs.
    pub(crate) fn remove_stream(&self, stream: &Arc<Stream>) {
        let mut streams = self.streams.lock();
        streams.others.retain(|other| !Arc::ptr_eq(other, stream));
        streams.unfinished.retain(|left| !left.is_settled());
        let is_blocking = stream.is_blocking();
        let left = stream.tail().map(|work| Unfinished { work, is_blocking });
        streams.unfinished.extend(left);
        capture::leave(stream);
        stream.close();
    }

    /// Submits an operation to `stream` that also waits for `also`. It is an error if the stream is
    /// being captured. Operations that can be captured go through [`Context::enqueue`].
    pub(crate) fn submit(
        self: &Arc<Self>,
        stream: &Stream,
        also: Vec<Arc<Work>>,
        run: Run,
    ) -> Result<Arc<Work>> {
        self.permit(stream)?;
        capture::refuse(stream, "do this")?;
        let streams = self.streams.lock();
        let after = streams.before(stream, also);
        Ok(stream.push(self, after, run))
    }

    /// Submits an operation to `stream`, or adds it as a node if the stream is being captured. In
    /// that case no work is returned.
    pub(crate) fn enqueue(
        self: &Arc<Self>,
        stream: &Stream,
        kind: Kind,
    ) -> Result<Option<Arc<Work>>> {
        if capture::add(stream, &kind)? {
            return Ok(None);
        }
        let label = traced::label(&kind);
        let is_function = matches!(kind, Kind::Host(_));
        let job: Job = Box::new(move |fault| kind.run(fault));
        let run = match is_function {
            true => Run::MayNeedHost(job),
            false => Run::ByWorker(job),
        };
        let work = self.submit(stream, Vec::new(), run)?;
        traced::submitted(label, self, stream, &work);
        if !is_function {
            host_access::submitted(&work);
        }
        Ok(Some(work))
    }

    /// Submits a whole graph to `stream`.
    pub(crate) fn launch(self: &Arc<Self>, stream: &Stream, exec: &Exec) -> Result {
        self.permit(stream)?;
        let members = exec.members()?;
        let mut last = exec.last.lock();
        let streams = self.streams.lock();
        let after = streams.before(stream, last.iter().cloned().collect());
        let work = stream.push_graph(self, after, members);
        host_access::submitted(&work);
        *last = Some(work);
        Ok(())
    }

    /// Runs an operation of `stream` on the calling thread when its turn comes. Returns when
    /// it has run.
    pub(crate) fn run_now(self: &Arc<Self>, stream: &Stream, job: Job) -> Result<Arc<Work>> {
        self.permit(stream)?;
        capture::refuse(stream, "do this")?;
        capture::permit_unsafe()?;
        let (after, work) = {
            let streams = self.streams.lock();
            let after = streams.before(stream, Vec::new());
            let work = stream.push(self, after.clone(), Run::ByCaller);
            (after, work)
        };
        after.iter().for_each(|earlier| earlier.wait());
        execute(self, &work, job);
        if let Some(ticket) = &work.ticket {
            order::returns(ticket);
        }
        Ok(work)
    }

    /// Checks that a use of `stream` does not make the legacy default stream depend on a capture.
    pub(crate) fn permit(&self, stream: &Stream) -> Result {
        if stream.legacy {
            capture::refuse_legacy(self.handle)?;
        }
        Ok(())
    }
}

impl Streams {
    /// Returns the operations that an operation submitted to `stream` now has to wait for.
    fn before(&self, stream: &Stream, also: Vec<Arc<Work>>) -> Vec<Arc<Work>> {
        let mut after = also;
        after.extend(stream.tail());
        after.extend(self.gate.tail());
        if stream.legacy {
            let blocking = self.others.iter().filter(|other| other.is_blocking());
            after.extend(blocking.filter_map(|other| other.tail()));
            let left = self.unfinished.iter().filter(|left| left.is_blocking);
            after.extend(left.map(|left| left.work.clone()));
        } else if stream.is_blocking() {
            after.extend(self.legacy.tail());
        }
        after
    }
}

impl Stream {
    /// Returns the lane in which its operations run one after another.
    fn order_lane(&self) -> order::Lane {
        order::Lane::Stream(self.context.0, self.lane.stream)
    }

    /// Adds an operation that runs as `run` specifies. The caller holds the lock of
    /// the context's streams.
    fn push(&self, context: &Arc<Context>, after: Vec<Arc<Work>>, run: Run) -> Arc<Work> {
        let (timeline, before) = (&context.device.timeline, nodes(&after));
        let node = match run {
            Run::Light(_) => timeline.mark(before, self.lane),
            Run::ByCaller | Run::ByWorker(_) | Run::MayNeedHost(_) => {
                timeline.submit(before, self.lane)
            }
        };
        let needs = match run {
            Run::MayNeedHost(_) => Needs::PerhapsTheHost,
            Run::ByCaller | Run::ByWorker(_) | Run::Light(_) => Needs::Nothing,
        };
        let ticket = order::ticket(self.order_lane(), tickets(&after), None);
        let work = Work::new(node, ticket, &after, needs);
        self.start(context, after, work.clone(), run);
        work
    }

    /// Adds a whole graph as one operation, which waits for `after`.
    fn push_graph(
        &self,
        context: &Arc<Context>,
        after: Vec<Arc<Work>>,
        members: Vec<Member>,
    ) -> Arc<Work> {
        let timeline = &context.device.timeline;
        // The launch itself: its cost is the host's cost of launching the graph.
        let begin = order::ticket(self.order_lane(), tickets(&after), None);
        let node = timeline.submit(nodes(&after), self.lane);
        let launched = Work::new(node, begin.clone(), &after, Needs::Nothing);
        let end = order::ticket(self.order_lane(), begin.into_iter().collect(), None);
        // The nodes are ordered by their own dependencies only.
        let lane = Lane {
            queue: None,
            ..self.lane
        };
        let mut conditions = Vec::new();
        members
            .iter()
            .for_each(|member| member.conditions(&mut conditions));
        let mut parts: Vec<(Arc<Work>, Vec<Arc<Work>>, Member)> = Vec::with_capacity(members.len());
        for member in members {
            let (kind, after) = (&member.kind, &member.after);
            let mut before: Vec<Arc<Work>> = after.iter().map(|&i| parts[i].0.clone()).collect();
            if before.is_empty() {
                before.push(launched.clone());
            }
            let external = match kind {
                Kind::Wait(event) => event.recorded().unwrap_or_default(),
                _ => Vec::new(),
            };
            before.extend(external.iter().cloned());
            let ticket = order::ticket(self.order_lane(), tickets(&before), end.as_ref());
            let needs = match member.calls_program() {
                true => Needs::PerhapsTheHost,
                false => Needs::Nothing,
            };
            let node = timeline.follow(nodes(&before), lane);
            let work = Work::new(node, ticket, &before, needs);
            if let Kind::Record(event) = kind {
                event.record(work.clone());
            }
            traced::submitted(traced::label(kind), context, self, &work);
            parts.push((work, external, member));
        }
        let ends: Vec<Arc<Work>> = parts.iter().map(|(work, ..)| work.clone()).collect();
        let node = timeline.follow(
            nodes(&[std::slice::from_ref(&launched), &ends].concat()),
            lane,
        );
        let whole = Work::new(node, end.clone(), &ends, Needs::Nothing);
        let owner = context.clone();
        let job: Job = Box::new(move |_| {
            conditions.iter().for_each(|condition| condition.begin());
            let known = [tickets(std::slice::from_ref(&launched)), tickets(&ends)].concat();
            execute(&owner, &launched, Box::new(|_| Ok(Cost::NOTHING)));
            for (work, external, member) in parts {
                external.iter().for_each(|earlier| earlier.wait());
                execute(&owner, &work, Box::new(move |fault| member.run(fault)));
            }
            if let Some(end) = end {
                end.learn_from(&known);
            }
            Ok(Cost::NOTHING)
        });
        self.start(context, after, whole.clone(), Run::ByWorker(job));
        whole
    }

    /// Makes `work` the stream's last operation, to be run after the operations in `after`.
    fn start(&self, context: &Arc<Context>, after: Vec<Arc<Work>>, work: Arc<Work>, run: Run) {
        let job = match run {
            Run::ByCaller => None,
            // An operation that takes no time and waits for nothing needs no thread.
            Run::Light(job) if after.iter().all(|work| work.is_done()) => {
                self.append(&work, None);
                return execute(context, &work, job);
            }
            Run::Light(job) | Run::ByWorker(job) | Run::MayNeedHost(job) => Some(job),
        };
        let task = job.map(|job| {
            let (context, work) = (context.clone(), work.clone());
            Box::new(move || {
                after.iter().for_each(|earlier| earlier.wait());
                drop(after);
                execute(&context, &work, job);
            }) as _
        });
        if let Some(task) = self.append(&work, task) {
            task();
        }
    }
}

/// Returns the operations' places in the order, where they have any.
fn tickets(work: &[Arc<Work>]) -> Vec<Arc<Ticket>> {
    work.iter().filter_map(|work| work.ticket.clone()).collect()
}

/// Returns the operations' places in modelled time.
fn nodes(work: &[Arc<Work>]) -> Vec<Arc<Node>> {
    work.iter().map(|work| work.node.clone()).collect()
}

/// The thread that runs an operation.
pub(crate) enum Run {
    /// The calling thread, with [`execute`], after it has waited for what the operation waits for.
    ByCaller,
    /// The stream's thread.
    ByWorker(Job),
    /// The stream's thread too, where the operation may have to wait for
    /// the host: [`Needs::PerhapsTheHost`].
    MayNeedHost(Job),
    /// The calling thread if nothing has to be waited for, else the stream's thread. This is for
    /// operations that take next to no time.
    Light(Job),
}

/// Runs `job` as the operation `work`. Everything that it waits for has run.
pub(crate) fn execute(context: &Arc<Context>, work: &Work, job: Job) {
    let fault = context.fault();
    if let Some(ticket) = &work.ticket {
        order::begin(ticket);
    }
    host_pages::device_begins();
    // A job's panic must not leave other threads waiting for its work.
    let outcome = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| job(fault.as_ref())));
    if let Some(ticket) = &work.ticket {
        let found = order::end(ticket, matches!(outcome, Ok(Ok(_))), memory::ADDRESSES);
        if let Err(error) = host_finding::told(&ticket.terms, found) {
            context.set_fault(error);
        }
    }
    host_pages::device_ends();
    let cost = match outcome {
        Ok(Ok(cost)) => cost,
        Ok(Err(error)) => {
            context.set_fault(error);
            Cost::NOTHING
        }
        Err(payload) => {
            // The payload may be a program's, whose own destructor may panic.
            std::mem::forget(payload);
            context.set_fault(Error::panicked());
            Cost::NOTHING
        }
    };
    context.device.timeline.ran(&work.node, cost);
    work.finish();
}
