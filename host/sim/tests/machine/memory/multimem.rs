//! `multimem` on memory of three devices: every operation at every type that it accepts,
//! against numbers of another library. Also addresses that are no multicast memory, and what
//! the checks find.

use crate::common::{HEAD, Rig};
use lanewise_sim::memory::Replicas;
use lanewise_sim::{Checks, DeviceModel, Launch};
use rustc_apfloat::ieee::{BFloat, Double, Float8E4M3FN, Float8E5M2, Half, Single};
use rustc_apfloat::{Float, FloatConvert};

const DEVICES: usize = 3;
/// Bytes for each thread: the largest access.
const SLOT: usize = 16;
const BYTES: usize = 32 * SLOT;

/// A multicast mapping over three buffers.
struct Team {
    rig: Rig,
    multicast: u64,
    buffers: [u64; DEVICES],
}

impl Team {
    fn new(rig: Rig, contents: &[Vec<u8>; DEVICES]) -> Team {
        let buffers = [0, 1, 2].map(|device| rig.buffer_aligned(&contents[device], 4096));
        let memory = rig.device.memory();
        let multicast = memory.reserve(2 * BYTES as u64, 4096).expect("addresses");
        // The second half of the mapping is bound nowhere.
        let stretch = Replicas {
            offset: 0,
            size: BYTES as u64,
            places: buffers.to_vec(),
            own: Some(0),
            views: Vec::new(),
        };
        // SAFETY: the buffers live as long as the device, and the range is reserved.
        let published =
            unsafe { memory.publish_multicast(multicast, 2 * BYTES as u64, vec![stretch]) };
        published.expect("nothing else is there");
        Team {
            rig,
            multicast,
            buffers,
        }
    }
}

/// Returns pseudorandom bytes from a generator that needs no crate.
fn bytes(state: &mut u64, count: usize) -> Vec<u8> {
    let next = |state: &mut u64| {
        *state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (*state >> 56) as u8
    };
    (0..count).map(|_| next(state)).collect()
}

#[derive(Clone, Copy, PartialEq, Debug)]
enum Number {
    Bits(usize),
    Unsigned(usize),
    Signed(usize),
    F64,
    F32,
    F16,
    Bf16,
    E4m3,
    E5m2,
}

impl Number {
    fn size(self) -> usize {
        match self {
            Number::Bits(size) | Number::Unsigned(size) | Number::Signed(size) => size,
            Number::F64 => 8,
            Number::F32 => 4,
            Number::F16 | Number::Bf16 => 2,
            Number::E4m3 | Number::E5m2 => 1,
        }
    }

    /// Turns any bits into a number whose sums of three stay finite.
    fn tame(self, bits: u64) -> u64 {
        bits & match self {
            Number::F64 => !(1 << 62),
            Number::F32 => !(1 << 30),
            Number::F16 | Number::Bf16 => !(1 << 14),
            Number::E4m3 | Number::E5m2 if bits & 0x7c == 0x7c => !0x40,
            _ => !0,
        }
    }

    fn join(self, operation: &str, wide: bool, numbers: &[u64]) -> u64 {
        let least = |a: u64, b: u64| if self.key(a) < self.key(b) { a } else { b };
        let most = |a: u64, b: u64| if self.key(a) < self.key(b) { b } else { a };
        let all = numbers.iter().copied();
        let found = match operation {
            "min" => all.reduce(least),
            "max" => all.reduce(most),
            "and" => all.reduce(|a, b| a & b),
            "or" => all.reduce(|a, b| a | b),
            "xor" => all.reduce(|a, b| a ^ b),
            _ => Some(self.sum(wide, numbers)),
        };
        let mask = u64::MAX >> (64 - 8 * self.size());
        found.expect("three numbers") & mask
    }

    /// Returns a key in the order of the type, with a negative zero below zero.
    fn key(self, bits: u64) -> i128 {
        let top = 8 * self.size() as u32 - 1;
        let (negative, rest) = (bits >> top & 1 != 0, i128::from(bits & !(1 << top)));
        match self {
            Number::Bits(_) | Number::Unsigned(_) => bits.into(),
            Number::Signed(_) if negative => rest - (1 << top),
            _ if negative => -rest - 1,
            _ => rest,
        }
    }

    fn sum(self, wide: bool, numbers: &[u64]) -> u64 {
        match (self, wide) {
            (Number::F64, _) => sum::<Double, Double>(numbers),
            (Number::F32, _) => sum::<Single, Single>(numbers),
            (Number::F16, false) => sum::<Half, Half>(numbers),
            (Number::F16, true) => sum::<Half, Single>(numbers),
            (Number::Bf16, false) => sum::<BFloat, BFloat>(numbers),
            (Number::Bf16, true) => sum::<BFloat, Single>(numbers),
            (Number::E4m3, true) => sum::<Float8E4M3FN, Half>(numbers),
            (Number::E5m2, true) => sum::<Float8E5M2, Half>(numbers),
            (Number::E4m3, false) => pairwise::<Float8E4M3FN>(numbers),
            (Number::E5m2, false) => pairwise::<Float8E5M2>(numbers),
            _ => numbers.iter().copied().fold(0, u64::wrapping_add),
        }
    }
}

/// The sum in the precision of `W`, rounded to `F` at the end. For an 8-bit type, larger sums
/// become the largest number.
fn sum<F: Float + FloatConvert<W>, W: Float + FloatConvert<F>>(numbers: &[u64]) -> u64 {
    let mut lost = false;
    let wide = numbers
        .iter()
        .map(|&bits| F::from_bits(bits.into()).convert(&mut lost).value);
    let all: W = wide.reduce(|a: W, b| (a + b).value).expect("numbers");
    let narrow: F = all.convert(&mut lost).value;
    let small = F::BITS == 8;
    let narrow = match narrow.is_finite() {
        false if small => F::largest().copy_sign(if all.is_negative() {
            -F::largest()
        } else {
            F::largest()
        }),
        _ => narrow,
    };
    narrow.to_bits() as u64
}

/// The sum rounded to `F` after each addition.
fn pairwise<F: Float + FloatConvert<Single>>(numbers: &[u64]) -> u64
where
    Single: FloatConvert<F>,
{
    let step = |a, b| sum::<F, Single>(&[a, b]);
    numbers.iter().copied().reduce(step).expect("numbers")
}

/// One instruction: its name after `multimem.`, and its meaning.
struct Form {
    words: String,
    action: &'static str,
    operation: &'static str,
    number: Number,
    wide: bool,
    /// Registers, and bytes of each.
    elements: usize,
    width: usize,
    ty: &'static str,
}

/// All forms that ptxas 13.0 accepts, without orders and scopes.
fn forms() -> Vec<Form> {
    use Number::{Bf16, Bits, E4m3, E5m2, F16, F32, F64, Signed, Unsigned};
    let types = [
        ("b32", Bits(4), 4),
        ("b64", Bits(8), 8),
        ("u32", Unsigned(4), 4),
        ("s32", Signed(4), 4),
        ("u64", Unsigned(8), 8),
        ("s64", Signed(8), 8),
        ("f32", F32, 4),
        ("f64", F64, 8),
        ("f16", F16, 2),
        ("bf16", Bf16, 2),
        ("f16x2", F16, 4),
        ("bf16x2", Bf16, 4),
        ("e4m3", E4m3, 1),
        ("e5m2", E5m2, 1),
        ("e4m3x2", E4m3, 2),
        ("e5m2x2", E5m2, 2),
        ("e4m3x4", E4m3, 4),
        ("e5m2x4", E5m2, 4),
    ];
    let mut forms = Vec::new();
    for (ty, number, width) in types {
        let float = !matches!(number, Bits(_) | Unsigned(_) | Signed(_));
        let small = matches!(number, E4m3 | E5m2);
        for elements in [1, 2, 4, 8] {
            let total = elements * width;
            let vector = elements > 1;
            let packed = ty.contains('x');
            let fits = match number {
                F32 => elements <= 4,
                F16 | Bf16 | E4m3 | E5m2 => (4..=16).contains(&total) && (vector || packed),
                _ => !vector,
            };
            if !fits {
                continue;
            }
            let vec = if vector {
                format!(".v{elements}")
            } else {
                String::new()
            };
            let operations: &[&str] = match number {
                Bits(_) => &["and", "or", "xor"],
                F32 | F64 => &["add"],
                Signed(8) => &["min", "max"],
                _ => &["min", "max", "add"],
            };
            let mut add = |action, operation: &'static str, acc: &str| {
                let words = match operation {
                    "" => format!("{action}.global{vec}.{ty}"),
                    _ => format!("{action}.global.{operation}{acc}{vec}.{ty}"),
                };
                let wide = !acc.is_empty();
                forms.push(Form {
                    words,
                    action,
                    operation,
                    number,
                    wide,
                    elements,
                    width,
                    ty,
                });
            };
            for &operation in operations {
                add("ld_reduce", operation, "");
                let alone = float && !vector && operation != "add";
                if !small && !alone {
                    add("red", operation, "");
                }
            }
            match number {
                F16 | Bf16 => add("ld_reduce", "add", ".acc::f32"),
                E4m3 | E5m2 => add("ld_reduce", "add", ".acc::f16"),
                _ => {}
            }
            add("st", "", "");
        }
    }
    forms
}

/// A kernel `k<n>(multicast, plain)`: each thread's slot, from or to its slot of plain memory.
fn kernel(n: usize, form: &Form) -> String {
    let registers: Vec<String> = (0..form.elements).map(|e| format!("%x{e}")).collect();
    let list = match form.elements {
        1 => registers[0].clone(),
        _ => format!("{{{}}}", registers.join(", ")),
    };
    let untyped = format!("b{}", 8 * form.width);
    let declared = match form.ty {
        "f32" | "f64" => form.ty,
        _ => &untyped,
    };
    let plain = |what: &str| -> String {
        let each = registers.iter().enumerate().map(|(e, register)| {
            let at = e * form.width;
            match what {
                "ld" => format!("ld.global.{untyped} {register}, [%p+{at}];"),
                _ => format!("st.global.{untyped} [%p+{at}], {register};"),
            }
        });
        each.collect::<Vec<_>>().join(" ")
    };
    let body = match form.action {
        "ld_reduce" => format!("multimem.{} {list}, [%m]; {}", form.words, plain("st")),
        _ => format!("{} multimem.{} [%m], {list};", plain("ld"), form.words),
    };
    format!(
        ".entry k{n}(.param .u64 m, .param .u64 p) {{ .reg .b32 %t; .reg .b64 %m, %p, %o; .reg .{declared} %x<{}>;
        mov.u32 %t, %tid.x; mul.wide.u32 %o, %t, {SLOT}; ld.param.u64 %m, [m]; add.u64 %m, %m, %o; ld.param.u64 %p, [p]; add.u64 %p, %p, %o;
        {body} ret; }}\n",
        form.elements
    )
}

/// The numbers in a thread's access.
fn numbers(form: &Form, memory: &[u8], thread: usize) -> Vec<u64> {
    let size = form.number.size();
    let bytes = &memory[thread * SLOT..][..form.elements * form.width];
    let number = |bytes: &[u8]| {
        let mut whole = [0; 8];
        whole[..size].copy_from_slice(bytes);
        u64::from_le_bytes(whole)
    };
    bytes.chunks_exact(size).map(number).collect()
}

fn tamed(form: &Form, memory: &mut [u8]) {
    let size = form.number.size();
    for chunk in memory.chunks_exact_mut(size) {
        let mut whole = [0; 8];
        whole[..size].copy_from_slice(chunk);
        let tame = form.number.tame(u64::from_le_bytes(whole));
        chunk.copy_from_slice(&tame.to_le_bytes()[..size]);
    }
}

#[test]
fn every_operation_at_every_type_is_that_of_another_library() {
    let forms = forms();
    let kernels: String = forms
        .iter()
        .enumerate()
        .map(|(n, form)| kernel(n, form))
        .collect();
    let head = ".version 8.7\n.target sm_100a\n.address_size 64\n";
    let rig = Rig::on(DeviceModel::b200(), &format!("{head}{kernels}"));
    let mut state = 20_261_122;
    let empty = [0, 1, 2].map(|_| vec![0; BYTES]);
    let team = Team::new(rig, &empty);
    for (n, form) in forms.iter().enumerate() {
        let mut memory = [0, 1, 2].map(|_| bytes(&mut state, BYTES));
        let mut plain = bytes(&mut state, BYTES);
        memory
            .iter_mut()
            .chain([&mut plain])
            .for_each(|bytes| tamed(form, bytes));
        for (at, bytes) in team.buffers.iter().zip(&memory) {
            // SAFETY: a buffer of this many bytes.
            unsafe { (*at as *mut u8).copy_from_nonoverlapping(bytes.as_ptr(), BYTES) };
        }
        let other = team.rig.buffer(&plain);
        team.rig
            .ok(&format!("k{n}"), 1, 32, &[team.multicast, other]);
        let after = team.buffers.map(|at| team.rig.read::<u8>(at, BYTES));
        let read = team.rig.read::<u8>(other, BYTES);
        for thread in 0..32 {
            let old = [0, 1, 2].map(|device: usize| numbers(form, &memory[device], thread));
            let new = [0, 1, 2].map(|device: usize| numbers(form, &after[device], thread));
            let given = numbers(form, &plain, thread);
            let join = |of: &[u64]| form.number.join(form.operation, form.wide, of);
            for place in 0..given.len() {
                let all = old.each_ref().map(|values| values[place]);
                let what = format!(
                    "multimem.{} thread {thread} number {place}: {all:x?}",
                    form.words
                );
                match form.action {
                    "ld_reduce" => {
                        assert_eq!(numbers(form, &read, thread)[place], join(&all), "{what}");
                        assert_eq!(
                            new.each_ref().map(|values| values[place]),
                            all,
                            "{what} is as it was"
                        );
                    }
                    "st" => assert_eq!(
                        new.each_ref().map(|v| v[place]),
                        [given[place]; DEVICES],
                        "{what}"
                    ),
                    _ => {
                        let wanted = all.map(|old| join(&[old, given[place]]));
                        assert_eq!(
                            new.each_ref().map(|v| v[place]),
                            wanted,
                            "{what} by {:x}",
                            given[place]
                        );
                    }
                }
            }
        }
    }
    assert_eq!(forms.len(), 224, "forms, as ptxas counts them");
}

fn small(body: &str) -> Team {
    let text = format!(
        "{HEAD}.entry k(.param .u64 m, .param .u64 p) {{ .reg .b32 %t, %x; .reg .b64 %m, %p, %o; .reg .f32 %a, %b;
        mov.u32 %t, %tid.x; mul.wide.u32 %o, %t, 4; ld.param.u64 %m, [m]; ld.param.u64 %p, [p];\n{body}\nret; }}"
    );
    Team::new(
        Rig::new(&text),
        &[0, 1, 2].map(|device| vec![device; BYTES]),
    )
}

#[test]
fn what_is_no_multicast_memory_is_refused_and_so_is_the_reverse() {
    let load = small("multimem.ld_reduce.add.u32 %x, [%m]; st.global.u32 [%p], %x;");
    let fault = |team: &Team, at| team.rig.fault("k", 1, 1, &[at, team.buffers[0]]);
    let plain = fault(&load, load.buffers[1]);
    assert!(
        plain.contains("4-byte multicast access of memory that is no multicast memory"),
        "{plain}"
    );
    let load = small("multimem.ld_reduce.add.u32 %x, [%m]; st.global.u32 [%p], %x;");
    let unbound = fault(&load, load.multicast + BYTES as u64);
    assert!(
        unbound.contains("of a place that not every device has memory for"),
        "{unbound}"
    );
    let load = small("multimem.red.global.add.v2.f32 [%m], {%a, %b};");
    let misaligned = fault(&load, load.multicast + 4);
    assert!(
        misaligned.contains(
            "8-byte atomic access of global memory at an address that is not a multiple of 8"
        ),
        "{misaligned}"
    );
    for body in [
        "ld.global.u32 %x, [%m];",
        "st.u32 [%m], %x;",
        "red.global.add.u32 [%m], 1;",
    ] {
        let team = small(body);
        let said = fault(&team, team.multicast);
        assert!(said.contains("of multicast memory"), "{said}");
        assert!(
            said.contains("only `multimem` instructions can access it"),
            "{said}"
        );
    }
}

/// Runs with the race check. Returns the report, if there is one.
fn races(body: &str) -> Option<String> {
    let team = small(body);
    let params: Vec<u8> = [team.multicast, team.buffers[0]]
        .iter()
        .flat_map(|p| p.to_le_bytes())
        .collect();
    let mut launch = Launch::new("k", [2, 1, 1], [32, 1, 1], &params);
    let mut checks = Checks::default();
    checks.race = true;
    launch.checks = checks;
    let report = team
        .rig
        .device
        .launch(&team.rig.instance, &launch)
        .expect("it runs");
    report.findings.first().map(ToString::to_string)
}

#[test]
fn the_race_check_knows_that_a_devices_own_memory_is_the_same() {
    // Two blocks write one place.
    let both = races("add.u64 %m, %m, %o; multimem.st.u32 [%m], %t;");
    assert!(both.is_some_and(|said| said.contains("multimem.st")));
    // One block writes by either way.
    let ways =
        "mov.u32 %x, %ctaid.x; setp.eq.u32 %q, %x, 0; add.u64 %m, %m, %o; add.u64 %p, %p, %o;
        @%q multimem.st.u32 [%m], %t; @!%q ld.global.u32 %x, [%p];";
    let mixed = races(&format!(".reg .pred %q; {ways}"));
    assert!(mixed.is_some_and(|said| said.contains("multimem.st") && said.contains("ld.global")));
    // Reductions are steps of their own, and strong loads see them so.
    let strong = races(
        "multimem.red.relaxed.gpu.add.u32 [%m], 1; multimem.ld_reduce.relaxed.gpu.add.u32 %x, [%m];",
    );
    assert_eq!(strong, None);
    let weak = races(
        "multimem.red.relaxed.gpu.add.u32 [%m], 1; multimem.ld_reduce.weak.add.u32 %x, [%m];",
    );
    assert!(weak.is_some());
}
