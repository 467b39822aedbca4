//! Compiles the kernels to PTX, which src/lib.rs embeds: once as usual, and once with panics that
//! only trap.

use lanewise_builder::embed;
use lanewise_builder::manifest::Panics;

fn main() {
    lanewise_builder::build();
    embed("Trapping", |builder| builder.panic(Panics::Trap));
}
