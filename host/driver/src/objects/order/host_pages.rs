//! Pages of memory that host and device share, shut to the host for as long as it has not waited for what was done there.
//!
//! A load of the host's own code makes no call: nobody sees it but the processor. So the pages are taken away from it (`mprotect`), and the
//! handler of faults ([`super::host_fault`]) learns of the first access, gives the page back, and lets it go on. While operations run all pages are open, since
//! kernels and copies access them from this process too.
//!
//! The kernel refuses a system call to write to a page that is shut, without a signal. So what asks for pages to be shut asks for whole
//! ones only, every byte of which the host has to leave alone.

use parking_lot::Mutex;
#[cfg(target_os = "linux")]
use std::time::Duration;

/// How long a lock is waited for that a forked process may never get.
#[cfg(target_os = "linux")]
const PATIENCE: Duration = Duration::from_secs(1);

/// Bytes of a page. A host with other pages is left alone.
pub(crate) const PAGE: u64 = 4096;

/// What the host may still do with a page.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Allowed {
    Nothing,
    Reads,
}

/// Whole pages, by their first address and the one behind them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct ShutPages {
    pub(crate) start: u64,
    pub(crate) end: u64,
    pub(crate) left: Allowed,
}

/// Who is told that the calling thread has come to a page that was shut: at this address, and whether it writes.
pub(crate) type OnAccess = fn(u64, bool);

#[derive(Debug, Default)]
struct State {
    /// What is to be shut while nothing runs; the stretches are apart.
    wanted: Vec<ShutPages>,
    /// Whether it is.
    is_shut: bool,
    /// Operations that run.
    running: usize,
    /// All that ever was shut: a thread may come to it just before another opens it.
    ever: Vec<(u64, u64)>,
    tell: Option<OnAccess>,
}

static STATE: Mutex<State> = Mutex::new(State {
    wanted: Vec::new(),
    is_shut: false,
    running: 0,
    ever: Vec::new(),
    tell: None,
});

/// Has these pages shut from now on whenever nothing runs, and no others.
pub(crate) fn shut(pages: &[ShutPages], tell: OnAccess) {
    let mut state = STATE.lock();
    let wanted = apart(pages);
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

/// An operation begins to run.
pub(crate) fn device_begins() {
    let mut state = STATE.lock();
    state.running += 1;
    state.open();
}

/// An operation has run.
pub(crate) fn device_ends() {
    let mut state = STATE.lock();
    state.running -= 1;
    state.close();
}

impl State {
    fn open(&mut self) {
        if std::mem::take(&mut self.is_shut) {
            for it in &self.wanted {
                system::protect(it.start, it.end, None);
            }
        }
    }

    fn close(&mut self) {
        if self.is_shut || self.running > 0 || self.wanted.is_empty() || !system::is_listening() {
            return;
        }
        self.is_shut = true;
        for it in &self.wanted {
            system::protect(it.start, it.end, Some(it.left));
        }
    }

    /// Gives the page of an address back, if it is shut: what could be done with it.
    #[cfg(target_os = "linux")]
    fn give_back(&mut self, address: u64) -> Option<Allowed> {
        let at = self
            .wanted
            .iter()
            .position(|it| (it.start..it.end).contains(&address))
            .filter(|_| self.is_shut)?;
        let whole = self.wanted.remove(at);
        let page = address / PAGE * PAGE;
        let parts = [(whole.start, page), (page + PAGE, whole.end)];
        let rest = parts.into_iter().filter(|(start, end)| start < end);
        self.wanted.extend(rest.map(|(start, end)| ShutPages {
            start,
            end,
            ..whole
        }));
        system::protect(page, page + PAGE, None);
        Some(whole.left)
    }
}

/// Sorts stretches and makes one of those that meet.
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

/// The same pages in stretches that are apart; of two that overlap the one counts that leaves less.
fn apart(pages: &[ShutPages]) -> Vec<ShutPages> {
    let of = |left| {
        let some = pages.iter().filter(|it| it.left == left);
        let mut list: Vec<_> = some.map(|it| (it.start, it.end)).collect();
        join(&mut list);
        list
    };
    let nothing = of(Allowed::Nothing);
    let mut wanted = Vec::new();
    let mut add = |start, end, left| {
        if start < end {
            wanted.push(ShutPages { start, end, left });
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

/// Whether an address is in a page that was shut, now or before: access to it is possible again behind [`on_access`].
#[cfg(target_os = "linux")]
fn is_ours(address: u64) -> bool {
    // A process that was forked while another thread held the lock never gets it.
    let state = STATE.try_lock_for(PATIENCE);
    state.is_some_and(|state| state.ever.iter().any(|it| (it.0..it.1).contains(&address)))
}

/// The calling thread has come to such a page.
#[cfg(target_os = "linux")]
fn on_access(address: u64, writes: Option<bool>, has_room: bool) {
    let given = STATE.try_lock_for(PATIENCE).and_then(|mut state| {
        let left = state.give_back(address)?;
        Some((state.tell?, left))
    });
    // Nothing is given where somebody else has opened the page meanwhile.
    if let Some((tell, left)) = given
        && has_room
    {
        tell(address, writes.unwrap_or(left == Allowed::Reads));
    }
}

#[cfg(target_os = "linux")]
mod system {
    //! The host's side: page access, and faults.

    use super::super::host_fault::{self, Claim};
    use super::{Allowed, PAGE};
    use libc::c_void;

    /// Gives access to pages or takes it away.
    pub(super) fn protect(start: u64, end: u64, left: Option<Allowed>) {
        let access = match left {
            None => libc::PROT_READ | libc::PROT_WRITE,
            Some(Allowed::Reads) => libc::PROT_READ,
            Some(Allowed::Nothing) => libc::PROT_NONE,
        };
        let start: *mut c_void = std::ptr::with_exposed_provenance_mut(start as usize);
        // SAFETY: whole pages of a live pinned or managed allocation, which the simulated device's memory has mapped for reads and writes. Who
        // comes to one that is shut waits in the handler of faults until it is open again.
        unsafe { libc::mprotect(start, (end - start.addr() as u64) as usize, access) };
    }

    /// Whether the host's accesses to pages that are shut are told here.
    pub(super) fn is_listening() -> bool {
        let claim = Claim {
            is_ours: super::is_ours,
            on_access: super::on_access,
        };
        host_fault::pages_are_of(PAGE) && host_fault::is_listening(claim)
    }
}

#[cfg(not(target_os = "linux"))]
mod system {
    //! Other hosts tell of no accesses.

    use super::Allowed;

    pub(super) fn protect(_start: u64, _end: u64, _left: Option<Allowed>) {}

    pub(super) fn is_listening() -> bool {
        false
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn of_pages_that_overlap_the_one_counts_that_leaves_less() {
        let it = |start, end, left| ShutPages { start, end, left };
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
        assert_eq!(apart(&pages), expected);
    }
}
