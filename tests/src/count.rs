//! The counters of a variant's launch, for tests.

use lanewise::counters::{self, Counters};
use lanewise_patterns::Setup;

use crate::agree::variant;

/// Returns what the simulator counts for one launch of the variant of this name. On a GPU it
/// returns `None` and prints a line that the claim was not checked.
///
/// # Panics
/// If the variant cannot be run.
#[track_caller]
pub fn count(name: &str, setup: Setup) -> Option<Counters> {
    let device = crate::simulator(name, "a GPU does not count")?;
    let counted = || -> anyhow::Result<Option<Counters>> {
        let stream = device.stream()?;
        let mut case = (variant(name).prepare)(&device, setup)?;
        Ok(counters::of(&device, || case.launch(&stream))?.1)
    };
    let counters =
        counted().unwrap_or_else(|error| panic!("`{name}` at {setup:?} did not run: {error:#}"));
    Some(counters.unwrap_or_else(|| panic!("the simulator did not count `{name}`")))
}
