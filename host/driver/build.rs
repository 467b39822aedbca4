//! Gives the drop-in library (examples/drop_in.rs) the name in its head that NVIDIA's has, which
//! programs linked with it ask for.

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rustc-link-arg=-Wl,-soname,libcuda.so.1");
}
