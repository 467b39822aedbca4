//! Compares a variant with the CPU, for tests. On the simulator it runs under all checks: a finding
//! is an error, like a wrong result.

use lanewise::checks::Checking;
use lanewise_patterns::{Setup, Variant, run};

use crate::sizes::{EDGES, MATRIX_EDGES, matrix};

/// Returns the variant of this name.
///
/// # Panics
/// If there is none: the test has a wrong name.
#[track_caller]
pub fn variant(name: &str) -> &'static Variant {
    let all = lanewise_patterns::find(name).map_or(&[][..], |pattern| pattern.variants);
    all.iter()
        .find(|variant| variant.name == name)
        .unwrap_or_else(|| panic!("no variant is called `{name}`"))
}

/// Runs the variant of this name once, under all checks, and compares it with the CPU.
///
/// # Errors
/// Each step can fail: the variant, the setup, the device, the run, and the comparison
/// of the results.
pub fn agrees(name: &str, setup: Setup) -> Result<(), String> {
    let device = crate::device();
    let _checked = in_some_order(Checking::all(), &format!("{name} {setup:?}")).start();
    let outcome = match run::check(&device, variant(name), setup) {
        Ok(Ok(_)) => return Ok(()),
        Ok(Err(mismatch)) => mismatch.to_string(),
        Err(error) => format!("did not run: {error:#}"),
    };
    let (gpu, backend) = (&device.properties().name, device.backend());
    Err(format!(
        "`{name}` with {setup:?} on {gpu} ({backend}): {outcome}"
    ))
}

/// Uses one of 32 seeds for the order of warps. Each variant and setup has another one, so that the
/// tests together use all of them. `LANEWISE_SEED` sets one seed for all.
fn in_some_order(checking: Checking, what: &str) -> Checking {
    match std::env::var_os("LANEWISE_SEED") {
        Some(_) => checking,
        None => checking.seed(what.bytes().map(u64::from).sum::<u64>() % 32),
    }
}

/// As [`agrees`], for a plain test.
///
/// # Panics
/// If the variant does not agree.
#[track_caller]
pub fn assert_agrees(name: &str, setup: Setup) {
    if let Err(why) = agrees(name, setup) {
        panic!("{why}");
    }
}

/// As [`agrees`], for each of several variants.
///
/// # Errors
/// The first that does not agree.
pub fn all_agree<N: AsRef<str>>(
    names: impl IntoIterator<Item = N>,
    setup: Setup,
) -> Result<(), String> {
    let mut names = names.into_iter();
    names.try_for_each(|name| agrees(name.as_ref(), setup))
}

/// Asserts that variants over a vector agree at each of [`EDGES`].
///
/// # Panics
/// If one does not agree.
#[track_caller]
pub fn assert_agree_at_edges(names: impl IntoIterator<Item = &'static str>) {
    for name in names {
        for size in EDGES {
            assert_agrees(name, Setup::new(size, 1));
        }
    }
}

/// Asserts that variants over a matrix agree at each of [`MATRIX_EDGES`].
///
/// # Panics
/// If one does not agree.
#[track_caller]
pub fn assert_agree_at_matrix_edges(names: impl IntoIterator<Item = &'static str>) {
    for name in names {
        for (columns, rows) in MATRIX_EDGES {
            assert_agrees(name, matrix(columns, rows, 1));
        }
    }
}
