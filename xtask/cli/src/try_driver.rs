//! `lanewise try-driver LIBRARY`, which `exec` and `sanitize` start: checks whether the simulated
//! driver starts with the settings of the environment.
//!
//! Only the driver reads these variables. So it is started, and it reports on stderr what it
//! does not accept.

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

/// Starts the simulated driver and reports its status.
pub(crate) fn run(args: &Args) -> Result<ExitCode> {
    let driver = Driver::at(&args.library)?;
    Ok(match driver.initialise() {
        Ok(()) => ExitCode::SUCCESS,
        Err(_) => ExitCode::FAILURE,
    })
}
