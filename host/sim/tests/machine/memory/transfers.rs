//! `ld` and `st` in every space, of every type and vector, with every cache operator,
//! hint and ordering.
//!
//! This file computes from bytes what a load leaves in a register: the low bytes come from memory,
//! and the others are zeros or the sign.

use std::fmt::Write;

use lanewise_sim::DeviceModel;

use crate::common::Rig;

/// Type and bytes.
const TYPES: [(&str, usize); 14] = [
    ("b8", 1),
    ("b16", 2),
    ("b32", 4),
    ("b64", 8),
    ("u8", 1),
    ("u16", 2),
    ("u32", 4),
    ("u64", 8),
    ("s8", 1),
    ("s16", 2),
    ("s32", 4),
    ("s64", 8),
    ("f32", 4),
    ("f64", 8),
];

/// A register type that may hold a type's values, with its bytes: of its size or wider.
fn registers(ty: &str, size: usize) -> Vec<(&'static str, usize)> {
    let all = [("b8", 1), ("b16", 2), ("b32", 4), ("b64", 8)];
    let fits = |&(_, bytes): &(&str, usize)| bytes == size || bytes > size && !ty.starts_with('f');
    all.into_iter().filter(fits).collect()
}

/// One access: instruction without operands, type, elements, register, space of the address.
struct Access {
    instruction: String,
    ty: &'static str,
    size: usize,
    count: usize,
    register: (&'static str, usize),
    space: &'static str,
    /// What follows the address or the value: a cache policy.
    policy: bool,
}

const BYTES: usize = 32;

fn pattern() -> Vec<u8> {
    (0..BYTES).map(|i| (i * 37 + 129) as u8).collect()
}

/// The spaces, as they are spelled in the instruction.
const SPACES: [&str; 8] = [
    "",
    ".global",
    ".shared",
    ".shared::cta",
    ".shared::cluster",
    ".local",
    ".const",
    ".param",
];

/// How an address in a space is made.
fn address(space: &str) -> (&'static str, &'static str) {
    match space {
        "" | ".global" => ("", "[%rd0]"),
        ".local" => ("mov.u64 %rd2, l;", "[%rd2]"),
        ".const" => ("mov.u64 %rd2, c;", "[%rd2]"),
        ".param" | ".param::entry" => ("", "[p]"),
        _ => ("mov.u64 %rd2, s;", "[%rd2]"),
    }
}

/// The kernels of accesses, in one module. Shared and local memory hold the input before the access
/// and the output after it.
fn module(accesses: &[Access], store: bool) -> String {
    let image: Vec<String> = pattern().iter().map(|b| b.to_string()).collect();
    let mut text = format!(
        ".version 8.8\n.target sm_100a\n.address_size 64\n.const .align 32 .b8 c[{BYTES}] = {{{}}};\n",
        image.join(", ")
    );
    for (number, it) in accesses.iter().enumerate() {
        let (before, at) = address(it.space);
        let names: Vec<String> = (0..it.count).map(|i| format!("%x{i}")).collect();
        let value = if it.count == 1 {
            names[0].clone()
        } else {
            format!("{{{}}}", names.join(", "))
        };
        let policy = if it.policy { ", %rd3" } else { "" };
        let (reg, width) = it.register;
        let each = |f: &dyn Fn(usize) -> String| (0..it.count).map(f).collect::<String>();
        let body = if store {
            format!(
                "{} {} {at}, {value}{policy};",
                each(&|i| format!("ld.global.{reg} %x{i}, [%rd1+{}]; ", i * width)),
                it.instruction
            )
        } else {
            format!(
                "{} {value}, {at}{policy}; {}",
                it.instruction,
                each(&|i| format!("st.global.{reg} [%rd1+{}], %x{i}; ", i * width))
            )
        };
        let words =
            |f: &dyn Fn(usize) -> String| (0..BYTES / 4).map(|i| f(i * 4)).collect::<String>();
        let _ = writeln!(
            text,
            ".visible .entry k{number}(.param .u64 in, .param .u64 out, .param .align 32 .b8 p[{BYTES}]) {{
            .shared .align 32 .b8 s[{BYTES}]; .local .align 32 .b8 l[{BYTES}];
            .reg .b64 %rd<6>; .reg .b32 %r<2>; .reg .{reg} %x<8>;
            ld.param.u64 %rd0, [in]; ld.param.u64 %rd1, [out]; mov.b64 %rd3, 0; mov.u64 %rd4, s; mov.u64 %rd5, l;
            {} {before} {body} {} ret; }}",
            words(&|i| format!("ld.global.b32 %r0, [%rd0+{i}]; st.shared.b32 [%rd4+{i}], %r0; st.local.b32 [%rd5+{i}], %r0; ")),
            match it.space {
                ".local" if store => words(&|i| format!("ld.local.b32 %r0, [%rd5+{i}]; st.global.b32 [%rd0+{i}], %r0; ")),
                "" | ".global" => String::new(),
                _ if store => words(&|i| format!("ld.shared.b32 %r0, [%rd4+{i}]; st.global.b32 [%rd0+{i}], %r0; ")),
                _ => String::new(),
            }
        );
    }
    text
}

/// A value of `size` bytes as a register of `width` holds it.
fn widened(bytes: &[u8], ty: &str, width: usize) -> Vec<u8> {
    let fill = if ty.starts_with('s') && bytes[bytes.len() - 1] & 128 != 0 {
        0xff
    } else {
        0
    };
    let mut all = bytes.to_vec();
    all.resize(width, fill);
    all
}

fn params(rig: &Rig, kernel: usize, input: u64, out: u64) {
    let mut bytes: Vec<u8> = [input, out].iter().flat_map(|p| p.to_le_bytes()).collect();
    bytes.resize(32, 0);
    bytes.extend(pattern());
    let name = format!("k{kernel}");
    let launch = lanewise_sim::Launch::new(&name, [1; 3], [1, 1, 1], &bytes);
    rig.device
        .launch(&rig.instance, &launch)
        .unwrap_or_else(|fault| panic!("{fault}"));
}

fn loads_agree(accesses: &[Access]) {
    let rig = Rig::on(DeviceModel::b200(), &module(accesses, false));
    for (number, it) in accesses.iter().enumerate() {
        let (input, out) = (
            rig.buffer_aligned(&pattern(), 32),
            rig.buffer(&[0xeeu8; 64]),
        );
        params(&rig, number, input, out);
        let (_, width) = it.register;
        let memory = pattern();
        let values = memory.chunks(it.size).take(it.count);
        let expected: Vec<u8> = values.flat_map(|v| widened(v, it.ty, width)).collect();
        let got: Vec<u8> = rig.read(out, 64);
        assert_eq!(
            got[..expected.len()],
            expected,
            "{} into {:?}",
            it.instruction,
            it.register
        );
        assert!(
            got[expected.len()..].iter().all(|&b| b == 0xee),
            "{}",
            it.instruction
        );
    }
}

fn stores_agree(accesses: &[Access]) {
    let rig = Rig::on(DeviceModel::b200(), &module(accesses, true));
    for (number, it) in accesses.iter().enumerate() {
        let source: Vec<u8> = (0..64).map(|i| i * 3 + 7).collect();
        let (input, out) = (rig.buffer_aligned(&pattern(), 32), rig.buffer(&source));
        params(&rig, number, input, out);
        let mut expected = pattern();
        for (i, value) in source.chunks(it.register.1).take(it.count).enumerate() {
            expected[i * it.size..][..it.size].copy_from_slice(&value[..it.size]);
        }
        assert_eq!(
            rig.read::<u8>(input, BYTES),
            expected,
            "{} from {:?}",
            it.instruction,
            it.register
        );
    }
}

/// Every type, register and vector of a form. `{form}` is between opcode and vector.
fn all(opcode: &str, form: &str, space: &'static str) -> Vec<Access> {
    let mut accesses = Vec::new();
    for (ty, size) in TYPES {
        for (vector, count) in [("", 1), (".v2", 2), (".v4", 4)] {
            if size * count > 16 {
                continue;
            }
            for register in registers(ty, size) {
                accesses.push(Access {
                    instruction: format!("{opcode}{form}{space}{vector}.{ty}"),
                    ty,
                    size,
                    count,
                    register,
                    space,
                    policy: false,
                });
            }
        }
    }
    accesses
}

/// A few types of a form that is complete except for vector and type.
fn some(instruction: &str, space: &'static str, vectors: bool) -> Vec<Access> {
    let few: [(&str, &str, usize, usize); 5] = [
        ("", "s8", 1, 1),
        ("", "b32", 4, 1),
        ("", "f64", 8, 1),
        (".v2", "u16", 2, 2),
        (".v4", "f32", 4, 4),
    ];
    let policy = instruction.contains("cache_hint");
    let of = few.into_iter().filter(|f| vectors || f.3 == 1);
    of.map(|(vector, ty, size, count)| Access {
        instruction: format!("{instruction}{vector}.{ty}"),
        ty: if ty == "s8" { "s8" } else { ty },
        size,
        count,
        register: match size {
            8 => ("b64", 8),
            2 => ("b16", 2),
            _ => ("b32", 4),
        },
        space,
        policy,
    })
    .collect()
}

#[test]
fn loads_widen_in_every_space() {
    for space in SPACES {
        for form in ["", ".weak"] {
            loads_agree(&all("ld", form, space));
        }
    }
    loads_agree(&some("ld.param::entry", ".param::entry", true));
    loads_agree(&all("ldu", "", ".global"));
    loads_agree(&some("ldu", "", true));
}

#[test]
fn stores_narrow_in_every_space() {
    for space in [
        "",
        ".global",
        ".shared",
        ".shared::cta",
        ".shared::cluster",
        ".local",
    ] {
        for form in ["", ".weak"] {
            stores_agree(&all("st", form, space));
        }
    }
}

const EVICT: [&str; 5] = [
    "L1::evict_normal",
    "L1::evict_unchanged",
    "L1::evict_first",
    "L1::evict_last",
    "L1::no_allocate",
];

#[test]
fn hints_change_nothing() {
    let (mut loads, mut stores) = (Vec::new(), Vec::new());
    for fetch in ["", ".L2::64B", ".L2::128B", ".L2::256B"] {
        for hint in ["", ".L2::cache_hint"] {
            for operator in ["ca", "cg", "cs", "lu", "cv"] {
                loads.extend(some(
                    &format!("ld.global.{operator}{hint}{fetch}"),
                    ".global",
                    true,
                ));
            }
            for evict in EVICT {
                loads.extend(some(
                    &format!("ld.global.{evict}{hint}{fetch}"),
                    ".global",
                    true,
                ));
                loads.extend(some(
                    &format!("ld.global.nc.{evict}{hint}{fetch}"),
                    ".global",
                    true,
                ));
                loads.extend(some(
                    &format!("ld.relaxed.gpu.global.{evict}{hint}{fetch}"),
                    ".global",
                    true,
                ));
            }
            for operator in ["", ".ca", ".cg", ".cs"] {
                loads.extend(some(
                    &format!("ld.global{operator}.nc{hint}{fetch}"),
                    ".global",
                    true,
                ));
            }
            loads.extend(some(&format!("ld.volatile.global{fetch}"), ".global", true));
            loads.extend(some(
                &format!("ld.acquire.sys.global{hint}{fetch}"),
                ".global",
                true,
            ));
        }
    }
    for hint in ["", ".L2::cache_hint"] {
        for operator in ["wb", "cg", "cs", "wt"] {
            stores.extend(some(
                &format!("st.global.{operator}{hint}"),
                ".global",
                true,
            ));
        }
        for evict in EVICT {
            stores.extend(some(
                &format!("st.weak.global.{evict}{hint}"),
                ".global",
                true,
            ));
            stores.extend(some(
                &format!("st.release.gpu.global.{evict}{hint}"),
                ".global",
                true,
            ));
        }
        stores.extend(some(
            &format!("st.relaxed.cta.global{hint}"),
            ".global",
            true,
        ));
    }
    loads_agree(&loads);
    stores_agree(&stores);
}

#[test]
fn orderings_move_the_same_bytes() {
    let (mut loads, mut stores) = (Vec::new(), Vec::new());
    for space in ["", ".global", ".shared", ".shared::cta", ".shared::cluster"] {
        for scope in ["cta", "cluster", "gpu", "sys"] {
            for order in ["relaxed", "acquire"] {
                loads.extend(some(&format!("ld.{order}.{scope}{space}"), space, true));
            }
            for order in ["relaxed", "release"] {
                stores.extend(some(&format!("st.{order}.{scope}{space}"), space, true));
            }
        }
        loads.extend(some(&format!("ld.volatile{space}"), space, true));
        stores.extend(some(&format!("st.volatile{space}"), space, true));
    }
    for space in ["", ".global"] {
        loads.extend(some(&format!("ld.mmio.relaxed.sys{space}"), space, false));
        stores.extend(some(&format!("st.mmio.relaxed.sys{space}"), space, false));
    }
    loads_agree(&loads);
    stores_agree(&stores);
}

/// Accesses of 32 bytes, which sm_100 has.
#[test]
fn the_widest_vectors_have_32_bytes() {
    let (mut loads, mut stores) = (Vec::new(), Vec::new());
    for (vector, count, types) in [
        (".v8", 8, ["b32", "u32", "s32", "f32"]),
        (".v4", 4, ["b64", "u64", "s64", "f64"]),
    ] {
        for ty in types {
            let size = BYTES / count;
            for hints in [
                "",
                ".L1::evict_first",
                ".L2::evict_last",
                ".L1::no_allocate.L2::evict_first.L2::cache_hint",
            ] {
                let access = |instruction: String| Access {
                    instruction,
                    ty,
                    size,
                    count,
                    register: if size == 4 { ("b32", 4) } else { ("b64", 8) },
                    space: ".global",
                    policy: hints.contains("cache_hint"),
                };
                loads.push(access(format!("ld.global{hints}{vector}.{ty}")));
                loads.push(access(format!("ld.global.nc{hints}.L2::256B{vector}.{ty}")));
                stores.push(access(format!("st.global{hints}{vector}.{ty}")));
            }
        }
    }
    loads_agree(&loads);
    stores_agree(&stores);
}

#[test]
fn values_of_128_bits_move_whole() {
    let forms = |opcode: &str, forms: &[&str], spaces: &[&'static str]| -> Vec<Access> {
        let each = |space: &'static str| {
            forms.iter().map(move |form| Access {
                instruction: format!("{opcode}{form}{space}.b128"),
                ty: "b128",
                size: 16,
                count: 1,
                register: ("b128", 16),
                space,
                policy: false,
            })
        };
        spaces.iter().copied().flat_map(each).collect()
    };
    let weak = ["", ".weak"];
    loads_agree(&forms("ld", &weak, &SPACES));
    stores_agree(&forms("st", &weak, &["", ".global", ".shared", ".local"]));
    let strong = [".relaxed.gpu", ".acquire.cta", ".acquire.sys"];
    loads_agree(&forms("ld", &strong, &["", ".global", ".shared"]));
    stores_agree(&forms(
        "st",
        &[".relaxed.gpu", ".release.cluster"],
        &["", ".global", ".shared"],
    ));
}

#[test]
fn absent_elements_are_skipped() {
    let rig = Rig::new(
        ".visible .entry k(.param .u64 p) { .reg .b64 %rd<2>; .reg .b32 %r<4>;
        ld.param.u64 %rd0, [p]; ld.global.v4.b32 {_, %r1, _, %r3}, [%rd0]; st.global.v2.b32 [%rd0], {%r3, %r1}; ret; }",
    );
    let p = rig.buffer_aligned(&[1u32, 2, 3, 4], 16);
    rig.ok("k", 1, 1, &[p]);
    assert_eq!(rig.read::<u32>(p, 4), [4, 2, 3, 4]);
}

#[test]
fn a_vector_is_aligned_as_a_whole() {
    let rig = Rig::new(
        ".visible .entry k(.param .u64 p) { .reg .b64 %rd<2>; .reg .b32 %r<4>;
        ld.param.u64 %rd0, [p]; ld.global.v2.b32 {%r0, %r1}, [%rd0+4]; ret; }",
    );
    let p = rig.buffer_aligned(&[1u32, 2, 3, 4], 16);
    let report = rig.fault("k", 1, 1, &[p]);
    assert!(
        report.contains("8-byte read of global memory at an address that is not a multiple of 8"),
        "{report}"
    );
}

#[test]
fn the_last_addresses_are_no_memory_whatever_is_checked() {
    for (space, offset) in [
        (".global", -1),
        ("", -4),
        (".shared", -1),
        (".local", -2),
        (".global", -256),
    ] {
        let rig = Rig::new(&format!(
            ".visible .entry k() {{ .shared .b32 s; .reg .b64 %rd<2>; .reg .b32 %r<2>; mov.b64 %rd0, {offset};
            ld{space}.b8 %r0, [%rd0]; st{space}.b8 [%rd0], %r0; ret; }}"
        ));
        let launch = lanewise_sim::Launch {
            count: true,
            checks: lanewise_sim::Checks::all(),
            ..lanewise_sim::Launch::new("k", [1; 3], [32, 1, 1], &[])
        };
        let fault = rig
            .device
            .launch(&rig.instance, &launch)
            .expect_err("nothing is there");
        assert!(
            fault.to_string().contains("1-byte read"),
            "{space} {offset}: {fault}"
        );
    }
}

#[test]
fn local_rows_and_single_lanes_agree() {
    // All lanes at one address move a row; lanes that a guard parts move one by one.
    let forms = [
        ("u8", 4, 1),
        ("s8", 4, 1),
        ("u16", 4, 1),
        ("b32", 4, 1),
        ("b64", 8, 1),
        ("b32", 4, 2),
        ("b32", 4, 4),
        ("b64", 8, 2),
        ("s16", 8, 1),
    ];
    for (ty, size, count) in forms {
        let list = |name: &str| {
            let all: Vec<String> = (0..count).map(|e| format!("%{name}{e}")).collect();
            match count {
                1 => all[0].clone(),
                _ => format!("{{{}}}", all.join(", ")),
            }
        };
        let vector = ["", "", ".v2", "", ".v4"][count];
        let (load, store) = (
            format!("ld.local{vector}.{ty}"),
            format!("st.local{vector}.{ty}"),
        );
        let (v, a, b) = (list("v"), list("a"), list("b"));
        let bits = size * 8;
        let mut text = format!(
            ".visible .entry rows(.param .u64 out)\n{{\n\t.reg .pred %p; .reg .b32 %t, %o; .reg .b64 %at, %by;\n\
             \t.reg .b{bits} %v<4>, %a<4>, %b<4>;\n\t.local .align 16 .b8 stack[64];\n\
             \tmov.u32 %t, %tid.x;\n\tand.b32 %o, %t, 3;\n\tsetp.eq.u32 %p, %o, 1;\n"
        );
        for e in 0..count {
            let widen = if size == 4 { "mov.u32" } else { "cvt.u64.u32" };
            writeln!(
                text,
                "\t{widen} %v{e}, %t;\n\tmul.lo.u{bits} %v{e}, %v{e}, {};",
                0x0765_4321 + e
            )
            .unwrap();
        }
        write!(
            text,
            "\t{store} [stack], {v};\n\t@%p {load} {a}, [stack];\n\t@!%p {load} {a}, [stack];\n\
             \t@%p {store} [stack+32], {v};\n\t@!%p {store} [stack+32], {v};\n\t{load} {b}, [stack+32];\n\
             \tld.param.u64 %at, [out];\n\tmul.wide.u32 %by, %t, {};\n\tadd.u64 %at, %at, %by;\n",
            2 * count * size
        )
        .unwrap();
        for e in 0..count {
            let at = 2 * e * size;
            writeln!(
                text,
                "\tst.global.b{bits} [%at+{at}], %a{e};\n\tst.global.b{bits} [%at+{}], %b{e};",
                at + size
            )
            .unwrap();
        }
        text += "\tret;\n}\n";
        let rig = Rig::new(&text);
        let out = rig.buffer(&vec![0u8; 32 * 2 * count * size]);
        rig.run("rows", 1, 32, &[out])
            .unwrap_or_else(|fault| panic!("{fault}"));
        let got = rig.read::<u8>(out, 32 * 2 * count * size);
        for (i, value) in got.chunks(size).enumerate() {
            let (tid, e) = (i / (2 * count), i / 2 % count);
            let all = (tid as u64)
                .wrapping_mul(0x0765_4321 + e as u64)
                .to_le_bytes();
            let memory = ty[1..].parse::<usize>().unwrap() / 8;
            let expected = widened(&all[..memory], ty, size);
            assert_eq!(value, expected, "{ty} x {count}, thread {tid}, element {e}");
        }
    }
}
