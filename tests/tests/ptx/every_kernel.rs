//! Rules for every kernel of the repository, checked in the embedded PTX and its manifest, so that
//! nothing is compiled again for that.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::LazyLock;

use lanewise_builder::manifest::{Kernel, Lower, Module as Described};
use lanewise_std::kernel::Module;

/// A kernel of one target.
struct Compiled {
    /// Its name and its target, for messages.
    name: String,
    /// What the manifest contains about it.
    described: Kernel,
    /// The files that its module's lines refer to, by number.
    files: &'static BTreeMap<&'static str, &'static str>,
    /// The kernel's own part of the PTX.
    ptx: &'static str,
}

/// One text of a target: the kernels by name, and the files by number.
struct Text {
    kernels: BTreeMap<&'static str, &'static str>,
    files: BTreeMap<&'static str, &'static str>,
}

impl Text {
    fn new(ptx: &'static str) -> Text {
        let parts = ptx.split(".entry ").skip(1);
        let kernels = parts.filter_map(|part| {
            let body = &part[..part.find("\n}")?];
            Some((body.split_once('(')?.0, body))
        });
        let files = ptx.lines().filter_map(|line| {
            let (number, path) = line.trim().strip_prefix(".file")?.trim().split_once(' ')?;
            Some((number, path.trim_matches('"')))
        });
        Text {
            kernels: kernels.collect(),
            files: files.collect(),
        }
    }
}

/// The plain kernels of each target and those that launch others, which are in a text of their own.
static TEXTS: LazyLock<Vec<[Text; 2]>> = LazyLock::new(|| {
    let texts = gpu::Ptx::TEXTS.iter();
    texts
        .map(|text| [text.plain, text.launching].map(Text::new))
        .collect()
});

/// Every kernel of every target.
static KERNELS: LazyLock<Vec<Compiled>> = LazyLock::new(|| {
    let mut all = Vec::new();
    for (embedded, texts) in gpu::Ptx::TEXTS.iter().zip(&*TEXTS) {
        let module: Described = serde_json::from_str(embedded.manifest).expect("a manifest");
        for described in module.kernels {
            let name = format!("{} for {}", described.description.name, embedded.arch);
            let text = &texts[usize::from(described.description.launches)];
            let ptx = text.kernels.get(&*described.description.name);
            all.push(Compiled {
                ptx: ptx.unwrap_or_else(|| panic!("{name} is in the manifest alone")),
                files: &text.files,
                name,
                described,
            });
        }
    }
    assert!(!all.is_empty());
    all
});

/// Returns how many lines of a text contain this.
fn count(text: &str, needle: &str) -> usize {
    text.lines().filter(|line| line.contains(needle)).count()
}

#[test]
fn every_kernel_is_described() {
    for Compiled {
        name, described, ..
    } in &*KERNELS
    {
        let description = &described.description;
        assert!(
            description.file.starts_with("gpu/src/") && description.line > 0,
            "{name}: {description:?}"
        );
    }
}

#[test]
fn every_kernel_names_the_lines_of_its_own_file() {
    for Compiled {
        name,
        described,
        files,
        ptx,
    } in &*KERNELS
    {
        let file = &described.description.file;
        let number = files.iter().find(|(_, path)| *path == file);
        let (number, _) = number.unwrap_or_else(|| panic!("no .file `{file}`, for {name}"));
        let own = format!(".loc\t{number} ");
        assert!(ptx.contains(&own), "no {own:?} in {name}:\n{ptx}");
    }
}

#[test]
fn no_kernel_computes_in_f64_by_accident() {
    for Compiled {
        name,
        described,
        ptx,
        ..
    } in &*KERNELS
    {
        let params = &described.description.params;
        let wants_f64 = params.iter().any(|param| param.ty.contains("f64"));
        // `printf` takes every float as an `f64`.
        let printed = if ptx.contains("vprintf") {
            count(ptx, "cvt.f64.f32")
        } else {
            0
        };
        // The library's functions of an `f32` compute in `f64` where that is what makes them right
        // to the last place.
        let in_library = name.contains("_standard for ") || name.starts_with("philox_normal for ");
        assert!(
            wants_f64 || in_library || count(ptx, ".f64") == printed,
            "{name}:\n{ptx}"
        );
    }
}

#[test]
fn kernels_with_shared_arrays_access_them_natively() {
    let with_arrays = |kernel: &&Compiled| kernel.described.static_shared > 0;
    for Compiled { name, ptx, .. } in KERNELS.iter().filter(with_arrays) {
        assert!(ptx.contains(".shared."), "{name}:\n{ptx}");
        // What leads into another block of the cluster is computed from a generic address of
        // the block's own; what barriers and asynchronous copies take comes from one and is a
        // shared address again.
        if count(ptx, "mapa") + count(ptx, "cvta.to.shared") == 0 {
            assert_eq!(count(ptx, "cvta.shared"), 0, "{name}:\n{ptx}");
        }
    }
}

#[test]
fn slices_that_are_only_read_are_read_through_the_read_only_cache() {
    let reads = |kernel: &&Compiled| {
        let params = &kernel.described.description.params;
        params.iter().any(|param| param.lower == Lower::ReadSlice)
    };
    for Compiled { name, ptx, .. } in KERNELS.iter().filter(reads) {
        let other_loads: Vec<&str> = ptx
            .lines()
            .filter(|line| line.contains("ld.global") && !line.contains("ld.global.nc"))
            .collect();
        // A kernel that names its caches has its reasons.
        let named = ["ld.global.ca", "ld.global.cg"]
            .iter()
            .any(|load| ptx.contains(load));
        assert!(
            ptx.contains("ld.global.nc") || named || other_loads.is_empty(),
            "{name} has only {other_loads:?} in\n{ptx}"
        );
    }
}

#[test]
fn a_loop_down_a_column_steps_by_one_register() {
    let is_naive = |kernel: &&Compiled| kernel.name.starts_with("matmul_naive ");
    for Compiled { name, ptx, .. } in KERNELS.iter().filter(is_naive) {
        let (_, body) = loops(ptx)
            .into_iter()
            .max_by_key(|(_, body)| count(body, "fma.rn.f32"))
            .unwrap_or_else(|| panic!("{name} has no loop:\n{ptx}"));
        assert!(
            count(&body, "fma.rn.f32") >= 4,
            "{name} is not unrolled:\n{body}"
        );
        // A multiple of the stride for each copy of the body would take a pair of registers each.
        let steps: BTreeSet<&str> = body
            .lines()
            .filter(|line| line.trim().starts_with("add.s64"))
            .filter_map(|line| line.rsplit(", ").next())
            .filter(|operand| operand.starts_with('%'))
            .collect();
        assert_eq!(steps.len(), 1, "{name}: {steps:?} in\n{body}");
        assert_eq!(
            count(&body, "mul") + count(&body, "mad"),
            0,
            "{name}:\n{body}"
        );
    }
}

/// The loops of one block: label and text up to the branch back.
fn loops(ptx: &str) -> Vec<(String, String)> {
    let mut loops = Vec::new();
    let mut block: Option<(String, String)> = None;
    for line in ptx.lines() {
        match line.split_once(':') {
            Some((label, "")) if label.starts_with("$L__BB") => {
                block = Some((label.to_owned(), String::new()));
            }
            _ => {}
        }
        let Some((label, text)) = &mut block else {
            continue;
        };
        text.push_str(line);
        text.push('\n');
        if line.contains("bra") {
            let back = line.trim_end().ends_with(&format!("{label};"));
            loops.extend(block.take().filter(|_| back));
        }
    }
    loops
}
