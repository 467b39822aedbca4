//! Compiles the kernels to PTX: for Hopper, which has kernels of its own, and for other GPUs.

fn main() {
    lanewise_builder::embed("Ptx", |builder| builder.arch("sm_80").arch("sm_90a"));
}
