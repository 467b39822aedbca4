//! Under the check of races: reports the host's own loads and stores of memory that it shares with
//! the device.
//!
//! What an operation touches is known only when it has run ([`crate::objects::order`]). So a call
//! that submits an operation waits for a short time until it has run: then the pages are protected
//! before the host goes on, and every run of the program finds the same. An operation may itself
//! wait for something that the host does later, so the waiting is limited, for each call and in
//! all.

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

/// This many milliseconds calls may wait in vain, in all.
static PATIENCE: AtomicU64 = AtomicU64::new(5000);

/// This many a call may wait for what is behind a function of the program's, or a wait for a word
/// of memory. Each that waited in vain leaves half of it to the next: such a function may wait for
/// the very thread that waits here, and one that does is rarely the only one.
static FOR_THE_PROGRAM: AtomicU64 = AtomicU64::new(200);

thread_local! {
    /// What the call that the thread is in has submitted last. There is none between calls, and so
    /// nothing for a destructor, which would run before those of the program's variables that were
    /// there earlier.
    static SUBMITTED: RefCell<ManuallyDrop<Option<Arc<Work>>>> = const { RefCell::new(ManuallyDrop::new(None)) };
}

/// The call that the calling thread is in has submitted this.
pub(crate) fn submitted(work: &Arc<Work>) {
    let ticket = work.ticket.as_ref();
    if ticket.is_some_and(|it| it.terms.launches.checks.race) && memory::any_shared() {
        SUBMITTED.with_borrow_mut(|submitted| **submitted = Some(work.clone()));
    }
}

/// Waits for what the call has submitted.
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

/// Tells what the host's code did since it was told last.
pub(crate) fn tell() {
    for (terms, finding) in order::take_early_host_accesses(memory::ADDRESSES) {
        if let Err(error) = host_finding::told(&terms, vec![finding])
            && let Ok(context) = context::current_even_faulted()
        {
            context.set_fault(error);
        }
    }
}

/// The same when nothing runs any more that could be failed.
pub(crate) fn tell_at_end() {
    for (terms, finding) in order::take_early_host_accesses(memory::ADDRESSES) {
        if !terms.launches.quiet {
            log::found(&finding);
        }
        summary::found_on_host(finding);
    }
}
