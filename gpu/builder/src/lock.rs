//! Locks of folders that builds share, and the job token that a build script returns to cargo while
//! it waits for a lock.
//!
//! Cargo runs as many jobs at a time as there are processors, and a build script is one of them. If
//! a workspace has several kernel crates, their scripts wait for each other's rustc, the first of
//! which compiles `core`. A waiting script should not occupy a job's place, so it returns the token
//! for that place (source: GNU make's manual, "Job Slots").

use std::fs::{self, File, TryLockError};
use std::path::Path;
use std::sync::OnceLock;

use jobserver::Client;

use crate::error::BuildError;

/// The job server of this process's own token, if it is a build script.
static JOB_SERVER: OnceLock<Client> = OnceLock::new();

/// Makes this process return its token while it waits for a lock, from now on. Without a job server
/// in the environment, no token is returned.
///
/// # Safety
/// The process has a token of the job server that its environment names. The job server's
/// descriptors stay open while the process lives.
pub(crate) unsafe fn join_job_server() {
    // SAFETY: the caller guarantees this. The client also checks that the descriptors are those of
    // a job server.
    if let Ok(client) = unsafe { Client::from_env_ext(true) }.client {
        // A script that embeds two modules calls this twice, and the second call changes nothing.
        let _ = JOB_SERVER.set(client);
    }
}

/// Locks a folder until the file is dropped. Calls `wait` if another build has locked it.
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

/// Calls the function while the job server has the process's token.
fn without_token<T>(server: Option<&Client>, wait: impl FnOnce() -> T) -> T {
    // If the job server fails, the build continues as it would without one.
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
