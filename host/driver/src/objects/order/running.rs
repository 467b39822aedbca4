//! The operation that the calling thread runs, and what it tells of itself.

use super::host::Addresses;
use super::ticket::{Dependent, FREE, PastOperation, Ticket};
use super::{host_pages, with_state};
use crate::calling;
use lanewise_sim::Finding;
use lanewise_sim::checks::Footprint;
use std::cell::RefCell;
use std::mem::ManuallyDrop;
use std::sync::Arc;
use std::sync::atomic::Ordering;

/// What the calling thread runs.
#[derive(Debug)]
pub(super) struct Running {
    pub(super) ticket: Arc<Ticket>,
    pub(super) footprint: Footprint,
    pub(super) label: String,
    /// Whether a kernel and the host may have told each other something meanwhile.
    pub(super) talks: bool,
    /// What was found before it ended.
    pub(super) found: Vec<Finding>,
    pub(super) dependent: Dependent,
}

thread_local! {
    /// What the thread runs, while it does: there is nothing for a destructor, after which a thread that ends could run nothing more.
    pub(super) static RUNNING: RefCell<ManuallyDrop<Option<Running>>> = const { RefCell::new(ManuallyDrop::new(None)) };
}

/// Whether what the calling thread does now is to be told.
pub(crate) fn is_collecting() -> bool {
    RUNNING.with_borrow(|running| {
        let wanted = |running: &Running| running.ticket.terms.launches.checks.race;
        running.as_ref().is_some_and(wanted)
    })
}

fn running(with: impl FnOnce(&mut Running)) {
    RUNNING.with_borrow_mut(|running| running.iter_mut().for_each(with_once(with)));
}

/// A closure that is called for at most one element.
fn with_once(with: impl FnOnce(&mut Running)) -> impl FnMut(&mut Running) {
    let mut with = Some(with);
    move |it| {
        if let Some(with) = with.take() {
            with(it);
        }
    }
}

/// The running operation reads bytes of memory that the driver knows.
pub(crate) fn reads(address: u64, bytes: u64) {
    running(|it| {
        it.footprint
            .read
            .push((address, address.saturating_add(bytes)))
    });
}

/// The same for bytes that it writes.
pub(crate) fn writes(address: u64, bytes: u64) {
    running(|it| {
        it.footprint
            .written
            .push((address, address.saturating_add(bytes)))
    });
}

/// The running operation gives bytes back, as if it wrote them: nobody may be at work on them any more.
pub(crate) fn frees(address: u64, bytes: u64, addresses: Addresses) {
    running(|it| {
        let written = vec![(address, address.saturating_add(bytes))];
        let now = PastOperation {
            ticket: it.ticket.clone(),
            footprint: Footprint {
                written,
                ..Footprint::default()
            },
            label: FREE.into(),
            shut: Vec::new(),
            dependent: Dependent::default(),
        };
        it.found
            .extend(with_state(|state| state.judge(&now, addresses)));
    });
}

/// What the running operation is, in words.
pub(crate) fn is_called(label: String) {
    running(|it| it.label = label);
}

/// The running operation is a kernel.
pub(crate) fn is_kernel() {
    running(|it| it.ticket.is_kernel.store(true, Ordering::Relaxed));
}

/// The kernel that runs has touched these bytes; `talks` where the host may have seen strong ones of them.
pub(crate) fn touched(footprint: Footprint, talks: bool) {
    running(|it| {
        it.footprint.join(footprint);
        it.talks |= talks;
    });
}

/// The kernel that runs is a launch that begins `early` and has not waited for the one ahead; whether it lets the next one begin.
pub(crate) fn dependent(early: bool, releases: bool) {
    running(|it| it.dependent = Dependent { early, releases });
}

/// The running operation tells the host, or whoever looks at memory, that what comes before it is over.
pub(crate) fn tells_host() {
    running(|it| {
        let clock = it.ticket.clock.lock().clone();
        with_state(|state| {
            state.host_learns(&clock);
            state.shut();
        });
    });
}

/// The running operation is a function of the program's, which runs here: it is told of what comes before it, and what it does to memory is the host's.
pub(crate) fn runs_on_host(function: impl FnOnce()) {
    tells_host();
    host_pages::device_ends();
    calling::in_callback(function);
    host_pages::device_begins();
}

/// The running operation has waited for something of which nobody knows who did it.
pub(crate) fn learns_all() {
    running(|it| {
        let number = with_state(|state| state.number);
        it.ticket.clock.lock().raise(number);
    });
}
