//! Instructions that only one of the two accepts, on purpose: each exception has a name
//! and a reason.

/// An exception: which of the two accepts its instructions, its name, and the test for them.
struct Exception {
    ptxas: bool,
    name: &'static str,
    about: fn(&[&str], &str) -> bool,
    /// Whether the exception is about an additional word that the loader does not accept.
    more: bool,
}

/// An additional word after an instruction's name, which ptxas ignores.
const fn overlooked(name: &'static str, about: fn(&[&str], &str) -> bool) -> Exception {
    Exception {
        more: true,
        ..of_ptxas(name, about)
    }
}

const fn of_ptxas(name: &'static str, about: fn(&[&str], &str) -> bool) -> Exception {
    Exception {
        ptxas: true,
        name,
        about,
        more: false,
    }
}

const fn of_the_loader(name: &'static str, about: fn(&[&str], &str) -> bool) -> Exception {
    Exception {
        ptxas: false,
        name,
        about,
        more: false,
    }
}

const TYPES: &[&str] = &[
    "b1", "u4", "s4", "u8", "s8", "f16", "bf16", "tf32", "f32", "f64", "s32", "e4m3", "e5m2",
];

/// The last word of an instruction's name, which was added to a valid name.
fn added<'a>(words: &[&'a str]) -> &'a str {
    words.last().copied().unwrap_or_default()
}

fn twice(words: &[&str]) -> bool {
    let last = added(words);
    !TYPES.contains(&last) && words[1..words.len() - 1].contains(&last)
}

const EXCEPTIONS: &[Exception] = &[
    overlooked(
        "a modifier that stands there twice: ptxas overlooks the second",
        |words, _| twice(words),
    ),
    overlooked(
        "a type or operation more than a product of matrices has: ptxas overlooks it",
        |words, _| {
            matches!(words[0], "mma" | "wmma")
                && (TYPES.contains(&added(words))
                    || matches!(added(words), "and" | "xor")
                    || added(words).starts_with("kind::"))
        },
    ),
    of_ptxas(
        "a third source of a video instruction without its second operation: the ISA gives it no meaning",
        |words, operands| {
            let two = [
                "vadd", "vsub", "vabsdiff", "vmin", "vmax", "vshl", "vshr", "vset",
            ];
            two.contains(&words[0]) && operands.matches('%').count() == 4
        },
    ),
    of_ptxas(
        "a modifier of another form of the same instruction: ptxas overlooks it",
        |words, _| {
            words.starts_with(&["tensormap", "cp_fenceproxy"])
                || words.starts_with(&["fence", "proxy"])
                || words.starts_with(&["st", "async"])
                || words[0] == "fence" && added(words) == "mbarrier_init"
                || words[0] == "multimem" && added(words).starts_with("acc::")
                || words[0] == "fma" && words.contains(&"oob")
                || words[0] == "vmad" && words.contains(&"po")
        },
    ),
    of_ptxas(
        "a conversion or reciprocal with a rounding or `.ftz` that it does not have, or from `.bf16` to itself",
        |words, _| {
            matches!(words[0], "cvt" | "rcp")
                && ["rn", "rz", "rm", "rp", "ftz"]
                    .iter()
                    .any(|word| words.contains(word))
                || words == ["cvt", "bf16", "bf16"]
        },
    ),
    of_ptxas(
        "values of a surface without `.v2` or `.v4`, or the other way round",
        |words, _| matches!(words[0], "suld" | "sust"),
    ),
    of_ptxas("one offset for a fetch along several axes", |words, _| {
        words[0] == "tex"
    }),
    of_ptxas("`testp` that does not say what it tests", |words, _| {
        words[0] == "testp"
    }),
    of_ptxas("integer registers for `.bf16` of `set`", |words, _| {
        words[0] == "set" && words.contains(&"bf16")
    }),
    of_the_loader(
        "what is refused by name, kernel by kernel, is not looked at closer",
        |words, _| words.contains(&"im2col::w") || words.contains(&"im2col::w::128"),
    ),
];

/// How an instruction that only one accepts gets its exception's name: by whether that one is
/// ptxas, and by whether the loader accepts the instruction without the last word of its name.
pub(crate) type Naming = fn(&str, bool, bool) -> Option<&'static str>;

/// The exceptions of a test that allows none.
pub(crate) fn none(_: &str, _: bool, _: bool) -> Option<&'static str> {
    None
}

/// Returns the name of the exception that an instruction belongs to.
pub(crate) fn name(instruction: &str, ptxas: bool, overlooked: bool) -> Option<&'static str> {
    let (name, operands) = instruction
        .split_once([' ', ';'])
        .unwrap_or((instruction, ""));
    let words: Vec<&str> = name.split('.').collect();
    let found = EXCEPTIONS.iter().find(|exception| {
        exception.ptxas == ptxas
            && (overlooked || !exception.more)
            && (exception.about)(&words, operands)
    });
    Some(found?.name)
}
