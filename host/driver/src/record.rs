//! `LANEWISE_RECORD=FILE`: what the warps of each kernel executed, written as JSON when the program
//! ends. `lanewise figure` sets it and draws the file.
//!
//! Only the first launch of each kernel is recorded. A figure shows one, and a program may make
//! millions.

use crate::{settings, stderr};
use lanewise_sim::{RecordLimits, Recording};
use parking_lot::Mutex;
use serde_json::json;
use std::path::Path;
use std::sync::Once;

static RECORDINGS: Mutex<Vec<Recording>> = Mutex::new(Vec::new());

/// Creates the file if one is requested, so that a wrong path is reported before the program runs.
pub(crate) fn begin() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        if let Some(path) = settings::record_file() {
            write(&path, "");
        }
    });
}

/// Returns how much of a kernel's launch is recorded; `None` if an earlier one was.
pub(crate) fn wanted(kernel: &str) -> Option<RecordLimits> {
    let known = RECORDINGS.lock().iter().any(|known| known.kernel == kernel);
    (!known).then(RecordLimits::default)
}

/// Keeps the record of a launch.
pub(crate) fn ran(recording: Recording) {
    let mut recordings = RECORDINGS.lock();
    if recordings
        .iter()
        .all(|known| known.kernel != recording.kernel)
    {
        recordings.push(recording);
    }
}

/// Writes the file at the end of the process.
pub(crate) fn end() {
    if let Some(path) = settings::record_file() {
        let kernels = std::mem::take(&mut *RECORDINGS.lock());
        write(&path, &format!("{}\n", json!({ "kernels": kernels })));
    }
}

fn write(path: &Path, text: &str) {
    if let Err(error) = std::fs::write(path, text) {
        stderr::print(format_args!(
            "lanewise: {}: `{}` cannot be written: {error}",
            lanewise_variables::RECORD.name,
            path.display()
        ));
    }
}
