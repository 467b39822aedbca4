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
    /// Whether the environment asks for dumps.
    pub(crate) fn is_wanted() -> bool {
        env::var_os("LANEWISE_DUMP").is_some_and(|dir| !dir.is_empty())
    }

    /// As the environment asks.
    pub(crate) fn from_env(arch: &str) -> Dump {
        let wanted = env::var_os("LANEWISE_DUMP").filter(|_| Dump::is_wanted());
        let folder = wanted.map(|dir| Path::new(&dir).join(arch));
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
