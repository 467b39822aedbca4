//! Tools for PTX text: one kernel's body, its instructions, and the spaces that they access.

use lanewise_std::kernel::Module;

/// The embedded PTX of each target, with the target's name.
pub fn embedded() -> impl Iterator<Item = (String, &'static str)> {
    gpu::Ptx::TEXTS
        .iter()
        .map(|text| (text.arch.to_owned(), text.plain))
}

/// The kernels that launch kernels. Their texts are separate.
pub fn embedded_launching() -> impl Iterator<Item = (String, &'static str)> {
    gpu::Ptx::TEXTS
        .iter()
        .map(|text| (text.arch.to_owned(), text.launching))
}

/// Returns whether the target has what the kernel needs (`min_arch`). A kernel in none of the
/// target's manifests is for no target.
pub fn is_for(kernel: &str, target: &str) -> bool {
    let name = format!("\"name\": \"{kernel}\"");
    // The newest target has every kernel.
    let manifests = gpu::Ptx::TEXTS.iter().rev().map(|text| text.manifest);
    let mut described = manifests.filter_map(|manifest| manifest.split_once(&name));
    // What follows a kernel's name is about it, up to its line.
    let Some((_, rest)) = described.next() else {
        return false;
    };
    let own = rest.split("\"line\"").next().unwrap_or_default();
    let wanted = own
        .split_once("\"min_arch\": \"sm_")
        .and_then(|(_, rest)| rest.split('"').next());
    let Some(wanted) = wanted else {
        return true;
    };
    match wanted.strip_suffix('a') {
        Some(_) => target == format!("sm_{wanted}"),
        None => number(target) >= number(wanted),
    }
}

/// Returns 90 for `sm_90a`.
fn number(target: &str) -> u32 {
    let digits = target
        .trim_start_matches("sm_")
        .trim_end_matches(['a', 'f']);
    digits.parse().unwrap_or(0)
}

/// Returns the text of one kernel, from `.entry` to its closing brace.
///
/// # Panics
/// If the text has no such kernel.
#[track_caller]
pub fn kernel<'ptx>(ptx: &'ptx str, name: &str) -> &'ptx str {
    let start = ptx
        .find(&format!(".entry {name}("))
        .unwrap_or_else(|| panic!("no kernel `{name}` in the PTX"));
    let end = ptx[start..]
        .find("\n}")
        .unwrap_or_else(|| panic!("kernel `{name}` has no end"));
    &ptx[start..start + end + 2]
}

/// Returns the instructions of a text, without directives, labels, comments and guards.
pub fn instructions(text: &str) -> impl Iterator<Item = &str> {
    let code = text
        .lines()
        .map(|line| line.split("//").next().unwrap_or_default().trim());
    let unguarded = code.map(|line| {
        if line.starts_with('@') {
            line.split_once(' ').map_or("", |(_, rest)| rest.trim())
        } else {
            line
        }
    });
    unguarded.filter(|line| line.starts_with(|c: char| c.is_ascii_lowercase()))
}

/// Counts the instructions that begin with this opcode and modifiers: `count(text, "bar.sync")`.
pub fn count(text: &str, opcode: &str) -> usize {
    instructions(text)
        .filter(|line| line.starts_with(opcode))
        .count()
}

/// Returns the loads, stores and atomics that name no space. The machine must find their space
/// from the address.
pub fn generic(text: &str) -> Vec<&str> {
    let accesses = instructions(text).filter(|line| {
        let opcode = line.split('.').next().unwrap_or_default();
        matches!(opcode, "ld" | "st" | "atom" | "red")
    });
    let named = |line: &str| {
        let modifiers = line.split_whitespace().next().unwrap_or_default();
        modifiers
            .split(['.', ':'])
            .any(|word| matches!(word, "global" | "shared" | "local" | "param" | "const"))
    };
    accesses.filter(|line| !named(line)).collect()
}

/// Returns the text of a kernel for snapshots, with white space normalised. It leaves out the
/// origin and the kernel's number in its labels, which changes with every kernel before it.
pub fn bare(text: &str) -> String {
    let keep = |line: &&str| {
        let line = line.trim();
        let label =
            line.ends_with(':') && (line.starts_with("$L__tmp") || line.starts_with("$L__func"));
        !(line.is_empty() || line.starts_with(".loc") || line.starts_with("//") || label)
    };
    let even = |line: &str| {
        let indent = if line.starts_with(['\t', ' ']) {
            "    "
        } else {
            ""
        };
        let code = line.split("//").next().unwrap_or_default();
        indent.to_owned()
            + &code
                .split_whitespace()
                .map(unnumbered)
                .collect::<Vec<_>>()
                .join(" ")
    };
    text.lines()
        .filter(keep)
        .map(even)
        .collect::<Vec<_>>()
        .join("\n")
}

/// Replaces `$L__BB22_7;` by `$L__BB_7;`.
fn unnumbered(word: &str) -> String {
    match word
        .strip_prefix("$L__BB")
        .and_then(|rest| rest.split_once('_'))
    {
        Some((_, rest)) => format!("$L__BB_{rest}"),
        None => word.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = ".visible .entry one(\n\t.param .u64 a\n)\n{\n\tld.param.b64 \t%rd1, [a]; // a\n$L__tmp0:\n\t.loc 1 2 3\n\
        \t@%p1 ld.b32 \t%r1, [%rd1];\n\tatom.add.shared.u32 %r1, [s], 1;\n\tst.volatile.b32 [%rd1], 1;\n\tret;\n\n}\n";

    #[test]
    fn generic_accesses_are_found_behind_guards_and_modifiers() {
        let kernel = kernel(TEXT, "one");
        assert_eq!(
            generic(kernel),
            ["ld.b32 \t%r1, [%rd1];", "st.volatile.b32 [%rd1], 1;"]
        );
        assert_eq!(count(kernel, "ld."), 2);
    }

    #[test]
    fn a_bare_kernel_has_no_lines_and_no_comments() {
        let bare = bare(kernel(TEXT, "one"));
        assert!(
            bare.starts_with(
                ".entry one(\n    .param .u64 a\n)\n{\n    ld.param.b64 %rd1, [a];\n    @%p1 ld.b32"
            ),
            "{bare}"
        );
    }
}
