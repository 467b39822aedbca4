//! Every case agrees with the host, bit by bit.

use cases::*;
use language::disagreements;

/// A test for each subject.
macro_rules! subjects {
    ($($test:ident = $($path:ident)::+, $kernel:ident;)*) => {
        $(#[test]
        fn $test() {
            let found = disagreements($($path)::+::kernel::$kernel, $($path)::+::CASES);
            let found = found.unwrap_or_else(|error| panic!("{error:#}"));
            assert!(found.is_empty(), "{found}");
        })*
    };
}

subjects! {
    u8_agrees = integers::u8, integers_u8;
    u16_agrees = integers::u16, integers_u16;
    u32_agrees = integers::u32, integers_u32;
    u64_agrees = integers::u64, integers_u64;
    u128_agrees = integers::u128, integers_u128;
    usize_agrees = integers::usize, integers_usize;
    i8_agrees = integers::i8, integers_i8;
    i16_agrees = integers::i16, integers_i16;
    i32_agrees = integers::i32, integers_i32;
    i64_agrees = integers::i64, integers_i64;
    i128_agrees = integers::i128, integers_i128;
    isize_agrees = integers::isize, integers_isize;
    f32_agrees = floats::f32, floats_f32;
    f64_agrees = floats::f64, floats_f64;
    enums_agree = enums, enums;
    results_agree = results, results;
    iterators_agree = iterators, iterators;
    functions_agree = functions, functions;
    generics_agree = generics, generics;
    slices_agree = slices, slices;
    text_agrees = text, text;
    formats_agree = formats, formats;
    memory_agrees = memory, memory;
    heap_agrees = heap, heap;
    control_agrees = control, control;
    expressions_agree = expressions, expressions;
    simd_agrees = simd, simd;
    atomics_agree = atomics, atomics;
    overflow_checks_agree = overflow, overflow;
}
