//! PTX text, parsed and printed: the output of compilers, the forms in `ptx/forms.txt`,
//! and invalid text.
//!
//! The corpus in `tests/ptx` is our own small programs, compiled by rustc, nvcc and numba. Their
//! sources are in the same folder.

use std::path::PathBuf;

use lanewise_sim::isa;
use lanewise_sim::ptx::ast::*;
use lanewise_sim::ptx::{parse, print};
use proptest::prelude::*;

fn corpus() -> Vec<(PathBuf, String)> {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/ptx");
    let mut files: Vec<_> = std::fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.extension().is_some_and(|extension| extension == "ptx"))
        .map(|path| (path.clone(), std::fs::read_to_string(path).unwrap()))
        .collect();
    files.sort();
    files
}

#[test]
fn the_corpus_parses_and_is_of_the_instruction_table() {
    let files = corpus();
    assert!(files.len() >= 8, "only {} files", files.len());
    for (path, text) in files {
        let mut module = parse(&text).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        isa::check(&mut module).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        assert!(
            module.functions.iter().any(|function| function.entry),
            "{} has no kernel",
            path.display()
        );
    }
}

#[test]
fn the_corpus_prints_to_text_that_parses_to_the_same() {
    for (path, text) in corpus() {
        let mut module = parse(&text).unwrap();
        let printed = print(&module);
        let mut again = parse(&printed)
            .unwrap_or_else(|error| panic!("{}: {error}\n{printed}", path.display()));
        forget_positions(&mut module);
        forget_positions(&mut again);
        assert!(
            module == again,
            "{}: another module came back from\n{printed}",
            path.display()
        );
    }
}

/// Positions differ between a text and its printed form. Nothing else may differ.
fn forget_positions(module: &mut Module<'_>) {
    fn variable(variable: &mut Variable<'_>) {
        variable.position = Position::default();
        variable.initializer.iter_mut().for_each(initializer);
    }
    fn initializer(value: &mut Initializer<'_>) {
        match value {
            Initializer::List(list) => list.iter_mut().for_each(initializer),
            Initializer::Address(address) => address.position = Position::default(),
            _ => {}
        }
    }
    module.variables.iter_mut().for_each(variable);
    for section in &mut module.sections {
        section.position = Position::default();
    }
    module
        .aliases
        .iter_mut()
        .for_each(|alias| alias.position = Position::default());
    for function in &mut module.functions {
        function.position = Position::default();
        function
            .params
            .iter_mut()
            .chain(&mut function.returns)
            .for_each(variable);
        let Some(body) = &mut function.body else {
            continue;
        };
        body.end = Position::default();
        // What was left out is not in the printed text either.
        body.unknown = None;
        body.variables.iter_mut().for_each(variable);
        body.labels
            .iter_mut()
            .for_each(|label| label.position = Position::default());
        body.instructions.iter_mut().for_each(|instruction| {
            (instruction.position, instruction.row) = (Position::default(), None)
        });
        for prototype in &mut body.prototypes {
            prototype
                .params
                .iter_mut()
                .chain(&mut prototype.returns)
                .for_each(variable);
        }
    }
}

/// Returns the error for a module of this text: the parser's, or else the instruction table's.
fn error_of(text: &str) -> String {
    let (error, at) = match parse(text) {
        Err(error) => (error.to_string(), error.position()),
        Ok(mut module) => match isa::check(&mut module) {
            Err(error) => (error.to_string(), error.position()),
            Ok(refusals) => {
                let refusal = refusals.first().unwrap_or_else(|| panic!("{text}: taken"));
                (refusal.error.to_string(), refusal.error.position())
            }
        },
    };
    format!(
        "{}: {error}",
        at.map_or("nowhere".to_owned(), |at| at.to_string())
    )
}

fn error_in_body(text: &str) -> String {
    let registers = ".reg .b16 %h<9>; .reg .b32 %r<9>; .reg .f32 %f<9>; .reg .b64 %rd<9>; .reg .pred %p<9>; .shared .b8 s[9];";
    error_of(&format!(
        ".version 7.0\n.target sm_80\n.address_size 64\n.func f() {{ ret; }}\n.entry k(.param .u64 p) {{ {registers}\n{text}\nEND: ret; }}"
    ))
}

#[test]
fn errors_say_what_was_wrong_and_where() {
    let bodies = [
        "add.u32 %r1, %r2;",
        "add.u32 %r1, %r2, %r3, %r4;",
        "add.u32 %r1, %r2, %rd3;",
        "add.u32 %r1, %r2, %f3;",
        "add.u32 %r1, %r2, 1.5;",
        "add.f32 %f1, %f2, 1;",
        "add.u32 %r1, [%rd2], %r3;",
        "add.rn.u32 %r1, %r2, %r3;",
        "add %r1, %r2, %r3;",
        "addd.u32 %r1, %r2, %r3;",
        "add.u33 %r1, %r2, %r3;",
        "ld.global.v2.f32 {%f1, %f2, %f3}, [%rd1];",
        "ld.global.u32 %h1, [%rd1];",
        "ld.global.u32 %r1, [%h1];",
        "ld.global.u32 %r1, %rd1;",
        "setp.eq.and.u32 %p1, %r1, %r2, %r3;",
        "setp.geu.u32 %p1, %r1, %r2;",
        "multimem.red.relaxed.sys.global.add.u64 [%rd1], %rd2;",
        "cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [%rd1], [%rd2, {%r1, %r2}], [%rd3];",
        "vote.ballot.b32 %r1, %p1;",
        "barrier.cluster.arrive;",
        "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%f1, %f2, %f3, %f4}, {%r1, %r2, %r3}, {%r5, %r6}, {%f1, %f2, %f3, %f4};",
        "mov.b64 {%r1, %h1}, %rd1;",
        "bra s;",
        "bra NOWHERE;",
        "mov.u32 %r1, %r99;",
        "mov.u32 %r1, nothing;",
        "mov.u32 %r1, 0x1FFFFFFFFFFFFFFFF;",
        "mov.f32 %f1, 0f3F80;",
        "mov.u32 %r1, 1/0;",
        "mov.u32 %r1 %r2;",
        "END: ret;",
        ".reg .u32 %r<3>;",
        ".loc 1 2;",
        "call (%r1), f, (%r2), END;",
        "}",
    ];
    let modules = [
        "",
        "int main() {}",
        ".version 8",
        ".version 8.0 .target sm_90 .address_size 63",
        ".version 8.0 .target hopper .address_size 64 .entry k() { ret; }",
        ".version 8.0 .target sm_90 .address_size 64 .global .u32 x[4] = {1, 2, 3, 4, 5};",
        ".version 8.0 .target sm_90 .address_size 64 .global .u32 x[99999999999999];",
        ".version 8.0 .target sm_90 .address_size 64 .global .align 3 .u32 x;",
        ".version 8.0 .target sm_90 .address_size 64 .global .u32 x; .global .f32 x;",
        ".version 8.0 .target sm_90 .address_size 64 .global .u64 x = y;",
        ".version 8.0 .target sm_90 .address_size 64 .entry k() { ret;",
        ".version 8.0 .target sm_90 .address_size 64 /* the rest is silence",
        ".version 8.0 .target sm_90 .address_size 64 .file 1 \"unfinished\n",
        ".version 8.0 .target sm_90 .address_size 64 .entry k\u{e9}() { ret; }",
        ".version 8.0 .target sm_90 .address_size 64 .entry k() { ret; }\0",
        "#include <x>",
    ];
    let mut report = String::new();
    for text in bodies {
        report += &format!("{text}\n    {}\n", error_in_body(text));
    }
    for text in modules {
        report += &format!("{text:?}\n    {}\n", error_of(text));
    }
    insta::assert_snapshot!(report);
}

/// Forms that rustc and numba were seen to emit, one per line, each in the smallest module
/// that holds it.
#[test]
fn every_form_that_was_seen_in_the_wild_parses_and_checks() {
    let forms = include_str!("ptx/forms.txt");
    let mut count = 0;
    for form in forms
        .lines()
        .filter(|line| !line.is_empty() && !line.starts_with("//"))
    {
        let text = format!(
            ".version 8.8\n.target sm_90\n.address_size 64\n.extern .func (.param .b32 r) vprintf(.param .b64 a, .param .b64 b);\n\
             .global .align 8 .b8 table[16];\n.entry k(.param .u64 p) {{\n.local .align 8 .b8 __local_depot0[64];\n\
             .reg .pred %p<9>; .reg .b16 %rs<9>; .reg .b32 %r<9>; .reg .b64 %rd<9>; .reg .b64 %SP, %SPL;\n\
             $L_brx_0: .branchtargets $L__BB0_1, $L__BB0_2;\nprototype_0 : .callprototype (.param .b32 _) _ (.param .b64 _);\n\
             {form}\n$L__BB0_1:\nret;\n$L__BB0_2:\nexit;\n}}"
        );
        let mut module = parse(&text).unwrap_or_else(|error| panic!("{form}: {error}"));
        isa::check(&mut module).unwrap_or_else(|error| panic!("{form}: {error}"));
        count += 1;
    }
    assert!(count > 300, "only {count} forms");
}

/// Pieces of PTX, from which random texts are made that get past the first token.
fn piece() -> impl Strategy<Value = String> {
    let words = prop::sample::select(
        ".version 8.0|.target sm_90|.address_size 64|.entry k|.func f|(|)|{|}|[|]|<|>|,|;|:|@|!|=|+|-|*|/|%|?|~|\\||&|^|_|.reg|.b32|.pred|\
         .v4|.f16x2|%r|%r1|%p|%rd1|%tid.x|.param|.shared|.global|.const|.align|.ptr|.u8|.extern|.weak|.loc|.file|.section|.pragma|\"x\"|1|0x7f|\
         0f3F800000|1.5|18446744073709551616|add.s32|ld.global|mov.b32|bra|call|brx.idx|.callprototype|.branchtargets|L|L:|generic|.alias|\
         .maxntid|0|4294967295|-|WARP_SZ|setp.eq.and.u32|/*|*/|//|\n|\"|é|\0|.attribute|.managed|.section .d {|.b8|.b64 L|.debug_info|L1-L|tex.2d.v4.f32.f32|mma.sync|.noreturn"
            .split('|')
            .map(|piece| piece.replace('\\', "|"))
            .collect::<Vec<_>>(),
    );
    prop_oneof![9 => words, 1 => any::<char>().prop_map(String::from), 1 => "[ -~]{0,6}"]
}

fn soup() -> impl Strategy<Value = String> {
    (any::<bool>(), prop::collection::vec(piece(), 0..60)).prop_map(|(begun, pieces)| {
        let head = ".version 8.0 .target sm_90 .address_size 64 .entry k(.param .u64 p) { .reg .b32 %r<4>; .reg .pred %p; ";
        format!("{}{}", if begun { head } else { "" }, pieces.join(" "))
    })
}

/// A text of the corpus with some bytes changed, cut or doubled.
fn mutated() -> impl Strategy<Value = String> {
    let files: Vec<String> = corpus().into_iter().map(|(_, text)| text).collect();
    let edit = (any::<prop::sample::Index>(), piece(), 0..3_usize);
    (
        prop::sample::select(files),
        prop::collection::vec(edit, 1..4),
    )
        .prop_map(|(mut text, edits)| {
            for (at, piece, kind) in edits {
                let at = text.floor_char_boundary(at.index(text.len() + 1));
                match kind {
                    0 => text.insert_str(at, &piece),
                    1 => text.truncate(at),
                    _ => {
                        let end = text.ceil_char_boundary((at + piece.len()).min(text.len()));
                        text.replace_range(at..end, &piece);
                    }
                }
            }
            text
        })
}

fn no_input_panics(text: &str) -> Result<(), TestCaseError> {
    let Ok(mut module) = parse(text) else {
        return Ok(());
    };
    let _ = isa::check(&mut module);
    let printed = print(&module);
    let again = parse(&printed);
    prop_assert!(again.is_ok(), "{:?}\n{text}\n{printed}", again.err());
    let mut again = again.unwrap();
    forget_positions(&mut module);
    forget_positions(&mut again);
    prop_assert!(module == again, "{text}\n{printed}");
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]
    #[test]
    fn soups_of_tokens_give_an_error_or_a_module_that_prints(text in soup()) {
        no_input_panics(&text)?;
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]
    #[test]
    fn changed_programs_give_an_error_or_a_module_that_prints(text in mutated()) {
        no_input_panics(&text)?;
    }
}
