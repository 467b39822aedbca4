//! Compiles the `gpu` crate to PTX and embeds the text, one for each target in [`TARGETS`].
//!
//! The files go to this build's own folder, not to `target/ptx`, so that `cargo xtask build-ptx` with other options never
//! changes what is embedded.

use std::error::Error;
use std::fmt::Write;
use std::path::PathBuf;

use ptx_builder::PtxBuilder;

/// Targets to embed, oldest first, with the compute capability that each is for.
const TARGETS: [(&str, u32, u32); 2] = [("sm_80", 8, 0), ("sm_90", 9, 0)];

fn main() {
    if let Err(error) = embed() {
        // Cargo shows this as it is: where a kernel does not compile, it is rustc's own text.
        eprintln!("{error}");
        std::process::exit(1);
    }
}

fn embed() -> Result<(), Box<dyn Error>> {
    // The kernels, the device library and the macros are all below this folder.
    println!("cargo::rerun-if-changed=../gpu");
    let out = PathBuf::from(std::env::var("OUT_DIR")?);
    let builder = TARGETS
        .iter()
        .fold(PtxBuilder::new("../gpu"), |builder, (arch, ..)| {
            builder.arch(*arch)
        });
    let output = builder.out_dir(out.join("ptx")).build()?;

    let mut source = String::from("/// Every embedded PTX text with its target, oldest first.\n");
    source += "pub const ALL: &[Embedded] = &[\n";
    for ((_, major, minor), module) in TARGETS.iter().zip(&output.modules) {
        let target = format!("ComputeCapability {{ major: {major}, minor: {minor} }}");
        let launching = match &module.launching_ptx {
            Some(path) => format!("include_str!({path:?})"),
            None => "\"\"".to_owned(),
        };
        writeln!(
            source,
            "    Embedded {{ target: {target}, plain: include_str!({:?}), launching: {launching} }},",
            module.ptx
        )?;
    }
    source += "];\n";
    std::fs::write(out.join("embedded.rs"), source)?;
    Ok(())
}
