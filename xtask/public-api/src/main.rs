//! Lists the public items that rustdoc has written as JSON, one a line: `public-api-lists OUT
//! JSON..` writes a file `OUT/NAME.txt` for each `NAME.json`.
//!
//! Of the traits that the compiler implements by itself, the lists have `Send` and `Sync`. Of those
//! that are derived, they have the `impl` and no functions.

use std::error::Error;
use std::path::PathBuf;
use std::{env, fs};

/// What is in the lines that are left out.
const LEFT_OUT: [&str; 9] = [
    "::Freeze for ",
    "::Unpin for ",
    "::UnsafeUnpin for ",
    "::UnwindSafe for ",
    "::RefUnwindSafe for ",
    "::StructuralPartialEq for ",
    "::clone(&self) -> ",
    "::eq(&self, ",
    "::fmt(&self, &mut core::fmt::Formatter",
];

fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = env::args_os().skip(1).map(PathBuf::from);
    let out = arguments.next().ok_or("expected a folder")?;
    for json in arguments {
        let items = public_api::Builder::from_rustdoc_json(&json);
        let items = items.omit_blanket_impls(true).build()?;
        let lines = items.items().map(|item| format!("{item}\n"));
        let list: String = lines
            .filter(|line| !LEFT_OUT.iter().any(|part| line.contains(part)))
            .collect();
        let name = json.file_stem().ok_or("expected a file")?;
        fs::write(out.join(name).with_extension("txt"), list)?;
    }
    Ok(())
}
