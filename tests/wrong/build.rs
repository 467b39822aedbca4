//! Puts the cases' texts into the program: it is carried to machines that have a GPU
//! and no checkout.

use std::fmt::Write;
use std::path::Path;

fn main() {
    let here = std::env::var("CARGO_MANIFEST_DIR").expect("cargo says where the package is");
    let out = std::env::var("OUT_DIR").expect("cargo gives a folder");
    let (mut list, mut programs) = (String::from("&[\n"), String::from("&[\n"));
    for (language, folder, extension) in [
        ("Ptx", "../../host/sim/tests/cases", "ptx"),
        ("Rust", "kernels/src", "rs"),
        ("Host", "src/host", "rs"),
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
                    if language == "Host" {
                        let [check, name] = [check, &file].map(|path| stem(path));
                        let [check, name] = [&check, &name].map(|it| it.to_string_lossy());
                        writeln!(programs, "    ({check:?}, {name:?}, {check}::{name}::wrong, {check}::{name}::right),")
                            .expect("a string takes all");
                    }
                }
            }
        }
    }
    list.push(']');
    programs.push(']');
    for (name, text) in [("cases.rs", list), ("programs.rs", programs)] {
        std::fs::write(Path::new(&out).join(name), text).expect("the list is written");
    }
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
