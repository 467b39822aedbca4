//! Compiles the kernels to PTX; src/lib.rs embeds it.

fn main() {
    lanewise_builder::embed("Ptx", |builder| builder.arch("sm_80"));
    // Before `redux`, and for a debugger: the same answers by other instructions.
    lanewise_builder::embed("Volta", |builder| builder.arch("sm_70"));
}
