//! Compiles the kernels to PTX, with the lines of their files; src/lib.rs embeds it.

fn main() {
    lanewise_builder::embed("Ptx", |builder| builder.arch("sm_90"));
}
