//! The repository's own kernels: what holds for all of them, whichever they are.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::LazyLock;

use lanewise_builder::manifest::{Description, Kernel};
use lanewise_builder::{ModuleOutput, Output, PtxBuilder};

use crate::support::{count, function_in, scratch};

/// The crate `gpu`, for the targets that the project promises.
static GPU: LazyLock<Output> = LazyLock::new(|| {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR"))
        .parent()
        .expect("the crate gpu");
    let builder = PtxBuilder::new(folder)
        .target_dir(scratch("build"))
        .out_dir(scratch("gpu"))
        .color(false);
    builder
        .arch("sm_80")
        .arch("sm_90")
        .arch("sm_100")
        .build()
        .unwrap_or_else(|error| panic!("{error}"))
});

/// A target's PTX, with that of the kernels that launch others, which are in a module of their own.
fn text(files: &ModuleOutput) -> String {
    let read = |path| std::fs::read_to_string(path).expect("the build wrote it");
    let launching = files.launching_ptx.as_ref().map(read);
    read(&files.ptx) + &launching.unwrap_or_default()
}

/// Every kernel of every target, with its PTX.
fn kernels() -> Vec<(String, Kernel, String)> {
    let mut all = Vec::new();
    for (files, module) in GPU.modules.iter().zip(&GPU.manifest.modules) {
        let ptx = text(files);
        for kernel in &module.kernels {
            let name = &kernel.description.name;
            all.push((
                format!("{name} for {}", module.arch),
                kernel.clone(),
                function_in(&ptx, name),
            ));
        }
    }
    assert!(!all.is_empty());
    all
}

/// libNVVM, where the machine has it: `LIBNVVM` names the file, or it lies in a toolkit's folder.
fn libnvvm() -> Option<PathBuf> {
    let roots = ["CUDA_HOME", "CUDA_PATH"]
        .into_iter()
        .filter_map(std::env::var_os);
    let toolkits = roots
        .map(PathBuf::from)
        .chain([PathBuf::from("/usr/local/cuda")]);
    let named = std::env::var_os("LIBNVVM").map(PathBuf::from);
    named
        .into_iter()
        .chain(toolkits.map(|root| root.join("nvvm/lib64/libnvvm.so")))
        .find(|path| path.is_file())
}

#[test]
fn nvvm_makes_every_kernel_that_llvm_makes() {
    let Some(library) = libnvvm() else {
        eprintln!(
            "no libNVVM on this machine (set LIBNVVM or CUDA_HOME): its backend is not tried"
        );
        return;
    };
    let folder = Path::new(env!("CARGO_MANIFEST_DIR"))
        .parent()
        .expect("the crate gpu");
    let output = PtxBuilder::new(folder)
        .target_dir(scratch("build"))
        .out_dir(scratch("gpu-nvvm"))
        .arch("sm_100")
        .nvvm(library)
        .build()
        .unwrap_or_else(|error| panic!("{error}"));
    let ptx = text(&output.modules[0]);
    assert!(ptx.contains("NVIDIA NVVM Compiler"), "{ptx}");
    for (name, kernel, _) in kernels()
        .into_iter()
        .filter(|(name, ..)| name.ends_with("sm_100"))
    {
        let entry = format!(".entry {}(", kernel.description.name);
        assert!(ptx.contains(&entry), "{name} is missing");
    }
}

#[test]
fn every_kernel_is_described() {
    for (name, kernel, _) in kernels() {
        let description = kernel.description;
        assert!(
            description.file.starts_with("gpu/src/") && description.line > 0,
            "{name}: {description:?}"
        );
    }
}

#[test]
fn every_kernel_names_the_lines_of_its_own_file() {
    for (files, module) in GPU.modules.iter().zip(&GPU.manifest.modules) {
        let ptx = std::fs::read_to_string(&files.ptx).expect("the build wrote it");
        for kernel in &module.kernels {
            let Description { name, file, .. } = &kernel.description;
            // A kernel that launches others is in a module of its own, whose files have numbers of their own.
            let Some(start) = ptx.find(&format!(".entry {name}(")) else {
                assert!(
                    text(files).contains(&format!(".entry {name}(")),
                    "{name} is missing"
                );
                continue;
            };
            let body = ptx[start..].split("\n}").next().unwrap_or_default();
            let number = ptx.lines().find_map(|line| {
                let (number, path) = line.trim().strip_prefix(".file")?.trim().split_once(' ')?;
                (path.trim_matches('"') == *file).then(|| number.to_owned())
            });
            let number = number.unwrap_or_else(|| panic!("no .file `{file}`, for {name}"));
            let own = format!(".loc\t{number} ");
            assert!(body.contains(&own), "no {own:?} in {name}:\n{body}");
        }
    }
}

#[test]
fn no_kernel_computes_in_f64_by_accident() {
    for (name, kernel, ptx) in kernels() {
        let wants_f64 = kernel
            .description
            .params
            .iter()
            .any(|param| param.ty.contains("f64"));
        // `printf` takes every float as an `f64`.
        let printed = if ptx.contains("vprintf") {
            count(&ptx, "cvt.f64.f32")
        } else {
            0
        };
        // The library's functions of an `f32` compute in `f64` where that is what makes them right to the last place.
        let in_library = name.contains("_standard for ") || name.starts_with("philox_normal for ");
        assert!(
            wants_f64 || in_library || count(&ptx, ".f64") == printed,
            "{name}:\n{ptx}"
        );
    }
}

#[test]
fn kernels_with_shared_arrays_access_them_natively() {
    for (name, _, ptx) in kernels()
        .into_iter()
        .filter(|(_, kernel, _)| kernel.static_shared > 0)
    {
        assert!(
            ptx.contains("st.shared") || ptx.contains(".shared."),
            "{name}:\n{ptx}"
        );
        // What leads into another block of the cluster is computed from a generic address of the block's own; what barriers and
        // asynchronous copies take comes from one and is a shared address again.
        if count(&ptx, "mapa") + count(&ptx, "cvta.to.shared") == 0 {
            assert_eq!(count(&ptx, "cvta.shared"), 0, "{name}:\n{ptx}");
        }
    }
}

#[test]
fn slices_that_are_only_read_are_read_through_the_read_only_cache() {
    use lanewise_builder::manifest::Lower;
    let reads = |kernel: &Kernel| {
        kernel
            .description
            .params
            .iter()
            .any(|param| param.lower == Lower::ReadSlice)
    };
    for (name, _, ptx) in kernels().into_iter().filter(|(_, kernel, _)| reads(kernel)) {
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
    for (name, _, ptx) in kernels()
        .into_iter()
        .filter(|(name, ..)| name.starts_with("matmul_naive "))
    {
        let (_, body) = loops(&ptx)
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
