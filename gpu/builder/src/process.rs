//! LLVM in a process of its own.
//!
//! LLVM ends its process when it meets what it does not expect: with a signal, or with `abort`
//! after a message. So the program that builds kernels starts itself again for each target, and
//! only the new process opens LLVM. Its crash is an exit status here. What LLVM needs of a process
//! (its library, options, a deep stack) is changed there alone.
//!
//! The program may be a build script, a test or a command, and its `main` must not run again.
//! Therefore [`START`] is in the list of functions that the loader calls before `main`. It returns
//! at once if the environment does not have [`VARIABLE`]. Otherwise it does the job and ends the
//! process.
//!
//! The job is one line of JSON on standard input, followed by the bitcode. The answer is one
//! [`Message`] per line of standard output. The input stays open until the answer is complete. If
//! it ends before, nobody waits any more, and the process ends.

use std::env;
use std::ffi::OsString;
use std::io::{self, BufRead, BufReader, Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use serde::{Deserialize, Serialize};

use crate::cargo::Bitcode;
use crate::error::{BuildError, CodegenError, ToolchainError};
use crate::llvm::{self, Fatal, Message, end, say};
use crate::passes::{self, Code, Options};

/// The environment variable of a process that runs LLVM. Its value does not matter. It is none of
/// those that users set, which begin with the project's name.
const VARIABLE: &str = "RUNS_LLVM_OF_LANEWISE";

/// The stack of the thread that runs LLVM, whose passes recurse over the code.
const STACK: usize = 64 << 20;

/// The variable with the settings of glibc.
const GLIBC: &str = "GLIBC_TUNABLES";

/// The setting of glibc's allocator for such a process. LLVM makes and drops small objects all the
/// time. By default a thread keeps seven of a size, and `malloc` and `free` join and divide the
/// others: 22 % of the time for the algorithms' kernels, and 14 % so.
const ALLOCATOR: &str = "glibc.malloc.tcache_count=60000";

/// What a process has to do.
#[derive(Serialize, Deserialize)]
struct Job {
    /// rustc's LLVM library.
    library: PathBuf,
    /// The file of the bitcode, for messages.
    bitcode: PathBuf,
    /// The number of its bytes, which follow the job.
    bytes: usize,
    options: Options,
}

/// Makes the code of one target.
pub(crate) fn compile(
    library: &Path,
    bitcode: &Bitcode,
    options: &Options,
) -> Result<Code, BuildError> {
    let answer = ask(library, bitcode, options)?;
    let arch = options.arch.to_string();
    match answer.last {
        Some(Message::Done(code)) => Ok((*code)?),
        Some(Message::NoLibrary(reason)) => Err(cannot_load(library, reason)),
        Some(Message::Fatal(Fatal { intrinsic, reason })) => Err(match intrinsic {
            Some((intrinsic, place)) => CodegenError::TargetLacks {
                arch,
                intrinsic,
                place,
            },
            None => CodegenError::Stage {
                arch,
                stage: "LLVM".to_owned(),
                reason,
            },
        }
        .into()),
        _ => Err(CodegenError::Crash {
            arch,
            status: answer.status,
            kernel: crashing_kernel(library, bitcode, options, &answer.kernels),
            stage: answer.stage,
        }
        .into()),
    }
}

/// How long to look for the kernel that LLVM crashes on.
const SEARCH: Duration = Duration::from_secs(30);

/// Finds the kernel that LLVM crashes on by compiling each kernel alone. Returns its name and place
/// as text for a message.
fn crashing_kernel(
    library: &Path,
    bitcode: &Bitcode,
    options: &Options,
    kernels: &[(String, String)],
) -> String {
    let end = Instant::now() + SEARCH;
    let crashes = |name: &str| {
        let alone = Options {
            only: Some(name.to_owned()),
            ..options.clone()
        };
        ask(library, bitcode, &alone).is_ok_and(|answer| answer.last.is_none())
    };
    let searched = kernels.iter().take_while(|_| Instant::now() < end);
    let found = searched.into_iter().find(|(name, _)| crashes(name));
    found.map_or_else(
        || "one of the kernels".to_owned(),
        |(name, place)| format!("kernel `{name}` ({place})"),
    )
}

/// A process's result.
type Finished = Box<Result<Code, CodegenError>>;

/// What a process answered.
struct Answer {
    kernels: Vec<(String, String)>,
    /// The stage that began last.
    stage: String,
    /// The message that ends an answer. `None` after a crash.
    last: Option<Message<Finished>>,
    /// How the process ended.
    status: String,
}

/// Runs a job in a process and waits for its end.
fn ask(library: &Path, bitcode: &Bitcode, options: &Options) -> Result<Answer, BuildError> {
    let program = program();
    let failed = |source| {
        BuildError::from(ToolchainError::CannotRun {
            command: program.display().to_string(),
            source,
        })
    };
    if env::var_os(VARIABLE).is_some() {
        let reason =
            "the program cannot start itself again to run LLVM: its linker dropped `.init_array`";
        return Err(cannot_load(library, reason.to_owned()));
    }
    let mut settings = OsString::from(ALLOCATOR);
    if let Some(own) = env::var_os(GLIBC) {
        settings.push(":");
        settings.push(own);
    }
    let mut child = Command::new(&program)
        .env(VARIABLE, "1")
        // The user's own settings come last, and so prevail.
        .env(GLIBC, settings)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .map_err(failed)?;
    let input = child.stdin.take();
    let output = child.stdout.take();
    let mut answer = Answer {
        kernels: Vec::new(),
        stage: "its start".to_owned(),
        last: None,
        status: String::new(),
    };
    if let (Some(mut input), Some(output)) = (input, output) {
        // If the process has ended already, its status says more than this error.
        let _ = send(&mut input, library, bitcode, options);
        answer.read(BufReader::new(output));
        drop(input);
    }
    let status = child.wait().map_err(failed)?.to_string();
    answer.status = status.trim_end_matches(" (core dumped)").to_owned();
    Ok(answer)
}

impl Answer {
    /// Reads the messages until the output ends or the last message is there.
    fn read(&mut self, output: impl BufRead) {
        for line in output.lines().map_while(Result::ok) {
            match serde_json::from_str(&line) {
                Ok(Message::Kernels(kernels)) => self.kernels = kernels,
                Ok(Message::Stage(stage)) => self.stage = stage,
                Ok(last) => self.last = Some(last),
                // Not a message: the process died in the middle of one.
                Err(_) => {}
            }
        }
    }
}

/// Sends a job.
fn send(
    input: &mut impl Write,
    library: &Path,
    bitcode: &Bitcode,
    options: &Options,
) -> io::Result<()> {
    let job = Job {
        library: library.to_owned(),
        bitcode: bitcode.path.clone(),
        bytes: bitcode.bytes.len(),
        options: options.clone(),
    };
    serde_json::to_writer(&mut *input, &job)?;
    input.write_all(b"\n")?;
    input.write_all(&bitcode.bytes)?;
    input.flush()
}

fn cannot_load(library: &Path, reason: String) -> BuildError {
    let path = library.to_owned();
    ToolchainError::LoadLlvm { path, reason }.into()
}

/// Returns the program that this process runs. The link of Linux also leads to a file that was
/// replaced since.
fn program() -> PathBuf {
    let link = PathBuf::from("/proc/self/exe");
    match link.exists() {
        true => link,
        false => env::current_exe().unwrap_or(link),
    }
}

/// Starts the job of a process before its `main`.
// SAFETY: the section has pointers to functions of this type, which the loader calls once.
#[used]
#[cfg_attr(
    not(any(target_vendor = "apple", windows)),
    unsafe(link_section = ".init_array")
)]
#[cfg_attr(
    target_vendor = "apple",
    unsafe(link_section = "__DATA,__mod_init_func")
)]
#[cfg_attr(windows, unsafe(link_section = ".CRT$XCU"))]
static START: extern "C" fn() = start;

extern "C" fn start() {
    if env::var_os(VARIABLE).is_some() {
        let work = thread::Builder::new().name("llvm".into()).stack_size(STACK);
        let done = work.spawn(work_off).map(thread::JoinHandle::join);
        // A panic has printed its message.
        end(if matches!(done, Ok(Ok(()))) { 0 } else { 101 });
    }
}

/// Does the job that standard input names.
fn work_off() {
    let mut input = BufReader::new(io::stdin());
    let Ok((job, bytes)) = receive(&mut input) else {
        return;
    };
    thread::spawn(move || {
        let _ = input.read(&mut [0]);
        end(1);
    });
    if let Err(reason) = llvm::load(&job.library) {
        return say::<()>(&Message::NoLibrary(reason));
    }
    let bitcode = Bitcode {
        path: job.bitcode,
        bytes: bytes.into(),
    };
    let code = passes::run(&bitcode, &job.options);
    say(&Message::Done(Box::new(code)));
}

fn receive(input: &mut impl BufRead) -> io::Result<(Job, Vec<u8>)> {
    let mut line = String::new();
    input.read_line(&mut line)?;
    let job: Job = serde_json::from_str(&line)?;
    let mut bytes = vec![0; job.bytes];
    input.read_exact(&mut bytes)?;
    Ok((job, bytes))
}
