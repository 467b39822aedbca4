//! The stand-in for NVIDIA's driver, compiled.

use std::path::Path;
use std::process::Command;

/// Compiles the stand-in as `dir/libcuda.so.1`. Returns false if there is no compiler.
pub(crate) fn build(dir: &Path) -> bool {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("fake/libcuda.rs");
    let built = Command::new("rustc")
        .args([
            "--edition",
            "2024",
            "--crate-type",
            "cdylib",
            "--crate-name",
            "cuda",
            "-A",
            "warnings",
            "-O",
            "-o",
        ])
        .arg(dir.join("libcuda.so.1"))
        .args(["-C", "link-arg=-Wl,-soname,libcuda.so.1"])
        .arg(source)
        .status();
    match built {
        Ok(status) => {
            assert!(status.success(), "the stand-in does not compile");
            true
        }
        Err(_) => false,
    }
}
