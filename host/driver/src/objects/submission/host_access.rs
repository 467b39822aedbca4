//! Reports the host's own loads and stores of memory that it shares with the device, under the
//! check of races.
//!
//! The accesses of an operation are known only when it has run ([`crate::objects::order`]). So a
//! call that submits an operation waits for a short time until it has run. Then the pages are
//! protected before the host continues, and every run of the program has the same findings. An
//! operation may itself wait for something that the host does later, so the time is limited for
//! each call and in total.

use crate::objects::context;
use crate::objects::fault::host_finding;
use crate::objects::memory;
use crate::objects::order;
use crate::objects::stream::work::Work;
use crate::{log, summary};
use std::cell::RefCell;
use std::mem::ManuallyDrop;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

/// The time in milliseconds that calls may wait in vain, in total.
static PATIENCE: AtomicU64 = AtomicU64::new(5000);

/// The time in milliseconds that a call may wait for work behind a host function, or behind a wait
/// for a word of memory. Each wait in vain leaves half of the time for the next one. Such a
/// function may wait for the very thread that waits here, and then it is rarely the only one.
static FOR_THE_PROGRAM: AtomicU64 = AtomicU64::new(200);

thread_local! {
    /// The last operation that the thread's current call has submitted. There is none between
    /// calls, so no destructor is needed. A destructor would run before those of the program's
    /// variables that were initialised earlier.
    static SUBMITTED: RefCell<ManuallyDrop<Option<Arc<Work>>>> = const { RefCell::new(ManuallyDrop::new(None)) };
}

/// Notes an operation that the calling thread's current call has submitted.
pub(crate) fn submitted(work: &Arc<Work>) {
    let ticket = work.ticket.as_ref();
    if ticket.is_some_and(|it| it.terms.launches.checks.race) && memory::any_shared() {
        SUBMITTED.with_borrow_mut(|submitted| **submitted = Some(work.clone()));
    }
}

/// Waits for the operation that the call has submitted.
pub(crate) fn settle() {
    let Some(work) = SUBMITTED.with_borrow_mut(|submitted| submitted.take()) else {
        return;
    };
    let left = PATIENCE.load(Ordering::Relaxed);
    let may_be_held = work.may_wait_for_host();
    let most = match may_be_held {
        true => left.min(FOR_THE_PROGRAM.load(Ordering::Relaxed)),
        false => left,
    };
    let begun = Instant::now();
    if work.wait_at_most(Duration::from_millis(most)) {
        return;
    }
    let taken = u64::try_from(begun.elapsed().as_millis()).unwrap_or(most);
    let less = |left: u64| Some(left.saturating_sub(taken));
    let _ = PATIENCE.fetch_update(Ordering::Relaxed, Ordering::Relaxed, less);
    if may_be_held {
        FOR_THE_PROGRAM.fetch_min(most / 2, Ordering::Relaxed);
    }
}

/// Reports the early accesses of the host's code since the last report.
pub(crate) fn tell() {
    for (terms, finding) in order::take_early_host_accesses(memory::ADDRESSES) {
        if let Err(error) = host_finding::told(&terms, vec![finding])
            && let Ok(context) = context::current_even_faulted()
        {
            context.set_fault(error);
        }
    }
}

/// Reports the same at the end of the process, when no call is left that could fail.
pub(crate) fn tell_at_end() {
    for (terms, finding) in order::take_early_host_accesses(memory::ADDRESSES) {
        if !terms.launches.quiet {
            log::found(&finding);
        }
        summary::found_on_host(finding);
    }
}
