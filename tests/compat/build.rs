//! Compiles the kernels to PTX, which src/lib.rs embeds.

use std::path::PathBuf;

use ptx_builder::PtxBuilder;

fn main() {
    println!("cargo::rerun-if-changed=kernels");
    println!("cargo::rerun-if-changed=../../gpu/std");
    println!("cargo::rerun-if-changed=../../gpu/macros");
    let out = PathBuf::from(std::env::var_os("OUT_DIR").unwrap_or_default());
    let build = PtxBuilder::new("kernels")
        .arch("sm_80")
        .out_dir(out.join("ptx"))
        .build();
    match build {
        Ok(output) => println!(
            "cargo::rustc-env=COMPAT_PTX={}",
            output.modules[0].ptx.display()
        ),
        Err(error) => {
            // Cargo shows this as it is: where a kernel does not compile, it is rustc's own text.
            eprintln!("{error}");
            std::process::exit(1);
        }
    }
}
