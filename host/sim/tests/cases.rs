//! Small wrong kernels, each with its report in a file beside it, and their right twins, which every check leaves alone.
//!
//! A case is `cases/<check>/<name>.ptx`: what is wrong, the launch, the body of the wrong kernel, the body of the right one. The wrong
//! one has to be found with every seed, and with seed 0 in the words of `<name>.txt`; the right one has to run to its end with no
//! finding. What all bodies start from (registers, a buffer of 1024 words, shared arrays) is [`PRELUDE`].
//!
//! `LANEWISE_BLESS=1 cargo test -p lanewise-sim --test cases` writes the reports anew; read the difference before it is committed.

mod common;

use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use common::Rig;
use lanewise_sim::tensor::{
    Access, Element, Fill, Im2col, Interleave, Promotion, Swizzle, TensorMap,
};
use lanewise_sim::{Checks, Launch};

/// Takes the place of a case's first line, so that the lines of reports are those of its file.
///
/// `%t`, `%b`, `%w`: thread, block and warp; `%t64`: the thread in 64 bits. `%g`: the buffer, `%gt`: the word of this thread of the
/// grid in it. `%u` and `%ut`: the same of a second buffer, which nobody has written. `%s`: the shared array `tile` of 256 words; `%st`, `%sn`, `%sx`, `%so`: the words in it of this thread, the next
/// one, the one beside it and the one 32 away. `%os`: the shared array `other`. `own`: a local array of four words.
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

/// What [`PRELUDE`] has besides in a case whose launch ends with `maps`: `%tiles` and `%floats`, tensor maps of the buffer's 32 x 32 words, as `u32` and as
/// `f32`, in boxes of 8 x 4, which fit into `tile`; `%images`, one of 2 images of 8 x 4 pixels of 4 words, in columns of 8 pixels whose box begins at -1.
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

/// Warp instructions after which a case that has no end is given up: none comes near.
const BUDGET: u64 = 200_000_000;

struct Case {
    path: PathBuf,
    text: String,
}

impl Case {
    /// All cases of one folder.
    fn all(check: &str) -> Vec<Self> {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR"))
            .join("tests/cases")
            .join(check);
        let entries = std::fs::read_dir(&folder).unwrap_or_else(|e| panic!("{folder:?}: {e}"));
        let paths = entries.map(|entry| entry.expect("an entry").path());
        let mut cases: Vec<Self> = paths
            .filter(|path| path.extension().is_some_and(|e| e == "ptx"))
            .map(|path| Self {
                text: std::fs::read_to_string(&path).expect("a case"),
                path,
            })
            .collect();
        cases.sort_by(|a, b| a.path.cmp(&b.path));
        cases
    }

    /// The whole module: of the case's lines only those of one part.
    fn module(&self, part: &str) -> String {
        let mut text = PRELUDE.to_string();
        if self.takes_maps() {
            for (without, with) in MAPS {
                text = text.replace(without, with);
            }
        }
        let mut inside = false;
        for line in self.text.lines().skip(1) {
            match line.strip_prefix("// ") {
                Some(name) => inside = name == part,
                None if inside => {
                    text += "\n";
                    text += line;
                    continue;
                }
                None => {}
            }
            text += "\n";
        }
        text + "\nret; }"
    }

    /// An extent of the launch, which the second line tells.
    fn extent(&self, name: &str) -> u32 {
        let launch = self
            .text
            .lines()
            .nth(1)
            .and_then(|l| l.strip_prefix("// launch: "));
        let words = launch.unwrap_or_default().split(", ");
        let values = words.filter_map(|word| word.strip_prefix(name)?.trim().parse().ok());
        values.last().unwrap_or(1)
    }

    /// Whether its kernel gets tensor maps.
    fn takes_maps(&self) -> bool {
        let launch = self.text.lines().nth(1);
        launch.is_some_and(|launch| launch.ends_with(", maps"))
    }

    /// What is said about one part with a seed: a fault, or findings; empty for nothing.
    fn said(&self, part: &str, seed: u64) -> String {
        let rig = Rig::new(&self.module(part));
        let buffers = [rig.buffer(&[0u32; 1024]), rig.unwritten(4096)];
        let mut parameters = buffers.map(u64::to_le_bytes).concat();
        if self.takes_maps() {
            parameters.resize(64, 0);
            parameters.extend(maps(buffers[0]).concat());
        }
        let one = |name: &str| [self.extent(name), 1, 1];
        let launch = Launch {
            seed,
            checks: Checks::all(),
            budget: Some(BUDGET),
            cluster: one("cluster "),
            ..Launch::new("k", one("grid "), one("block "), &parameters)
        };
        let mut said = String::new();
        match rig.device.launch(&rig.instance, &launch) {
            Err(fault) => said = format!("error: {fault}\n"),
            Ok(report) => {
                for finding in report.findings {
                    let _ = writeln!(said, "{finding}\n   = {} times", finding.count);
                }
            }
        }
        said
    }

    /// What is wrong with this case.
    fn problem(&self) -> Option<String> {
        for seed in 0..4 {
            let said = self.said("right", seed);
            if !said.is_empty() {
                return Some(format!(
                    "the right one is reported with seed {seed}:\n{said}"
                ));
            }
        }
        let said = self.said("wrong", 0);
        for seed in 1..4 {
            if self.said("wrong", seed).is_empty() {
                return Some(format!("the wrong one is not found with seed {seed}"));
            }
        }
        if said.is_empty() {
            return Some("the wrong one is not found".into());
        }
        let beside = self.path.with_extension("txt");
        if std::env::var_os("LANEWISE_BLESS").is_some() {
            std::fs::write(&beside, &said).expect("the report is written");
        }
        let expected = std::fs::read_to_string(&beside).unwrap_or_default();
        (said != expected).then(|| format!("expected:\n{expected}\nsaid:\n{said}"))
    }
}

/// The tensor maps of [`MAPS`], over the buffer at this address.
fn maps(address: u64) -> [[u8; 128]; 3] {
    let tiles = TensorMap {
        element: Element::U32,
        rank: 2,
        address,
        size: [32, 32, 1, 1, 1],
        strides: [128, 0, 0, 0],
        steps: [1; 5],
        access: Access::Tiled([8, 4, 1, 1, 1]),
        interleave: Interleave::None,
        swizzle: Swizzle::None,
        promotion: Promotion::None,
        fill: Fill::Zero,
    };
    let floats = TensorMap {
        element: Element::F32,
        ..tiles.clone()
    };
    let images = TensorMap {
        rank: 4,
        size: [4, 8, 4, 2, 1],
        strides: [16, 128, 512, 0],
        access: Access::Im2col(Im2col {
            lower: [-1, -1, 0],
            upper: [-1, -1, 0],
            channels: 4,
            pixels: 8,
        }),
        ..tiles.clone()
    };
    [tiles, floats, images].map(|map| map.encode())
}

/// Held by the test that runs: devices that live side by side have addresses of their own, and reports say addresses.
static ONE_AT_A_TIME: Mutex<()> = Mutex::new(());

fn check(folder: &str, least: usize) {
    let _turn = ONE_AT_A_TIME.lock().unwrap_or_else(PoisonError::into_inner);
    let cases = Case::all(folder);
    assert!(cases.len() >= least, "{} cases in {folder}", cases.len());
    let mut wrong = String::new();
    for case in &cases {
        if let Some(problem) = case.problem() {
            let _ = writeln!(wrong, "{}: {problem}\n", case.path.display());
        }
    }
    assert!(wrong.is_empty(), "{wrong}");
}

#[test]
fn races_are_found_and_their_twins_are_silent() {
    check("race", 33);
}

#[test]
fn wrong_meetings_are_found_and_their_twins_are_silent() {
    check("sync", 21);
}

#[test]
fn wrong_accesses_are_found_and_their_twins_are_silent() {
    check("memory", 23);
}

#[test]
fn uses_of_what_nobody_wrote_are_found_and_their_twins_are_silent() {
    check("init", 30);
}

#[test]
fn launches_without_a_future_are_found_and_their_twins_are_silent() {
    check("progress", 6);
}
