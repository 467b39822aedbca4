//! Compiles the kernels to PTX; src/lib.rs embeds it. `wgmma` is for this target alone.

fn main() {
    lanewise_builder::embed("Ptx", |builder| builder.arch("sm_90a"));
}
