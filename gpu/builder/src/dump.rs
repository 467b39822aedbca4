//! `LANEWISE_DUMP=DIR`: what each stage left, as numbered files in `DIR/<arch>`, to be looked at when the PTX surprises.

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

    /// As the environment asks.
    pub(crate) fn from_env(arch: &str) -> Dump {
        let folder = DUMP.path().map(|dir| dir.join(arch));
        if let Some(folder) = &folder {
            // A dump that cannot be written must not fail the build; the missing files say it.
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
