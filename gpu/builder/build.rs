//! Gives the crate a hash of its own source, which belongs to the fingerprint of what it builds:
//! PTX made by an older pass must not pass for the newer one's. In the repository, so does the
//! source of `lanewise-ptx`, which checks the PTX; elsewhere its version says what it is.

use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::Path;
use std::{fs, io};

fn main() -> io::Result<()> {
    let mut hasher = DefaultHasher::new();
    for source in ["src", "../ptx/src"].map(Path::new) {
        if source.exists() {
            println!("cargo::rerun-if-changed={}", source.display());
            hash(source, &mut hasher)?;
        }
    }
    println!(
        "cargo::rustc-env=PTX_BUILDER_SOURCE={:016x}",
        hasher.finish()
    );
    Ok(())
}

fn hash(path: &Path, hasher: &mut DefaultHasher) -> io::Result<()> {
    if path.is_file() {
        fs::read(path)?.hash(hasher);
        return Ok(());
    }
    let mut entries = fs::read_dir(path)?
        .map(|entry| Ok(entry?.path()))
        .collect::<io::Result<Vec<_>>>()?;
    entries.sort();
    entries.iter().try_for_each(|entry| hash(entry, hasher))
}
