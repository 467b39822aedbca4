//! The options of all commands that run a program on the simulated GPU.

use std::process::{Command, ExitCode};

use lanewise_variables as variables;

/// How the simulated GPU runs a program.
#[derive(Debug, Clone, clap::Args)]
#[command(next_help_heading = "Simulated GPU")]
pub(crate) struct Simulation {
    /// The GPU to simulate, such as `rtx4090`
    #[arg(long, value_name = "NAME")]
    pub(crate) model: Option<String>,
    /// The checks, separated by commas: `memory`, `race`, `sync`, `init`, or `all` of these;
    /// `init=strict`, which also reports reads that are no use yet; and `leak` [default of
    /// `sanitize` and `test`: all,init=strict]
    #[arg(long, visible_alias = "tools", value_name = "LIST")]
    pub(crate) checks: Option<String>,
    /// How many seeds to run, each another order of warps
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u64).range(1..))]
    pub(crate) seeds: u64,
    /// The first seed
    #[arg(long, visible_alias = "first", value_name = "SEED")]
    pub(crate) seed: Option<u64>,
    /// How threads are scheduled at memory accesses: `plain`, `random`, `pct` or `pct:DEPTH`, with
    /// `weak` for old values
    #[arg(long, value_name = "SCHEDULE")]
    pub(crate) schedule: Option<String>,
    /// The targets of kernels that builds started by the program compile, such as `sm_90`
    #[arg(long, value_name = "ARCH")]
    pub(crate) arch: Option<String>,
    /// The exit code if the checks found something
    #[arg(long, value_name = "CODE")]
    error_exitcode: Option<u8>,
    /// Print the result as JSON; the program's own output goes to stderr
    #[arg(long)]
    pub(crate) json: bool,
}

impl Simulation {
    /// Returns the seeds.
    pub(crate) fn all_seeds(&self) -> impl Iterator<Item = u64> {
        let first = self.seed.unwrap_or(0);
        (0..self.seeds).map(move |n| first.wrapping_add(n))
    }

    /// Sets what the options say for a run of the program with one seed, or with that of the
    /// environment.
    pub(crate) fn set(&self, command: &mut Command, seed: Option<u64>) {
        let options = [
            (&variables::MODEL, &self.model),
            (&variables::CHECKS, &self.checks),
            (&variables::SCHEDULE, &self.schedule),
            (&variables::ARCH, &self.arch),
        ];
        for (variable, value) in options {
            if let Some(value) = value {
                command.env(variable.name, value);
            }
        }
        if let Some(seed) = seed {
            command.env(variables::SEED.name, seed.to_string());
        }
    }

    /// Returns the exit code of a command whose program had findings, or `otherwise`.
    pub(crate) fn code_of_findings(&self, otherwise: ExitCode) -> ExitCode {
        self.error_exitcode.map_or(otherwise, ExitCode::from)
    }
}
