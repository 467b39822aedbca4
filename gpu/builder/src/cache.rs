//! The code of earlier builds, in a folder that all projects of a user share.
//!
//! LLVM takes most of a build's time, and often the same bitcode comes to it again: from a new
//! target folder, another checkout in the same place, or a command whose target folder is not that
//! of `cargo test`. So a target's code is kept under the hash of all that it depends on, which also
//! says whether the files of the last build are still valid ([`fingerprint::inputs`]).
//!
//! A cache is never needed. What cannot be read, is damaged, or cannot be written is made again,
//! and no build fails because of it.

use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use lanewise_variables::{CACHE, cache_home};

use crate::fingerprint;
use crate::passes::Code;

/// How many bytes the files may have together. The catalog, the library of algorithms and all tests
/// have 70 MB for one target.
const LIMIT: u64 = 1 << 30;

/// A folder with the code of earlier builds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cache {
    folder: PathBuf,
}

/// What a cache holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Size {
    /// The number of targets' codes.
    pub entries: usize,
    /// The bytes of their files.
    pub bytes: u64,
    /// The bytes that they may have: when there are more, the least recently used are deleted.
    pub limit: u64,
}

impl Cache {
    /// Returns the cache in a folder, which is made when the first code is kept.
    pub fn new(folder: impl Into<PathBuf>) -> Self {
        let folder = folder.into();
        Self { folder }
    }

    /// Returns the cache that `LANEWISE_CACHE` names, or the user's own. `None` if it is `off`, or
    /// if the user has no folder for caches.
    pub fn of_user() -> Option<Self> {
        match CACHE.path() {
            Some(value) if value == Path::new("off") => None,
            Some(folder) => Some(Self::new(folder)),
            None => Some(Self::new(cache_home()?.join("code"))),
        }
    }

    /// Returns where it is.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// Returns how much it holds.
    pub fn size(&self) -> Size {
        let files = self.files();
        Size {
            entries: files.len(),
            bytes: files.iter().map(|file| file.bytes).sum(),
            limit: LIMIT,
        }
    }

    /// Returns the code that was kept under a key.
    pub(crate) fn find(&self, key: &str) -> Option<Code> {
        let path = self.folder.join(key);
        let bytes = fs::read(&path).ok()?;
        let line = bytes.iter().position(|byte| *byte == b'\n')?;
        let (contents, code) = (&bytes[..line], &bytes[line + 1..]);
        if contents != fingerprint::of(&code).as_bytes() {
            return None;
        }
        let code = serde_json::from_slice(code).ok()?;
        // Its use, by which the least recently used are known.
        let _ = File::open(&path).and_then(|file| file.set_modified(SystemTime::now()));
        Some(code)
    }

    /// Keeps code under a key.
    pub(crate) fn keep(&self, key: &str, code: &Code) {
        let _ = self.write(key, code);
        self.make_room(LIMIT);
    }

    /// Writes a file as a whole or not at all: another build may read it meanwhile.
    fn write(&self, key: &str, code: &Code) -> io::Result<()> {
        let code = serde_json::to_vec(code)?;
        fs::create_dir_all(&self.folder)?;
        let mut file = tempfile::NamedTempFile::new_in(&self.folder)?;
        writeln!(file, "{}", fingerprint::of(&&code[..]))?;
        file.write_all(&code)?;
        file.persist(self.folder.join(key))?;
        Ok(())
    }

    /// Deletes the least recently used files until the others have at most `limit` bytes.
    fn make_room(&self, limit: u64) {
        let mut files = self.files();
        files.sort_by_key(|file| std::cmp::Reverse(file.used));
        let mut bytes = 0;
        for file in files {
            bytes += file.bytes;
            if bytes > limit {
                let _ = fs::remove_file(file.path);
            }
        }
    }

    fn files(&self) -> Vec<Entry> {
        let entries = fs::read_dir(&self.folder).into_iter().flatten().flatten();
        let entry = |entry: fs::DirEntry| {
            let metadata = entry.metadata().ok().filter(fs::Metadata::is_file)?;
            Some(Entry {
                path: entry.path(),
                bytes: metadata.len(),
                used: metadata.modified().ok()?,
            })
        };
        entries.filter_map(entry).collect()
    }
}

/// A file of a cache.
struct Entry {
    path: PathBuf,
    bytes: u64,
    used: SystemTime,
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    #[test]
    fn the_least_recently_used_are_deleted_when_there_is_too_much() {
        let folder = tempfile::tempdir().expect("a folder");
        let cache = Cache::new(folder.path());
        for (name, age) in [("old", 30), ("used", 10), ("new", 0)] {
            let path = folder.path().join(name);
            fs::write(&path, [0; 100]).expect("it can be written");
            let used = SystemTime::now() - Duration::from_secs(age);
            let file = File::open(&path).expect("it is there");
            file.set_modified(used).expect("its time can be set");
        }
        cache.make_room(300);
        assert_eq!(cache.size().entries, 3);
        cache.make_room(299);
        assert!(!folder.path().join("old").exists());
        assert_eq!((cache.size().entries, cache.size().bytes), (2, 200));
        cache.make_room(0);
        assert_eq!(cache.size().entries, 0);
    }

    #[test]
    fn a_folder_that_is_not_there_is_an_empty_cache() {
        let cache = Cache::new("/nonexistent/cache");
        assert_eq!((cache.size().entries, cache.size().bytes), (0, 0));
        cache.make_room(0);
    }
}
