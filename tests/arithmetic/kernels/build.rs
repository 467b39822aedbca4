//! Compiles the kernels to PTX once for each set of options that a test uses. src/lib.rs
//! embeds the texts.

use lanewise_builder::embed;
use lanewise_builder::manifest::Floats;

fn main() {
    let base = Floats::default();
    let fmad = Floats {
        fmad: false,
        ..base
    };
    let ftz = Floats { ftz: true, ..base };
    let prec_div = Floats {
        prec_div: false,
        ..base
    };
    let prec_sqrt = Floats {
        prec_sqrt: false,
        ..base
    };
    for (name, floats) in [("Ptx", base), ("FastMath", Floats::FAST)] {
        embed(name, |builder| builder.arch("sm_80").floats(floats));
    }
    // An option by itself is tested on plain arithmetic. The functions are most of what there is to
    // compile.
    for (name, floats) in [
        ("NoFmad", fmad),
        ("Ftz", ftz),
        ("NoPrecDiv", prec_div),
        ("NoPrecSqrt", prec_sqrt),
    ] {
        embed(name, |builder| {
            builder.arch("sm_80").floats(floats).feature("plain-alone")
        });
    }
}
