//! Puts the cases' texts into the program: it is carried to machines that have a GPU and no checkout.

use std::fmt::Write;
use std::path::Path;

fn main() {
    let here = std::env::var("CARGO_MANIFEST_DIR").expect("cargo says where the package is");
    let out = std::env::var("OUT_DIR").expect("cargo gives a folder");
    let mut list = String::from("&[\n");
    for (language, folder, extension) in [
        ("Ptx", "../../host/sim/tests/cases", "ptx"),
        ("Rust", "kernels/src", "rs"),
    ] {
        let folder = Path::new(&here).join(folder);
        println!("cargo::rerun-if-changed={}", folder.display());
        for check in sorted(&folder).iter().filter(|path| path.is_dir()) {
            println!("cargo::rerun-if-changed={}", check.display());
            for file in sorted(check) {
                let stem = |path: &Path| path.file_stem().unwrap_or_default().to_owned();
                if file.extension().is_some_and(|it| it == extension) && stem(&file) != "mod" {
                    writeln!(
                        list,
                        "    (Language::{language}, {:?}, {:?}, include_str!({file:?})),",
                        stem(check),
                        stem(&file)
                    )
                    .expect("a string takes all");
                }
            }
        }
    }
    list.push(']');
    std::fs::write(Path::new(&out).join("cases.rs"), list).expect("the list is written");
}

/// What a folder holds, by name.
fn sorted(folder: &Path) -> Vec<std::path::PathBuf> {
    let entries = std::fs::read_dir(folder).expect("the cases are there");
    let mut paths: Vec<_> = entries
        .map(|entry| entry.expect("an entry").path())
        .collect();
    paths.sort();
    paths
}
