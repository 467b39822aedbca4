//! Page protection for memory that host and device share, for as long as the host has not waited
//! for the operation that was at work there.
//!
//! A load of the host's own code calls nobody, so only the processor can catch it. The pages are
//! protected with `mprotect`; the SIGSEGV handler (`fault` of the platform) learns of the first
//! access, opens the page, and lets the code go on. All pages are open while an operation runs,
//! since the simulated kernels and copies access them from this process too.
//!
//! A system call that is given a protected page fails with `EFAULT` and raises no signal. So a page
//! is protected only if the host has to keep away from every byte of it.

pub(crate) use crate::platform::{Allowed, PAGE};
use crate::platform::{Claim, pages};
use parking_lot::Mutex;
use std::time::Duration;

/// How long to wait for a lock: in a forked process another thread's lock may never be released.
const PATIENCE: Duration = Duration::from_secs(1);

/// A range of whole pages to protect, and what the host may still do there.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct ProtectedPages {
    pub(crate) start: u64,
    pub(crate) end: u64,
    pub(crate) allowed: Allowed,
}

/// Called in the thread that accessed a protected page, with the address and whether it writes.
pub(crate) type OnAccess = fn(u64, bool);

#[derive(Debug, Default)]
struct State {
    /// What to protect while no operation runs. The ranges do not overlap.
    wanted: Vec<ProtectedPages>,
    /// Whether it is protected now.
    is_protected: bool,
    /// How many operations run.
    running: usize,
    /// All that ever was protected: one thread may fault there just as another opens it.
    ever: Vec<(u64, u64)>,
    tell: Option<OnAccess>,
}

static STATE: Mutex<State> = Mutex::new(State {
    wanted: Vec::new(),
    is_protected: false,
    running: 0,
    ever: Vec::new(),
    tell: None,
});

/// From now on, protects these pages and no others whenever no operation runs.
pub(crate) fn protect(pages: &[ProtectedPages], tell: OnAccess) {
    let mut state = STATE.lock();
    let wanted = without_overlaps(pages);
    if wanted == state.wanted {
        return;
    }
    state.open();
    state
        .ever
        .extend(wanted.iter().map(|it| (it.start, it.end)));
    join(&mut state.ever);
    state.wanted = wanted;
    state.tell = Some(tell);
    state.close();
}

/// An operation begins to run: all pages are opened.
pub(crate) fn device_begins() {
    let mut state = STATE.lock();
    state.running += 1;
    state.open();
}

/// An operation has run: after the last one the pages are protected again.
pub(crate) fn device_ends() {
    let mut state = STATE.lock();
    state.running -= 1;
    state.close();
}

impl State {
    fn open(&mut self) {
        if std::mem::take(&mut self.is_protected) {
            for it in &self.wanted {
                pages::protect(it.start, it.end, None);
            }
        }
    }

    fn close(&mut self) {
        if self.is_protected || self.running > 0 || self.wanted.is_empty() || !is_listening() {
            return;
        }
        self.is_protected = true;
        for it in &self.wanted {
            pages::protect(it.start, it.end, Some(it.allowed));
        }
    }

    /// Opens the page of an address if it is protected. Returns what was allowed there until now.
    fn give_back(&mut self, address: u64) -> Option<Allowed> {
        let at = self
            .wanted
            .iter()
            .position(|it| (it.start..it.end).contains(&address))
            .filter(|_| self.is_protected)?;
        let whole = self.wanted.remove(at);
        let page = address / PAGE * PAGE;
        let parts = [(whole.start, page), (page + PAGE, whole.end)];
        let rest = parts.into_iter().filter(|(start, end)| start < end);
        self.wanted.extend(rest.map(|(start, end)| ProtectedPages {
            start,
            end,
            ..whole
        }));
        pages::protect(page, page + PAGE, None);
        Some(whole.allowed)
    }
}

/// Sorts ranges, and joins those that touch or overlap.
fn join(list: &mut Vec<(u64, u64)>) {
    list.sort_unstable();
    list.dedup_by(|next, last| {
        let meet = next.0 <= last.1;
        if meet {
            last.1 = last.1.max(next.1);
        }
        meet
    });
}

/// The same pages as ranges that do not overlap. Where two did, the stricter protection counts.
fn without_overlaps(pages: &[ProtectedPages]) -> Vec<ProtectedPages> {
    let of = |allowed| {
        let some = pages.iter().filter(|it| it.allowed == allowed);
        let mut list: Vec<_> = some.map(|it| (it.start, it.end)).collect();
        join(&mut list);
        list
    };
    let nothing = of(Allowed::Nothing);
    let mut wanted = Vec::new();
    let mut add = |start, end, allowed| {
        if start < end {
            wanted.push(ProtectedPages {
                start,
                end,
                allowed,
            });
        }
    };
    for (mut start, end) in of(Allowed::Reads) {
        for &(from, to) in &nothing {
            if from < end && to > start {
                add(start, from, Allowed::Reads);
                start = to;
            }
        }
        add(start, end, Allowed::Reads);
    }
    for (start, end) in nothing {
        add(start, end, Allowed::Nothing);
    }
    wanted
}

/// Whether accesses to protected pages can be caught.
fn is_listening() -> bool {
    pages::is_listening(Claim { is_ours, on_access })
}

/// Whether an address is in a page that is or was protected: after [`on_access`]
/// the access succeeds.
fn is_ours(address: u64) -> bool {
    // See `PATIENCE`.
    let state = STATE.try_lock_for(PATIENCE);
    state.is_some_and(|state| state.ever.iter().any(|it| (it.0..it.1).contains(&address)))
}

/// The calling thread has accessed such a page.
fn on_access(address: u64, writes: Option<bool>, has_room: bool) {
    let given = STATE.try_lock_for(PATIENCE).and_then(|mut state| {
        let allowed = state.give_back(address)?;
        Some((state.tell?, allowed))
    });
    // `None` if another thread has opened the page meanwhile.
    if let Some((tell, allowed)) = given
        && has_room
    {
        tell(address, writes.unwrap_or(allowed == Allowed::Reads));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn of_pages_that_overlap_the_one_counts_that_leaves_less() {
        let it = |start, end, allowed| ProtectedPages {
            start,
            end,
            allowed,
        };
        let (reads, nothing) = (Allowed::Reads, Allowed::Nothing);
        let pages = [
            it(0, 10, reads),
            it(2, 4, nothing),
            it(8, 14, nothing),
            it(20, 22, reads),
            it(21, 30, reads),
        ];
        let expected = [
            it(0, 2, reads),
            it(4, 8, reads),
            it(20, 30, reads),
            it(2, 4, nothing),
            it(8, 14, nothing),
        ];
        assert_eq!(without_overlaps(&pages), expected);
    }
}
