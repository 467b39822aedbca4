//! What each kernel of a PTX text needs of it.
//!
//! The driver compiles a text when it is loaded, all of its kernels: 22 s on an H200 for a library
//! of 330. So a program loads of the embedded text only what the kernel at hand needs: the head,
//! the kernel, and the variables and functions that it names, directly or through others. Where
//! lines are left out, the host puts empty ones, so that the lines of reports stay those of the
//! file.
//!
//! Each part has its own copies of its variables. So a kernel is only in a part if nothing that it
//! needs is a static that the host or kernels can write. The others are loaded with the whole text.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::ops::Range;

/// What one kernel needs.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Part<'a> {
    /// The kernel's symbol.
    pub(crate) kernel: &'a str,
    /// The pieces of the text, in order.
    pub(crate) pieces: Vec<Piece>,
}

/// Whole lines of the text.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Piece {
    /// How many lines are left out before it.
    pub(crate) skipped: usize,
    /// Its bytes in the text.
    pub(crate) bytes: Range<usize>,
}

/// Returns the parts of a text by their kernels' names. `statics` are the variables that kernels
/// share with the host or with each other. There are no parts if one of them has another name in
/// the text, if the text has sections for a debugger, or if it has only one kernel.
pub(crate) fn of<'a>(text: &'a str, statics: &HashSet<&str>) -> Vec<Part<'a>> {
    let Some(items) = items(text) else {
        return Vec::new();
    };
    let kernels = items.iter().filter(|item| item.kind == Kind::Kernel);
    if kernels.count() < 2 {
        return Vec::new();
    }
    let mut by_name: HashMap<&str, Vec<usize>> = HashMap::new();
    for (number, item) in items.iter().enumerate() {
        if let Some(name) = item.name {
            by_name.entry(name).or_default().push(number);
        }
    }
    if !statics.iter().all(|name| by_name.contains_key(name)) {
        return Vec::new();
    }
    let named: Vec<HashSet<usize>> = items
        .iter()
        .map(|item| {
            let lines = text[item.bytes.clone()].lines();
            let words = lines.flat_map(|line| words(code(line)));
            match item.kind {
                Kind::Head => HashSet::new(),
                _ => words
                    .filter_map(|it| by_name.get(it))
                    .flatten()
                    .copied()
                    .collect(),
            }
        })
        .collect();
    // The head goes with every kernel, and so do variables that no other item names: those are for
    // who loads the text, as the table of places that may panic.
    let of_others = |(number, named): (usize, &HashSet<usize>)| -> Vec<usize> {
        named.iter().copied().filter(|it| *it != number).collect()
    };
    let used: HashSet<usize> = named.iter().enumerate().flat_map(of_others).collect();
    let goes_with_all = |(number, item): &(usize, &Item<'_>)| match item.kind {
        Kind::Head => true,
        Kind::Variable => {
            !used.contains(number) && !item.name.is_some_and(|it| statics.contains(it))
        }
        Kind::Function | Kind::Kernel => false,
    };
    let with_all: Vec<usize> = items
        .iter()
        .enumerate()
        .filter(goes_with_all)
        .map(|(number, _)| number)
        .collect();
    let mut parts = BTreeMap::new();
    for (number, item) in items.iter().enumerate() {
        let (Kind::Kernel, Some(kernel)) = (item.kind, item.name) else {
            continue;
        };
        let needed = reached(with_all.iter().copied().chain([number]), &named);
        let mut names = needed.iter().filter_map(|it| items[*it].name);
        if !names.any(|name| statics.contains(name)) {
            parts.insert(kernel, pieces(&items, &needed));
        }
    }
    let parts = parts.into_iter();
    parts
        .map(|(kernel, pieces)| Part { kernel, pieces })
        .collect()
}

/// Returns these items and all that they name, directly or through others.
fn reached(from: impl Iterator<Item = usize>, named: &[HashSet<usize>]) -> HashSet<usize> {
    let mut waiting: Vec<usize> = from.collect();
    let mut reached = HashSet::new();
    while let Some(number) = waiting.pop() {
        if reached.insert(number) {
            waiting.extend(&named[number]);
        }
    }
    reached
}

/// Returns the needed items as pieces of the text; neighbours are one.
fn pieces(items: &[Item<'_>], needed: &HashSet<usize>) -> Vec<Piece> {
    let mut pieces: Vec<Piece> = Vec::new();
    let mut skipped = 0;
    for (number, item) in items.iter().enumerate() {
        if !needed.contains(&number) {
            skipped += item.lines;
            continue;
        }
        match pieces.last_mut() {
            Some(last) if skipped == 0 => last.bytes.end = item.bytes.end,
            _ => pieces.push(Piece {
                skipped,
                bytes: item.bytes.clone(),
            }),
        }
        skipped = 0;
    }
    pieces
}

/// A directive of a text with its body. All of a text is in one item or another.
struct Item<'a> {
    kind: Kind,
    name: Option<&'a str>,
    bytes: Range<usize>,
    lines: usize,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    /// `.version`, `.target`, `.file`, comments, empty lines.
    Head,
    Variable,
    Function,
    Kernel,
}

/// Cuts a text into its items, in the form in which LLVM and NVVM write it: each begins on a line
/// of its own. Returns `None` for a text with a debugger's sections; the one that LLVM writes with
/// line numbers is empty.
fn items(text: &str) -> Option<Vec<Item<'_>>> {
    const HEAD: [&str; 4] = [".version", ".target", ".address_size", ".file"];
    let mut items = Vec::new();
    let mut lines = text.split_inclusive('\n');
    let mut start = 0;
    while let Some(first) = lines.next() {
        let mut end = start + first.len();
        let directive = first.split_whitespace().next().unwrap_or_default();
        let is_empty_section = directive == ".section" && first.trim_end().ends_with('}');
        if directive == ".section" && !is_empty_section {
            return None;
        }
        if !directive.starts_with('.') || HEAD.contains(&directive) || is_empty_section {
            items.push(Item {
                kind: Kind::Head,
                name: None,
                bytes: start..end,
                lines: 1,
            });
            start = end;
            continue;
        }
        let (mut line, mut depth, mut count) = (code(first), 0, 1);
        loop {
            depth += line.matches(['{', '(']).count();
            depth = depth.saturating_sub(line.matches(['}', ')']).count());
            if depth == 0 && line.trim_end().ends_with([';', '}']) {
                break;
            }
            let Some(next) = lines.next() else { break };
            end += next.len();
            count += 1;
            line = code(next);
        }
        let item = &text[start..end];
        let (kind, name) = named(item);
        items.push(Item {
            kind,
            name,
            bytes: start..end,
            lines: count,
        });
        start = end;
    }
    Some(items)
}

/// Returns a line without its comment.
fn code(line: &str) -> &str {
    line.split_once("//").map_or(line, |(code, _)| code)
}

/// Returns what an item declares, and its name.
fn named(item: &str) -> (Kind, Option<&str>) {
    let head = item.split('{').next().unwrap_or_default();
    let of = |word| head.find(word).map(|at| &head[at + str::len(word)..]);
    let (kind, rest) = match (of(".entry"), of(".func")) {
        (Some(rest), _) => (Kind::Kernel, rest.trim_start()),
        // What a function returns is before its name.
        (None, Some(rest)) => match rest.trim_start().strip_prefix('(') {
            Some(rest) => (
                Kind::Function,
                rest.split_once(')').map_or("", |(_, rest)| rest),
            ),
            None => (Kind::Function, rest),
        },
        // The name of a variable is the last word of its declaration.
        (None, None) => {
            let declared = head.split(['[', '=', ';']).next().unwrap_or_default();
            (
                Kind::Variable,
                declared.split_whitespace().next_back().unwrap_or_default(),
            )
        }
    };
    (kind, words(rest).next())
}

/// Returns the words of a text that may be names.
fn words(text: &str) -> impl Iterator<Item = &str> {
    let is_of_name = |c: char| c.is_ascii_alphanumeric() || "_$%".contains(c);
    let words = text.split(move |c| !is_of_name(c));
    words.filter(|word| word.starts_with(|c: char| c.is_ascii_alphabetic() || "_$".contains(c)))
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "\
//
.version 8.0
.target sm_90

.func  (.param .b32 result) shared_by_two(
\t.param .b32 shared_by_two_param_0
)
;
.extern .func stop
(
\t.param .b64 stop_param_0
)
.noreturn;
.global .align 1 .b8 message[2] = {97, 98};
.visible .global .align 4 .b8 COUNT[4];
.global .align 4 .u32 hidden;
.weak .global .align 8 .b8 record[16] = {};
.shared .align 4 .b8 tile[128];
.global .align 4 .b8 table[8] = {59, 0, 0, 0, 1, 0, 0, 0};
\t// .globl first
.visible .entry first(
\t.param .u64 .ptr .align 1 first_param_0
)
.maxntid 32
{
\t.loc\t1 2 3
\t{
\tcall.uni (retval0), shared_by_two, (param0); // hidden
\t}
\tmov.b32 %r1, tile;
\tmov.b64 %rd1, record;
\tret;
}
.visible .entry second()
{
\tmov.b64 %rd1, message;
\tcall.uni stop, (param0);
}
.visible .entry counts()
{
\tld.global.b32 %r1, [COUNT];
}
.visible .entry through_a_function()
{
\tcall.uni writes, ();
}
.func writes()
{
\tst.global.b32 [hidden], 1;
}
.func  (.param .b32 result) shared_by_two(
\t.param .b32 shared_by_two_param_0
)
{
\tret;
}
\t.file\t1 \"a.rs\"
\t.section\t.debug_macinfo\t{\t}
";

    fn cut(part: &Part<'_>) -> String {
        let pieces = part.pieces.iter();
        pieces
            .map(|piece| "\n".repeat(piece.skipped) + &TEXT[piece.bytes.clone()])
            .collect()
    }

    #[test]
    fn a_part_has_what_its_kernel_names_on_the_same_lines() {
        let parts = of(TEXT, &HashSet::from(["COUNT", "hidden"]));
        let names: Vec<&str> = parts.iter().map(|part| part.kernel).collect();
        assert_eq!(names, ["first", "second"]);
        for part in &parts {
            let cut = cut(part);
            assert_eq!(cut.lines().count(), TEXT.lines().count());
            for (kept, line) in cut.lines().zip(TEXT.lines()) {
                assert!(kept == line || kept.is_empty(), "{kept}");
            }
        }
        let (first, second) = (cut(&parts[0]), cut(&parts[1]));
        for word in [".version", "record", "tile", "table", "first(", ".file"] {
            assert!(first.contains(word), "{word}");
        }
        assert_eq!(first.matches(") shared_by_two(\n").count(), 2);
        for word in [
            "stop",
            "message",
            "COUNT",
            "second",
            "writes",
            ".u32 hidden",
        ] {
            assert!(!first.contains(word), "{word}");
        }
        for word in ["first(", "tile", "record", "shared_by_two(", "COUNT"] {
            assert!(!second.contains(word), "{word}");
        }
        for word in [".version", "stop", "message", "table", ".file"] {
            assert!(second.contains(word), "{word}");
        }
    }

    #[test]
    fn a_text_is_whole_if_its_parts_would_differ() {
        let none = HashSet::new();
        assert_eq!(of(TEXT, &none).len(), 4);
        assert_eq!(of(TEXT, &HashSet::from(["renamed"])), []);
        assert_eq!(of(".visible .entry alone()\n{\n}\n", &none), []);
        let debugger = format!("{TEXT}\t.section .debug_abbrev\n{{\n}}\n");
        assert_eq!(of(&debugger, &none), []);
        assert_eq!(of("", &none), []);
    }
}
