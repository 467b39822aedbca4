//! `cargo lanewise doctor`: shows what is installed on this machine, and what does not work without
//! each missing component.
//!
//! Nothing is installed or changed. The command fails if a required component is missing.
//! Everything from NVIDIA is optional, because rustc's own LLVM compiles the kernels and the
//! simulator runs them.

pub(crate) mod gpu;
mod things;

use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::Result;
use comfy_table::{Cell, Color};
use lanewise_builder::Cache;
use serde::Serialize;

use crate::output::say;
use crate::progress::Progress;
use crate::{output, project};
use things::Component;

/// Show what is installed on this machine, and what each missing tool would add
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Examples:\n  cargo lanewise doctor\n  cargo lanewise doctor --json | jq '.things[] | select(.found == null)'"
)]
pub struct Args {
    /// Print the result as JSON
    #[arg(long)]
    json: bool,
}

/// The result of the command.
#[derive(Serialize)]
struct Diagnosis {
    /// Whether `cargo lanewise build-ptx` and `cargo test` can work here.
    healthy: bool,
    /// Whether kernels run on a GPU here.
    gpu: bool,
    things: Vec<Component>,
    /// The code of earlier builds. `None` if no build keeps any.
    cache: Option<Kept>,
    /// The variables that are set and change what programs do.
    variables: Vec<SetVariable>,
    /// Variables that have a name like Lanewise's, but that Lanewise does not use.
    unknown_variables: Vec<String>,
}

/// The cache of the builder.
#[derive(Serialize)]
struct Kept {
    folder: PathBuf,
    entries: usize,
    bytes: u64,
    limit: u64,
}

impl Kept {
    fn of_user() -> Option<Self> {
        let cache = Cache::of_user()?;
        let size = cache.size();
        Some(Self {
            folder: cache.folder().to_owned(),
            entries: size.entries,
            bytes: size.bytes,
            limit: size.limit,
        })
    }
}

/// A variable that is set.
#[derive(Serialize)]
struct SetVariable {
    name: &'static str,
    value: String,
    what: &'static str,
}

/// Returns the variables that are set. Variables of other programs are left out, because they are
/// mostly set for those programs.
fn variables() -> Vec<SetVariable> {
    let own = lanewise_variables::ALL
        .iter()
        .filter(|variable| variable.group != lanewise_variables::Group::Foreign);
    own.filter_map(|variable| {
        Some(SetVariable {
            name: variable.name,
            value: variable.get()?,
            what: variable.what,
        })
    })
    .collect()
}

impl Diagnosis {
    fn of(things: Vec<Component>) -> Self {
        Self {
            healthy: things
                .iter()
                .all(|thing| thing.found.is_some() || !thing.needed),
            gpu: things
                .iter()
                .any(|thing| thing.name == things::GPU && thing.found.is_some()),
            things,
            cache: Kept::of_user(),
            variables: variables(),
            unknown_variables: lanewise_variables::unknown()
                .iter()
                .map(ToString::to_string)
                .collect(),
        }
    }
}

/// Prints what was found. Fails if something that is needed is missing.
pub(crate) fn run(args: &Args) -> Result<ExitCode> {
    let progress = Progress::start("Looking around");
    let things = things::all();
    drop(progress);
    let diagnosis = Diagnosis::of(things);
    if args.json {
        output::say_json(&diagnosis)?;
    } else {
        print(&diagnosis);
    }
    Ok(if diagnosis.healthy {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    })
}

fn print(diagnosis: &Diagnosis) {
    let mut table = output::with_header(&["", "version", "found through", "where"], &[]);
    for thing in &diagnosis.things {
        let name = Cell::new(thing.name);
        table.add_row(match &thing.found {
            Some(found) => vec![
                name.fg(Color::Green),
                Cell::new(found.version.as_deref().unwrap_or("")),
                Cell::new(&found.through),
                Cell::new(
                    found
                        .path
                        .as_deref()
                        .map(project::shown)
                        .unwrap_or_default(),
                ),
            ],
            None => vec![
                name.fg(if thing.needed {
                    Color::Red
                } else {
                    Color::Yellow
                }),
                Cell::new("missing"),
            ],
        });
    }
    say(table.trim_fmt());
    for thing in diagnosis
        .things
        .iter()
        .filter(|thing| thing.found.is_none())
    {
        say(format_args!(
            "\n{} is missing: {}",
            thing.name, thing.without
        ));
        say(format_args!("  {}", thing.remedy));
    }
    if let Some(cache) = &diagnosis.cache {
        say(format_args!(
            "\nCode of {} earlier builds is in {}: {} of {} MiB.",
            cache.entries,
            project::shown(&cache.folder),
            cache.bytes >> 20,
            cache.limit >> 20
        ));
    }
    for SetVariable { name, value, what } in &diagnosis.variables {
        say(format_args!("\n{name} is `{value}`: {what}"));
    }
    for unknown in &diagnosis.unknown_variables {
        say(format_args!("\n{unknown}"));
    }
    if diagnosis.variables.is_empty() {
        say(format_args!(
            "\nNo variable of Lanewise is set. There are {}.",
            names().join(", ")
        ));
    }
    say(format_args!("\n{}", verdict(diagnosis)));
}

/// Returns the names of the variables that a user may want to set.
fn names() -> Vec<&'static str> {
    use lanewise_variables::Group::{Foreign, Tests};
    let all = lanewise_variables::ALL.iter();
    all.filter(|variable| !matches!(variable.group, Foreign | Tests))
        .map(|variable| variable.name)
        .collect()
}

fn verdict(diagnosis: &Diagnosis) -> &'static str {
    match diagnosis {
        Diagnosis { healthy: false, .. } => {
            "Kernels cannot be built here until what is missing above is there."
        }
        Diagnosis { gpu: true, .. } => {
            "Kernels are built here, and run on the GPU (LANEWISE_DEVICE=sim: on the simulated one)."
        }
        Diagnosis { gpu: false, .. } => "Kernels are built here, and run on the simulated GPU.",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn thing(name: &'static str, needed: bool, found: bool) -> Component {
        let finding = things::Finding {
            version: None,
            through: "a test".into(),
            path: None,
        };
        Component {
            name,
            needed,
            found: found.then_some(finding),
            without: "",
            remedy: String::new(),
        }
    }

    #[test]
    fn only_what_is_needed_makes_a_machine_unfit() {
        let diagnosis = Diagnosis::of(vec![
            thing("rustc", true, true),
            thing("ptxas", false, false),
        ]);
        assert!(diagnosis.healthy && !diagnosis.gpu);
        assert!(
            !Diagnosis::of(vec![
                thing("rustc", true, false),
                thing(things::GPU, false, true)
            ])
            .healthy
        );
    }

    #[test]
    fn this_machine_can_build_kernels() {
        let diagnosis = Diagnosis::of(things::all());
        assert!(diagnosis.healthy, "{:#?}", diagnosis.things);
    }
}
