//! Where and when something was measured.

use std::fmt;
use std::fs;
use std::time::SystemTime;

use serde::{Deserialize, Serialize};

/// Where and when something was measured.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Provenance {
    /// The device's name as its driver says it, and whether it is simulated.
    pub device: String,
    /// The driver's version; for the simulator, what it is.
    pub driver: String,
    /// The toolkit of the libraries that were measured beside: `CUDA 13.0`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub toolkit: Option<String>,
    /// The day, in UTC: `2026-11-28`.
    pub date: String,
    /// The commit of this repository, where the program knows it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub commit: Option<String>,
}

impl Provenance {
    /// Returns the provenance of what runs now on a device of this name, a GPU or a simulated one.
    pub fn now(device: &str, is_gpu: bool) -> Self {
        let read = || fs::read_to_string("/proc/driver/nvidia/version").ok();
        let (device, driver) = match is_gpu {
            true => (device.to_owned(), read().as_deref().and_then(version_in)),
            // Another device than the GPU itself, so that a record never has both.
            false => (
                format!("{device} (simulated)"),
                Some("the simulator's".into()),
            ),
        };
        Self {
            device,
            driver: driver.unwrap_or_else(|| "unknown".into()),
            toolkit: None,
            date: today(),
            commit: None,
        }
    }
}

impl fmt::Display for Provenance {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            device,
            driver,
            toolkit,
            date,
            commit,
        } = self;
        write!(out, "{device}, driver {driver}")?;
        if let Some(toolkit) = toolkit {
            write!(out, ", {toolkit}")?;
        }
        write!(out, ", {date}")?;
        match commit {
            Some(commit) => write!(out, ", commit {commit:.8}"),
            None => Ok(()),
        }
    }
}

/// Returns the day, in UTC.
fn today() -> String {
    let now = humantime::format_rfc3339_seconds(SystemTime::now()).to_string();
    now.split('T').next().unwrap_or_default().to_owned()
}

/// Returns the version in the text of `/proc/driver/nvidia/version`: its first word of digits and
/// dots.
fn version_in(text: &str) -> Option<String> {
    let is_version = |word: &&str| {
        word.contains('.')
            && word
                .bytes()
                .all(|byte| byte.is_ascii_digit() || byte == b'.')
    };
    text.lines()
        .next()?
        .split_whitespace()
        .find(is_version)
        .map(str::to_owned)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_drivers_version_is_in_its_line() {
        let text = "NVRM version: NVIDIA UNIX Open Kernel Module for x86_64  580.159.04  Release Build\nGCC version:  gcc 12.2.0";
        assert_eq!(version_in(text).as_deref(), Some("580.159.04"));
        assert_eq!(version_in(""), None);
        assert_eq!(version_in("NVRM version: none"), None);
    }

    #[test]
    fn a_day_has_ten_characters() {
        let provenance = Provenance {
            commit: Some("0123456789abcdef".into()),
            ..Provenance::now("NVIDIA H200", true)
        };
        assert_eq!(provenance.date.len(), 10, "{}", provenance.date);
        let text = provenance.to_string();
        assert!(text.starts_with("NVIDIA H200, driver "), "{text}");
        assert!(text.ends_with(", commit 01234567"), "{text}");
    }
}
