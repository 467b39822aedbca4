//! Whether the last build's files still hold: a hash over everything that they depend on.

use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::Path;
use std::{fs, io};

/// A hash over the bitcode, the options and this crate's version.
pub(crate) fn of(bitcode: &Path, options: &impl Hash) -> io::Result<String> {
    // Not a defence against anyone; it only has to notice change, and does so within one toolchain.
    let mut hasher = DefaultHasher::new();
    env!("CARGO_PKG_VERSION").hash(&mut hasher);
    options.hash(&mut hasher);
    fs::read(bitcode)?.hash(&mut hasher);
    Ok(format!("{:016x}", hasher.finish()))
}
