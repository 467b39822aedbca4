//! `LANEWISE_DUMP=DIR`: the output of each stage as numbered files in `DIR/<arch>`, to look at when
//! the PTX is not as expected.

use std::fs;
use std::path::PathBuf;

use inkwell::module::Module;
use lanewise_variables::DUMP;

/// Where the outputs of stages are written, if a dump was requested.
pub(crate) struct Dump {
    folder: Option<PathBuf>,
    next: u32,
}

impl Dump {
    /// Returns whether the environment requests dumps.
    pub(crate) fn is_wanted() -> bool {
        DUMP.path().is_some()
    }

    /// Returns the warning for dumps that were requested in a folder that cannot be written. The
    /// build goes on, because a program needs only the PTX.
    pub(crate) fn complaint() -> Option<String> {
        let folder = DUMP.path()?;
        let error = fs::create_dir_all(&folder).err()?;
        Some(format!(
            "{}: `{}` cannot be written: {error}",
            DUMP.name,
            folder.display()
        ))
    }

    /// Returns the dump that the environment requests.
    pub(crate) fn from_env(arch: &str) -> Dump {
        let folder = DUMP.path().map(|dir| dir.join(arch));
        if let Some(folder) = &folder {
            // The build warned at its beginning if the folder cannot be written.
            let _ = fs::create_dir_all(folder);
        }
        Dump { folder, next: 0 }
    }

    /// Writes the module after `stage`.
    pub(crate) fn module(&mut self, stage: &str, module: &Module<'_>) {
        self.text(&format!("{stage}.ll"), || {
            module.print_to_string().to_string()
        });
    }

    /// Writes a text file.
    pub(crate) fn text(&mut self, name: &str, text: impl FnOnce() -> String) {
        if let Some(folder) = &self.folder {
            let _ = fs::write(folder.join(format!("{:02}-{name}", self.next)), text());
            self.next += 1;
        }
    }
}
