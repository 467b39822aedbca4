//! The accepted grammar and the resolution of names. The corpus in `tests/ptx` covers the rest.

use crate::ast::*;
use crate::{ParseError, parse};

const HEADER: &str = ".version 8.7\n.target sm_90\n.address_size 64\n";

fn with_module<T>(text: &str, look: impl FnOnce(&Module<'_>) -> T) -> T {
    let source = format!("{HEADER}{text}");
    match parse(&source) {
        Ok(module) => look(&module),
        Err(error) => panic!("{error}\n{source}"),
    }
}

fn with_body<T>(text: &str, look: impl FnOnce(&Body<'_>) -> T) -> T {
    with_module(
        &format!(".entry k(.param .u64 p) {{\n{text}\n}}"),
        |module| look(module.functions[0].body.as_ref().unwrap()),
    )
}

fn error(text: &str) -> ParseError {
    parse(&format!("{HEADER}{text}")).unwrap_err()
}

#[test]
fn registers_are_numbered_by_first_use() {
    with_body(
        ".reg .b32 %r<4294967295>; .reg .pred %p<2>; mov.b32 %r4294967294, %r7; @!%p1 mov.b32 %r7, 1;",
        |body| {
            let names: Vec<_> = body
                .registers
                .iter()
                .map(|register| register.name)
                .collect();
            assert_eq!(names, ["%r4294967294", "%r7", "%p1"]);
            assert_eq!(
                body.instructions[1].guard,
                Some(Guard {
                    register: 2,
                    negated: true
                })
            );
            assert_eq!(
                body.operands(&body.instructions[1]),
                [Operand::Register(1), Operand::Int(1)]
            );
        },
    );
}

#[test]
fn a_far_member_keeps_its_number_when_the_array_reaches_it() {
    let uses: String = (0..300)
        .map(|member| format!("mov.b32 %r{member}, %r200;"))
        .collect();
    with_body(&format!(".reg .b32 %r<300>; {uses}"), |body| {
        assert_eq!(body.registers.len(), 300);
        assert_eq!(
            body.operands(&body.instructions[200]),
            [Operand::Register(1), Operand::Register(1)]
        );
    });
}

#[test]
fn inner_scopes_hide_outer_names() {
    let text = ".reg .b32 t, %r<3>; mov.b32 t, 0; { .reg .b64 t, %r1; mov.b64 t, %r1; mov.b32 %r2, 0; } mov.b32 t, %r1;";
    with_body(text, |body| {
        let types: Vec<_> = body
            .registers
            .iter()
            .map(|register| (register.name, register.ty))
            .collect();
        use Type::{B32, B64};
        assert_eq!(
            types,
            [
                ("t", B32),
                ("t", B64),
                ("%r1", B64),
                ("%r2", B32),
                ("%r1", B32)
            ]
        );
        assert_eq!(
            body.operands(&body.instructions[3]),
            [Operand::Register(0), Operand::Register(4)]
        );
    });
}

#[test]
fn a_prefix_may_end_in_a_digit() {
    with_body(
        ".reg .b32 %r<3>; .reg .b64 %r1<9>; mov.b64 %r12, %r17; mov.b32 %r1, %r2;",
        |body| {
            let types: Vec<_> = body.registers.iter().map(|register| register.ty).collect();
            assert_eq!(types, [Type::B64, Type::B64, Type::B32, Type::B32]);
        },
    );
}

#[test]
fn labels_of_scopes_are_their_own_and_outer_ones_are_seen() {
    let text = "{ bra L; L: ret; } { L: bra L; bra OUT; { bra OUT; bra END; } } OUT: ret; END:";
    with_body(text, |body| {
        let target = |instruction: usize| {
            let &[Operand::Label(id)] = body.operands(&body.instructions[instruction]) else {
                panic!("no label")
            };
            body.labels[id as usize].target
        };
        assert_eq!(target(0), Target::Instruction(1));
        assert_eq!(target(2), Target::Instruction(2));
        assert_eq!(target(3), Target::Instruction(6));
        assert_eq!(target(4), Target::Instruction(6));
        assert_eq!(target(5), Target::Instruction(7));
        assert_eq!(body.labels.len(), 4);
    });
}

#[test]
fn calls_have_three_operands_or_four() {
    let text = "
        .func (.param .b32 r) f(.param .b64 a);
        .entry k() { .reg .b64 %rd<3>; .reg .b32 %r<2>;
            { .param .b64 param0; .param .b32 retval0; st.param.b64 [param0], %rd1;
              call.uni (retval0), f, (param0); ld.param.b32 %r1, [retval0]; }
            proto: .callprototype (.param .b32 _) _ (.param .b64 _) .noreturn;
            call (%r1), %rd1, (%rd2), proto;
            call f;
        }";
    with_module(text, |module| {
        let body = module.functions[1].body.as_ref().unwrap();
        let calls: Vec<_> = body
            .instructions
            .iter()
            .filter(|call| call.opcode == Opcode::Call)
            .collect();
        let [
            Operand::Arguments(returns),
            target,
            Operand::Arguments(arguments),
        ] = *body.operands(calls[0])
        else {
            panic!()
        };
        assert_eq!(target, Operand::Symbol(Symbol::Module("f"), 0));
        assert_eq!(
            body.elements(returns),
            [Operand::Symbol(Symbol::Local(1), 0)]
        );
        assert_eq!(
            body.elements(arguments),
            [Operand::Symbol(Symbol::Local(0), 0)]
        );
        assert!(matches!(
            body.operands(calls[1]),
            [_, Operand::Register(_), _, Operand::Label(_)]
        ));
        assert_eq!(body.operands(calls[2]).len(), 3);
        assert_eq!(body.prototypes[0].directives, [Directive::NoReturn]);
    });
}

#[test]
fn operands_of_every_shape() {
    let text = ".reg .b32 %r<9>; .reg .pred %p<3>; .reg .v4 .f32 %v; .reg .b64 %rd<2>; .shared .b8 s[16];
        mov.b32 {_, %r1}, %r2; shfl.sync.idx.b32 %r1|%p1, %r2, -1, 0x1f, 0xffffffff; vote.sync.all.pred _|%p1, !%p2, 1;
        mov.u32 %r3, %tid.y; mov.f32 %r3, %v.z; ld.shared.u32 %r1, [s+4+8]; ld.u32 %r1, [%rd1+-4]; ld.u32 %r1, [64];
        mov.u32 %r1, s+2; tex.2d.v4.f32.f32 {%r1,%r2,%r3,%r4}, [tx, {%r5, %r6}]; mov.f32 %r1, 0f3F800000; mov.u32 %r1, WARP_SZ;";
    let text = format!(".global .texref tx; .entry k() {{ {text} }}");
    with_module(&text, |module| {
        let body = module.functions[0].body.as_ref().unwrap();
        let operand = |instruction: usize, index: usize| {
            body.operands(&body.instructions[instruction])[index]
        };
        let Operand::Vector(vector) = operand(0, 0) else {
            panic!()
        };
        assert_eq!(body.elements(vector), [Operand::Sink, Operand::Register(0)]);
        assert_eq!(operand(1, 0), Operand::Pair(Some(0), Some(2)));
        assert_eq!(operand(1, 2), Operand::Int(-1));
        assert_eq!(
            (operand(2, 0), operand(2, 1)),
            (Operand::Pair(None, Some(2)), Operand::Negated(3))
        );
        assert_eq!(
            operand(3, 1),
            Operand::Special(SpecialRegister::Tid, Some(Component::Y))
        );
        assert!(matches!(operand(4, 1), Operand::Element(_, Component::Z)));
        assert_eq!(
            operand(5, 1),
            Operand::Address(Base::Symbol(Symbol::Local(0)), 12)
        );
        assert!(matches!(
            operand(6, 1),
            Operand::Address(Base::Register(_), -4)
        ));
        assert_eq!(operand(7, 1), Operand::Address(Base::Absolute, 64));
        assert_eq!(operand(8, 1), Operand::Symbol(Symbol::Local(0), 2));
        let Operand::List(list) = operand(9, 1) else {
            panic!()
        };
        assert!(matches!(
            body.elements(list),
            [Operand::Symbol(Symbol::Module("tx"), 0), Operand::Vector(_)]
        ));
        assert_eq!(operand(10, 1), Operand::F32(0x3f80_0000));
        assert_eq!(operand(11, 1), Operand::Int(32));
    });
}

#[test]
fn variables_and_initializers() {
    let text = "
        .visible .const .align 8 .b8 bytes[] = {1, 2, 0xFF00(x)};
        .global .u64 x[3] = {generic(bytes)+8, 112, later-1};
        .common .global .v4 .f32 v; .extern .shared .align 16 .b8 s[]; .global .b32 grid[2][3] = {{1,2,3},{4,5,6}};
        .weak .global .f32 one = 0f3F800000; .global .attribute(.managed) .f64 m = -1.5;
        .func later() { ret; }";
    with_module(text, |module| {
        let sizes: Vec<_> = module
            .variables
            .iter()
            .map(|variable| (variable.size(), variable.alignment()))
            .collect();
        assert_eq!(
            sizes,
            [(3, 8), (24, 8), (16, 16), (0, 16), (24, 4), (4, 4), (8, 8)]
        );
        let Some(Initializer::List(list)) = &module.variables[1].initializer else {
            panic!()
        };
        assert!(matches!(
            list[0],
            Initializer::Address(AddressOf {
                symbol: "bytes",
                offset: 8,
                generic: true,
                ..
            })
        ));
        assert!(matches!(
            list[2],
            Initializer::Address(AddressOf {
                symbol: "later",
                offset: -1,
                generic: false,
                ..
            })
        ));
        assert_eq!(
            module.variables[6].initializer,
            Some(Initializer::F64((-1.5_f64).to_bits()))
        );
        assert_eq!(module.variables[6].attributes, [Attribute::Managed]);
    });
}

#[test]
fn parameters_directives_and_lines() {
    let text = "
        .file 1 \"src/\\\"a\\\".rs\" .file 2 \"b.rs\", 7, 8
        .visible .entry k(.param .u64 .ptr .global .align 4 a, .param .align 8 .b8 b[24])
        .maxntid 128, 2 .minnctapersm 2 .reqnctapercluster 2, 1, 1 .pragma \"nounroll\";
        { .loc 1 10 5
          ret;
          .loc 2 3 4, function_name $L__info_string0, inlined_at 1 11 6
          .pragma \"nounroll\";
          ret; }
        .section .debug_info { $L: .b8 1, 2 .b32 $L+4 }
        .func (.reg .f32 out) f(.reg .f32 in) { add.f32 out, in, in; ret; }
        .func g(.param .b32 g_0); .alias g, f;";
    with_module(text, |module| {
        let kernel = &module.functions[0];
        assert_eq!(
            kernel.params[0].pointer,
            Some(Pointer {
                space: Some(Space::Global),
                align: Some(4)
            })
        );
        assert_eq!(
            (kernel.params[1].size(), kernel.params[1].alignment()),
            (24, 8)
        );
        use Directive::*;
        let directives = [
            MaxThreads([128, 2, 1]),
            MinBlocksPerSm(2),
            RequiredCluster([2, 1, 1]),
            Pragma("nounroll"),
        ];
        assert_eq!(kernel.directives, directives);
        let body = kernel.body.as_ref().unwrap();
        let lines: Vec<_> = body
            .instructions
            .iter()
            .map(|ret| body.location(ret).unwrap().line)
            .collect();
        assert_eq!(lines, [10, 3]);
        assert_eq!(body.locations[1].inlined.unwrap().at, (1, 11, 6));
        assert_eq!(module.files[0].name, "src/\\\"a\\\".rs");
        assert_eq!(module.functions[1].params[0].register, Some(1));
    });
}

#[test]
fn sections_hold_numbers_labels_and_what_the_assembler_knows() {
    let text = "
        .section .debug_info {
        $begin: .b8 1, -128, 255 .b16 65535
        .b64 $begin+4
        .b32 .debug_abbrev
        .b32 .debug_info+12, $end-$begin
        $end: }
        .section .debug_macinfo { }";
    with_module(text, |module| {
        let number = |bits, number| Datum::Number { bits, number };
        let address = |symbol, offset| Number::Address { symbol, offset };
        let (from, to) = ("$begin", "$end");
        let data = [
            Datum::Label("$begin"),
            number(8, Number::Value(1)),
            number(8, Number::Value(-128)),
            number(8, Number::Value(255)),
            number(16, Number::Value(65535)),
            number(64, address("$begin", 4)),
            number(32, address(".debug_abbrev", 0)),
            number(32, address(".debug_info", 12)),
            number(32, Number::Distance { to, from }),
            Datum::Label("$end"),
        ];
        assert_eq!(module.sections[0].name, ".debug_info");
        assert_eq!(module.sections[0].data, data);
        assert!(module.sections[1].data.is_empty());
    });
}

#[test]
fn what_is_no_section_is_refused_where_it_stands() {
    use ParseError::*;
    for (text, column) in [
        (".section .d { .b8 256 }", 19),
        (".section .d { .b8 -129 }", 19),
        (".section .d { .b64 -0xffffffffffffffff }", 20),
    ] {
        let error = error(text);
        let place = error.position().map(|at| at.column);
        assert!(matches!(error, Range { .. }), "{text}: {error}");
        assert_eq!(place, Some(column), "{text}: {error}");
    }
    for text in [
        ".section .d { 1 }",
        ".section .d { .b8 }",
        ".section .d { .b128 1 }",
        ".section .d { .b8 1, }",
        ".section .d { .b32 a-1 }",
        ".section .d { .b32 a+b }",
        ".section .d { label }",
        ".section { }",
        ".section .d .b8 1",
    ] {
        assert!(matches!(error(text), Unexpected { .. }), "{text}");
    }
    assert!(matches!(error(".section .d { .b8 1"), Unterminated { .. }));
}

#[test]
fn huge_or_deep_text_is_refused_quickly() {
    use ParseError::*;
    assert!(matches!(
        error(".global .b64 x[99999999][99999999];"),
        TooLarge { .. }
    ));
    assert!(matches!(
        error(".global .b64 x[0xffffffffffffffff];"),
        Range { .. }
    ));
    assert!(matches!(
        error(".global .b8 x[2] = {1, 2, 3};"),
        TooManyElements {
            elements: 3,
            room: 2,
            ..
        }
    ));
    assert!(matches!(
        error(&format!(".entry k() {}", "{".repeat(1_000_000))),
        TooDeep { what: "scopes", .. }
    ));
    assert!(matches!(
        error(&format!(".global .b8 x[1] = {}", "{".repeat(1_000_000))),
        TooDeep { .. }
    ));
    assert!(matches!(
        error(&format!(".global .b8 x{};", "[1]".repeat(1_000_000))),
        TooDeep { .. }
    ));
    assert!(matches!(
        error(&format!(".entry k() {{ mov.b32 {}", "{".repeat(1_000_000))),
        TooDeep { .. }
    ));
    assert!(matches!(
        error(&format!(".entry k() {{ add{} a;", ".ftz".repeat(1_000_000))),
        TooManyModifiers { .. }
    ));
}

#[test]
fn nested_scopes_with_open_labels_take_linear_time() {
    let mut text = ".entry k() {".to_owned();
    text.extend((0..250).map(|_| '{'));
    text.extend((0..5_000).map(|label| format!("bra L{label};")));
    text.extend((0..250).map(|_| '}'));
    text.extend((0..5_000).map(|label| format!("L{label}:")));
    text.push('}');
    with_module(&text, |module| {
        assert_eq!(
            module.functions[0].body.as_ref().unwrap().labels.len(),
            5_000
        )
    });
}

#[test]
fn operands_of_video_instructions_choose_bytes_and_negate() {
    let text = ".entry k() { .reg .b32 %r<4>; vmad.s32.s32.u32 %r0, -%r1.h0, %r2.b1, %r3; \
                vadd4.u32.u32.u32 %r0.b20, %r1.b7654, %r2, %r3; }";
    with_module(text, |module| {
        let body = module.functions[0].body.as_ref().unwrap();
        let selector = |word| Selector::of(word).unwrap();
        let operands = body.operands(&body.instructions[0]);
        assert_eq!(operands[1], Operand::Minus(1, Some(selector("h0"))));
        assert_eq!(operands[2], Operand::Part(2, selector("b1")));
        let operands = body.operands(&body.instructions[1]);
        assert_eq!(operands[0], Operand::Part(0, selector("b20")));
        assert_eq!(operands[1], Operand::Part(1, selector("b7654")));
        assert_eq!(operands[2], Operand::Register(2));
    });
    let text = ".entry k() { .reg .b32 %r<4>; vadd4.u32.u32.u32 %r0, %r1.b8654, %r2, %r3; }";
    assert!(error(text).to_string().contains("b8654"));
}
