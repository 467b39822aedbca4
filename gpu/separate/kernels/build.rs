//! Compiles the kernels to PTX; src/lib.rs embeds it.

fn main() {
    lanewise_builder::build();
}
