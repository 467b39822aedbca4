//! Compiles the kernels to PTX, which src/lib.rs embeds. `wgmma` is for the second of these targets
//! alone.

fn main() {
    lanewise_builder::embed("Ptx", |builder| builder.arch("sm_80").arch("sm_90a"));
}
