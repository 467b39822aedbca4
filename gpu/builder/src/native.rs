//! The targets of the GPUs in this machine: `LANEWISE_ARCH=native`, as nvcc's `-arch=native`.

use std::collections::BTreeSet;
use std::process::Command;

use lanewise_ptx::isa::Architecture;

use crate::arch;

/// The word that stands for the targets of this machine.
pub(crate) const NATIVE: &str = "native";

/// The target of the simulated GPU that runs kernels where there is no other.
const SIMULATED: u32 = 90;

/// Returns the newest target that each GPU of this machine runs.
pub(crate) fn targets() -> Vec<String> {
    let found = capabilities();
    found.iter().map(|number| format!("sm_{number}")).collect()
}

/// Returns those of the targets that this machine's GPUs would run: of each GPU the best. All of
/// them if none runs here.
pub(crate) fn among(named: &[&str]) -> Vec<String> {
    best_of(named, &capabilities())
}

fn best_of(named: &[&str], capabilities: &BTreeSet<u32>) -> Vec<String> {
    let best = |sm: &u32| Architecture::best(named.iter().copied(), |name| name, *sm);
    let found: BTreeSet<&str> = capabilities.iter().filter_map(best).collect();
    let is_taken = |name: &&&str| found.is_empty() || found.contains(*name);
    let taken = named.iter().filter(is_taken);
    taken.map(|name| (*name).to_owned()).collect()
}

/// Returns the number of the newest target that each GPU runs. NVIDIA's driver comes with the
/// program that is asked for them. Without GPUs, it is the simulated one's.
fn capabilities() -> BTreeSet<u32> {
    let asked = Command::new("nvidia-smi")
        .args(["--query-gpu=compute_cap", "--format=csv,noheader"])
        .output();
    let told = asked.ok().filter(|output| output.status.success());
    let text = told.map_or(String::new(), |output| {
        String::from_utf8_lossy(&output.stdout).into_owned()
    });
    of_capabilities(&text)
}

/// Returns the targets for a compute capability a line, such as `9.0`.
fn of_capabilities(text: &str) -> BTreeSet<u32> {
    let newest = |line: &str| {
        let (major, minor) = line.trim().split_once('.')?;
        let capability = 10 * major.parse::<u32>().ok()? + minor.parse::<u32>().ok()?;
        let numbers = arch::targets().filter_map(|name| name.strip_prefix("sm_")?.parse().ok());
        numbers.filter(|number: &u32| *number <= capability).max()
    };
    let found: BTreeSet<u32> = text.lines().filter_map(newest).collect();
    match found.is_empty() {
        true => BTreeSet::from([SIMULATED]),
        false => found,
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::{SIMULATED, best_of, of_capabilities};

    #[test]
    fn each_gpu_has_the_newest_target_that_it_runs() {
        for (told, expected) in [
            ("9.0\n", &[90][..]),
            ("8.0\n9.0\n8.0\n", &[80, 90]),
            ("12.9\n", &[121]),
            ("", &[SIMULATED]),
            ("No devices were found\n", &[SIMULATED]),
            ("6.1\n", &[SIMULATED]),
        ] {
            assert!(of_capabilities(told).iter().eq(expected), "{told}");
        }
    }

    #[test]
    fn of_alternatives_each_gpu_has_the_one_that_a_launch_takes() {
        for (gpus, expected) in [
            (&[90][..], &["sm_90a"][..]),
            (&[89, 90], &["sm_80", "sm_90a"]),
            (&[120], &["sm_80"]),
            (&[70], &["sm_80", "sm_90a"]),
        ] {
            let gpus = BTreeSet::from_iter(gpus.iter().copied());
            assert_eq!(best_of(&["sm_80", "sm_90a"], &gpus), expected, "{gpus:?}");
        }
    }

    #[test]
    fn without_a_gpu_it_is_the_simulated_ones() {
        assert_eq!(SIMULATED, lanewise_sim::DeviceModel::h200().sm());
    }
}
