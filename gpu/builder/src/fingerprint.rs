//! Whether a target's files are still valid, and the name of its code in the cache: a hash over
//! everything that they depend on.

use std::fs;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::io;
use std::path::Path;
use std::time::SystemTime;

/// Returns the hash of all that a target's code depends on: the bitcode, the options, rustc's and
/// LLVM's versions, NVIDIA's files, and this crate's own source. It has 128 bits, so that no two of
/// a user's codes ever share one by accident.
pub(crate) fn inputs(
    bitcode: &[u8],
    options: &impl Hash,
    files: [Option<&Path>; 3],
    toolchain: &str,
) -> String {
    let files = files.map(|path| path.and_then(|path| state(path).ok()));
    let source = (env!("PTX_BUILDER_SOURCE"), lanewise_ptx::VERSION);
    let inputs = (source, toolchain, options, files, bitcode);
    format!("{}{}", of(&(0, &inputs)), of(&(1, &inputs)))
}

/// What changes when a file is replaced.
fn state(path: &Path) -> io::Result<(u64, SystemTime)> {
    let metadata = fs::metadata(path)?;
    Ok((metadata.len(), metadata.modified()?))
}

/// Returns a hash as text. It only detects changes and gives no protection against an attacker.
pub(crate) fn of(value: &impl Hash) -> String {
    let mut hasher = DefaultHasher::new();
    value.hash(&mut hasher);
    format!("{:016x}", hasher.finish())
}
