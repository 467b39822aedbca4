//! Launches in processes of their own, each forked from one that has read its own debug
//! information: to write a stack, a process that has just started reads that first, and the C
//! library's where that is installed, for ten times as long as the small programs here run.
//!
//! `wrong serve` is that process. It takes a [`Request`] a line, and answers each
//! with an [`Answer`].

use std::backtrace::Backtrace;
use std::collections::BTreeMap;
use std::io::{self, BufRead, BufReader, Read, Write};
use std::os::fd::AsRawFd;
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

use serde::{Deserialize, Serialize};

use crate::case::Variant;

/// A launch that a client requests.
#[derive(Debug, Serialize, Deserialize)]
pub struct Request {
    /// Which part of the case.
    pub part: Variant,
    /// The case's name among all.
    pub case: String,
    /// The variables of the environment that its process has besides.
    pub variables: BTreeMap<String, String>,
}

/// The output of the process, and how it ended.
#[derive(Debug, Serialize, Deserialize)]
pub struct Answer {
    /// Whether it ended without an error.
    pub success: bool,
    /// Its standard output.
    pub stdout: String,
    /// Its standard error.
    pub stderr: String,
}

/// `wrong serve`, which ends when this is dropped.
#[derive(Debug)]
pub(crate) struct Server {
    process: Child,
    /// Until the end.
    requests: Option<ChildStdin>,
    answers: BufReader<ChildStdout>,
}

impl Server {
    /// Starts `program`, which is `wrong`.
    pub(crate) fn start(program: &Path) -> io::Result<Self> {
        let mut process = Command::new(program)
            .arg("serve")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()?;
        let requests = process.stdin.take();
        let answers = process.stdout.take().ok_or(io::ErrorKind::BrokenPipe)?;
        Ok(Self {
            process,
            requests,
            answers: BufReader::new(answers),
        })
    }

    /// Has a part of a case launched.
    pub(crate) fn ask(&mut self, request: &Request) -> io::Result<Answer> {
        let mut line = serde_json::to_string(request)?;
        line.push('\n');
        let requests = self.requests.as_mut().ok_or(io::ErrorKind::BrokenPipe)?;
        requests.write_all(line.as_bytes())?;
        line.clear();
        self.answers.read_line(&mut line)?;
        Ok(serde_json::from_str(&line)?)
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        // It ends with its input.
        drop(self.requests.take());
        let _ = self.process.wait();
    }
}

/// Answers each line of standard input, until there is none. `launch` is called in a process of its
/// own for each, and says how that one ends.
///
/// # Errors
/// The lines are no requests, or no process can be made.
///
/// # Safety
/// The calling process has one thread.
pub unsafe fn serve(launch: impl Fn(&Request) -> i32) -> io::Result<()> {
    drop(Backtrace::force_capture().to_string());
    for line in io::stdin().lines() {
        let request: Request = serde_json::from_str(&line?)?;
        // SAFETY: the caller's word.
        let answer = unsafe { forked(&request, &launch)? };
        let mut line = serde_json::to_string(&answer)?;
        line.push('\n');
        io::stdout().write_all(line.as_bytes())?;
        io::stdout().flush()?;
    }
    Ok(())
}

/// Launches in a process forked from this one.
///
/// # Safety
/// This process has one thread.
unsafe fn forked(request: &Request, launch: &impl Fn(&Request) -> i32) -> io::Result<Answer> {
    let (mut stdout, output) = io::pipe()?;
    let (mut stderr, errors) = io::pipe()?;
    // SAFETY: of one thread the child has all, so that what it locks and allocates is as here.
    let child = unsafe { libc::fork() };
    match child {
        -1 => return Err(io::Error::last_os_error()),
        0 => {
            for (pipe, standard) in [
                (&output, libc::STDOUT_FILENO),
                (&errors, libc::STDERR_FILENO),
            ] {
                // SAFETY: both are open.
                unsafe { libc::dup2(pipe.as_raw_fd(), standard) };
            }
            for (name, value) in &request.variables {
                // SAFETY: no other thread reads the environment.
                unsafe { std::env::set_var(name, value) };
            }
            std::process::exit(launch(request))
        }
        _ => drop((output, errors)),
    }
    // There is little on standard output, so that nobody waits for its being read.
    let [stderr, stdout] = [&mut stderr, &mut stdout].map(|pipe| {
        let mut bytes = Vec::new();
        let read = pipe.read_to_end(&mut bytes);
        read.map(|_| String::from_utf8_lossy(&bytes).into_owned())
    });
    let mut status = 0;
    // SAFETY: the status has a place.
    if unsafe { libc::waitpid(child, &mut status, 0) } != child {
        return Err(io::Error::last_os_error());
    }
    Ok(Answer {
        success: libc::WIFEXITED(status) && libc::WEXITSTATUS(status) == 0,
        stdout: stdout?,
        stderr: stderr?,
    })
}
