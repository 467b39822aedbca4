//! Gives the crate a hash of its own source, which belongs to the fingerprint of what it builds:
//! PTX made by an older pass must not pass for the newer one's.

use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::Path;
use std::{fs, io};

fn main() -> io::Result<()> {
    println!("cargo::rerun-if-changed=src");
    let mut hasher = DefaultHasher::new();
    hash(Path::new("src"), &mut hasher)?;
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
