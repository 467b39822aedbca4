//! Compiles the kernels to PTX, and embeds with it the functions that they call: those that
//! Cargo.toml names.

fn main() {
    lanewise_builder::build();
}
