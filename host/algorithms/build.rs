//! Compiles src/kernels to PTX.

fn main() {
    lanewise_builder::build();
}
