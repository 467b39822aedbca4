//! The operation that the calling thread runs, and the accesses that it reports.

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

/// The operation that the calling thread runs.
#[derive(Debug)]
pub(super) struct Running {
    pub(super) ticket: Arc<Ticket>,
    pub(super) footprint: Footprint,
    pub(super) label: String,
    /// Whether a kernel and the host may have exchanged flags meanwhile.
    pub(super) talks: bool,
    /// Races that were found before it ended.
    pub(super) found: Vec<Finding>,
    pub(super) dependent: Dependent,
}

thread_local! {
    /// Not dropped when the thread ends: after a destructor ran, operations that come while the
    /// thread ends could not use it.
    pub(super) static RUNNING: RefCell<ManuallyDrop<Option<Running>>> = const { RefCell::new(ManuallyDrop::new(None)) };
}

/// Whether the accesses of the calling thread's operation are wanted.
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

/// The running operation reads bytes of an allocation.
pub(crate) fn reads(address: u64, bytes: u64) {
    running(|it| {
        it.footprint
            .read
            .push((address, address.saturating_add(bytes)))
    });
}

/// The running operation writes bytes of an allocation.
pub(crate) fn writes(address: u64, bytes: u64) {
    running(|it| {
        it.footprint
            .written
            .push((address, address.saturating_add(bytes)))
    });
}

/// The running operation frees bytes. It counts as a write: no unordered operation may touch them.
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
            protected: Vec::new(),
            dependent: Dependent::default(),
        };
        it.found
            .extend(with_state(|state| state.races(&now, addresses)));
    });
}

/// Says what the running operation is, for reports.
pub(crate) fn set_label(label: String) {
    running(|it| it.label = label);
}

/// Says that the running operation is a kernel.
pub(crate) fn mark_kernel() {
    running(|it| it.ticket.is_kernel.store(true, Ordering::Relaxed));
}

/// The running kernel has touched these bytes; `talks` says whether the host may have seen strong
/// accesses among them.
pub(crate) fn touched(footprint: Footprint, talks: bool) {
    running(|it| {
        it.footprint.join(footprint);
        it.talks |= talks;
    });
}

/// Says what the running kernel's part in programmatic dependent launch was; see [`Dependent`].
pub(crate) fn dependent(early: bool, releases: bool) {
    running(|it| it.dependent = Dependent { early, releases });
}

/// The running operation signals the host (or any reader of memory): what happens before it is over
/// for the host, too.
pub(crate) fn release_to_host() {
    running(|it| {
        let clock = it.ticket.clock.lock().clone();
        with_state(|state| {
            state.host_learns(&clock);
            state.protect();
        });
    });
}

/// Runs a function of the program as the running operation. What happens before it is over for the
/// host, and its accesses are the host's.
pub(crate) fn runs_on_host(function: impl FnOnce()) {
    release_to_host();
    host_pages::device_ends();
    calling::in_callback(function);
    host_pages::device_begins();
}

/// The running operation has waited for a value in memory. Who wrote it is not known, so all that
/// was submitted counts as over.
pub(crate) fn acquire_all() {
    running(|it| {
        let number = with_state(|state| state.number);
        it.ticket.clock.lock().raise(number);
    });
}
