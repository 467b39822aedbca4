//! A case: a file with a description of the error, the launch, a wrong kernel and its right twin.
//!
//! Cases in PTX are `host/sim/tests/cases/<check>/<name>.ptx`: four parts, of which the two bodies
//! start from what `PRELUDE` declares. Cases in Rust are
//! `tests/wrong/kernels/src/<check>/<name>.rs`: two kernels, of which the right one's name ends in
//! `_right`. Those of the host's kind are `tests/wrong/src/host/<check>/<name>.rs`: two functions
//! that make the driver's calls.

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use lanewise_std::kernel::Module as _;
use serde::{Deserialize, Serialize};

/// The language of a case.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Language {
    /// A text that is made into a module of its own.
    Ptx,
    /// Two kernels of the package `wrong-kernels`.
    Rust,
    /// Two programs for the host, whose kernels are right.
    Host,
}

/// One of a case's two kernels.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub enum Variant {
    /// The wrong kernel, which must be found.
    Wrong,
    /// Its right twin, which must not be reported.
    Right,
}

impl Variant {
    /// As the program `wrong` is told.
    pub fn name(self) -> &'static str {
        match self {
            Variant::Wrong => "wrong",
            Variant::Right => "right",
        }
    }
}

/// A kernel with one error, or one that only looks wrong.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Case {
    /// What it is written in.
    pub language: Language,
    /// The check that should find it: `race`, `sync`, `memory`, `init`, `leak`, or `progress`.
    pub check: &'static str,
    /// The file's name.
    pub name: &'static str,
    text: &'static str,
}

/// Every case's language, check, name and text, in that order; `build.rs` writes it.
static TEXTS: &[(Language, &str, &str, &str)] = include!(concat!(env!("OUT_DIR"), "/cases.rs"));

/// Takes the place of a case's first line, so that the lines of reports are those of its file.
///
/// `%t`, `%b`, `%w`: thread, block and warp; `%t64`: the thread in 64 bits. `%g`: the buffer,
/// `%gt`: the word of this thread of the grid in it. `%u` and `%ut`: the same of a second buffer,
/// which no thread has written. `%s`: the shared array `tile` of 256 words; `%st`, `%sn`, `%sx`,
/// `%so`: the words in it of this thread, the next one, the one beside it and the one 32 away.
/// `%os`: the shared array `other`. `own`: a local array of four words.
const PRELUDE: &str = ".version 8.7 .target sm_90a .address_size 64 \
    .const .align 4 .u32 fixed = 5; .extern .func (.param .b64 r) malloc(.param .b64 size); .extern .func free(.param .b64 pointer); \
    .func nothing() { ret; } .func endless() { call endless, (); ret; } \
    .visible .entry k(.param .u64 p, .param .u64 q) { \
    .shared .align 16 .b8 tile[1024]; .shared .align 16 .b8 other[256]; .local .align 16 .b8 own[16]; \
    .reg .pred %p<4>; .reg .b32 %r<8>; .reg .b64 %rd<8>; .reg .b32 %t, %b, %w, %n; .reg .b64 %t64, %g, %gt, %u, %ut, %s, %st, %sn, %sx, %so, %os; \
    mov.u32 %t, %tid.x; mov.u32 %b, %ctaid.x; mov.u32 %n, %ntid.x; shr.u32 %w, %t, 5; cvt.u64.u32 %t64, %t; \
    ld.param.u64 %g, [p]; mad.lo.u32 %r0, %b, %n, %t; mad.wide.u32 %gt, %r0, 4, %g; \
    ld.param.u64 %u, [q]; mad.wide.u32 %ut, %r0, 4, %u; \
    mov.u64 %s, tile; mov.u64 %os, other; mad.wide.u32 %st, %t, 4, %s; \
    add.u32 %r0, %t, 1; rem.u32 %r0, %r0, %n; mad.wide.u32 %sn, %r0, 4, %s; \
    xor.b32 %r0, %t, 1; mad.wide.u32 %sx, %r0, 4, %s; xor.b32 %r0, %t, 32; mad.wide.u32 %so, %r0, 4, %s; mov.u32 %r0, 0;";

/// What [`PRELUDE`] has besides in a case whose launch ends with `maps`: `%tiles` and `%floats`,
/// tensor maps of the buffer's 32 x 32 words, as `u32` and as `f32`, in boxes of 8 x 4, which fit
/// into `tile`; `%images`, one of 2 images of 8 x 4 pixels of 4 words, in columns of 8 pixels whose
/// box begins at -1.
const MAPS: [(&str, &str); 2] = [
    (
        ".param .u64 q)",
        ".param .u64 q, .param .align 64 .b8 tiles[128], .param .align 64 .b8 floats[128], .param .align 64 .b8 images[128])",
    ),
    (
        ".reg .b64 %rd<8>;",
        ".reg .b64 %rd<8>; .reg .b64 %tiles, %floats, %images; mov.u64 %tiles, tiles; cvta.param.u64 %tiles, %tiles; \
         mov.u64 %floats, floats; cvta.param.u64 %floats, %floats; mov.u64 %images, images; cvta.param.u64 %images, %images;",
    ),
];

impl Case {
    /// All cases, those in PTX first, by check and name.
    pub fn all() -> impl Iterator<Item = Self> {
        TEXTS.iter().map(|&(language, check, name, text)| Self {
            language,
            check,
            name,
            text,
        })
    }

    /// Returns the case's full name: `ptx/race/plain_flag`.
    pub fn id(&self) -> String {
        let language = match self.language {
            Language::Ptx => "ptx",
            Language::Rust => "rust",
            Language::Host => "host",
        };
        format!("{language}/{}/{}", self.check, self.name)
    }

    /// Returns a sentence that describes the error.
    pub fn says(&self) -> &'static str {
        self.head(0)
    }

    /// Returns a line of the description, which is a comment.
    fn head(&self, line: usize) -> &'static str {
        let line = self.text.lines().nth(line).unwrap_or_default();
        line.trim_start_matches(['/', '!']).trim()
    }

    /// Blocks of the grid, blocks of a cluster, threads of a block, along x.
    pub fn extents(&self) -> [u32; 3] {
        ["grid ", "cluster ", "block "].map(|name| self.extent(name))
    }

    /// Returns an extent of the launch, from the second line.
    fn extent(&self, name: &str) -> u32 {
        let words = self
            .head(1)
            .strip_prefix("launch: ")
            .unwrap_or_default()
            .split(", ");
        let values = words.filter_map(|word| word.strip_prefix(name)?.trim().parse().ok());
        values.last().unwrap_or(1)
    }

    /// Returns whether its kernel gets tensor maps, after the buffers.
    pub(crate) fn takes_maps(&self) -> bool {
        self.head(1).ends_with(", maps")
    }

    /// A part's module and its kernel's name; of the host's kind nothing.
    pub fn module(&self, part: Variant) -> (Cow<'static, str>, String) {
        match self.language {
            Language::Ptx => (self.assembled(part).into(), "k".into()),
            Language::Rust => {
                let name = match part {
                    Variant::Wrong => self.name.into(),
                    Variant::Right => format!("{}_right", self.name),
                };
                (wrong_kernels::Ptx::TEXTS[0].plain.into(), name)
            }
            Language::Host => Default::default(),
        }
    }

    /// A part of a case in PTX, with what stands around it.
    fn assembled(&self, part: Variant) -> String {
        let mut text = PRELUDE.to_owned();
        if self.takes_maps() {
            for (without, with) in MAPS {
                text = text.replace(without, with);
            }
        }
        let mut inside = false;
        for line in self.text.lines().skip(1) {
            match line.strip_prefix("// ") {
                Some(name) => inside = name == part.name(),
                None if inside => {
                    text += "\n";
                    text += line;
                    continue;
                }
                None => {}
            }
            text += "\n";
        }
        // What is used of memory that nobody wrote is the very thing that those for
        // `init` are about.
        if self.check != "init" {
            text += &keeping(&text);
        }
        text + "\nret; }"
    }

    /// Returns the file with the expected report, in a checkout.
    pub fn report(&self) -> PathBuf {
        let here = Path::new(env!("CARGO_MANIFEST_DIR"));
        let folder = match self.language {
            Language::Ptx => here.join("../../host/sim/tests/cases"),
            Language::Rust => here.join("reports"),
            Language::Host => here.join("reports/host"),
        };
        folder.join(self.check).join(format!("{}.txt", self.name))
    }

    /// Returns the first line of that report: what the simulator finds.
    ///
    /// # Errors
    /// If there is no report.
    pub fn finding(&self) -> std::io::Result<String> {
        let text = std::fs::read_to_string(self.report())?;
        Ok(text.lines().next().unwrap_or_default().to_owned())
    }
}

/// Lines that store what a body has loaded, at the thread's own 32 bytes of the second buffer:
/// ptxas leaves out a load whose value goes nowhere, and no tool on a GPU could find it.
fn keeping(body: &str) -> String {
    let mut kept = BTreeSet::new();
    for line in body.lines() {
        let line = line.trim();
        let bare = match line.strip_prefix('@') {
            Some(guarded) => guarded.split_once(' ').map_or("", |(_, rest)| rest.trim()),
            None => line,
        };
        if bare.starts_with("ld.") {
            let to = bare.split('[').next().unwrap_or_default();
            let words = to.split(|c: char| c != '%' && !c.is_alphanumeric());
            let own = |word: &&str| {
                word[1..]
                    .trim_start_matches("rd")
                    .trim_start_matches('r')
                    .parse::<u32>()
                    .is_ok()
            };
            kept.extend(words.filter(|word| word.starts_with("%r")).filter(own));
        }
    }
    if kept.is_empty() {
        return String::new();
    }
    let mut lines =
        "\nld.param.u64 %u, [q]; mad.lo.u32 %b, %b, %n, %t; mad.wide.u32 %u, %b, 32, %u;"
            .to_owned();
    let mut at = 0;
    // The wider ones first, which have to be aligned.
    for (kind, size, wide) in [("u64", 8, true), ("u32", 4, false)] {
        for register in kept.iter().filter(|it| it.starts_with("%rd") == wide) {
            lines += &format!(" st.global.{kind} [%u+{at}], {register};");
            at += size;
        }
    }
    assert!(at <= 32, "a thread keeps no more than 32 bytes: {lines}");
    lines
}
