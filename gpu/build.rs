//! Compiles the kernels to PTX, which src/lib.rs embeds.

fn main() {
    // Both, whatever `LANEWISE_ARCH` says: tests load the text for each model of a GPU.
    lanewise_builder::embed("Ptx", |builder| builder.arch("sm_80").arch("sm_90"));
}
