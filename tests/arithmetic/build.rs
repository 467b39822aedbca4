//! Compiles the kernels to PTX once for each set of options that a test is about; src/lib.rs embeds the texts.

use std::path::PathBuf;

use ptx_builder::PtxBuilder;
use ptx_builder::manifest::Floats;

fn main() {
    println!("cargo::rerun-if-changed=kernels");
    println!("cargo::rerun-if-changed=../../gpu/std");
    println!("cargo::rerun-if-changed=../../gpu/macros");
    let out = PathBuf::from(std::env::var_os("OUT_DIR").unwrap_or_default());
    let base = Floats::default();
    let all = [
        ("DEFAULT", base),
        ("FAST_MATH", Floats::FAST),
        (
            "NO_FMAD",
            Floats {
                fmad: false,
                ..base
            },
        ),
        ("FTZ", Floats { ftz: true, ..base }),
        (
            "NO_PREC_DIV",
            Floats {
                prec_div: false,
                ..base
            },
        ),
        (
            "NO_PREC_SQRT",
            Floats {
                prec_sqrt: false,
                ..base
            },
        ),
    ];
    for (name, floats) in all {
        let build = PtxBuilder::new("kernels")
            .arch("sm_80")
            .floats(floats)
            .out_dir(out.join(name))
            .build();
        match build {
            Ok(output) => println!(
                "cargo::rustc-env=ARITHMETIC_{name}={}",
                output.modules[0].ptx.display()
            ),
            Err(error) => {
                // Cargo shows this as it is: where a kernel does not compile, it is rustc's own text.
                eprintln!("{error}");
                std::process::exit(1);
            }
        }
    }
}
