//! Sources as text.

use std::fs;
use std::path::{Path, PathBuf};

/// Returns the files below a folder whose names have this end, except those that cargo builds.
pub(crate) fn files(folder: &Path, extension: &str) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut todo = vec![folder.to_owned()];
    while let Some(folder) = todo.pop() {
        for entry in fs::read_dir(&folder).expect("a folder") {
            let path = entry.expect("an entry").path();
            let name = path.file_name().unwrap_or_default();
            if path.is_dir() {
                let skipped = name == "target" || name.to_string_lossy().starts_with('.');
                todo.extend((!skipped).then_some(path));
            } else if path.extension().is_some_and(|it| it == extension) {
                found.push(path);
            }
        }
    }
    found.sort();
    found
}

/// Returns the part of the text that shows uses: without comments, strings, and the code after
/// `#[cfg(test)]`, which is last in a file.
pub(crate) fn code(text: &str) -> String {
    let mut code = String::new();
    let mut rest = text;
    while let Some(c) = rest.chars().next() {
        let line = rest.split_inclusive('\n').next().unwrap_or(rest);
        let is_whole = code.is_empty() || code.ends_with('\n');
        if is_whole && !line.contains('"') && !line.contains("//") && !line.starts_with("#[cfg") {
            // All of it is code: most lines are, and one by one its characters take long.
            code.push_str(line);
            rest = &rest[line.len()..];
            continue;
        }
        let skip = if rest.starts_with("//") {
            rest.find('\n').unwrap_or(rest.len())
        } else if rest.starts_with("#[cfg(test)]\nmod tests {") {
            break;
        } else if c == '"' {
            let mut escaped = false;
            let end = rest[1..].find(|c| {
                let ends = c == '"' && !escaped;
                escaped = c == '\\' && !escaped;
                ends
            });
            end.map_or(rest.len(), |end| end + 2)
        } else if rest.starts_with("'\"'") || rest.starts_with("b'\"'") {
            4
        } else {
            code.push(c);
            c.len_utf8()
        };
        rest = &rest[skip..];
    }
    code
}
