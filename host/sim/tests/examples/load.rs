//! Loads PTX files as one module and lists the kernels, or prints why the module does not load:
//! `cargo run --example load -- FILE.ptx ...`

use std::process::ExitCode;
use std::time::Instant;

fn main() -> ExitCode {
    let mut texts = Vec::new();
    for path in std::env::args().skip(1) {
        match std::fs::read_to_string(&path) {
            Ok(text) => texts.push(text),
            Err(error) => {
                eprintln!("error: cannot read `{path}`: {error}");
                return ExitCode::FAILURE;
            }
        }
    }
    let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
    let start = Instant::now();
    match lanewise_sim::Module::link(&texts) {
        Ok(module) => {
            for kernel in module.kernels() {
                let lanewise_sim::Kernel {
                    name,
                    param_bytes,
                    static_shared,
                    registers,
                    ..
                } = kernel;
                println!(
                    "{name}: {param_bytes} bytes of parameters, {static_shared} shared, about {registers} registers"
                );
            }
            println!("loaded in {:?}", start.elapsed());
            ExitCode::SUCCESS
        }
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::FAILURE
        }
    }
}
