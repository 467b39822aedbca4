//! The names that a project can have. Its package, its library and its program use this name.
//!
//! The Cargo Book, "The Manifest Format: The name field"; The Rust Reference, "Keywords".

use anyhow::{Result, ensure};

/// Keywords, which are not names in Rust: `use NAME::saxpy` would not compile.
const KEYWORDS: [&str; 51] = [
    "abstract", "as", "async", "await", "become", "box", "break", "const", "continue", "crate",
    "do", "dyn", "else", "enum", "extern", "false", "final", "fn", "for", "gen", "if", "impl",
    "in", "let", "loop", "macro", "match", "mod", "move", "mut", "override", "priv", "pub", "ref",
    "return", "self", "static", "struct", "super", "trait", "true", "try", "type", "typeof",
    "unsafe", "unsized", "use", "virtual", "where", "while", "yield",
];

/// Crates that come with Rust, and folders in which cargo puts programs.
const TAKEN: [&str; 9] = [
    "alloc",
    "build",
    "core",
    "deps",
    "examples",
    "incremental",
    "proc_macro",
    "std",
    "test",
];

/// The dependencies in a project's manifest.
const DEPENDENCIES: [&str; 5] = [
    "lanewise",
    "lanewise_builder",
    "lanewise_macros",
    "lanewise_std",
    "proptest",
];

/// Refuses a name that would keep the project from building.
pub(super) fn check(name: &str) -> Result<()> {
    let is_start = |c: char| c.is_ascii_alphabetic();
    let is_part = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '-';
    ensure!(
        name.starts_with(is_start) && name.chars().all(is_part),
        "`{name}` cannot be a crate's name: begin with a letter, and use letters, digits, - and _"
    );
    let in_rust = name.replace('-', "_");
    ensure!(
        !KEYWORDS.contains(&&*in_rust),
        "`{name}` cannot be a crate's name: it is a word of Rust's own; take another"
    );
    ensure!(
        !TAKEN.contains(&&*in_rust),
        "`{name}` cannot be the project's name: Rust or cargo has something that is called so; take another"
    );
    ensure!(
        !DEPENDENCIES.contains(&&*in_rust),
        "`{name}` cannot be the project's name: it depends on a package of that name; take another"
    );
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::check;

    #[test]
    fn a_name_is_taken_or_the_reason_is_said() {
        for good in ["demo", "my-project_2", "Fn", "tests", "lanewise-demo"] {
            check(good).expect(good);
        }
        for (bad, reason) in [
            ("", "begin with a letter"),
            ("9x", "begin with a letter"),
            ("a.b", "begin with a letter"),
            ("größe", "begin with a letter"),
            ("fn", "a word of Rust's own"),
            ("gen", "a word of Rust's own"),
            ("test", "Rust or cargo has"),
            ("proc-macro", "Rust or cargo has"),
            ("lanewise", "depends on a package"),
            ("lanewise-std", "depends on a package"),
            ("proptest", "depends on a package"),
        ] {
            let told = check(bad).expect_err(bad).to_string();
            assert!(told.contains(reason), "{told}");
        }
    }
}
