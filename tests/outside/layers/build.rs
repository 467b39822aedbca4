//! Compiles the kernels to PTX: for Hopper, which has kernels of its own, and for other GPUs.

fn main() {
    lanewise_builder::embed("Ptx", |builder| builder.alternatives(&["sm_80", "sm_90a"]));
}
