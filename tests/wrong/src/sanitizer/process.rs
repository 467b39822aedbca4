//! A process with a time limit, and its output.

use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use super::output;

/// How long a process may take until it launches its first kernel, or the next: some start a
/// context at a time.
const START: Duration = Duration::from_secs(60);
/// The interval between two looks at the process.
const STEP: Duration = Duration::from_millis(50);

/// Runs a command that launches kernels, each of which may take `limit`. Returns its output, both
/// streams in one, and whether it ended by itself.
pub(super) fn run(command: &mut Command, limit: Duration) -> std::io::Result<(String, bool)> {
    let file = tempfile::NamedTempFile::new()?;
    let to = file.reopen()?;
    let mut child = command
        .stdin(Stdio::null())
        .stdout(to.try_clone()?)
        .stderr(to.try_clone()?)
        // What it starts itself, which compute-sanitizer does, ends with it.
        .process_group(0)
        .spawn()?;
    // The clock starts anew with each launch, and with each end: a module may have to be compiled
    // before the next.
    let (mut seen, mut since) = ((0, 0), Instant::now());
    let ended = loop {
        if child.try_wait()?.is_some() {
            break true;
        }
        let now = output::progress(&written(file.path())?);
        if now != seen {
            (seen, since) = (now, Instant::now());
        }
        let (launched, ended) = seen;
        if since.elapsed() > if launched > ended { limit } else { START } {
            break false;
        }
        std::thread::sleep(STEP);
    };
    if !ended {
        // SAFETY: a signal to a group of processes that was made above and whose leader has not
        // been waited for.
        unsafe { libc::kill(-(child.id() as i32), libc::SIGKILL) };
        child.wait()?;
    }
    Ok((written(file.path())?, ended))
}

/// Returns the output so far.
fn written(path: &Path) -> std::io::Result<String> {
    let bytes = std::fs::read(path)?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}
