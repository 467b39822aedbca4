//! The examples of the PTX ISA: every instruction in them, with our own operands, loads and can
//! run, or is refused by its name. ptxas 13.0 accepts all of `manual.txt`.

use lanewise_sim::Module;

/// The refused instructions: how each begins, and what its refusal contains.
const REFUSED: &[(&str, &str)] = &[
    ("mov.u32 %w0, %pm0", "%pm0"),
    ("mov.u64 %l0, %pm3_64", "%pm3_64"),
    ("mov.b32 %w0, %envreg7", "%envreg7"),
    ("mov.u64 %l0, %current_graph_exec", "%current_graph_exec"),
    ("tex.2dms", "several samples"),
    ("cp.async.bulk.tensor.3d.im2col::w", "im2col::w"),
    (
        "cp.async.bulk.tensor.1d.shared::cluster.global.mbarrier::complete_tx::bytes.cta_group::2",
        "cta_group::2",
    ),
    ("clusterlaunchcontrol", "clusterlaunchcontrol"),
    ("tcgen05", "tcgen05"),
];

fn module(target: &str, instruction: &str) -> String {
    format!(
        ".version 9.0
.target {target}
.address_size 64
.global .align 128 .b32 gvar[64];
.const .align 8 .f32 cvar[16];
.global .texref image;
.func (.reg .b32 out) twice(.reg .b32 in) {{ add.u32 out, in, in; ret; }}
.func nothing() {{ ret; }}
.entry k(.param .align 64 .b64 pointer[16]) {{
.reg .b8 %c<4>; .reg .b16 %h<9>; .reg .b32 %w<12>; .reg .b64 %l<6>; .reg .b128 %q<3>; .reg .f32 %f<9>; .reg .f64 %g<5>; .reg .pred %p<4>; .reg .v4 .f32 vec;
.shared .align 128 .b8 box[1024]; .local .align 16 .b8 own[256];
choices: .branchtargets END; callees: .calltargets twice; shape: .callprototype (.reg .b32 _) _ (.reg .b32 _);
{instruction}
END: ret; }}
"
    )
}

/// Returns the error in how the loader treats an instruction, if there is one.
fn wrong(target: &str, instruction: &str) -> Option<String> {
    let expected = REFUSED
        .iter()
        .find(|(begin, _)| instruction.starts_with(begin));
    let refused = match Module::load(&module(target, instruction)) {
        Ok(loaded) => loaded.kernel("k").and_then(|kernel| kernel.refused.clone()),
        Err(error) => return Some(format!("{instruction}\n    {error}")),
    };
    match (refused, expected) {
        (None, None) => None,
        (Some(error), Some((_, name))) if error.to_string().contains(name) => None,
        (Some(error), _) => Some(format!("{instruction}\n    {error}")),
        (None, Some(_)) => Some(format!(
            "{instruction}\n    can run, and is named as refused"
        )),
    }
}

#[test]
fn every_instruction_of_the_manuals_examples_loads_or_is_refused_by_name() {
    let (mut target, mut asked, mut all) = ("sm_90", 0, Vec::new());
    for line in include_str!("manual.txt").lines() {
        if let Some(next) = line.strip_prefix("## ") {
            target = next;
        } else if !line.is_empty() && !line.starts_with('#') {
            asked += 1;
            all.extend(wrong(target, line));
        }
    }
    assert!(
        all.is_empty(),
        "{} of {asked}:\n{}",
        all.len(),
        all.join("\n")
    );
}
