//! A build script of a project that has nothing to do with this workspace: it names `lanewise-builder` and no other crate of ours.

use std::path::Path;
use std::process::Command;
use std::{env, fs};

const MANIFEST: &str = r#"
[package]
name = "foreign"
version = "0.0.0"
edition = "2024"

[build-dependencies]
lanewise-builder = { path = "{builder}" }

[workspace]
"#;

const BUILD: &str = r#"
fn main() {
    let out = std::path::PathBuf::from(std::env::var("OUT_DIR").unwrap());
    let build = lanewise_builder::PtxBuilder::new("kernels").arch("sm_75").arch("sm_90").out_dir(out).build();
    let output = build.unwrap_or_else(|error| panic!("{error}"));
    for module in &output.modules {
        println!("cargo::rustc-env=PTX_{}={}", module.arch, module.ptx.display());
    }
}
"#;

const MAIN: &str = r#"
fn main() {
    print!("{}{}", include_str!(env!("PTX_sm_75")), include_str!(env!("PTX_sm_90")));
}
"#;

const KERNELS: &str = r#"
#![no_std]
#![feature(abi_ptx)]
#[unsafe(no_mangle)]
pub unsafe extern "ptx-kernel" fn far_from_home(output: *mut u32) {
    unsafe { *output = 4711 }
}
#[panic_handler]
fn panic(_: &core::panic::PanicInfo) -> ! {
    loop {}
}
"#;

/// The kernels of a project below a temporary folder, as its program prints them.
fn printed(project: &Path) -> String {
    let file = |name: &str, text: &str| {
        let path = project.join(name);
        fs::create_dir_all(path.parent().expect("a folder")).expect("it can be made");
        fs::write(path, text).expect("it can be written");
    };
    let builder = env!("CARGO_MANIFEST_DIR");
    file("Cargo.toml", &MANIFEST.replace("{builder}", builder));
    file("build.rs", BUILD);
    file("src/main.rs", MAIN);
    file(
        "kernels/Cargo.toml",
        "[package]\nname = \"far\"\nedition = \"2024\"\n[workspace]\n",
    );
    file("kernels/src/lib.rs", KERNELS);
    // The same versions, so that what both need is compiled once.
    let workspace = Path::new(builder).join("../..");
    fs::copy(workspace.join("Cargo.lock"), project.join("Cargo.lock")).expect("a copy");

    let target = Path::new(env!("CARGO_TARGET_TMPDIR")).join("..");
    let mut cargo = Command::new(env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    cargo
        .args(["run", "--quiet"])
        .current_dir(project)
        .env("CARGO_TARGET_DIR", target)
        // Outside of the repository its rust-toolchain.toml does not count.
        .env("RUSTUP_TOOLCHAIN", "1.95.0");
    let run = cargo.output().expect("cargo is there");
    let (output, errors) = (
        String::from_utf8_lossy(&run.stdout),
        String::from_utf8_lossy(&run.stderr),
    );
    assert!(run.status.success(), "{output}\n{errors}");
    output.into_owned()
}

#[test]
fn a_build_script_outside_of_this_workspace_embeds_its_kernels() {
    let folder = tempfile::tempdir().expect("a folder");
    let ptx = printed(folder.path());
    for part in [
        ".target sm_75",
        ".target sm_90",
        ".entry far_from_home",
        "4711",
    ] {
        assert!(ptx.contains(part), "{part} is missing in\n{ptx}");
    }
}
