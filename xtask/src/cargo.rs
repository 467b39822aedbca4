//! Calls of the cargo that started xtask.

use std::env;
use std::process::Command;

use crate::workspace;

/// A call of cargo in the repository's root.
///
/// The variables that `cargo run` set for xtask itself are taken out again: they describe xtask's package, and build
/// scripts that watch one of them would run again for nothing.
pub(crate) fn command() -> Command {
    let mut command = Command::new(env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    command.current_dir(workspace::root());
    for (name, _) in env::vars_os() {
        let text = name.to_string_lossy();
        if text == "CARGO" || text.starts_with("CARGO_PKG_") || text.starts_with("CARGO_MANIFEST_")
        {
            command.env_remove(&name);
        }
    }
    command
}
