//! A program that runs on the simulated GPU, with a driver inside or with the drop-in
//! `libcuda.so.1` on its library path.
//!
//! A Rust program that uses Lanewise contains the driver, and a note in its file marks this. For
//! any other program the library is built, which takes minutes the first time.

use std::env;
use std::ffi::{OsStr, OsString};
use std::fs;
use std::io::{Read, Seek, SeekFrom};
use std::os::unix::fs::PermissionsExt;
use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode, ExitStatus};

use anyhow::{Context, Result, ensure};
use lanewise_variables as variables;
use lanewise_variables::note::Note;

use crate::driver;
use crate::try_driver::TRY_DRIVER;

/// A program, its arguments, and the place of its driver.
pub(crate) struct Program {
    name: OsString,
    arguments: Vec<OsString>,
    driver: Driver,
}

enum Driver {
    /// In this file, which is the program's own.
    Inside(PathBuf),
    /// In the programs that cargo builds and starts here.
    InCargos,
    /// The drop-in library in this folder.
    Library(PathBuf),
}

impl Program {
    /// Finds the program of a command line. The library is built if the program needs it.
    pub(crate) fn find(words: &[OsString]) -> Result<Program> {
        let (name, arguments) = words.split_first().context("no program is named")?;
        let file = file_of(name);
        let driver = match file.filter(|file| has_driver(file).unwrap_or(false)) {
            Some(file) => Driver::Inside(file),
            None if is_cargo(name) && cargo_links_driver() => Driver::InCargos,
            None => Driver::Library(driver::folder(name)?),
        };
        Ok(Program {
            name: name.clone(),
            arguments: arguments.to_vec(),
            driver,
        })
    }

    /// Returns the command that runs the program on the simulated GPU.
    pub(crate) fn command(&self) -> Command {
        let mut command = Command::new(&self.name);
        command
            .args(&self.arguments)
            .env(variables::DEVICE.name, "sim")
            .env_remove(variables::TRY.name);
        if let Driver::Library(folder) = &self.driver {
            command.env("LD_LIBRARY_PATH", library_path(folder));
        }
        command
    }

    /// Checks that the simulated driver accepts the variables of `command` and of this
    /// process. Otherwise the error message would appear in the middle of the program's own
    /// output. The check starts the driver in a process of its own, because the driver reads
    /// the variables once.
    pub(crate) fn check_settings(&self, command: &Command) -> Result<()> {
        let mut asks = match &self.driver {
            Driver::Inside(file) => {
                let mut asks = Command::new(file);
                asks.env(variables::TRY.name, "1");
                asks
            }
            // There may be no such program yet. The first program that starts reports variables
            // that it does not accept.
            Driver::InCargos => return Ok(()),
            Driver::Library(folder) => {
                // This name also works if cargo has just replaced the file by a newer one.
                let mut asks = Command::new("/proc/self/exe");
                asks.arg(TRY_DRIVER).arg(driver::library(folder));
                asks
            }
        };
        let set = command
            .get_envs()
            .filter_map(|(name, value)| Some((name, value?)));
        let answer = asks
            .envs(set)
            .env(variables::LOG.name, "faults")
            .env_remove(variables::SUMMARY.name)
            .env_remove(variables::COUNTERS.name)
            .env_remove(variables::TRACE.name)
            .env_remove(variables::RECORD.name)
            .output()
            .context("the simulated driver cannot be tried")?;
        let said = String::from_utf8_lossy(&answer.stderr);
        ensure!(
            answer.status.success(),
            "the simulated driver does not start with these settings\n{}",
            said.trim()
        );
        Ok(())
    }

    /// Returns the message about a program that has not initialised a driver.
    pub(crate) fn not_initialised(&self) -> &'static str {
        match self.driver {
            Driver::Inside(_) => {
                "the program did not initialise a simulated driver: it made no CUDA call"
            }
            Driver::InCargos => {
                "no program that cargo started initialised a simulated driver: none made a CUDA call, or cargo started none"
            }
            Driver::Library(_) => {
                "the program did not initialise a simulated driver: it makes no CUDA call, or finds its libcuda.so.1 without LD_LIBRARY_PATH"
            }
        }
    }
}

/// Returns the file that this name runs, as the system finds it.
fn file_of(name: &OsStr) -> Option<PathBuf> {
    if name.as_encoded_bytes().contains(&b'/') {
        return Some(name.into());
    }
    let runs = |file: &PathBuf| {
        file.metadata()
            .is_ok_and(|file| file.is_file() && file.permissions().mode() & 0o111 != 0)
    };
    env::split_paths(&env::var_os("PATH")?)
        .map(|folder| folder.join(name))
        .find(runs)
}

fn is_cargo(name: &OsStr) -> bool {
    Path::new(name).file_name() == Some(OsStr::new("cargo"))
}

/// Returns whether the packages that cargo builds in this folder use the driver. Then each of their
/// programs that makes a CUDA call contains it.
fn cargo_links_driver() -> bool {
    let Ok(here) = env::current_dir() else {
        return false;
    };
    let lock = here
        .ancestors()
        .find_map(|folder| fs::read_to_string(folder.join("Cargo.lock")).ok());
    lock.is_some_and(|lock| {
        lock.lines()
            .any(|line| line == "name = \"lanewise-driver\"")
    })
}

/// Returns whether the driver's note is in this file. Only segments of notes are read, because a
/// program with its debug information is large.
///
/// Source: System V Application Binary Interface, "ELF Header" and "Program Header".
fn has_driver(file: &Path) -> std::io::Result<bool> {
    /// ELF's `PT_NOTE`: a segment of notes.
    const NOTES: u32 = 4;
    /// The size of an `Elf64_Phdr` in bytes.
    const HEADER: usize = 56;
    /// A size in bytes that is larger than any linker's notes.
    const MOST: u64 = 1 << 20;
    let mut file = fs::File::open(file)?;
    let mut head = [0; 64];
    if file.read_exact(&mut head).is_err() || !head.starts_with(b"\x7fELF\x02\x01") {
        return Ok(false);
    }
    let (offset, size, count) = (u64_at(&head, 32), u16_at(&head, 54), u16_at(&head, 56));
    if usize::from(size) != HEADER {
        return Ok(false);
    }
    let mut headers = vec![0; HEADER * usize::from(count)];
    file.seek(SeekFrom::Start(offset))?;
    file.read_exact(&mut headers)?;
    for header in headers.chunks_exact(HEADER) {
        if header[..4] != NOTES.to_le_bytes() {
            continue;
        }
        let mut notes = Vec::new();
        file.seek(SeekFrom::Start(u64_at(header, 8)))?;
        (&file)
            .take(u64_at(header, 32).min(MOST))
            .read_to_end(&mut notes)?;
        if Note::is_among(&notes) {
            return Ok(true);
        }
    }
    Ok(false)
}

fn u64_at(bytes: &[u8], at: usize) -> u64 {
    let mut word = [0; 8];
    word.copy_from_slice(&bytes[at..at + 8]);
    u64::from_le_bytes(word)
}

fn u16_at(bytes: &[u8], at: usize) -> u16 {
    u16::from_le_bytes([bytes[at], bytes[at + 1]])
}

/// Returns the folder, followed by the library path that the program would have had.
fn library_path(folder: &Path) -> OsString {
    let mut path = OsString::from(folder);
    if let Some(others) = env::var_os("LD_LIBRARY_PATH").filter(|others| !others.is_empty()) {
        path.push(":");
        path.push(others);
    }
    path
}

/// Returns the program's exit code, or 128 plus the number of a signal, as in shells.
pub(crate) fn code_of(status: ExitStatus) -> ExitCode {
    ExitCode::from(number_of(status))
}

/// Returns the same as a number.
pub(crate) fn number_of(status: ExitStatus) -> u8 {
    let code = status.code().or(status.signal().map(|signal| 128 + signal));
    code.and_then(|code| u8::try_from(code).ok()).unwrap_or(1)
}
