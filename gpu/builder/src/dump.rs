//! `LANEWISE_DUMP=DIR`: what each stage left, as numbered files in `DIR/<arch>`, to be looked at
//! when the PTX surprises.

use std::fs;
use std::path::PathBuf;

use inkwell::module::Module;
use lanewise_variables::DUMP;

/// Where stages are written, if anywhere.
pub(crate) struct Dump {
    folder: Option<PathBuf>,
    next: u32,
}

impl Dump {
    /// Whether the environment asks for dumps.
    pub(crate) fn is_wanted() -> bool {
        DUMP.path().is_some()
    }

    /// What to tell who asks for dumps in a folder that cannot be written. The build goes on: it is
    /// the PTX that a program needs.
    pub(crate) fn complaint() -> Option<String> {
        let folder = DUMP.path()?;
        let error = fs::create_dir_all(&folder).err()?;
        Some(format!(
            "{}: `{}` cannot be written: {error}",
            DUMP.name,
            folder.display()
        ))
    }

    /// As the environment asks.
    pub(crate) fn from_env(arch: &str) -> Dump {
        let folder = DUMP.path().map(|dir| dir.join(arch));
        if let Some(folder) = &folder {
            // That it cannot be written was said when the build began.
            let _ = fs::create_dir_all(folder);
        }
        Dump { folder, next: 0 }
    }

    /// The module after `stage`.
    pub(crate) fn module(&mut self, stage: &str, module: &Module<'_>) {
        self.text(&format!("{stage}.ll"), || {
            module.print_to_string().to_string()
        });
    }

    /// A file of text.
    pub(crate) fn text(&mut self, name: &str, text: impl FnOnce() -> String) {
        if let Some(folder) = &self.folder {
            let _ = fs::write(folder.join(format!("{:02}-{name}", self.next)), text());
            self.next += 1;
        }
    }
}
