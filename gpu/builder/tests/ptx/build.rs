//! The files that a build leaves, and that the next build does only what is needed.

use std::fs;
use std::path::PathBuf;

use lanewise_builder::lint::Rule;
use lanewise_builder::{Cache, Emit, PtxBuilder, Stage};

use crate::support::{KERNELS, builder, fixture, scratch, target_dir};

#[test]
fn a_second_build_does_nothing_and_a_damaged_file_is_made_again() {
    let build = || {
        builder("kernels", "kernels-again")
            .arch("sm_80")
            .build()
            .expect("it builds")
    };
    let first = build();
    let again = build();
    assert!(!again.rebuilt);
    assert_eq!(again.manifest, first.manifest);

    let ptx = fs::read_to_string(&first.modules[0].ptx).expect("PTX");
    fs::write(&first.modules[0].ptx, "damaged").expect("it can be written");
    assert!(build().rebuilt);
    assert_eq!(fs::read_to_string(&first.modules[0].ptx).expect("PTX"), ptx);
}

#[test]
fn another_folder_takes_its_code_from_the_cache_and_what_is_damaged_is_made_again() {
    let folder = tempfile::tempdir().expect("a folder");
    let cache = Cache::new(folder.path());
    let build = |out: &str, fmad| {
        let (sender, stages) = std::sync::mpsc::channel();
        let output = builder("kernels", out)
            .arch("sm_80")
            .fmad(fmad)
            .cache(Some(cache.clone()))
            .on_progress(move |stage| drop(sender.send(stage)))
            .build()
            .expect("it builds");
        let cached = stages.iter().any(|it| matches!(it, Stage::Cached { .. }));
        let ptx = fs::read_to_string(&output.modules[0].ptx).expect("PTX");
        (cached, ptx, output.manifest)
    };
    for out in ["cache-1", "cache-2", "cache-3", "cache-4"] {
        let _ = fs::remove_dir_all(scratch(out));
    }
    let (cached, ptx, manifest) = build("cache-1", true);
    assert!(!cached && cache.size().entries == 1 && cache.size().bytes > ptx.len() as u64);
    assert_eq!(
        build("cache-2", true),
        (true, ptx.clone(), manifest.clone())
    );

    // Other options are another code.
    assert!(!build("cache-3", false).0 && cache.size().entries == 2);

    for file in fs::read_dir(folder.path()).expect("the cache").flatten() {
        let mut bytes = fs::read(file.path()).expect("code");
        *bytes.last_mut().expect("not empty") ^= 1;
        fs::write(file.path(), bytes).expect("it can be written");
    }
    assert_eq!(
        build("cache-4", true),
        (false, ptx.clone(), manifest.clone())
    );
    let _ = fs::remove_dir_all(scratch("cache-4"));
    assert_eq!(build("cache-4", true), (true, ptx, manifest));
}

#[test]
fn a_cache_that_cannot_be_written_ends_no_build() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("file");
    fs::write(&file, "").expect("it can be written");
    let _ = fs::remove_dir_all(scratch("cache-none"));
    let cache = Cache::new(file.join("below"));
    let built = builder("kernels", "cache-none")
        .arch("sm_80")
        .cache(Some(cache.clone()))
        .build();
    assert!(built.expect("it builds").rebuilt);
    assert_eq!(cache.size().entries, 0);
}

#[test]
fn a_build_for_one_target_leaves_the_others_up_to_date() {
    let _ = &*KERNELS;
    for archs in [&["sm_90"][..], &["sm_80", "sm_90"], &["sm_80"]] {
        let builder = archs
            .iter()
            .fold(builder("kernels", "kernels"), |builder, arch| {
                builder.arch(*arch)
            });
        assert!(!builder.build().expect("it builds").rebuilt, "{archs:?}");
    }
}

/// The variable applies to the whole process, so this test starts itself again with it.
#[test]
fn a_dump_that_cannot_be_written_is_said_and_ends_no_build() {
    const DUMP: &str = "LANEWISE_DUMP";
    if std::env::var_os(DUMP).is_some() {
        let told = |stage| {
            if let Stage::Warning(text) = stage {
                println!("warned: {text}");
            }
        };
        let builder = builder("passes", "passes-dump").feature("statics");
        let built = builder.arch("sm_80").on_progress(told).build();
        assert!(built.expect("it builds").rebuilt);
        return;
    }
    let name = "build::a_dump_that_cannot_be_written_is_said_and_ends_no_build";
    let output = std::process::Command::new(std::env::current_exe().expect("this program"))
        .args(["--exact", name, "--nocapture"])
        .env(DUMP, "/dev/null/dump")
        .output()
        .expect("it runs");
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success(), "{text}");
    assert_eq!(text.matches("warned: ").count(), 1, "{text}");
    assert!(
        text.contains("warned: LANEWISE_DUMP: `/dev/null/dump` cannot be written: "),
        "{text}"
    );
}

#[test]
fn a_changed_kernel_is_built_again() {
    let folder = fresh("changed");
    let source = folder.join("src/lib.rs");
    let write = |value: u32| {
        let text = format!(
            "#![no_std]\n#![feature(abi_ptx)]\n#[unsafe(no_mangle)]\npub unsafe extern \"ptx-kernel\" fn \
             kernel(out: *mut u32) {{ unsafe {{ *out = {value} }} }}\n#[panic_handler]\nfn panic(_: \
             &core::panic::PanicInfo) -> ! {{ loop {{}} }}\n"
        );
        fs::write(&source, text).expect("it can be written");
    };
    let build = || {
        let builder = PtxBuilder::new(&folder)
            .target_dir(target_dir())
            .out_dir(folder.join("out"));
        let output = builder.arch("sm_80").build().expect("it builds");
        (
            output.rebuilt,
            fs::read_to_string(&output.modules[0].ptx).expect("PTX"),
            output.sources,
        )
    };
    write(4711);
    let (_, ptx, sources) = build();
    assert!(ptx.contains("4711"), "{ptx}");
    assert!(
        sources.iter().any(|path| path.ends_with("src/lib.rs")),
        "{sources:?}"
    );
    write(4712);
    let (rebuilt, ptx, _) = build();
    assert!(rebuilt && ptx.contains("4712"), "{ptx}");
}

#[test]
fn the_optimised_module_is_written_on_demand() {
    let builder = builder("kernels", "kernels-ir")
        .arch("sm_80")
        .emit(Emit::LlvmIr)
        .emit(Emit::Bitcode);
    let module = builder.build().expect("it builds").modules.remove(0);
    let ir = fs::read_to_string(module.llvm_ir.expect("asked for")).expect("text");
    assert!(ir.contains("define ptx_kernel void @multiply_add"), "{ir}");
    let bitcode = fs::read(module.bitcode.expect("asked for")).expect("bytes");
    assert!(bitcode.starts_with(b"BC\xc0\xde"));
}

/// A stand-in for ptxas, which a machine need not have. It prints what ptxas would print about one
/// kernel, and writes a file.
fn assembler(registers: u32) -> PathBuf {
    use std::os::unix::fs::PermissionsExt;
    let folder = scratch("assembler");
    fs::create_dir_all(&folder).expect("a folder");
    let path = folder.join(format!("ptxas-{registers}"));
    let script = format!(
        "#!/bin/sh\nwhile [ $# -gt 1 ]; do [ \"$1\" = --output-file ] && out=$2; shift; done\necho machine code > \"$out\"\n\
         echo \"ptxas info    : Compiling entry function 'multiply_add' for 'sm_80'\"\n\
         echo 'ptxas info    : Used {registers} registers, used 0 barriers, 372 bytes cmem[0]'\n"
    );
    fs::write(&path, script).expect("it can be written");
    fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).expect("it is ours");
    path
}

#[test]
fn what_the_assembler_says_is_in_the_manifest_with_the_change() {
    drop(fs::remove_dir_all(scratch("kernels-assembled")));
    let build = |registers| {
        let output = builder("kernels", "kernels-assembled")
            .arch("sm_80")
            .assembler(assembler(registers))
            .emit(Emit::Cubin)
            .build()
            .expect("it builds");
        let cubin = output.modules[0].cubin.as_ref().expect("asked for");
        assert_eq!(fs::read(cubin).expect("a file"), b"machine code\n");
        let kernels = &output.manifest.modules[0].kernels;
        let kernel = kernels
            .iter()
            .find(|kernel| kernel.description.name == "multiply_add");
        let kernel = kernel.expect("it is there").clone();
        let registers = |resources: Option<lanewise_builder::assembler::Resources>| {
            resources.map(|of| of.registers)
        };
        (registers(kernel.resources), registers(kernel.before))
    };
    assert_eq!(build(12), (Some(12), None));
    assert_eq!(build(16), (Some(16), Some(12)));
}

#[test]
fn a_cubin_without_an_assembler_is_an_error() {
    let error = builder("kernels", "none")
        .arch("sm_80")
        .emit(Emit::Cubin)
        .build();
    let error = error.expect_err("nothing makes it").to_string();
    assert!(error.contains("none was given"), "{error}");
}

#[test]
fn progress_is_told_stage_by_stage() {
    let (sender, stages) = std::sync::mpsc::channel();
    let report = move |stage| drop(sender.send(stage));
    builder("kernels", "kernels-progress")
        .arch("sm_80")
        .on_progress(report)
        .build()
        .expect("it builds");
    // Other tests build in the same folder meanwhile.
    let stages: Vec<Stage> = stages
        .iter()
        .filter(|stage| *stage != Stage::Waiting)
        .collect();
    assert_eq!(
        stages.first(),
        Some(&Stage::Compiling {
            krate: "fixture_kernels".into()
        })
    );
    let arch = "sm_80".to_owned();
    let last = stages.last();
    assert!(
        last == Some(&Stage::Generating { arch: arch.clone() })
            || last == Some(&Stage::UpToDate { arch }),
        "{last:?}"
    );
}

#[test]
fn the_ptx_does_not_depend_on_where_the_crate_lies() {
    let text = |builder: PtxBuilder| {
        let output = builder
            .target_dir(target_dir())
            .arch("sm_80")
            .allow(Rule::UnresolvedSymbol)
            .build();
        fs::read_to_string(&output.expect("it builds").modules[0].ptx).expect("PTX")
    };
    let elsewhere = fresh("elsewhere/deep/down");
    fs::copy(
        fixture("unresolved/src/lib.rs"),
        elsewhere.join("src/lib.rs"),
    )
    .expect("a copy");
    let here = text(builder("unresolved", "here"));
    assert!(here.contains("\"src/lib.rs\""), "{here}");
    assert_eq!(
        text(PtxBuilder::new(&elsewhere).out_dir(scratch("elsewhere-out"))),
        here
    );
}

/// A folder with the `Cargo.toml` of a fixture that has no dependencies, and an empty `src`. It is
/// the same in every run, so that build results do not pile up.
fn fresh(name: &str) -> PathBuf {
    let folder = scratch(name);
    drop(fs::remove_dir_all(&folder));
    fs::create_dir_all(folder.join("src")).expect("a folder");
    fs::copy(fixture("unresolved/Cargo.toml"), folder.join("Cargo.toml")).expect("a copy");
    folder
}

#[test]
fn every_known_target_builds() {
    let builder = lanewise_builder::targets()
        .fold(builder("unresolved", "targets"), |builder, arch| {
            builder.arch(arch)
        });
    let output = builder
        .allow(Rule::UnresolvedSymbol)
        .build()
        .expect("it builds");
    for module in output.modules {
        let ptx = fs::read_to_string(&module.ptx).expect("PTX");
        assert!(
            ptx.contains(&format!("\n.target {}\n", module.arch)),
            "{}: {ptx}",
            module.arch
        );
    }
}

/// Builds for a debugger wait only for each other.
#[test]
fn a_build_waits_for_another_in_the_same_folder() {
    let folder = scratch("locked");
    let start = |debug: bool| {
        let (sender, stages) = std::sync::mpsc::channel();
        let report = move |stage| drop(sender.send(stage));
        let folder_of_build = folder.clone();
        let build = std::thread::spawn(move || {
            // `broken` fails soon; what matters is that it begins only after the other build.
            let builder = PtxBuilder::new(fixture("broken"))
                .target_dir(folder_of_build)
                .out_dir(scratch("locked-out"));
            builder
                .arch("sm_80")
                .debug(debug)
                .feature("no-such-feature")
                .on_progress(report)
                .build()
                .is_err()
        });
        (stages, build)
    };
    let held = folder.join("nvptx64-nvidia-cuda/release");
    fs::create_dir_all(&held).expect("a folder");
    let lock = fs::File::create(held.join(".lanewise-builder-lock")).expect("a file");
    lock.lock().expect("nobody else holds it");
    let (stages, build) = start(false);
    assert_eq!(stages.recv(), Ok(Stage::Waiting));
    let (of_debugger, other) = start(true);
    assert!(matches!(of_debugger.recv(), Ok(Stage::Compiling { .. })));
    assert!(other.join().expect("no panic"));
    assert!(stages.try_recv().is_err());
    drop(lock);
    assert!(matches!(stages.recv(), Ok(Stage::Compiling { .. })));
    assert!(build.join().expect("no panic"));
}
