//! Compiles the kernels to PTX; src/lib.rs embeds it. Only the first of these targets has `wgmma`,
//! and only the second has `tcgen05`.

fn main() {
    lanewise_builder::embed("Ptx", |builder| builder.arch("sm_90a").arch("sm_100a"));
}
