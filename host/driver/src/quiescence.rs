//! Whether anything in the process can still run by itself.
//!
//! A kernel may spin on memory that another stream or a thread of the program changes later. Such a
//! kernel waits for as long as something can still come, however long that takes. What can come is
//! known from the threads of the process: streams run their operations on threads, too.
//!
//! - A thread that waits for another thread (for a lock, a channel, the end of a thread or of work
//!   on the device) can do nothing until that thread lets it go on. If it waits for a limited time,
//!   it goes on by itself. But a thread that has never called the driver counts as waiting then,
//!   too, because harnesses and idle workers wait like that.
//! - A thread whose kernel makes no progress ([`Waiter`]) looks at its memory again and again. It
//!   can do nothing if it has looked since anything else ran.
//! - Any other thread can go on: it computes, sleeps, or waits for a file, a socket or a signal.
//!
//! When no thread can go on, nothing ever will, and the kernels that wait are deadlocked. Where the
//! operating system does not say what threads do, a kernel waits for ten seconds.

use crate::log;
use crate::platform::Waits;
use crate::platform::threads::{self, Tid, this_thread};
use lanewise_sim::{Outside, Waiting};
use parking_lot::Mutex;
use std::collections::HashSet;
use std::io;
use std::time::{Duration, Instant};

/// How long a kernel waits if it cannot be known whether anything can come.
const UNKNOWN: Duration = Duration::from_secs(10);

/// How long a kernel waits until a message says so.
const TOLD: Duration = Duration::from_secs(10);

/// The threads that have called the driver.
static CALLERS: Mutex<Option<HashSet<Tid>>> = Mutex::new(None);

/// The threads whose kernels make no progress.
static WAITERS: Mutex<Vec<Entry>> = Mutex::new(Vec::new());

/// A thread whose kernel makes no progress.
struct Entry {
    thread: Tid,
    /// Whether it is a kernel, and not an operation that waits for a word of memory.
    is_kernel: bool,
    /// The state of the process in which it looked last, if nothing ran meanwhile.
    looked: Option<Rest>,
}

/// The state of a process in which no thread can go on: its threads, and how often each has begun
/// to wait.
type Rest = Vec<(Tid, u64)>;

/// Notes that the calling thread calls the driver.
pub(crate) fn calls() {
    thread_local! {
        static KNOWN: std::cell::Cell<bool> = const { std::cell::Cell::new(false) };
    }
    if !KNOWN.replace(true) {
        let mut callers = CALLERS.lock();
        callers.get_or_insert_default().insert(this_thread());
    }
}

/// Returns whether a kernel makes no progress.
pub(crate) fn any_kernel_waits() -> bool {
    WAITERS.lock().iter().any(|it| it.is_kernel)
}

/// What goes on outside of a kernel: the program and its other streams.
pub(crate) struct Process<'a> {
    /// The name of the kernel.
    pub(crate) kernel: &'a str,
}

impl Outside for Process<'_> {
    fn wait(&self) -> Box<dyn Waiting + '_> {
        Box::new(Waiter::new(Some(self.kernel)))
    }
}

/// The calling thread, while what it runs on the device makes no progress.
pub(crate) struct Waiter<'a> {
    kernel: Option<&'a str>,
    since: Instant,
    told: bool,
    /// The state of the process before the last look.
    before: io::Result<Option<Rest>>,
}

impl<'a> Waiter<'a> {
    pub(crate) fn new(kernel: Option<&'a str>) -> Self {
        WAITERS.lock().push(Entry {
            thread: this_thread(),
            is_kernel: kernel.is_some(),
            looked: None,
        });
        Self {
            kernel,
            since: Instant::now(),
            told: false,
            before: Ok(None),
        }
    }

    /// Says, once, that the kernel waits.
    fn tell(&mut self) {
        let Some(kernel) = self
            .kernel
            .filter(|_| self.since.elapsed() > TOLD && !self.told)
        else {
            return;
        };
        self.told = true;
        log::warn(&format!(
            "kernel `{kernel}` makes no progress: its threads spin on memory, which other streams or threads of the program can still change"
        ));
    }
}

impl Waiting for Waiter<'_> {
    fn looks(&mut self) {
        self.before = at_rest(&WAITERS.lock());
    }

    fn may_end(&mut self) -> bool {
        let may = {
            let waiters = &mut *WAITERS.lock();
            let (before, now) = (
                std::mem::replace(&mut self.before, Ok(None)),
                at_rest(waiters),
            );
            let thread = this_thread();
            match (before, now) {
                (Ok(Some(before)), Ok(Some(now))) if before == now => {
                    let own = waiters.iter_mut().filter(|it| it.thread == thread);
                    own.for_each(|it| it.looked = Some(now.clone()));
                    waiters.iter().any(|it| it.looked.as_ref() != Some(&now))
                }
                (Ok(_), Ok(_)) => true,
                _ => self.since.elapsed() < UNKNOWN,
            }
        };
        if may {
            self.tell();
        }
        may
    }
}

impl Drop for Waiter<'_> {
    fn drop(&mut self) {
        let (mut waiters, thread) = (WAITERS.lock(), this_thread());
        if let Some(at) = waiters.iter().position(|it| it.thread == thread) {
            waiters.swap_remove(at);
        }
    }
}

/// Returns the state of the process, if no thread other than the waiters can go on by itself.
///
/// # Errors
/// The state of a thread cannot be read.
fn at_rest(waiters: &[Entry]) -> io::Result<Option<Rest>> {
    // The threads are looked at one after another. If none has run between two such rounds, all of
    // them waited at the end of the first.
    let Some(first) = look(waiters)? else {
        return Ok(None);
    };
    let second = look(waiters)?;
    Ok(second.filter(|second| *second == first))
}

/// Looks at each thread. Returns nothing if one can go on by itself.
fn look(waiters: &[Entry]) -> io::Result<Option<Rest>> {
    let mut rest = Rest::new();
    for thread in threads::all()? {
        if waiters.iter().any(|waiter| waiter.thread == thread) {
            continue;
        }
        // If it has ended, another one may have seen that.
        let Some(state) = threads::state(thread)? else {
            return Ok(None);
        };
        let calls = CALLERS
            .lock()
            .as_ref()
            .is_some_and(|it| it.contains(&thread));
        match state.waits {
            Waits::Forever => {}
            Waits::ForATime if !calls => {}
            Waits::ForATime | Waits::No => return Ok(None),
        }
        rest.push((thread, state.switches));
    }
    rest.sort_unstable();
    Ok(Some(rest))
}
