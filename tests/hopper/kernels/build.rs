//! Compiles the kernels to PTX; src/lib.rs embeds it. `wgmma` is for the first of these targets
//! alone, `tcgen05` for the second.

fn main() {
    lanewise_builder::embed("Ptx", |builder| builder.arch("sm_90a").arch("sm_100a"));
}
