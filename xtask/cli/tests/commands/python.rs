//! Python itself, where there is one: what `python3` names may be a script that looks for it at
//! every start, which takes longer than what is run here.

use std::env;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::LazyLock;

/// The file that is run in the end.
pub(crate) static PYTHON: LazyLock<Option<String>> = LazyLock::new(|| {
    let mut asked = Command::new("python3");
    asked.args(["-c", "import sys; print(sys.executable)"]);
    let Ok(answer) = asked.output() else {
        println!("skipped: there is no python3");
        return None;
    };
    Some(
        String::from_utf8_lossy(&answer.stdout)
            .trim_end()
            .to_owned(),
    )
});

/// `PATH` in which `python3` is that file.
pub(crate) fn path() -> OsString {
    let path = env::var_os("PATH").unwrap_or_default();
    let folder = PYTHON.as_deref().and_then(|file| Path::new(file).parent());
    let folders = folder.map(PathBuf::from).into_iter();
    env::join_paths(folders.chain(env::split_paths(&path))).unwrap_or(path)
}
