//! The targets of the GPUs in this machine: `LANEWISE_ARCH=native`, as nvcc's `-arch=native`.

use std::collections::BTreeSet;
use std::process::Command;

use crate::arch;

/// The word that stands for the targets of this machine.
pub(crate) const NATIVE: &str = "native";

/// The target of the simulated GPU that runs kernels where there is no other.
pub(crate) const SIMULATED: &str = "sm_90";

/// Returns the newest target that each GPU of this machine runs. NVIDIA's driver comes with the
/// program that is asked for them. Without GPUs, it is the simulated one's.
pub(crate) fn targets() -> Vec<String> {
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
fn of_capabilities(text: &str) -> Vec<String> {
    let newest = |line: &str| {
        let (major, minor) = line.trim().split_once('.')?;
        let capability = 10 * major.parse::<u32>().ok()? + minor.parse::<u32>().ok()?;
        let numbers = arch::targets().filter_map(|name| name.strip_prefix("sm_")?.parse().ok());
        numbers.filter(|number: &u32| *number <= capability).max()
    };
    let found: BTreeSet<u32> = text.lines().filter_map(newest).collect();
    match found.is_empty() {
        true => vec![SIMULATED.to_owned()],
        false => found.iter().map(|number| format!("sm_{number}")).collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::{SIMULATED, of_capabilities};

    #[test]
    fn each_gpu_has_the_newest_target_that_it_runs() {
        for (told, expected) in [
            ("9.0\n", &["sm_90"][..]),
            ("8.0\n9.0\n8.0\n", &["sm_80", "sm_90"]),
            ("12.9\n", &["sm_121"]),
            ("", &[SIMULATED]),
            ("No devices were found\n", &[SIMULATED]),
            ("6.1\n", &[SIMULATED]),
        ] {
            assert_eq!(of_capabilities(told), expected, "{told}");
        }
    }

    #[test]
    fn without_a_gpu_it_is_the_simulated_ones() {
        let simulated = lanewise_sim::DeviceModel::h200();
        assert_eq!(SIMULATED, format!("sm_{}", simulated.sm()));
    }
}
