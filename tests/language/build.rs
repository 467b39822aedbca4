//! Compiles the cases to PTX, which src/lib.rs embeds.
//!
//! Products and sums are not fused: the host's are not either, and results are compared bit by bit.

use std::path::PathBuf;

use ptx_builder::PtxBuilder;

fn main() {
    println!("cargo::rerun-if-changed=cases");
    println!("cargo::rerun-if-changed=../../gpu/std");
    println!("cargo::rerun-if-changed=../../gpu/macros");
    let out = PathBuf::from(std::env::var_os("OUT_DIR").unwrap_or_default());
    let build = PtxBuilder::new("cases")
        .arch("sm_80")
        .fmad(false)
        .out_dir(out.join("ptx"))
        .build();
    match build {
        Ok(output) => println!(
            "cargo::rustc-env=LANGUAGE_PTX={}",
            output.modules[0].ptx.display()
        ),
        Err(error) => {
            // Cargo shows this as it is: where a case does not compile, it is rustc's own text.
            eprintln!("{error}");
            std::process::exit(1);
        }
    }
}
