//! Compiles the kernels to PTX, which src/kernels.rs embeds.

fn main() {
    lanewise_builder::build();
}
