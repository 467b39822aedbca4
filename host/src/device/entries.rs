//! The kernels that a PTX text declares: the name after each `.entry`, and the sizes of the
//! parameters.
//!
//! Only declarations are read. So a text with instructions that are newer than this library can be
//! read, too.
//! Source: PTX ISA, "Kernel and Function Directives: .entry".

use std::fmt;

/// A kernel that a text declares.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Entry {
    pub(crate) name: String,
    pub(crate) params: Params,
}

/// The parameters of a kernel.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Params {
    /// The number of bytes of each parameter; `None` if its type has no fixed size.
    Sizes(Vec<Option<u64>>),
    /// The list has no end.
    Incomplete,
}

impl fmt::Display for Params {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let sizes = match self {
            Self::Sizes(sizes) => sizes,
            Self::Incomplete => return out.write_str("an incomplete list"),
        };
        let one = |size: &Option<u64>| size.map_or("?".to_owned(), |size| size.to_string());
        match &sizes[..] {
            [] => out.write_str("no parameters"),
            sizes => {
                let sizes: Vec<String> = sizes.iter().map(one).collect();
                write!(out, "{} of {} bytes", sizes.len(), sizes.join(", "))
            }
        }
    }
}

/// Returns the names of the kernels, in the order of the text.
pub(crate) fn names(ptx: &str) -> Vec<String> {
    declared(ptx).map(|(name, _)| name.to_owned()).collect()
}

/// Returns the kernels, in the order of the text.
pub(crate) fn entries(ptx: &str) -> impl Iterator<Item = Entry> {
    declared(ptx).map(|(name, rest)| Entry {
        name: name.to_owned(),
        params: params(rest),
    })
}

/// Returns for each kernel the name and the text after it.
fn declared(ptx: &str) -> impl Iterator<Item = (&str, &str)> {
    const ENTRY: &str = ".entry";
    // This searches the whole text once. A search in each line takes four times as long in
    // an unoptimised program.
    let entries = ptx.match_indices(ENTRY).map(|(at, _)| ptx.split_at(at));
    let is_code = |before: &str| {
        let line = before.rsplit('\n').next();
        !line.is_some_and(|line| line.contains("//"))
    };
    let code = entries.filter(move |(before, _)| is_code(before));
    code.map(|(_, entry)| named(&entry[ENTRY.len()..]))
        .filter(|(name, _)| !name.is_empty())
}

/// Cuts a text behind the name at its beginning.
fn named(text: &str) -> (&str, &str) {
    let text = text.trim_start();
    let end = text.find(|c: char| !(c.is_alphanumeric() || "_$%".contains(c)));
    text.split_at(end.unwrap_or(text.len()))
}

/// Reads the list of parameters at the beginning of a text.
fn params(text: &str) -> Params {
    let Some(list) = text.trim_start().strip_prefix('(') else {
        return Params::Sizes(Vec::new());
    };
    let Some((list, _)) = list.split_once(')') else {
        return Params::Incomplete;
    };
    let code = |line: &str| line.split("//").next().unwrap_or_default().to_owned();
    let list: Vec<String> = list.lines().map(code).collect();
    let list = list.join(" ");
    let declarations = list.split(',').map(str::trim);
    Params::Sizes(declarations.filter(|it| !it.is_empty()).map(size).collect())
}

/// Returns the number of bytes of one declaration: `.param .align 8 .b8 name[16]` has 16.
fn size(declaration: &str) -> Option<u64> {
    let (declaration, length) = match declaration.split_once('[') {
        Some((declaration, length)) => {
            let length = length.split(']').next()?.trim().parse::<u64>();
            (declaration, length.ok()?)
        }
        None => (declaration, 1),
    };
    let bits = declaration.split_whitespace().find_map(|word| {
        let bits = word.strip_prefix('.')?.strip_prefix(['b', 'u', 's', 'f'])?;
        bits.parse::<u64>().ok()
    })?;
    (bits / 8).checked_mul(length)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn entry_points_are_found_and_comments_are_not() {
        let ptx = "// .entry no\n.visible .entry vec_add(\n.weak .entry $odd_1 (\n\t.entry last\n.func f()\n";
        assert_eq!(names(ptx), ["vec_add", "$odd_1", "last"]);
    }

    #[track_caller]
    fn reads(list: &str, expected: &str) {
        let found = entries(&format!(".visible .entry k{list}")).next();
        assert_eq!(found.expect("a kernel").params.to_string(), expected);
    }

    #[test]
    fn the_sizes_of_parameters_are_those_of_their_types() {
        reads("() { ret; }", "no parameters");
        reads(" { ret; }", "no parameters");
        reads(
            "(.param .u64 .ptr .align 1 k_0, .param .f32 k_1)",
            "2 of 8, 4 bytes",
        );
        reads(
            "(\n\t.param .align 8 .b8 k_0[16] // s64, f64\n)",
            "1 of 16 bytes",
        );
        reads("(.param .texref k_0)", "1 of ? bytes");
        reads("(.param .b8 k_0[99999999999999999999])", "1 of ? bytes");
        reads("(.param .u64 k_0,", "an incomplete list");
    }
}
