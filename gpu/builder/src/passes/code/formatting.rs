//! Code that formats is made small, not fast.
//!
//! On a GPU a call is dear, so LLVM inlines there eleven times as much as elsewhere. `core::fmt`
//! then takes most of a module that formats: each `{:?}` of a slice has a copy of the padding for
//! `{:#?}`, with that of every number in it. Nobody formats in an inner loop, so such a module is
//! built in half of the time, and one structure with three slices is 4,000 lines of PTX and not
//! 39,000.
//!
//! Source: LLVM, "LLVM Language Reference Manual: Function Attributes", `minsize` and `optsize`.

use inkwell::attributes::{Attribute, AttributeLoc};
use inkwell::module::Module;

use crate::llvm;

/// Where the standard library formats.
const FORMATTING: [&str; 4] = [
    "core::fmt",
    "core::num::fmt",
    "core::num::flt2dec",
    "alloc::fmt",
];

/// Marks the functions of formatting, implementations of its traits among them.
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

/// Whether a symbol is that of a function of those modules, of one as a trait's method
/// (`<core::fmt::write as FnOnce>::call_once`), or of a method of their traits
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
