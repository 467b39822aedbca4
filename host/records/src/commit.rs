//! The commit that git has checked out.

use std::path::Path;
use std::process::Command;

/// Returns the commit that is checked out in a folder, with a `+` if there are uncommitted changes.
/// `None` where there is no git or no repository.
pub fn checked_out(folder: &Path) -> Option<String> {
    let git = |arguments: &[&str]| {
        let mut command = Command::new("git");
        let output = command.args(arguments).current_dir(folder).output().ok()?;
        let text = String::from_utf8_lossy(&output.stdout).trim().to_owned();
        output.status.success().then_some(text)
    };
    let changed = !git(&["status", "--porcelain"])?.is_empty();
    Some(git(&["rev-parse", "HEAD"])? + if changed { "+" } else { "" })
}
