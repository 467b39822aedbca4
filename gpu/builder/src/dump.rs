//! `LANEWISE_DUMP=DIR`: what each stage left, as numbered files in `DIR/<arch>`, to be looked at when the PTX surprises.

use std::path::{Path, PathBuf};
use std::{env, fs};

use inkwell::module::Module;

/// Where stages are written, if anywhere.
pub(crate) struct Dump {
    folder: Option<PathBuf>,
    next: u32,
}

impl Dump {
    /// As the environment asks.
    pub(crate) fn from_env(arch: &str) -> Dump {
        let folder = env::var_os("LANEWISE_DUMP")
            .filter(|dir| !dir.is_empty())
            .map(|dir| Path::new(&dir).join(arch));
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
