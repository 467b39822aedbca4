//! Compiles the kernels to PTX, and embeds it together with the functions that they call,
//! which Cargo.toml names.

fn main() {
    lanewise_builder::build();
}
