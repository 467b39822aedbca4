//! Compiles the crate to PTX for several targets; src/lib.rs embeds each.

fn main() {
    lanewise_builder::build();
    // Older than every device that is modelled here but two, this one's own in every detail, and
    // newer than all.
    lanewise_builder::embed("Volta", |builder| builder.arch("sm_70"));
    lanewise_builder::embed("Hopper", |builder| builder.arch("sm_90a"));
    lanewise_builder::embed("Blackwell", |builder| builder.arch("sm_120"));
}
