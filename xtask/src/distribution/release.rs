//! `cargo xtask release`: the archives of a release, and their checksums.
//!
//! An archive has `cargo-lanewise`, `lanewise`, and the simulated driver where these look for it,
//! with a bill of materials and the licences of what is linked. The same programs give the
//! same bytes. `cargo binstall` knows where they are from `xtask/cli/Cargo.toml`.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};

use anyhow::{Context, Result};
use cargo_lanewise::output::{say, say_json};
use serde::Serialize;

use super::notices::Parts;
use super::programs::{self, HERE, Programs, copy};
use super::tools::{LINKER, Tools, output};
use crate::workspace;

/// What is linked into the files of an archive.
const PACKAGES: [&str; 2] = ["cargo-lanewise", "lanewise-driver"];
/// The file with the sum of each archive, as `sha256sum --check` reads it.
const SUMS: &str = "SHA256SUMS";

/// Make the archives of a release: the commands and the simulated driver
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Examples:\n  cargo xtask release\n  cargo xtask release --target aarch64-unknown-linux-gnu"
)]
pub(crate) struct Args {
    /// Where to put them
    #[arg(long, value_name = "DIR", default_value = "target/dist")]
    out: PathBuf,
    /// The machine that they are for; several may be named
    #[arg(long = "target", value_name = "TARGET", default_value = HERE)]
    targets: Vec<String>,
    /// Link for this version of glibc, or later ones; 2.31 is that of Debian 11
    #[arg(long, value_name = "VERSION", default_value = "2.31")]
    glibc: String,
    /// Print the result as JSON
    #[arg(long)]
    json: bool,
}

#[derive(Serialize)]
struct Archive {
    path: String,
    bytes: u64,
    sha256: String,
}

/// Builds the programs for each target, and packs them.
pub(crate) fn run(args: &Args) -> Result<ExitCode> {
    let out = workspace::root().join(&args.out);
    fs::create_dir_all(&out).with_context(|| format!("cannot make `{}`", out.display()))?;
    let tools = Tools::install(LINKER)?;
    let mut archives = Vec::new();
    for target in &args.targets {
        let programs = programs::build_for(target, &args.glibc, &tools)?;
        let archive = pack(&programs, &Parts::of(&PACKAGES, target)?, target, &out)?;
        let sum = output(Command::new("sha256sum").arg(&archive))?;
        archives.push(Archive {
            bytes: archive.metadata()?.len(),
            path: workspace::shown(&archive),
            sha256: sum.split(' ').next().unwrap_or_default().to_owned(),
        });
    }
    let line = |archive: &Archive| {
        let name = Path::new(&archive.path).file_name().unwrap_or_default();
        format!("{}  {}\n", archive.sha256, name.display())
    };
    let sums: String = archives.iter().map(line).collect();
    fs::write(out.join(SUMS), sums)?;
    if args.json {
        say_json(&archives)?;
        return Ok(ExitCode::SUCCESS);
    }
    for archive in &archives {
        say(format_args!(
            "{} ({} KiB)",
            archive.path,
            archive.bytes / 1024
        ));
    }
    Ok(ExitCode::SUCCESS)
}

/// Packs the files of a target, in one folder that the archive makes.
fn pack(programs: &Programs, parts: &Parts, target: &str, out: &Path) -> Result<PathBuf> {
    let name = format!("lanewise-{}-{target}", env!("CARGO_PKG_VERSION"));
    let folder = out.join(&name);
    let _ = fs::remove_dir_all(&folder);
    let driver = folder.join("lanewise-driver");
    fs::create_dir_all(&driver)?;
    copy(&programs.lanewise, &folder.join("lanewise"))?;
    copy(&programs.cargo, &folder.join("cargo-lanewise"))?;
    copy(&programs.driver, &driver.join("libcuda.so.1"))?;
    // Programs ask for either name.
    symlink("libcuda.so.1", driver.join("libcuda.so"))?;
    for file in ["README.md", "CHANGELOG.md", "LICENSE-APACHE", "LICENSE-MIT"] {
        copy(&workspace::root().join(file), &folder.join(file))?;
    }
    let bill = serde_json::to_string_pretty(&parts.bill())?;
    fs::write(folder.join("bill-of-materials.cdx.json"), bill + "\n")?;
    fs::write(folder.join("LICENSES-OF-OTHERS"), parts.licences()?)?;
    let archive = out.join(format!("{name}.tar.gz"));
    let mut tar = Command::new("tar");
    tar.arg("--create").arg("--directory").arg(out);
    tar.arg("--file").arg(&archive);
    // The bytes depend on nothing but the files.
    tar.args(["--sort=name", "--mtime=@0", "--mode=go=rX,u+rw"]);
    tar.args(["--owner=0", "--group=0", "--numeric-owner"]);
    tar.args(["--use-compress-program=gzip -9n", &name]);
    output(&mut tar)?;
    fs::remove_dir_all(&folder)?;
    Ok(archive)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_same_programs_give_the_same_bytes() {
        let folder = tempfile::tempdir().expect("a folder");
        let parts = Parts::of(&["lanewise-driver"], HERE).expect("cargo metadata");
        let archive = |at: &str| {
            let out = folder.path().join(at);
            fs::create_dir(&out).expect("it is new");
            let file = |name: &str| {
                let path = out.join(name);
                fs::write(&path, name).expect("a file");
                path
            };
            let programs = Programs {
                lanewise: file("a"),
                cargo: file("b"),
                driver: file("c"),
            };
            pack(&programs, &parts, HERE, &out).expect("tar is there")
        };
        let (one, other) = (archive("one"), archive("other"));
        let read = |path: &Path| fs::read(path).expect("the archive");
        assert_eq!(read(&one), read(&other));
        let names = output(Command::new("tar").arg("--list").arg("--file").arg(&one));
        let names = names.expect("an archive");
        let top = format!("lanewise-{}-{HERE}", env!("CARGO_PKG_VERSION"));
        for file in [
            "cargo-lanewise",
            "lanewise",
            "lanewise-driver/libcuda.so",
            "lanewise-driver/libcuda.so.1",
            "bill-of-materials.cdx.json",
            "LICENSES-OF-OTHERS",
        ] {
            assert!(names.contains(&format!("{top}/{file}\n")), "{names}");
        }
    }
}
