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
//! When no thread can go on, nothing ever will, and the kernels that wait are deadlocked. Linux
//! shows what each thread does: `/proc/self/task/*/syscall` and `status` (proc(5)). All waits for
//! other threads are calls of `futex`. Where these files cannot be read, a kernel waits for ten
//! seconds.

use crate::log;
use lanewise_sim::{Outside, Waiting};
use parking_lot::Mutex;
use std::collections::HashSet;
use std::fs;
use std::io::{self, ErrorKind};
use std::time::{Duration, Instant};

/// How long a kernel waits if it cannot be known whether anything can come.
const UNKNOWN: Duration = Duration::from_secs(10);

/// How long a kernel waits until a message says so.
const TOLD: Duration = Duration::from_secs(10);

/// A thread's number in the operating system.
type Tid = i32;

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

fn this_thread() -> Tid {
    // SAFETY: the call has no conditions.
    unsafe { libc::gettid() }
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
    for entry in fs::read_dir("/proc/self/task")? {
        let name = entry?.file_name();
        let Some(thread) = name.to_str().and_then(|name| name.parse().ok()) else {
            continue;
        };
        if waiters.iter().any(|waiter| waiter.thread == thread) {
            continue;
        }
        let read = |file: &str| match fs::read_to_string(format!("/proc/self/task/{thread}/{file}"))
        {
            Ok(text) => Ok(Some(text)),
            // It has ended.
            Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
            Err(error) if error.raw_os_error() == Some(libc::ESRCH) => Ok(None),
            Err(error) => Err(error),
        };
        let Some(switches) = read("status")? else {
            return Ok(None);
        };
        let Some(call) = read("syscall")? else {
            return Ok(None);
        };
        let calls = CALLERS
            .lock()
            .as_ref()
            .is_some_and(|it| it.contains(&thread));
        if !waits(&call, calls) {
            return Ok(None);
        }
        rest.push((thread, times(&switches)));
    }
    rest.sort_unstable();
    Ok(Some(rest))
}

/// Returns whether a thread waits for another thread, from its system call with the arguments. A
/// thread that `calls` the driver must wait without a limit of time.
fn waits(call: &str, calls: bool) -> bool {
    const COMMAND: u64 = 0x7f;
    let mut words = call.split_ascii_whitespace();
    if words.next().and_then(|number| number.parse().ok()) != Some(libc::SYS_futex) {
        return false;
    }
    let mut words = words.map(|word| u64::from_str_radix(word.trim_start_matches("0x"), 16));
    let operation = words
        .nth(1)
        .and_then(Result::ok)
        .map(|it| (it & COMMAND) as i32);
    let limit = words.nth(1).and_then(Result::ok);
    let waits = matches!(operation, Some(libc::FUTEX_WAIT | libc::FUTEX_WAIT_BITSET));
    waits && (limit == Some(0) || !calls)
}

/// Returns how often a thread was switched off, from its status.
fn times(status: &str) -> u64 {
    let counts = status
        .lines()
        .filter(|line| line.contains("ctxt_switches:"));
    let counts =
        counts.filter_map(|line| line.split_ascii_whitespace().last()?.parse::<u64>().ok());
    counts.sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_wait_for_a_thread_is_told_from_other_waits() {
        let futex = |operation: &str, limit: &str| {
            let number = libc::SYS_futex;
            format!(
                "{number} 0x565486063e50 {operation} 0x0 {limit} 0x0 0xffffffff 0x7f11 0x7f12\n"
            )
        };
        assert!(waits(&futex("0x189", "0x0"), true));
        assert!(waits(&futex("0x80", "0x0"), false));
        // For a limited time: who calls the driver goes on by itself.
        assert!(!waits(&futex("0x89", "0x7f116bffe9f0"), true));
        assert!(waits(&futex("0x89", "0x7f116bffe9f0"), false));
        // A wake-up is no wait; neither is a sleep, nor anything that runs.
        assert!(!waits(&futex("0x81", "0x0"), false));
        assert!(!waits(
            "230 0x1 0x1 0x7f1170f96ab0 0x0 0x0 0x0 0x7f1170f96a70 0x7f1171eed545",
            false
        ));
        assert!(!waits("running\n", false));
    }

    #[test]
    fn switches_of_both_kinds_count() {
        let status = "Name:\tt\nvoluntary_ctxt_switches:\t21\nnonvoluntary_ctxt_switches:\t4\n";
        assert_eq!(times(status), 25);
    }
}
