//! Compiles the kernels to PTX; src/lib.rs embeds it. `sm_90a` is for Hopper alone.

fn main() {
    lanewise_builder::embed("Ptx", |builder| builder.arch("sm_80").arch("sm_90a"));
}
