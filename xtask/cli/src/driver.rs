//! `lanewise driver`: the simulated driver as a library that any CUDA program can load.
//!
//! The package `lanewise-driver` exports the C symbols of the driver API. As a shared library with
//! the name of NVIDIA's driver, it replaces that driver for a program started with
//! `LD_LIBRARY_PATH` (`lanewise exec` does this). On a machine with a GPU it forwards every call
//! to NVIDIA's driver.
//!
//! The library is not part of this program. Cargo builds it when it is first needed, from the
//! sources that this program was built from. In its own checkout it shares what tests have
//! compiled. Elsewhere the program makes a package of a few lines that depends on the driver, by
//! the checkout's path or by its own version, and keeps the library in the user's cache.

use std::env;
use std::ffi::OsStr;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};

use anyhow::{Context, Result, bail, ensure};
use serde::Serialize;

use crate::output::{for_shell, say, say_json};
use crate::project;

/// The name that programs pass to the dynamic linker, and the name that some pass to `dlopen`.
const NAME: &str = "libcuda.so.1";
const PLAIN_NAME: &str = "libcuda.so";
/// The folder in a target folder that contains both names and nothing else.
const FOLDER: &str = "driver";

/// Build libcuda.so.1, which runs CUDA programs on the simulator
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Examples:\n  cargo lanewise driver --release\n  LD_LIBRARY_PATH=target/driver python vector_add.py"
)]
pub struct Args {
    /// Build with all optimisations; the simulator is optimised either way
    #[arg(long)]
    release: bool,
    /// Print the result as JSON
    #[arg(long)]
    json: bool,
}

#[derive(Serialize)]
struct Built {
    library: String,
    bytes: u64,
}

/// Builds the library and prints its path.
pub(crate) fn run(args: &Args) -> Result<ExitCode> {
    let folder = Sources::find().build(args.release)?;
    let library = library(&folder);
    let built = Built {
        library: project::shown(&library),
        bytes: library.metadata()?.len(),
    };
    if args.json {
        say_json(&built)?;
    } else {
        say(format_args!(
            "{} ({} KiB)\nLD_LIBRARY_PATH={} PROGRAM runs PROGRAM on it",
            built.library,
            built.bytes / 1024,
            for_shell(Path::new(&project::shown(&folder)))
        ));
    }
    Ok(ExitCode::SUCCESS)
}

/// Returns the path of the library in such a folder.
pub(crate) fn library(folder: &Path) -> PathBuf {
    folder.join(NAME)
}

/// Returns the folder that contains only the library. Builds it for `program` if necessary.
pub(crate) fn folder(program: &OsStr) -> Result<PathBuf> {
    if let Some(beside) = beside_program() {
        return Ok(beside);
    }
    let sources = Sources::find();
    let folder = sources.folder()?;
    let is_there = library(&folder).is_file();
    // The contents of a version in a registry never change.
    if is_there && matches!(sources, Sources::Registry) {
        return Ok(folder);
    }
    if !is_there {
        eprintln!(
            "lanewise: `{}` has no driver inside; the simulated one is built for it as {NAME}, which takes minutes, once",
            program.to_string_lossy()
        );
    }
    sources.build(false)
}

/// Returns a folder `lanewise-driver` beside this program, if it was packed with the program.
fn beside_program() -> Option<PathBuf> {
    let folder = env::current_exe().ok()?.parent()?.join("lanewise-driver");
    folder.join(NAME).is_file().then_some(folder)
}

/// The place of the driver's sources.
#[derive(Debug)]
enum Sources {
    /// In a checkout with this root, from which this program was built.
    Checkout(PathBuf),
    /// In a registry, under this program's version.
    Registry,
}

impl Sources {
    fn find() -> Sources {
        let own = Path::new(env!("CARGO_MANIFEST_DIR"));
        match own.ancestors().nth(2) {
            Some(root) if root.join("host/driver/Cargo.toml").is_file() => {
                Sources::Checkout(root.to_owned())
            }
            _ => Sources::Registry,
        }
    }

    /// Returns whether this is the checkout that the command works in. Then the library shares what
    /// its tests have compiled.
    fn is_project(&self) -> bool {
        matches!(self, Sources::Checkout(root) if project::root() == root)
    }

    /// Returns the folder that the library is built into.
    fn folder(&self) -> Result<PathBuf> {
        Ok(match self.is_project() {
            true => project::target().join(FOLDER),
            false => cache()?.join("target").join(FOLDER),
        })
    }

    /// Builds the library and returns its folder. This is quick if nothing has changed.
    fn build(&self, release: bool) -> Result<PathBuf> {
        match self {
            Sources::Checkout(root) => {
                // This selects the whole workspace, as the tests do, because a selection decides
                // which features dependencies get.
                if self.is_project() {
                    let build = Build {
                        selection: &["--workspace", "--example", "drop_in"],
                        made: "examples/libdrop_in.so",
                    };
                    return build.run(root, project::target(), release);
                }
                let driver = root.join("host/driver").display().to_string();
                let place = format!("{{ path = {} }}", serde_json::Value::from(driver));
                Self::build_package(&place, Some(&root.join("Cargo.lock")))
            }
            Sources::Registry => {
                Self::build_package(&format!("\"={}\"", env!("CARGO_PKG_VERSION")), None)
            }
        }
    }

    /// Builds the library as a package of its own, which gets the driver from `place`. The
    /// dependencies of the driver's tests are not compiled.
    fn build_package(place: &str, lock: Option<&Path>) -> Result<PathBuf> {
        let package = cache()?.join("package");
        make_package(&package, place, lock)
            .with_context(|| format!("cannot write to `{}`", package.display()))?;
        let build = Build {
            selection: &[],
            made: "libdrop_in.so",
        };
        build.run(&package, &cache()?.join("target"), true)
    }
}

/// A way to build the library.
struct Build {
    /// The packages that cargo should build, if not all.
    selection: &'static [&'static str],
    /// The file that the build produces.
    made: &'static str,
}

impl Build {
    /// Builds in `root` and puts the library in a folder of its own in `target`.
    fn run(&self, root: &Path, target: &Path, release: bool) -> Result<PathBuf> {
        let mut command = Command::new(env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
        command.current_dir(root).arg("build").args(self.selection);
        command.arg("--target-dir").arg(target);
        if release {
            command.arg("--release");
        }
        let status = command.status().context("cargo could not be started")?;
        ensure!(status.success(), "the driver does not compile; see above");
        let profile = if release { "release" } else { "debug" };
        let folder = target.join(FOLDER);
        install(&target.join(profile).join(self.made), &folder)?;
        Ok(folder)
    }
}

/// Writes a package that is the driver as a shared library. If there is a lock file, the versions
/// of other crates come from it.
fn make_package(folder: &Path, driver: &str, lock: Option<&Path>) -> io::Result<()> {
    let manifest = format!(
        "[package]\nname = \"drop-in\"\nversion = \"0.0.0\"\nedition = \"2024\"\n\n\
         [lib]\npath = \"lib.rs\"\ncrate-type = [\"cdylib\"]\n\n\
         [dependencies]\nlanewise-driver = {driver}\n\n[workspace]\n"
    );
    let source = "//! The driver's C symbols.\n\nlanewise_driver::drop_in!();\n";
    let script = format!(
        "fn main() {{\n    println!(\"cargo::rerun-if-changed=build.rs\");\n    \
         println!(\"cargo::rustc-link-arg-cdylib=-Wl,-soname,{NAME}\");\n}}\n"
    );
    fs::create_dir_all(folder)?;
    // A file that stays the same is not written, so that nothing is linked again.
    let write = |name: &str, text: &str| {
        let file = folder.join(name);
        match fs::read_to_string(&file).is_ok_and(|there| there == text) {
            true => Ok(false),
            false => fs::write(file, text).map(|()| true),
        }
    };
    write("lib.rs", source)?;
    write("build.rs", &script)?;
    if write("Cargo.toml", &manifest)?
        && let Some(lock) = lock.filter(|lock| lock.is_file())
    {
        fs::copy(lock, folder.join("Cargo.lock"))?;
    }
    Ok(())
}

/// Returns the user's cache for this version of the program.
fn cache() -> Result<PathBuf> {
    match lanewise_variables::cache_home() {
        Some(base) => Ok(base.join(env!("CARGO_PKG_VERSION"))),
        None => bail!("neither XDG_CACHE_HOME nor HOME says where the library can be kept"),
    }
}

/// Copies the library and adds the plain name beside it. The copy is written under a new name and
/// renamed, so a program that has loaded the old library keeps it intact. A library that is already
/// there is not copied again: the copy has the time of the file that it was made from.
fn install(made: &Path, folder: &Path) -> Result<()> {
    let library = folder.join(NAME);
    let plain = folder.join(PLAIN_NAME);
    if is_copy(&library, made) && plain.is_symlink() {
        return Ok(());
    }
    let fresh = folder.join(format!("{NAME}.{}", std::process::id()));
    let link = folder.join(format!("{PLAIN_NAME}.{}", std::process::id()));
    fs::create_dir_all(folder)
        .and_then(|()| fs::copy(made, &fresh))
        .and_then(|_| {
            let modified = made.metadata()?.modified()?;
            fs::File::options()
                .write(true)
                .open(&fresh)?
                .set_modified(modified)
        })
        .and_then(|()| fs::rename(&fresh, &library))
        .and_then(|()| std::os::unix::fs::symlink(NAME, &link))
        .and_then(|()| fs::rename(&link, &plain))
        .with_context(|| {
            format!(
                "cannot copy `{}` to `{}`",
                project::shown(made),
                project::shown(folder)
            )
        })
}

/// Returns whether a file has the size and the time that a copy of `made` has.
fn is_copy(copy: &Path, made: &Path) -> bool {
    let told = |file: &Path| {
        let data = file.metadata().ok()?;
        Some((data.len(), data.modified().ok()?))
    };
    told(copy).is_some_and(|copy| Some(copy) == told(made))
}
