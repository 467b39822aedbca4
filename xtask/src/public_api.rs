//! `cargo xtask public-api`: what users can name, compared with the lists in git.
//!
//! rustdoc checks the documentation of the workspace, and writes the public items as JSON. The
//! program `xtask/public-api` makes lists of them. It is a package outside of the workspace, so
//! only this command compiles what it depends on.

use std::collections::HashSet;
use std::fs;
use std::process::ExitCode;

use anyhow::{Result, ensure};
use cargo_lanewise::output::say;

use crate::{cargo, workspace};

/// The packages that a user's `Cargo.toml` names.
const PACKAGES: [&str; 6] = [
    "lanewise",
    "lanewise-std",
    "lanewise-algorithms",
    "lanewise-algorithms-generic",
    "lanewise-builder",
    "lanewise-cudarc",
];

/// Check the documentation, and compare the public items with the lists in xtask/public-api
///
/// `LANEWISE_BLESS=1` writes the lists.
#[derive(Debug, clap::Args)]
#[command(after_help = "Example:\n  LANEWISE_BLESS=1 cargo xtask public-api")]
pub(crate) struct Args {}

/// Lists the items, and fails if a list in git has others.
pub(crate) fn run(_: &Args) -> Result<ExitCode> {
    let (root, target) = (workspace::root(), workspace::target());
    let mut doc = cargo::command();
    // All of the workspace is selected, so that dependencies have the features with which they are
    // built already, and so that rustdoc's lints see all of it.
    doc.args(["doc", "--workspace", "--no-deps"]);
    // For rustdoc alone: build scripts that look at `RUSTC_BOOTSTRAP` would run again.
    doc.env("RUSTDOC", root.join(".ci/rustdoc"));
    doc.env(
        "RUSTDOCFLAGS",
        "-Dwarnings -Zunstable-options --output-format=json",
    );
    ensure!(doc.status()?.success(), "cargo doc failed");

    let (lists, out) = (root.join("xtask/public-api"), target.join("public-api"));
    fs::create_dir_all(&out)?;
    let names = PACKAGES.map(|name| name.replace('-', "_"));
    let mut program = cargo::command();
    program.args(["run", "--quiet", "--locked", "--manifest-path"]);
    program.arg(lists.join("Cargo.toml"));
    program.arg("--target-dir").arg(&out).arg("--").arg(&out);
    program.args(
        names
            .each_ref()
            .map(|name| target.join("doc").join(name).with_extension("json")),
    );
    ensure!(program.status()?.success(), "the items cannot be listed");

    let mut differs = false;
    for name in names.map(|name| format!("{name}.txt")) {
        let now = fs::read_to_string(out.join(&name))?;
        let listed = lists.join(&name);
        if std::env::var_os("LANEWISE_BLESS").is_some() {
            fs::write(&listed, &now)?;
        }
        let before = fs::read_to_string(&listed).unwrap_or_default();
        for (sign, items, others) in [('-', &before, &now), ('+', &now, &before)] {
            let others: HashSet<_> = others.lines().collect();
            for item in items.lines().filter(|item| !others.contains(item)) {
                say(format_args!("{name}: {sign} {item}"));
            }
        }
        differs |= now != before;
    }
    ensure!(
        !differs,
        "public items are not as listed: `LANEWISE_BLESS=1 cargo xtask public-api` lists them"
    );
    Ok(ExitCode::SUCCESS)
}
