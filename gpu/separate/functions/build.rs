//! Compiles the crate to PTX for several targets; src/lib.rs embeds each.

fn main() {
    lanewise_builder::build();
    // `sm_70` is for older devices than the default targets, `sm_90a` for the H200 alone, and
    // `sm_120` for newer devices than any model here.
    lanewise_builder::embed("Volta", |builder| builder.arch("sm_70"));
    lanewise_builder::embed("Hopper", |builder| builder.arch("sm_90a"));
    lanewise_builder::embed("Blackwell", |builder| builder.arch("sm_120"));
}
