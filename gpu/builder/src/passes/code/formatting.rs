//! Optimises code that formats text for size, not for speed.
//!
//! On a GPU a call is expensive, so LLVM inlines eleven times as much there as elsewhere.
//! `core::fmt` then fills most of a module that formats: each `{:?}` of a slice has a copy of the
//! padding for `{:#?}`, and of the padding of every number in it. Kernels do not format in inner
//! loops. With this pass such a module is built in half of the time, and one structure with three
//! slices is 4,000 lines of PTX instead of 39,000.
//!
//! Source: LLVM, "LLVM Language Reference Manual: Function Attributes", `minsize` and `optsize`.

use inkwell::attributes::{Attribute, AttributeLoc};
use inkwell::module::Module;

use crate::llvm;

/// The modules of the standard library that format.
const FORMATTING: [&str; 4] = [
    "core::fmt",
    "core::num::fmt",
    "core::num::flt2dec",
    "alloc::fmt",
];

/// Marks the functions that format, including implementations of the formatting traits.
pub(crate) fn make_small(module: &Module<'_>) {
    let attributes = ["optsize", "minsize"].map(|name| {
        let kind = Attribute::get_named_enum_kind_id(name);
        module.get_context().create_enum_attribute(kind, 0)
    });
    for function in module.get_functions() {
        let has_code = function.count_basic_blocks() > 0;
        if has_code && formats(&llvm::name(function)) {
            for attribute in attributes {
                function.add_attribute(AttributeLoc::Function, attribute);
            }
        }
    }
}

/// Returns whether a symbol is a function of those modules, such a function as a trait's method
/// (`<core::fmt::write as FnOnce>::call_once`), or a method of their traits
/// (`<T as core::fmt::Debug>::fmt`).
fn formats(symbol: &str) -> bool {
    let path = format!("{:#}", rustc_demangle::demangle(symbol));
    let function = path.trim_start_matches('<');
    let of = function.split_once(" as ").map(|(_, of)| of);
    [Some(function), of].into_iter().flatten().any(|path| {
        FORMATTING.iter().any(|module| {
            let rest = path.strip_prefix(module);
            rest.is_some_and(|rest| rest.starts_with("::"))
        })
    })
}

#[cfg(test)]
mod tests {
    use super::formats;

    #[test]
    fn what_formats_is_known_by_its_path() {
        for symbol in [
            // core::fmt::write, <u32 as core::fmt::Display>::fmt, <core::fmt::Formatter>::pad
            "_RNvNtCs1_4core3fmt5write",
            "_RNvXs_NtNtCs1_4core3fmt3nummNtB6_7Display3fmt",
            "_RNvMsa_NtCs1_4core3fmtNtB5_9Formatter3pad",
            // <core::num::flt2dec::exact as core::ops::FnOnce>::call_once
            "_RNvYNvNtNtCs1_4core3num7flt2dec5exactNtNtB6_3ops6FnOnce9call_once",
        ] {
            assert!(formats(symbol), "{}", rustc_demangle::demangle(symbol));
        }
        // mine::write::<core::fmt::Error>, core::slice::sort
        for symbol in [
            "_RINvCs1_4mine5writeNtNtCs2_4core3fmt5ErrorE",
            "_RNvNtCs1_4core5slice4sort",
            "vec_add",
        ] {
            assert!(!formats(symbol), "{}", rustc_demangle::demangle(symbol));
        }
    }
}
