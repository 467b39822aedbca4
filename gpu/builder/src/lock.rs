//! Locks of folders that builds share, and what a build script gives back to cargo while it waits
//! for one.
//!
//! Cargo runs as many jobs at a time as there are processors, and a build script is one of them. A
//! workspace has several kernel crates, whose scripts wait for each other's rustc, the first of
//! which compiles `core`. So that such a script takes no job's place, it gives back the token that
//! stands for the place (source: GNU make's manual, "Job Slots").

use std::fs::{self, File, TryLockError};
use std::path::Path;
use std::sync::OnceLock;

use jobserver::Client;

use crate::error::BuildError;

/// Where this process's own token comes from, if it is a build script.
static JOB_SERVER: OnceLock<Client> = OnceLock::new();

/// From now on whoever waits for a lock gives the process's token back meanwhile. Without a job
/// server in the environment nothing is given back.
///
/// # Safety
/// The process has a token of the job server that its environment names, which lives as long as the
/// process does.
pub(crate) unsafe fn join_job_server() {
    // SAFETY: the caller's promise. Whether the descriptors are those of a job server is looked at
    // besides.
    if let Ok(client) = unsafe { Client::from_env_ext(true) }.client {
        // A script that embeds two modules has joined already.
        let _ = JOB_SERVER.set(client);
    }
}

/// Keeps other builds out of a folder until the file is dropped; calls `wait` if one is there.
pub(crate) fn lock(folder: &Path, wait: impl FnOnce()) -> Result<File, BuildError> {
    fs::create_dir_all(folder).map_err(BuildError::io("create", folder))?;
    let path = folder.join(".lanewise-builder-lock");
    let file = File::create(&path).map_err(BuildError::io("create", &path))?;
    let locked = match file.try_lock() {
        Ok(()) => Ok(()),
        Err(TryLockError::WouldBlock) => {
            wait();
            without_token(JOB_SERVER.get(), || file.lock())
        }
        Err(TryLockError::Error(error)) => Err(error),
    };
    locked.map_err(BuildError::io("lock", &path))?;
    Ok(file)
}

/// Calls the function while the process's token is the job server's.
fn without_token<T>(server: Option<&Client>, wait: impl FnOnce() -> T) -> T {
    // Where a job server fails the build goes on as without one.
    let released = server.filter(|server| server.release_raw().is_ok());
    let result = wait();
    if let Some(server) = released {
        let _ = server.acquire_raw();
    }
    result
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_token_is_given_back_while_one_waits_and_taken_again() {
        let server = Client::new(0).expect("a job server");
        let tokens = || server.available().expect("it counts its tokens");
        assert_eq!(without_token(Some(&server), tokens), 1);
        assert_eq!(tokens(), 0);
        assert_eq!(without_token(None, tokens), 0);
    }
}
