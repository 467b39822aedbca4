//! Pages of memory that host and device share, shut to the host for as long as it has not waited for what was done there.
//!
//! A load of the host's own code makes no call: nobody sees it but the processor. So the pages are taken away from it (`mprotect`), and a
//! handler of SIGSEGV learns of the first access, gives the page back, and lets it go on. While operations run all pages are open, since
//! kernels and copies access them from this process too.
//!
//! The kernel refuses a system call to write to a page that is shut, without a signal. So what asks for pages to be shut asks for whole
//! ones only, every byte of which the host has to leave alone.

use parking_lot::Mutex;

/// Bytes of a page. A host with other pages is left alone.
pub(crate) const PAGE: u64 = 4096;

/// What the host may still do with a page.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Left {
    Nothing,
    Reads,
}

/// Whole pages, by their first address and the one behind them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Shut {
    pub(crate) start: u64,
    pub(crate) end: u64,
    pub(crate) left: Left,
}

/// Who is told that the calling thread has come to a page that was shut: at this address, and whether it writes.
pub(crate) type Tell = fn(u64, bool);

#[derive(Debug, Default)]
struct State {
    /// What is to be shut while nothing runs; the stretches are apart.
    wanted: Vec<Shut>,
    /// Whether it is.
    is_shut: bool,
    /// Operations that run.
    running: usize,
    /// All that ever was shut: a thread may come to it just before another opens it.
    ever: Vec<(u64, u64)>,
    tell: Option<Tell>,
}

static STATE: Mutex<State> = Mutex::new(State {
    wanted: Vec::new(),
    is_shut: false,
    running: 0,
    ever: Vec::new(),
    tell: None,
});

/// Has these pages shut from now on whenever nothing runs, and no others.
pub(crate) fn shut(pages: &[Shut], tell: Tell) {
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
    fn give_back(&mut self, address: u64) -> Option<Left> {
        let at = self
            .wanted
            .iter()
            .position(|it| (it.start..it.end).contains(&address))
            .filter(|_| self.is_shut)?;
        let whole = self.wanted.remove(at);
        let page = address / PAGE * PAGE;
        let parts = [(whole.start, page), (page + PAGE, whole.end)];
        let rest = parts.into_iter().filter(|(start, end)| start < end);
        self.wanted.extend(rest.map(|(start, end)| Shut {
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
fn apart(pages: &[Shut]) -> Vec<Shut> {
    let of = |left| {
        let some = pages.iter().filter(|it| it.left == left);
        let mut list: Vec<_> = some.map(|it| (it.start, it.end)).collect();
        join(&mut list);
        list
    };
    let nothing = of(Left::Nothing);
    let mut wanted = Vec::new();
    let mut add = |start, end, left| {
        if start < end {
            wanted.push(Shut { start, end, left });
        }
    };
    for (mut start, end) in of(Left::Reads) {
        for &(from, to) in &nothing {
            if from < end && to > start {
                add(start, from, Left::Reads);
                start = to;
            }
        }
        add(start, end, Left::Reads);
    }
    for (start, end) in nothing {
        add(start, end, Left::Nothing);
    }
    wanted
}

#[cfg(target_os = "linux")]
mod system {
    //! The host's side: page access and the signal.

    use super::{Left, PAGE, STATE, Tell};
    use libc::{c_int, c_void, siginfo_t};
    use std::sync::OnceLock;
    use std::time::Duration;

    /// What was there before this handler; nothing where the host does not let it be set.
    static BEFORE: OnceLock<Option<libc::sigaction>> = OnceLock::new();

    type Handler = extern "C" fn(c_int, *mut siginfo_t, *mut c_void);

    /// Gives access to pages or takes it away.
    pub(super) fn protect(start: u64, end: u64, left: Option<Left>) {
        let access = match left {
            None => libc::PROT_READ | libc::PROT_WRITE,
            Some(Left::Reads) => libc::PROT_READ,
            Some(Left::Nothing) => libc::PROT_NONE,
        };
        let start: *mut c_void = std::ptr::with_exposed_provenance_mut(start as usize);
        // SAFETY: whole pages of a live pinned or managed allocation, which the simulated device's memory has mapped for reads and writes. Who
        // comes to one that is shut waits in the handler below until it is open again.
        unsafe { libc::mprotect(start, (end - start.addr() as u64) as usize, access) };
    }

    /// Whether faults come to the handler here: it is set when it is first needed, and a program may set another one.
    pub(super) fn is_listening() -> bool {
        if BEFORE.get_or_init(listen).is_none() {
            return false;
        }
        // SAFETY: reads what is set into a place for it.
        unsafe {
            let mut now: libc::sigaction = std::mem::zeroed();
            libc::sigaction(libc::SIGSEGV, std::ptr::null(), &mut now) == 0
                && now.sa_sigaction == on_fault as Handler as usize
        }
    }

    fn listen() -> Option<libc::sigaction> {
        // SAFETY: a name of a value; all-zero is a valid `sigaction`, and the handler has the signature that `SA_SIGINFO` asks for.
        unsafe {
            if libc::sysconf(libc::_SC_PAGESIZE) as u64 != PAGE {
                return None;
            }
            let mut handler: libc::sigaction = std::mem::zeroed();
            handler.sa_sigaction = on_fault as Handler as usize;
            // On the thread's own stack: the small one for signals has no room for a walk through the callers.
            handler.sa_flags = libc::SA_SIGINFO;
            let mut before: libc::sigaction = std::mem::zeroed();
            (libc::sigaction(libc::SIGSEGV, &handler, &mut before) == 0).then_some(before)
        }
    }

    /// What is to be done about a fault.
    enum Fault {
        /// The page was shut, and is open now.
        Told(Tell, Left),
        /// Somebody else has opened it meanwhile.
        Again,
        NotOurs,
    }

    /// It is the access of a thread that was outside of this crate, or in a copy: so no lock that is taken here is its own. What it runs
    /// inside of (a print, say) may hold others, so that nothing is written here.
    extern "C" fn on_fault(signal: c_int, info: *mut siginfo_t, context: *mut c_void) {
        // SAFETY: the kernel gives the handler of a fault its address; `errno` is the thread's own.
        let (address, errno) =
            unsafe { ((*info).si_addr().addr() as u64, *libc::__errno_location()) };
        match fault(address) {
            Fault::Told(tell, left) => tell(address, is_write(context, left)),
            Fault::Again => {}
            Fault::NotOurs => pass_on(signal, info, context),
        }
        // SAFETY: as above.
        unsafe { *libc::__errno_location() = errno };
    }

    fn fault(address: u64) -> Fault {
        // A process that was forked while another thread held the lock never gets it.
        let Some(mut state) = STATE.try_lock_for(Duration::from_secs(1)) else {
            return Fault::NotOurs;
        };
        match (state.tell, state.give_back(address)) {
            (Some(tell), Some(left)) => Fault::Told(tell, left),
            _ if state.ever.iter().any(|it| (it.0..it.1).contains(&address)) => Fault::Again,
            _ => Fault::NotOurs,
        }
    }

    /// Whether the access was a write; where the processor does not say, a page that could be read was written.
    fn is_write(context: *mut c_void, left: Left) -> bool {
        #[cfg(target_arch = "x86_64")]
        if !context.is_null() {
            // SAFETY: with `SA_SIGINFO` the kernel gives the interrupted thread's context.
            let error = unsafe {
                (*context.cast::<libc::ucontext_t>()).uc_mcontext.gregs[libc::REG_ERR as usize]
            };
            return error & 2 != 0;
        }
        let _ = context;
        left == Left::Reads
    }

    /// Does what would have been done without this handler.
    fn pass_on(signal: c_int, info: *mut siginfo_t, context: *mut c_void) {
        let before = BEFORE.get().and_then(Option::as_ref);
        // SAFETY: a handler is called with what its flags say that it takes; with the default set the access comes again, and ends the
        // process.
        unsafe {
            match before.map(|before| (before.sa_sigaction, before.sa_flags)) {
                None | Some((libc::SIG_DFL | libc::SIG_IGN, _)) => {
                    let mut default: libc::sigaction = std::mem::zeroed();
                    default.sa_sigaction = libc::SIG_DFL;
                    libc::sigaction(signal, &default, std::ptr::null_mut());
                }
                Some((handler, flags)) if flags & libc::SA_SIGINFO != 0 => {
                    std::mem::transmute::<usize, Handler>(handler)(signal, info, context);
                }
                Some((handler, _)) => {
                    std::mem::transmute::<usize, extern "C" fn(c_int)>(handler)(signal);
                }
            }
        }
    }
}

#[cfg(not(target_os = "linux"))]
mod system {
    //! Other hosts tell of no accesses.

    use super::Left;

    pub(super) fn protect(_start: u64, _end: u64, _left: Option<Left>) {}

    pub(super) fn is_listening() -> bool {
        false
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn of_pages_that_overlap_the_one_counts_that_leaves_less() {
        let it = |start, end, left| Shut { start, end, left };
        let (reads, nothing) = (Left::Reads, Left::Nothing);
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
