//! The book's dictionary names existing paths: `device_kernels::dictionary` imports all of them.

/// The page, and the imports, at the time of compilation.
const PAGE: &str = include_str!("../../../../docs/src/reference/names.md");
const IMPORTED: &str = include_str!("../../kernels/src/dictionary.rs");

/// Paths `module::name` in the second column, for modules in `IMPORTED`. A `name` alone, after a
/// comma, belongs to the same module.
fn paths(modules: &[&str]) -> Vec<(String, String)> {
    let mut paths = Vec::new();
    let rows = PAGE.lines().filter(|line| line.starts_with("| "));
    let cells = rows.filter_map(|row| row.split(" | ").nth(1));
    for cell in cells {
        let mut module = None;
        // Text and code in turn.
        let parts: Vec<&str> = cell.split('`').collect();
        for code in (1..parts.len()).step_by(2) {
            let path = path_of(parts[code]);
            match path.rsplit_once("::") {
                Some((of, name)) => {
                    let root = of.split("::").next().unwrap_or(of);
                    let is_one = modules.iter().any(|it| it.split("::").next() == Some(root));
                    module = is_one.then(|| of.to_owned());
                    paths.extend(module.clone().map(|of| (of, name.to_owned())));
                }
                None if !path.is_empty()
                    && parts[code - 1] == ", "
                    && is_name(parts[code], path) =>
                {
                    paths.extend(module.clone().map(|of| (of, path.to_owned())));
                }
                None => module = None,
            }
        }
    }
    paths
}

/// The path at the start of a piece of code, up to a type: `warp::lane_id` of `warp::lane_id()`,
/// `graph::Condition` of `graph::Condition::set`.
fn path_of(code: &str) -> &str {
    let is_part = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == ':';
    let end = code.find(|c| !is_part(c)).unwrap_or(code.len());
    let path = code[..end].trim_end_matches(':');
    let mut end = 0;
    for part in path.split("::") {
        end += part.len();
        if part.starts_with(char::is_uppercase) {
            break;
        }
        end += "::".len();
    }
    &path[..end.min(path.len())]
}

/// Returns whether the code is a name alone, or a call or a type with this name.
fn is_name(code: &str, name: &str) -> bool {
    matches!(code[name.len()..].chars().next(), None | Some('(' | '<'))
}

#[test]
fn what_the_page_names_is_there() {
    let uses = IMPORTED.split("use lanewise_std::").skip(1);
    let imported: Vec<(&str, Vec<&str>)> = uses
        .filter_map(|text| text.split_once(';'))
        .filter_map(|(path, _)| path.split_once("::{").or_else(|| path.rsplit_once("::")))
        .map(|(module, names)| {
            let names = names.trim_end_matches('}').split(',').map(str::trim);
            (module, names.collect())
        })
        .collect();
    let modules: Vec<&str> = imported.iter().map(|(module, _)| *module).collect();
    let paths = paths(&modules);
    assert!(paths.len() > 100, "the page is read: {paths:?}");
    let is_there = |(of, name): &&(String, String)| {
        let names = imported.iter().find(|(module, _)| module == of);
        names.is_some_and(|(_, names)| names.contains(&name.as_str()))
    };
    let missing: Vec<_> = paths.iter().filter(|path| !is_there(path)).collect();
    assert!(
        missing.is_empty(),
        "not in `device_kernels::dictionary`: {missing:?}"
    );
}
