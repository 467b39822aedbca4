//! The purpose of each pass: what must be in the PTX and what must not, and what the kernel
//! computes on the simulator.

use lanewise_builder::manifest::Panics;

use crate::machine::{Machine, float, int, params, wide, written};
use crate::passes::{How, built};
use crate::support::count;

/// The whole PTX of a pass's fixture.
fn ptx(pass: &'static str, how: How) -> String {
    built(pass, how).raw()
}

/// Asserts what a text contains and what it does not.
#[track_caller]
fn holds(text: &str, has: &[&str], lacks: &[&str]) {
    for part in has {
        assert!(text.contains(part), "`{part}` is missing in\n{text}");
    }
    for part in lacks {
        assert!(!text.contains(part), "`{part}` is in\n{text}");
    }
}

#[test]
fn an_atomic_has_the_scope_that_it_was_given() {
    let text = ptx("atomic_scope", How::Plainly);
    holds(
        &text,
        &["st.relaxed.cta.global.b32"],
        &[".sys", ".gpu", "__lanewise", ".func"],
    );
    assert_eq!(written(&text, "sets", &[], 1), [1]);
}

#[test]
fn a_slice_that_is_viewed_as_atomics_is_not_read_through_the_read_only_cache() {
    let text = ptx("atomic_loads", How::Plainly);
    holds(
        &text,
        &["ld.global.nc.b32", "ld.relaxed.sys.global.b32"],
        &[],
    );
}

#[test]
fn a_compiler_fence_keeps_stores_apart_and_costs_nothing() {
    let text = ptx("compiler_fence", How::Plainly);
    holds(&text, &[], &["\tfence", "membar", "st.global.v2"]);
    let at = |store: &str| {
        text.find(store)
            .unwrap_or_else(|| panic!("no `{store}` in\n{text}"))
    };
    assert!(at("+4], 1;") < at("], 2;"), "{text}");
    assert_eq!(written(&text, "stores_in_order", &[], 2), [2, 1]);
}

#[test]
fn a_loop_of_atomic_sums_is_not_unrolled_before_its_checks_are_moved() {
    let text = ptx("atomic_costs", How::Plainly);
    // The loop is still one when its checks are moved, and the copy with checks has two sums.
    let sums = count(&text, "atom.global.add.f32");
    assert!(sums <= 2 * 24 + 2, "{sums} sums in\n{text}");
    holds(&text, &[], &["atomic;"]);
}

#[test]
fn numbers_of_32_bits_are_compared_and_multiplied_in_32() {
    let text = ptx("widths", How::Plainly);
    holds(
        &text,
        &["setp.le.u32", "mul.wide.u32"],
        &["setp.le.u64", "mul.lo.s64"],
    );
}

#[test]
fn a_product_and_a_sum_are_one_index() {
    let text = ptx("addresses", How::Plainly);
    assert_eq!(count(&text, "shl.b64"), 1, "{text}");
}

#[test]
fn constant_memory_is_read_and_not_believed() {
    let text = ptx("constant_memory", How::Plainly);
    // 0f3F800000 or 1065353216 would be the initial value, which the host may replace.
    holds(
        &text,
        &[".visible .const", "ld.const"],
        &["1065353216", "0f3F800000"],
    );
    assert_eq!(
        written(&text, "reads_a_constant", &[], 1),
        [1.0f32.to_bits()]
    );
}

#[test]
fn a_product_and_a_sum_are_rounded_once_or_twice() {
    // (1 + 2^-12)^2 is 1 + 2^-11 + 2^-24, and the last part is lost where the product is
    // rounded by itself.
    let (a, c) = (1.0 + 2f32.powi(-12), -1.0 - 2f32.powi(-11));
    let result = |text: &str| {
        let numbers = [float(a), float(a), float(c)];
        f32::from_bits(written(text, "multiplies_and_adds", &numbers, 1)[0])
    };
    let fused = ptx("contraction", How::Plainly);
    holds(&fused, &["fma.rn.f32"], &["mul.", "add."]);
    assert_eq!(result(&fused), 2f32.powi(-24));
    let apart = ptx("contraction", How::Unfused);
    holds(&apart, &["mul.rn.f32", "add.rn.f32"], &["fma"]);
    assert_eq!(result(&apart), 0.0);
}

#[test]
fn what_formats_is_small_and_says_the_same() {
    let text = ptx("formatting", How::Plainly);
    // Ten times as many without the pass.
    let lines = text.lines().count();
    assert!(lines < 10_000, "{lines} lines");
    let said = written(&text, "formats", &[int(9), int(70)], 128);
    let said: String = said.iter().filter_map(|at| char::from_u32(*at)).collect();
    assert_eq!(
        said.trim_end_matches('\0'),
        "Point { _id: 9, _bytes: [9, 2], _words: [70], _wide: [-70, 0] }"
    );
}

#[test]
fn a_barrier_stays_one_barrier_that_all_threads_meet() {
    let text = ptx("convergent", How::Plainly);
    assert_eq!(count(&text, "bar.sync"), 1, "{text}");
    let machine = Machine::load(&text);
    let (input, output) = (machine.words(&[7; 64]), machine.words(&[0; 64]));
    let params = params(&[wide(input), wide(output), wide(10)]);
    let found = machine.run("synchronises_once", 64, &params, output, 64);
    assert!(
        found[..10] == [7; 10] && found[10..] == [0; 54],
        "{found:?}"
    );
}

#[test]
fn whole_structures_are_copied_by_the_widest_accesses() {
    let text = ptx("copies", How::Plainly);
    let kernel = |name| crate::support::function_in(&text, name);
    let described = kernel("copies_structures");
    assert_eq!(count(&described, "ld.global"), 1, "{described}");
    holds(
        &described,
        &["ld.global.nc.v4.b32", "st.global.v4.b32"],
        &[],
    );
    assert_eq!(count(&kernel("copies_three"), "ld.global.b32"), 3, "{text}");
    let large = kernel("copies_large");
    assert_eq!(count(&large, "ld.global.nc.v4.b32"), 17, "{large}");
    holds(&large, &[], &["bra", "b8"]);
    let machine = Machine::load(&text);
    for (kernel, length) in [
        ("copies_three", 3),
        ("copies_large", 68),
        ("copies_within", 16),
    ] {
        let words: Vec<u32> = (1..=length).collect();
        let (from, to) = (machine.words(&words), machine.words(&vec![0; words.len()]));
        let params = match kernel {
            "copies_large" => params(&[wide(from), wide(1), wide(to), wide(1)]),
            _ => params(&[wide(from), wide(to)]),
        };
        assert_eq!(
            machine.run(kernel, 1, &params, to, words.len()),
            words,
            "{kernel}"
        );
    }
    // From words 0 to 16 to words 4 to 20 of the same array: all loads come before the first store.
    let words: Vec<u32> = (1..=20).collect();
    let array = machine.words(&words);
    let overlapping = params(&[wide(array), wide(array + 16)]);
    let found = machine.run("copies_within", 1, &overlapping, array, 20);
    assert_eq!((&found[..4], &found[4..]), (&words[..4], &words[..16]));
}

#[test]
fn a_step_in_an_inclusive_range_ends_at_the_largest_number_too() {
    let text = ptx("inclusive_ranges", How::Plainly);
    let mix = |mixed: u32, i: u8| mixed.wrapping_mul(31) + u32::from(i);
    for first in [-128, -2, 0, 126, 127] {
        for last in [-128, -127, -1, 0, 5, 127] {
            for step in [1, 2, 127, 255, 256, u32::MAX] {
                let arguments = [int(first as u32), int(last as u32), int(step)];
                let range = (first as i8..=last as i8).step_by(step as usize);
                let expected = range.fold(1, |mixed, i| mix(mixed, i as u8));
                let found = written(&text, "every_i8", &arguments, 1);
                assert_eq!(found, [expected], "{first}..={last}, {step}");
                // A range of all numbers has too many of them.
                if first < 0 || last >= 0 {
                    let range = (first as u64..=last as u64).step_by(step as usize);
                    let expected = range.fold(1, |mixed, i| mix(mixed, i as u8));
                    let found = written(&text, "every_u64", &arguments, 1);
                    assert_eq!(found, [expected], "{first}..={last}, {step}");
                }
            }
        }
    }
}

#[test]
fn only_kernels_and_the_statics_that_they_use_are_left() {
    let text = ptx("entry_points", How::Plainly);
    holds(
        &text,
        &[".visible .entry steps", ".visible .global"],
        &["exported_and_not_called", ".visible .func"],
    );
    // The static is loaded: the host may have written another value than the 5 that it starts with.
    assert!(text.matches("STEP").count() >= 2, "{text}");
    assert_eq!(written(&text, "steps", &[int(3)], 1), [14]);
}

#[test]
fn what_the_description_promises_is_in_the_directives() {
    let text = ptx("kernel_attributes", How::Later);
    let directives = [
        ".maxntid 128",
        ".minnctapersm 3",
        ".reqnctapercluster 2, 1, 1",
    ];
    holds(&text, &directives, &[]);
    // The slice that is only read, and the one that is written.
    assert_eq!(
        (count(&text, "ld.global.nc"), count(&text, "ld.global")),
        (1, 2),
        "{text}"
    );
}

#[test]
fn kernels_that_launch_are_apart_from_those_that_do_not() {
    let built = built("launching", How::Plainly);
    holds(
        &built.raw(),
        &["entry launches_none"],
        &["entry launches(", "cudaCDP2"],
    );
    holds(
        &built.launching(),
        &["entry launches(", "cudaCDP2"],
        &["launches_none"],
    );
}

#[test]
fn atomics_on_a_threads_own_memory_are_loads_and_stores() {
    let text = ptx("local_atomics", How::Plainly);
    holds(&text, &["ld.local", "st.local"], &["atom."]);
    let found = |i, j| written(&text, "exchanges", &[wide(i), wide(j)], 1)[0];
    assert_eq!([found(1, 1), found(1, 2), found(6, 2)], [12, 0, 12]);
}

#[test]
fn a_loops_address_is_the_one_before_and_a_step() {
    let text = ptx("loops", How::Plainly);
    holds(&text, &["ld.global.b32"], &["mul.", "mad."]);
    let machine = Machine::load(&text);
    let column: Vec<u32> = (0..100).collect();
    let (column, output) = (machine.words(&column), machine.words(&[0]));
    // Lengths around the eight that the body is copied for.
    for n in [0u32, 1, 7, 8, 9, 20] {
        let params = params(&[wide(column), wide(3), wide(n.into()), wide(output)]);
        let sum: u32 = (0..n).map(|i| 3 * i).sum();
        assert_eq!(machine.run("walks", 1, &params, output, 1), [sum], "{n}");
    }
}

#[test]
fn an_array_is_walked_over_in_registers() {
    let text = ptx("threading", How::Plainly);
    holds(&text, &["st.global.b32"], &[".local"]);
    let machine = Machine::load(&text);
    // Eight arrays of four, of which every fourth is walked over, and left at its end.
    let numbers: Vec<u32> = (1..33).collect();
    for (first, expected) in [
        (0, [1, 2, 3, 4, 0, 0, 0, 0, 0, 0, 0, 0]),
        (1, [0, 0, 0, 0, 0, 5, 6, 7, 0, 0, 0, 0]),
        (4, [0; 12]),
    ] {
        let (input, output) = (machine.words(&numbers), machine.words(&[0; 64]));
        let params = params(&[wide(input), wide(first), wide(output)]);
        let words = machine.run("numbers", 1, &params, output, 12);
        assert_eq!(words, expected, "{first}");
    }
}

#[test]
fn fields_of_an_element_that_was_tested_are_loaded_and_stored_together() {
    let text = ptx("nullable", How::Plainly);
    assert_eq!(count(&text, "ld.global.v4.b32"), 3, "{text}");
    assert_eq!(count(&text, "st.global.v4.b32"), 3, "{text}");
    let machine = Machine::load(&text);
    let twice = |[x, y, z, w]: [f32; 4]| [x, y, z, w, x, y, z, w].map(f32::to_bits);
    let [places, forces, speeds, works] = [
        [0.0, 1.0, 2.0, 3.0],
        [1.0, 2.0, 3.0, 4.0],
        [3.0, 2.0, 1.0, 0.0],
        [0.0; 4],
    ]
    .map(|values| machine.words(&twice(values)));
    // The second element of the places has no speed.
    let slices = [(places, 2), (forces, 2), (speeds, 1), (works, 2)];
    let slices = slices.map(|(at, length)| [wide(at), wide(length)]);
    let moved = [1.0, 1.5, 2.0 + 1.0 / 3.0, 3.25, 0.0, 1.0, 2.0, 3.0].map(f32::to_bits);
    let words = machine.run("moves", 2, &params(slices.as_flattened()), places, 8);
    assert_eq!(words, moved);
}

#[test]
fn neighbours_on_a_ring_need_no_division() {
    let text = ptx("remainders", How::Plainly);
    holds(&text, &["selp.b64"], &["div.", "rem."]);
    let machine = Machine::load(&text);
    let sizes = [0, 1, 2, 3, 1 << 16, u32::MAX - 1, u32::MAX];
    let places = [0, 1, 2, (1 << 16) - 1, u32::MAX - 2, u32::MAX - 1];
    for (at, n, m) in places
        .iter()
        .flat_map(|at| sizes.iter().map(move |n| (at, n)))
        .flat_map(|(at, n)| sizes.iter().map(move |m| (*at, *n, *m)))
    {
        let output = machine.words(&[7; 6]);
        let params = params(&[int(at), int(n), int(m), wide(output)]);
        let words = machine.run("neighbours", 1, &params, output, 6);
        let mut expected = [7; 6];
        if at < n && at < m {
            let (wide_at, n) = (u64::from(at), u64::from(n));
            let neighbours = [(wide_at + n - 1) % n, (wide_at + 1) % n, wide_at];
            let halves = neighbours.map(|it| [it as u32, (it >> 32) as u32]);
            expected.copy_from_slice(halves.as_flattened());
        }
        assert_eq!(words, expected, "{at} on {n} and {m}");
    }
}

#[test]
fn a_dividend_of_32_bits_is_divided_in_32_bits() {
    let text = ptx("divisions", How::Plainly);
    holds(&text, &["div.u32"], &["div.u64", "rem.u64"]);
    let machine = Machine::load(&text);
    let halves = |value: u64| [value as u32, (value >> 32) as u32];
    let sizes = [0, 1, 2, 3, 1 << 16, u32::MAX - 1, u32::MAX];
    for (at, rows, columns) in sizes
        .iter()
        .flat_map(|at| sizes.iter().map(move |rows| (at, rows)))
        .flat_map(|(at, rows)| sizes.iter().map(move |columns| (*at, *rows, *columns)))
    {
        let output = machine.words(&[7; 4]);
        let params = params(&[int(at), int(rows), int(columns), wide(output)]);
        let size = u64::from(rows) * u64::from(columns);
        let parts = [
            u64::from(at).checked_div(size),
            u64::from(at).checked_rem(size),
        ];
        let expected = parts.map(|part| part.map_or([7, 7], halves));
        let words = machine.run("splits", 1, &params, output, 4);
        assert_eq!(words, expected.as_flattened(), "{at} by {rows} x {columns}");
    }
    for (from, to, by) in [
        (0, 0, 1),
        (3, 2, 1),
        (0, u32::MAX, 2),
        (5, 9, 4),
        (5, 10, 4),
    ] {
        let output = machine.words(&[7; 2]);
        let params = params(&[int(from), wide(to.into()), int(by), wide(output)]);
        let expected = halves(u64::from(to.saturating_sub(from)).div_ceil(by.into()));
        assert_eq!(
            machine.run("steps", 1, &params, output, 2),
            expected,
            "{from}..{to} by {by}"
        );
    }
}

#[test]
fn loads_come_before_stores_that_they_do_not_depend_on() {
    let text = ptx("early_loads", How::Plainly);
    let (load, store) = (text.rfind("ld.global"), text.find("st.global"));
    assert!(load < store && load.is_some(), "{text}");
}

/// Around the four for which a body is copied, and with indices that are wrong at each place.
#[test]
fn an_index_is_checked_before_the_loop_and_still_ends_it_where_it_is_wrong() {
    let text = ptx("range_checks", How::Plainly);
    let machine = Machine::load(&text);
    let (values, output) = (machine.words(&[7; 100]), machine.words(&[0; 40]));
    let run = |kernel, arguments: &[u64]| {
        let arguments: Vec<_> = arguments.iter().map(|it| wide(*it)).collect();
        machine.run(kernel, 1, &params(&arguments), output, 40)
    };
    for n in [0u64, 1, 3, 4, 5, 8, 9, 20] {
        for length in [0, 1, 2, 4, 5, 8, 9, 20, 21, 22, 100] {
            for step in [1, 2, 3, 7] {
                let mut indices = (0..n).step_by(step as usize).map(|i| i + 1);
                let expected = match indices.find(|i| *i >= length) {
                    Some(wrong) => 1000 + wrong,
                    None => 7 * n.div_ceil(step),
                };
                let found = run("strides", &[values, length, step, n, output])[0];
                assert_eq!(u64::from(found), expected, "{n} by {step} of {length}");
            }
            let written = run("doubles", &[values, length, n, output]);
            let right = n.min(length) as usize;
            assert!(
                written[1..=right].iter().all(|it| *it == 14),
                "{n} of {length}"
            );
            if length < n {
                assert_eq!(u64::from(written[0]), 1000 + length, "{n} of {length}");
            }
        }
        for wrong in 0..n {
            let indices: Vec<_> = (0..n)
                .map(|k| if k == wrong { 77 } else { k as u32 })
                .collect();
            let indices = machine.words(&indices);
            let found = |length| run("gathers", &[indices, n, values, length, n, output])[0];
            assert_eq!(found(77), 1077, "{wrong} of {n}");
            assert_eq!(u64::from(found(78)), 7 * n, "{wrong} of {n}");
            let starts = machine.words(&[0, n as u32]);
            let given = |length| [starts, 2, indices, n, values, length, 0, output, 40];
            let found = |length| run("rows", &given(length))[0];
            assert_eq!(found(77), 1077, "{wrong} of {n}");
            assert_eq!(u64::from(found(78)), 7 * n, "{wrong} of {n}");
        }
    }
}

/// The two numbers that a row begins and ends with are not in registers in the loop without checks.
#[test]
fn what_only_the_copy_of_a_loop_needs_is_loaded_again_there() {
    let text = ptx("range_checks", How::Plainly);
    let loads = |kernel| {
        crate::support::function_in(&text, kernel)
            .matches("ld.global")
            .count()
    };
    assert_eq!(loads("rows"), loads("gathers") + 2 + 2, "{text}");
}

#[test]
fn checks_of_neighbours_are_one_and_panic_as_before() {
    let text = ptx("range_checks", How::Plainly);
    let machine = Machine::load(&text);
    let (values, output) = (machine.words(&[7; 100]), machine.words(&[0]));
    let holds = |kernel: &str, arguments: &[u64], indices: &[u64]| {
        let length = arguments[0];
        let expected = match indices.iter().find(|it| **it >= length) {
            Some(wrong) => 1000u32.wrapping_add(*wrong as u32),
            None => 7 * indices.len() as u32,
        };
        let all = [&[values], arguments, &[output]].concat();
        let all: Vec<_> = all.iter().map(|it| wide(*it)).collect();
        let found = machine.run(kernel, 1, &params(&all), output, 1)[0];
        assert_eq!(found, expected, "{kernel} {arguments:?}");
    };
    for length in [0, 1, 5, 20, 21, 22, 100] {
        // What is before the first number may have neighbours after it.
        for middle in [0, 1, 4, 10, 19, 20, 99, u64::MAX, u64::MAX - 1] {
            for width in [0, 1, 9, 10, 11, 100, u64::MAX] {
                let above = |by| middle.wrapping_add(by);
                let around = [
                    above(u64::MAX),
                    above(1),
                    middle.wrapping_sub(width),
                    above(width),
                ];
                holds("surrounds", &[length, middle, width], &around);
                let after = [above(1), above(2), above(3), above(width)];
                holds("follows", &[length, middle, width], &after);
            }
        }
        for (column, row) in [(0, 0), (1, 0), (3, 2), (4, 4), (5, 1)] {
            for (columns, rows) in [
                (0, 0),
                (4, 4),
                (4, 5),
                (5, 4),
                (10, 10),
                (u64::MAX >> 32, 1),
            ] {
                let rest = (row..row + 4).filter(|it| *it < rows && column < columns);
                let tile: Vec<_> = rest.map(|it| it * columns + column).collect();
                holds("tiles", &[length, column, row, columns, rows], &tile);
            }
        }
    }
}

#[test]
fn fast_math_takes_the_approximation() {
    let sine = |text: &str| f32::from_bits(written(text, "sine", &[float(0.5)], 1)[0]);
    let accurate = ptx("math_library", How::Plainly);
    assert!((sine(&accurate) - (0.5 - 0.125 / 6.0)).abs() < 1e-7);
    let fast = ptx("math_library", How::Fast);
    assert_eq!(sine(&fast), 0.5);
    holds(&accurate, &[], &["__lanewise", "call"]);
}

#[test]
fn what_is_known_when_compiling_is_computed_then() {
    let text = ptx("optimize", How::Plainly);
    holds(&text, &["], 84;"], &["local"]);
    assert_eq!(written(&text, "constant_sum", &[], 1), [84]);
}

#[test]
fn a_panic_is_a_call_only_if_the_kernel_prints_it() {
    let (call, store) = ("\tcall", "st.volatile");
    let recorded = ptx("panics", How::Plainly);
    holds(&recorded, &["div.u32", store], &[call, ".func"]);
    assert_eq!(
        count(&recorded, "trap;"),
        1,
        "one place records:\n{recorded}"
    );
    let trapped = ptx("panics", How::Panicking(Panics::Trap));
    holds(&trapped, &["div.u32", "trap;"], &[call, ".func", store]);
    let printed = ptx("panics", How::Panicking(Panics::Message));
    holds(&printed, &["div.u32", call, ".func"], &[store]);
}

#[test]
fn large_parameters_raise_the_version_and_arrive() {
    let text = ptx("parameters", How::Plainly);
    holds(&text, &[".version 8.1"], &[]);
    let mut table = vec![wide(0); 599];
    table.push(wide(0x1_2345_6789));
    assert_eq!(written(&text, "takes_a_table", &table, 2), [0x2345_6789, 1]);
}

#[test]
fn precision_is_the_options_and_the_functions_own() {
    let text = ptx("precision", How::Plainly);
    let kernel = |name| crate::support::function_in(&text, name);
    holds(
        &kernel("as_the_options_say"),
        &["div.rn.f32", "sqrt.rn.f32", "fma.rn.f32"],
        &["approx"],
    );
    holds(
        &kernel("fast_by_itself"),
        &["sqrt.approx"],
        &["div.rn", "sqrt.rn"],
    );
    holds(
        &kernel("not_fused_by_itself"),
        &["mul.rn.f32", "add.rn.f32"],
        &["fma"],
    );
}

#[test]
fn recursion_is_warned_of_and_runs() {
    let built = built("recursion", How::Plainly);
    assert_eq!(built.warnings.len(), 2, "{:?}", built.warnings);
    fn even(n: u32) -> u32 {
        if n == 0 {
            1
        } else {
            odd(n - 1).wrapping_mul(3)
        }
    }
    fn odd(n: u32) -> u32 {
        if n == 0 { 0 } else { even(n - 1) ^ n }
    }
    assert_eq!(written(&built.raw(), "recurses", &[int(6)], 1), [even(6)]);
}

#[test]
fn slices_are_compared_without_a_c_library() {
    let text = ptx("runtime_library", How::Plainly);
    holds(&text, &[], &[".extern", "__lanewise"]);
    let machine = Machine::load(&text);
    let (a, b, output) = (
        machine.words(&[1, 2, 3]),
        machine.words(&[1, 2, 4]),
        machine.words(&[9]),
    );
    for (length, is_equal) in [(0, 1), (8, 1), (9, 0), (12, 0)] {
        let params = params(&[wide(a), wide(b), wide(length), wide(output)]);
        let found = machine.run("compares", 1, &params, output, 1)[0] & 0xff;
        assert_eq!(found, is_equal, "{length} bytes");
    }
}

#[test]
fn shared_arrays_are_in_shared_memory() {
    let text = ptx("shared_memory", How::Plainly);
    let variables = [".shared .align 16 .b8", ".extern .shared"];
    holds(
        &text,
        &variables,
        &[
            "__lanewise",
            "cvta.shared",
            "ld.volatile.b32",
            "st.volatile.b32",
        ],
    );
    holds(&text, &["ld.volatile.shared", "st.volatile.shared"], &[]);
}

#[test]
fn shared_sizes_are_those_of_what_a_kernel_reaches() {
    let built = built("shared_size", How::Plainly);
    let kernels = built.output.manifest.modules[0].kernels.iter();
    let sizes: Vec<_> = kernels
        .map(|kernel| (kernel.description.name.as_str(), kernel.static_shared))
        .collect();
    // The larger array is on a boundary of 16 bytes, after the 3 bytes of the other.
    assert_eq!(sizes, [("has_none", 0), ("has_two_arrays", 3 + 13 + 16)]);
}

#[test]
fn a_barrier_in_each_arm_is_two_barriers() {
    let text = ptx("barriers", How::Plainly);
    assert_eq!(count(&text, "bar.sync"), 2, "{text}");
    let found = |n| {
        let machine = Machine::load(&text);
        let output = machine.words(&[0; 3]);
        machine.run(
            "synchronises_in_each_arm",
            1,
            &params(&[wide(output), wide(n)]),
            output,
            3,
        )
    };
    let bits = |numbers: [f32; 3]| numbers.map(f32::to_bits).to_vec();
    assert_eq!(found(200), bits([1.0, 2.0, 0.0]));
    assert_eq!(found(5), bits([3.0, 0.0, 4.0]));
}

#[test]
fn every_function_is_compiled_for_the_target_asked_for() {
    let built = built("target", How::Second);
    let read = |path: &std::path::Path| std::fs::read_to_string(path).expect("the build wrote it");
    let [earlier, later] = &built.output.modules[..] else {
        panic!("two targets")
    };
    // The attributes that other compilers set on each function.
    for module in [earlier, later] {
        let ir = read(module.llvm_ir.as_ref().expect("it was asked for"));
        let cpu = format!("\"target-cpu\"=\"{}\"", module.arch);
        assert!(ir.contains(&cpu), "{ir}");
        assert_eq!(count(&ir, "\"target-cpu\"="), count(&ir, &cpu), "{ir}");
    }
    let [earlier, later] = [earlier, later].map(|module| read(&module.ptx));
    holds(&earlier, &[".target sm_70"], &["min.NaN"]);
    holds(&later, &[".target sm_90", "min.NaN.f32"], &["setp"]);
    for text in [&earlier, &later] {
        let least =
            |a, b| f32::from_bits(written(text, "takes_the_lesser", &[float(a), float(b)], 1)[0]);
        assert_eq!(least(2.0, -3.0), -3.0);
        assert!(least(2.0, f32::NAN).is_nan() && least(f32::NAN, 2.0).is_nan());
    }
}

#[test]
fn a_librarys_work_belongs_to_the_line_that_asks_for_it() {
    let text = ptx("source_lines", How::Plainly);
    holds(&text, &["source_lines.rs\""], &["/rustc/"]);
    let after = |line: &str| {
        text.split(line)
            .nth(1)
            .unwrap_or_default()
            .trim_start()
            .to_owned()
    };
    assert!(after(".loc\t1 7 25\n").starts_with("shf.l"), "{text}");
    assert!(after(".loc\t1 8 23\n").starts_with("st.global"), "{text}");
}
