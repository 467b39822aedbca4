//! Results that are stored in a folder, one JSON file each.

use std::io;
use std::path::Path;

use serde::de::DeserializeOwned;

/// Returns every record of a folder, in the order of the files' names.
///
/// # Errors
/// Returns an error if the folder or a file cannot be read, or if a file is no such record. The
/// error names the file.
pub fn recorded<T: DeserializeOwned>(folder: &Path) -> io::Result<Vec<T>> {
    let mut paths = Vec::new();
    for entry in std::fs::read_dir(folder)? {
        let path = entry?.path();
        if path
            .extension()
            .is_some_and(|extension| extension == "json")
        {
            paths.push(path);
        }
    }
    paths.sort();
    let read = |path: &std::path::PathBuf| {
        let named = |error: io::Error| io::Error::other(format!("{}: {error}", path.display()));
        let text = std::fs::read_to_string(path).map_err(named)?;
        serde_json::from_str(&text).map_err(|error| named(error.into()))
    };
    paths.iter().map(read).collect()
}
