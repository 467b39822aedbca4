//! Compiles src/kernels to PTX twice: by the default options, and with fast math.

use lanewise_builder::embed;
use lanewise_builder::manifest::Floats;

fn main() {
    lanewise_builder::build();
    embed("FastMath", |builder| builder.floats(Floats::FAST));
}
