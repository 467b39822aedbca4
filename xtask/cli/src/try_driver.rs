//! `lanewise try-driver LIBRARY`, which `exec` and `sanitize` start: whether the simulated driver
//! begins with the settings of the environment.
//!
//! The variables are the driver's to read, so it is asked, and says on stderr what it does not
//! take.

use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::Result;

use crate::doctor::gpu::Driver;

/// The command's name.
pub(crate) const TRY_DRIVER: &str = "try-driver";

/// Start the simulated driver, and say with which code it answers
#[derive(Debug, clap::Args)]
pub struct Args {
    /// The driver's library
    library: PathBuf,
}

/// Starts the program on the simulated driver.
pub(crate) fn run(args: &Args) -> Result<ExitCode> {
    let driver = Driver::at(&args.library)?;
    Ok(match driver.initialise() {
        Ok(()) => ExitCode::SUCCESS,
        Err(_) => ExitCode::FAILURE,
    })
}
