//! What the threads of this process do: `/proc/self/task/*/syscall` and `status` (proc(5)). All
//! waits for other threads are calls of `futex`.

use super::super::Waits;
use std::fs;
use std::io::{self, ErrorKind};
use std::sync::OnceLock;

/// A thread's number in the operating system.
pub(crate) type Tid = i32;

/// What a thread does.
pub(crate) struct State {
    /// Whether it waits for another thread.
    pub(crate) waits: Waits,
    /// How often it was switched off.
    pub(crate) switches: u64,
}

pub(crate) fn this_thread() -> Tid {
    // SAFETY: the call has no conditions.
    unsafe { libc::gettid() }
}

/// Returns the threads of this process.
///
/// # Errors
/// What they do is not known.
pub(crate) fn all() -> io::Result<Vec<Tid>> {
    if is_emulated() {
        return Err(ErrorKind::Unsupported.into());
    }
    let mut all = Vec::new();
    for entry in fs::read_dir("/proc/self/task")? {
        let name = entry?.file_name();
        all.extend(name.to_str().and_then(|name| name.parse::<Tid>().ok()));
    }
    Ok(all)
}

/// Returns what a thread does, or nothing if it has ended.
///
/// # Errors
/// It cannot be read.
pub(crate) fn state(thread: Tid) -> io::Result<Option<State>> {
    let Some(status) = read(thread, "status")? else {
        return Ok(None);
    };
    let Some(call) = read(thread, "syscall")? else {
        return Ok(None);
    };
    Ok(Some(State {
        waits: waits(&call),
        switches: switches(&status),
    }))
}

fn read(thread: Tid, file: &str) -> io::Result<Option<String>> {
    match fs::read_to_string(format!("/proc/self/task/{thread}/{file}")) {
        Ok(text) => Ok(Some(text)),
        // It has ended.
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
        Err(error) if error.raw_os_error() == Some(libc::ESRCH) => Ok(None),
        Err(error) => Err(error),
    }
}

/// Returns the number of a system call.
fn number(call: &str) -> Option<i64> {
    call.split_ascii_whitespace().next()?.parse().ok()
}

/// Returns whether an emulator, such as `qemu-user`, makes the system calls of this process. Then
/// the kernel shows those of the emulator's processor, whose numbers are others: this thread
/// reads, and is shown to do something else.
fn is_emulated() -> bool {
    static IS: OnceLock<bool> = OnceLock::new();
    *IS.get_or_init(|| {
        let call = read(this_thread(), "syscall").ok().flatten();
        call.and_then(|call| number(&call)) != Some(libc::SYS_read)
    })
}

/// Returns how a thread waits for another thread, from its system call with the arguments.
fn waits(call: &str) -> Waits {
    const COMMAND: u64 = 0x7f;
    if number(call) != Some(libc::SYS_futex) {
        return Waits::No;
    }
    let words = call.split_ascii_whitespace().skip(1);
    let mut words = words.map(|word| u64::from_str_radix(word.trim_start_matches("0x"), 16));
    let operation = words
        .nth(1)
        .and_then(Result::ok)
        .map(|it| (it & COMMAND) as i32);
    let limit = words.nth(1).and_then(Result::ok);
    match operation {
        Some(libc::FUTEX_WAIT | libc::FUTEX_WAIT_BITSET) if limit == Some(0) => Waits::Forever,
        Some(libc::FUTEX_WAIT | libc::FUTEX_WAIT_BITSET) => Waits::ForATime,
        _ => Waits::No,
    }
}

/// Returns how often a thread was switched off, from its status.
fn switches(status: &str) -> u64 {
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
            waits(&format!(
                "{number} 0x565486063e50 {operation} 0x0 {limit} 0x0 0xffffffff 0x7f11 0x7f12\n"
            ))
        };
        assert_eq!(futex("0x189", "0x0"), Waits::Forever);
        assert_eq!(futex("0x80", "0x0"), Waits::Forever);
        assert_eq!(futex("0x89", "0x7f116bffe9f0"), Waits::ForATime);
        // A wake-up is no wait; neither is a sleep, nor anything that runs.
        assert_eq!(futex("0x81", "0x0"), Waits::No);
        let sleep = "1230 0x1 0x1 0x7f1170f96ab0 0x0 0x0 0x0 0x7f1170f96a70 0x7f1171eed545";
        assert_eq!(waits(sleep), Waits::No);
        assert_eq!(waits("running\n"), Waits::No);
    }

    #[test]
    fn switches_of_both_kinds_count() {
        let status = "Name:\tt\nvoluntary_ctxt_switches:\t21\nnonvoluntary_ctxt_switches:\t4\n";
        assert_eq!(switches(status), 25);
    }
}
