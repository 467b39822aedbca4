//! `lanewise driver`: the simulated driver as a library that any CUDA program loads.
//!
//! The package `lanewise-driver` exports the C symbols of the driver API. Linked as a shared library under the name that NVIDIA's has,
//! it takes that one's place for a program started with `LD_LIBRARY_PATH` (which is what `lanewise exec` does); on a machine with a
//! GPU it hands every call on.
//!
//! The library is not in this program: it is built where it is first wanted, by cargo, from the sources that this program was built
//! from. In a checkout that is the checkout. A program that was installed from a registry makes a package of a few lines that depends on
//! the driver of its own version, and keeps what it built in the user's cache.

use std::env;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};

use anyhow::{Context, Result, bail, ensure};
use serde::Serialize;

use crate::output::say;
use crate::project;

/// The name that programs ask the dynamic linker for, and the one that some ask `dlopen` for.
const NAME: &str = "libcuda.so.1";
const PLAIN_NAME: &str = "libcuda.so";

/// Build libcuda.so.1, which runs CUDA programs on the simulator
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Examples:\n  cargo lanewise driver --release\n  LD_LIBRARY_PATH=target/driver python vector_add.py"
)]
pub struct Args {
    /// Build with all optimisations; the simulator is optimised either way
    #[arg(long)]
    release: bool,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

#[derive(Serialize)]
struct Built {
    library: String,
    bytes: u64,
}

/// Builds the library and says where it is.
pub(crate) fn run(args: &Args) -> Result<ExitCode> {
    let folder = Sources::find().build(args.release)?;
    let library = folder.join(NAME);
    let built = Built {
        library: project::shown(&library),
        bytes: library.metadata()?.len(),
    };
    if args.json {
        say(serde_json::to_string_pretty(&built)?);
    } else {
        say(format_args!(
            "{} ({} KiB)\nLD_LIBRARY_PATH={} PROGRAM runs PROGRAM on it",
            built.library,
            built.bytes / 1024,
            project::shown(&folder)
        ));
    }
    Ok(ExitCode::SUCCESS)
}

/// The folder with the library in it and nothing else, built if it has to be.
pub(crate) fn folder() -> Result<PathBuf> {
    if let Some(beside) = beside_program() {
        return Ok(beside);
    }
    let sources = Sources::find();
    // What a registry has under a version does not change.
    match &sources {
        Sources::Registry if cache()?.join("driver").join(NAME).is_file() => {
            Ok(cache()?.join("driver"))
        }
        _ => sources.build(false),
    }
}

/// A folder `lanewise-driver` beside this program, which someone has packed with it.
fn beside_program() -> Option<PathBuf> {
    let folder = env::current_exe().ok()?.parent()?.join("lanewise-driver");
    folder.join(NAME).is_file().then_some(folder)
}

/// Where the driver's sources are.
#[derive(Debug)]
enum Sources {
    /// In a checkout with this root, which this program was built in.
    Checkout(PathBuf),
    /// Where cargo finds them under this program's version.
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

    /// Builds the library, which is quick where nothing has changed, and returns its folder.
    fn build(&self, release: bool) -> Result<PathBuf> {
        match self {
            Sources::Checkout(root) => {
                // In its own checkout the library shares what tests have compiled, as long as all of the workspace is selected as
                // they do: a selection decides which features dependencies get.
                let own = project::root() == root;
                let build = Build {
                    selection: if own {
                        &["--workspace", "--example", "drop_in"]
                    } else {
                        &["--package", "lanewise-driver", "--example", "drop_in"]
                    },
                    made: "examples/libdrop_in.so",
                };
                if own {
                    build.run(root, project::target(), release)
                } else {
                    build.run(root, &cache()?.join("target"), true)
                }
            }
            Sources::Registry => {
                let package = cache()?.join("package");
                make_package(&package)?;
                let build = Build {
                    selection: &[],
                    made: "libdrop_in.so",
                };
                build.run(&package, &cache()?.join("target"), true)
            }
        }
    }
}

/// A way to build the library.
struct Build {
    /// What of the packages there cargo is to build, where it is not all.
    selection: &'static [&'static str],
    /// The file that it makes.
    made: &'static str,
}

impl Build {
    /// Builds in `root` and puts the library beside what `target` holds, in a folder of its own.
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
        let folder = target.join("driver");
        install(&target.join(profile).join(self.made), &folder)?;
        Ok(folder)
    }
}

/// A package that is the driver of this program's version, as a shared library.
fn make_package(folder: &Path) -> Result<()> {
    let manifest = format!(
        "[package]\nname = \"drop-in\"\nversion = \"0.0.0\"\nedition = \"2024\"\n\n\
         [lib]\npath = \"lib.rs\"\ncrate-type = [\"cdylib\"]\n\n\
         [dependencies]\nlanewise-driver = \"={}\"\n\n[workspace]\n",
        env!("CARGO_PKG_VERSION")
    );
    let source = "//! The driver's C symbols.\n\nlanewise_driver::drop_in!();\n";
    let script = format!(
        "fn main() {{\n    println!(\"cargo::rustc-link-arg-cdylib=-Wl,-soname,{NAME}\");\n}}\n"
    );
    std::fs::create_dir_all(folder)
        .and_then(|()| std::fs::write(folder.join("Cargo.toml"), manifest))
        .and_then(|()| std::fs::write(folder.join("lib.rs"), source))
        .and_then(|()| std::fs::write(folder.join("build.rs"), script))
        .with_context(|| format!("cannot write to `{}`", folder.display()))
}

/// The user's cache of this version of the program.
fn cache() -> Result<PathBuf> {
    let absolute = |name: &str| {
        env::var_os(name)
            .map(PathBuf::from)
            .filter(|it| it.is_absolute())
    };
    let base = absolute("XDG_CACHE_HOME").or_else(|| Some(absolute("HOME")?.join(".cache")));
    match base {
        Some(base) => Ok(base.join("lanewise").join(env!("CARGO_PKG_VERSION"))),
        None => bail!("neither XDG_CACHE_HOME nor HOME says where the library can be kept"),
    }
}

/// Copies by way of a new name, so that a program that has the old library loaded keeps it whole, and lays the plain name beside it.
fn install(made: &Path, folder: &Path) -> Result<()> {
    let library = folder.join(NAME);
    let plain = folder.join(PLAIN_NAME);
    let fresh = folder.join(format!("{NAME}.{}", std::process::id()));
    let link = folder.join(format!("{PLAIN_NAME}.{}", std::process::id()));
    std::fs::create_dir_all(folder)
        .and_then(|()| std::fs::copy(made, &fresh))
        .and_then(|_| std::fs::rename(&fresh, &library))
        .and_then(|()| std::os::unix::fs::symlink(NAME, &link))
        .and_then(|()| std::fs::rename(&link, &plain))
        .with_context(|| {
            format!(
                "cannot copy `{}` to `{}`",
                project::shown(made),
                project::shown(folder)
            )
        })
}
