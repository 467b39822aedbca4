//! The place where the program made or released something: the call, the line, and the
//! stack of callers.
//!
//! The stack is captured as plain addresses and resolved only when it is shown. It is captured only
//! if a check asks for it.

use crate::{calling, observe};
use lanewise_sim::SourcePlace;
use std::backtrace::Backtrace;
use std::cell::Cell;
use std::panic::Location;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::thread::ThreadId;

/// The most lines of a stack that a report shows.
const SHOWN: usize = 8;

/// The folder of this crate's sources; the host library's is beside it. Functions of these crates
/// that were inlined have names without a path, so the folder identifies them. (Crates from a
/// registry or from `git` have folders of their own, which [`own`] recognises.)
const DRIVER: &str = env!("CARGO_MANIFEST_DIR");

/// Prefixes of function names that no reader of a report wrote.
const LIBRARIES: [&str; 9] = [
    "std::",
    "core::",
    "alloc::",
    "test::",
    "lanewise::",
    "lanewise_driver::",
    "cust::",
    "rust_begin_unwind",
    "__rust",
];

/// Parts of the paths of sources that no reader of a report wrote: the standard library's (as it
/// was built, and as `rust-src` installs it) and those of crates from a registry or from `git`.
const SOURCES: [&str; 4] = [
    "/rustc/",
    "/rustlib/src/rust/library/",
    "/registry/src/",
    "/git/checkouts/",
];

/// The names at the end of every stack.
const STARTS: [&str; 8] = [
    "__libc_start_main_impl",
    "__libc_start_main",
    "__libc_start_call_main",
    "_start",
    "start_thread",
    "clone",
    "clone3",
    "<unknown>",
];

/// The place where something was done. Clones share it.
#[derive(Debug, Clone)]
pub(crate) struct Origin(Arc<Inner>);

#[derive(Debug)]
struct Inner {
    call: &'static str,
    at: Option<&'static Location<'static>>,
    thread: ThreadId,
    number: u64,
    stack: Backtrace,
}

/// One line of a stack.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Frame {
    name: String,
    place: Option<SourcePlace>,
}

thread_local! {
    /// Whether origins are currently not recorded.
    static ASIDE: Cell<bool> = const { Cell::new(false) };
}

/// Calls `act` for the driver itself, or for objects that are kept until the process ends. No
/// origin is recorded.
pub(crate) fn aside<T>(act: impl FnOnce() -> T) -> T {
    /// Restores the earlier value when it is dropped, also in a panic.
    struct Before(bool);
    impl Drop for Before {
        fn drop(&mut self) {
            ASIDE.set(self.0);
        }
    }
    let _before = Before(ASIDE.replace(true));
    act()
}

/// Returns where the calling thread is in the program, if a check of memory needs it.
pub(crate) fn here() -> Option<Origin> {
    let checks = observe::checks();
    (checks.leak || checks.memory).then(capture).flatten()
}

/// Returns where the calling thread is in the program; `None` if origins are
/// currently not recorded.
pub(crate) fn capture() -> Option<Origin> {
    if ASIDE.get() {
        return None;
    }
    Some(Origin(Arc::new(Inner {
        call: calling::call(),
        at: calling::call_site(),
        thread: std::thread::current().id(),
        number: observe::number(),
        stack: Backtrace::force_capture(),
    })))
}

impl Origin {
    /// Returns its number, which gives the order in time.
    pub(crate) fn number(&self) -> u64 {
        self.0.number
    }

    /// Returns the call and the line that the program has set. Both are known without the stack.
    pub(crate) fn key(&self) -> String {
        match self.0.at {
            Some(at) => format!("{} {at}", self.0.call),
            None => self.0.call.to_owned(),
        }
    }

    /// Returns whether the calling thread did it, and later than the thing with this number.
    pub(crate) fn is_own_since(&self, number: u64) -> bool {
        self.0.thread == std::thread::current().id() && self.0.number > number
    }

    /// Returns the line of the program, and a note with the whole origin that begins with `verb`,
    /// such as "made".
    pub(crate) fn describe(&self, verb: &str) -> (Option<SourcePlace>, String) {
        let told = self.0.at.map(|at| SourcePlace {
            file: at.file().to_owned(),
            line: at.line(),
            column: at.column(),
        });
        let mut note = format!("{verb} by `{}`", self.0.call);
        if let Some(at) = &told {
            note += &format!(" at {at}");
        }
        let first = self.callers(&mut note);
        (told.or(first), note)
    }

    /// Returns the same for an action of the program's own code, without a call.
    pub(crate) fn describe_code(&self, verb: &str) -> (Option<SourcePlace>, String) {
        let mut note = verb.to_owned();
        (self.callers(&mut note), note)
    }

    /// Adds the stack to a note, and returns the first line of it that has a known place.
    fn callers(&self, note: &mut String) -> Option<SourcePlace> {
        let frames = own(&frames(&self.0.stack.to_string()));
        for frame in frames.iter().take(SHOWN) {
            *note += &format!("\n     in `{}`", frame.name);
            if let Some(place) = &frame.place {
                *note += &format!(" at {place}");
            }
        }
        if frames.len() > SHOWN {
            *note += &format!("\n     and {} more", frames.len() - SHOWN);
        }
        frames.into_iter().find_map(|frame| frame.place)
    }

    /// Returns only the note.
    pub(crate) fn note(&self, verb: &str) -> String {
        self.describe(verb).1
    }
}

/// Parses a backtrace as the standard library prints it: a line with a number and a name, then a
/// line with the place.
fn frames(text: &str) -> Vec<Frame> {
    let mut frames: Vec<Frame> = Vec::new();
    for line in text.lines().map(str::trim) {
        if let Some(place) = line.strip_prefix("at ") {
            if let Some(frame) = frames.last_mut() {
                frame.place = self::place(place);
            }
            continue;
        }
        let name = match line.split_once(": ") {
            Some((number, name)) if number.bytes().all(|b| b.is_ascii_digit()) => name,
            // A function that was inlined into the previous frame.
            _ => line,
        };
        frames.push(Frame {
            name: name.to_owned(),
            place: None,
        });
    }
    frames
}

/// Parses a place such as `./src/main.rs:12:5`.
fn place(text: &str) -> Option<SourcePlace> {
    let (rest, column) = text.rsplit_once(':')?;
    let (file, line) = rest.rsplit_once(':')?;
    Some(SourcePlace {
        file: file.strip_prefix("./").unwrap_or(file).to_owned(),
        line: line.parse().ok()?,
        column: column.parse().ok()?,
    })
}

/// Returns the frames that the program's author wrote. If there are none with known names, returns
/// all frames after the driver's.
fn own(frames: &[Frame]) -> Vec<Frame> {
    let folder = std::env::current_dir().unwrap_or_default();
    // A place in the working folder is shown relative to it.
    let path = |frame: &Frame| match &frame.place {
        Some(place) => folder.join(&place.file),
        None => PathBuf::new(),
    };
    let driver =
        |frame: &Frame| frame.name.contains("lanewise_driver::") || path(frame).starts_with(DRIVER);
    let host = Path::new(DRIVER).with_file_name("src");
    let library = |frame: &Frame| {
        let name = frame.name.trim_start_matches(['<', '&']);
        let path = path(frame);
        let file = path.to_string_lossy();
        LIBRARIES.iter().any(|library| name.starts_with(library))
            || frame.place.is_none() && is_call(name)
            || path.starts_with(&host)
            || SOURCES.iter().any(|folder| file.contains(folder))
    };
    // The driver calls a function that a stream runs: the frames after it do not belong
    // to the program.
    let callback = frames
        .iter()
        .position(|frame| driver(frame) && frame.name.contains("in_callback"));
    let frames = match callback {
        Some(at) => {
            let last = frames[..at]
                .iter()
                .rposition(|frame| !driver(frame) && !library(frame));
            &frames[..last.map_or(0, |last| last + 1)]
        }
        None => frames,
    };
    let behind = frames.iter().rposition(driver).map_or(0, |last| last + 1);
    let frames = &frames[behind..];
    let starts = |frame: &&Frame| {
        // Symbols may have a version after an `@`.
        let name = frame.name.split('@').next().unwrap_or_default();
        !STARTS.contains(&name)
    };
    let all: Vec<Frame> = frames.iter().filter(starts).cloned().collect();
    let rust_main = all.iter().any(|frame| frame.name.starts_with("std::rt::"));
    let own = all.iter().filter(|frame| !library(frame));
    // In a Rust program this `main` is the C function that calls the program's `main`.
    let own: Vec<Frame> = own
        .filter(|frame| !(rust_main && frame.name == "main"))
        .cloned()
        .collect();
    if own.is_empty() { all } else { own }
}

/// Returns whether a name is one of the driver API's functions, such as `cuMemAlloc_v2`.
fn is_call(name: &str) -> bool {
    let rest = name.strip_prefix("cu");
    rest.is_some_and(|rest| rest.starts_with(char::is_uppercase))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn of_a_stack_the_programs_own_lines_are_left() {
        let text = "   0: std::backtrace::Backtrace::force_capture\n             at /rustc/1/library/std/src/backtrace.rs:1:2\n   \
            1: lanewise_driver::objects::origin::here\n   2: <cust::event::Event>::new\n   3: program::setup\n             \
            at /program/src/main.rs:12:5\n      program::main\n             at /program/src/main.rs:30:9\n   4: std::rt::lang_start\n   5: main\n   6: _start";
        let frames = own(&frames(text));
        let shown: Vec<String> = frames
            .iter()
            .map(|frame| format!("{} {}", frame.name, frame.place.as_ref().expect("a place")))
            .collect();
        assert_eq!(
            shown,
            [
                "program::setup /program/src/main.rs:12",
                "program::main /program/src/main.rs:30"
            ]
        );
    }

    /// If the crates have line tables, inlined functions have names without a path.
    #[test]
    fn with_lines_of_all_crates_the_programs_own_are_left() {
        let host = Path::new(DRIVER).with_file_name("src");
        let text = format!(
            "   0: lanewise_driver::objects::origin::here\n             at {DRIVER}/src/objects/origin.rs:1:2\n      \
                enter<u32>\n             at {DRIVER}/src/entry.rs:3:4\n   1: cuMemAlloc_v2\n             at {DRIVER}/src/entry.rs:286:1\n      \
                zeroed<u32>\n             at {}/memory/buffer.rs:7:9\n      read_volatile<u32>\n             \
                at /root/toolchain/lib/rustlib/src/rust/library/core/src/ptr/mut_ptr.rs:1284:9\n   2: setup<f32>\n             \
                at /program/src/main.rs:12:5",
            host.display()
        );
        let frames = own(&frames(&text));
        let names: Vec<&str> = frames.iter().map(|frame| &*frame.name).collect();
        assert_eq!(names, ["setup<f32>"]);
    }

    #[test]
    fn of_a_function_that_a_stream_runs_its_own_lines_are_left() {
        let text = "   0: lanewise_driver::objects::order::host_touches\n   1: program::read\n   2: program::callback\n   \
            3: lanewise_driver::objects::graph::node::Kind::run::{{closure}}\n   4: core::ops::function::FnOnce::call_once\n   \
            5: lanewise_driver::calling::in_callback\n   6: lanewise_driver::objects::order::runs_on_host\n   7: std::sys::thread_start";
        let frames = own(&frames(text));
        let names: Vec<&str> = frames.iter().map(|frame| &*frame.name).collect();
        assert_eq!(names, ["program::read", "program::callback"]);
    }

    #[test]
    fn without_lines_the_names_are_shown() {
        let text = "   0: lanewise_driver::entry::answer\n   1: cuMemAlloc_v2\n   2: _Z5setupv\n   3: main\n   4: __libc_start_call_main";
        let frames = own(&frames(text));
        let names: Vec<&str> = frames.iter().map(|frame| &*frame.name).collect();
        assert_eq!(names, ["_Z5setupv", "main"]);
    }
}
