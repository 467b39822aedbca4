//! Compiles the kernels to PTX, which src/lib.rs embeds. Only the second of these
//! targets has `wgmma`.

fn main() {
    lanewise_builder::embed("Ptx", |builder| builder.arch("sm_80").arch("sm_90a"));
}
