//! Gives the drop-in library (examples/drop_in.rs) the name in its head that NVIDIA's has, which
//! programs linked with it ask for.

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    if std::env::var("CARGO_CFG_TARGET_OS").is_ok_and(|system| system == "linux") {
        println!("cargo::rustc-link-arg=-Wl,-soname,libcuda.so.1");
    }
}
