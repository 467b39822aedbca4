//! Compiles the kernels to PTX, which src/lib.rs embeds.

fn main() {
    lanewise_builder::build();
}
