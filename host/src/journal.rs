//! The launches on a GPU that may not have ended. An error after a fault names them.
//!
//! NVIDIA's driver reports that a kernel has faulted, but not which one. It is one of the kernels
//! that were launched since the last wait for the device or for their stream. So the error names
//! these, with the lines that launched them. Nothing is kept for the simulator, because its report
//! names the kernel, the line and the thread.
//! Source: CUDA driver API, "asynchronous errors" of `cuCtxSynchronize`; CUDA C++
//! Programming Guide, `CUDA_LAUNCH_BLOCKING`.

use std::borrow::Cow;
use std::fmt::{self, Write};
use std::panic::Location;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// The maximum number of launches that are named.
const MOST: usize = 16;

/// The last launches of the process.
static JOURNAL: Mutex<Journal> = Mutex::new(Journal::EMPTY);

#[derive(Debug)]
struct Journal {
    /// A ring, with empty places for those that are done.
    launches: [Option<Launch>; MOST],
    /// The place of the oldest launch, and of the next one.
    next: usize,
    /// The number of older launches that were forgotten.
    forgotten: usize,
}

/// What was launched.
#[derive(Debug)]
pub(crate) enum What {
    /// A kernel, by its name.
    Kernel(Cow<'static, str>),
    /// A graph of any size.
    Graph,
}

impl fmt::Display for What {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Kernel(name) => write!(f, "kernel `{name}`"),
            Self::Graph => f.write_str("a graph"),
        }
    }
}

#[derive(Debug)]
struct Launch {
    what: What,
    device: usize,
    /// The stream's handle.
    stream: usize,
    at: &'static Location<'static>,
}

fn journal() -> MutexGuard<'static, Journal> {
    JOURNAL.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Notes a launch on the stream with this handle.
pub(crate) fn launched(what: What, device: usize, stream: usize, at: &'static Location<'static>) {
    journal().note(Launch {
        what,
        device,
        stream,
        at,
    });
}

/// Notes that everything on the device has run, or everything on one of its streams.
pub(crate) fn done(device: usize, stream: Option<usize>) {
    journal().forget(|launch| {
        launch.device == device && stream.is_none_or(|stream| launch.stream == stream)
    });
}

/// Returns the launches that may have faulted, as text, or `None` if there are none.
pub(crate) fn suspects() -> Option<String> {
    journal().suspects()
}

impl Journal {
    const EMPTY: Self = Self {
        launches: [const { None }; MOST],
        next: 0,
        forgotten: 0,
    };

    fn note(&mut self, launch: Launch) {
        let oldest = &mut self.launches[self.next];
        self.forgotten += usize::from(oldest.is_some());
        *oldest = Some(launch);
        self.next = (self.next + 1) % MOST;
    }

    fn forget(&mut self, is_done: impl Fn(&Launch) -> bool) {
        for place in &mut self.launches {
            place.take_if(|launch| is_done(launch));
        }
        if self.launches.iter().all(Option::is_none) {
            self.forgotten = 0;
        }
    }

    fn suspects(&self) -> Option<String> {
        let (newer, older) = self.launches.split_at(self.next);
        let launches = || older.iter().chain(newer).flatten();
        launches().next()?;
        let mut text = String::new();
        if launches().count() + self.forgotten > 1 {
            text.push_str(
                "one of these, none of which has been waited for (with CUDA_LAUNCH_BLOCKING=1 each launch waits, and the faulty one has the error):\n",
            );
        }
        for launch in launches() {
            // Writing to a string cannot fail.
            let _ = writeln!(text, "{} was launched at {}", launch.what, launch.at);
        }
        if self.forgotten > 0 {
            let _ = writeln!(text, "or of {} earlier ones", self.forgotten);
        }
        Some(text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn launch(what: &str, stream: usize) -> Launch {
        Launch {
            what: What::Kernel(what.to_owned().into()),
            device: 0,
            stream,
            at: Location::caller(),
        }
    }

    #[test]
    fn one_launch_is_named_and_several_are_suspected() {
        let mut journal = Journal::EMPTY;
        assert_eq!(journal.suspects(), None);
        journal.note(launch("a", 1));
        let text = journal.suspects().expect("one");
        assert!(text.starts_with("kernel `a` was launched at "), "{text}");
        journal.note(launch("b", 2));
        let text = journal.suspects().expect("two");
        assert!(
            text.starts_with("one of these") && text.contains("`a`") && text.contains("`b`"),
            "{text}"
        );
        journal.forget(|launch| launch.stream == 1);
        let text = journal.suspects().expect("one is left");
        assert!(text.starts_with("kernel `b`"), "{text}");
    }

    #[test]
    fn older_launches_are_counted() {
        let mut journal = Journal::EMPTY;
        for number in 0..MOST + 3 {
            journal.note(launch(&format!("k{number}"), 1));
        }
        let text = journal.suspects().expect("many");
        assert!(text.contains("`k3`") && !text.contains("`k2`"), "{text}");
        assert!(text.ends_with("or of 3 earlier ones\n"), "{text}");
        journal.forget(|_| true);
        assert_eq!((journal.suspects(), journal.forgotten), (None, 0));
    }
}
