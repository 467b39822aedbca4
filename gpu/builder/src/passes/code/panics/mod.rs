//! Panics without calls.
//!
//! A kernel with a call needs the registers of what it calls, and a stack. `core`'s panics format
//! their text and print it, which is much more than most kernels need. So lanewise-std defines
//! functions that record a panic and trap (see its module `panic::record`). This pass has three
//! parts:
//!
//! - [`choose`] lets these functions take the place of `core`'s. `core`'s functions with constant
//!   texts need no substitute: they are inlined, and call `panic_fmt` with the text. Panics that
//!   format numbers into a fixed text have one each. What is left formats and stays a call.
//! - [`hide`] leaves only a declaration of the function that records. The optimiser then does not
//!   copy or change it, and knows that it touches no memory of the kernel.
//! - [`sites::merge`] gives each function of the module one block that records, to which all of its
//!   panics branch, after the optimiser has run.
//!
//! A crate with a panic handler of its own does not have these functions, and nothing changes.

pub(crate) mod sites;

use inkwell::attributes::{Attribute, AttributeLoc};
use inkwell::module::{Linkage, Module};
use inkwell::values::{CallSiteValue, FunctionValue, InstructionOpcode, InstructionValue};

use crate::cargo::source_paths::SourcePaths;
use crate::llvm;
use crate::manifest::Panics;
use crate::passes::Options;

/// The function that records a panic.
const RECORD: &str = "__lanewise_panic_record";

/// The declaration in the place of [`RECORD`] while the module is optimised.
const SITE: &str = "__lanewise_panic_site";

/// The name of `core`'s own function for a panic that formats.
const FORMATTED: &str = "__lanewise_panic_formatted";

/// The function that records a panic of which a constant says all but the values. Nothing calls it
/// before [`sites::merge`].
pub(crate) const STORE: &str = "__lanewise_panic_store";

/// The variable through which the host and the kernels meet.
pub(crate) const VARIABLE: &str = "__lanewise_panic";

/// The function to which panics with formatted or constant texts come.
const PANIC_FMT: &str = "core::panicking::panic_fmt";

/// Functions of `core` and lanewise-std by their paths, and the functions that take their places.
const SUBSTITUTES: [(&str, &str); 10] = [
    (PANIC_FMT, "__lanewise_panic_fmt"),
    (
        "core::panicking::panic_nounwind_fmt",
        "__lanewise_panic_nounwind_fmt",
    ),
    (
        "core::panicking::panic_bounds_check",
        "__lanewise_panic_bounds",
    ),
    (
        "lanewise_std::memory::bounds::past_the_end",
        "__lanewise_panic_bounds",
    ),
    (
        "lanewise_std::memory::bounds::past_the_edge",
        "__lanewise_panic_edge",
    ),
    (
        "core::slice::index::slice_index_fail",
        "__lanewise_panic_slice",
    ),
    (
        "core::slice::copy_from_slice_impl::len_mismatch_fail",
        "__lanewise_panic_copy",
    ),
    ("core::option::expect_failed", "__lanewise_panic_expect"),
    (
        "core::cell::panic_already_borrowed",
        "__lanewise_panic_borrowed",
    ),
    (
        "core::cell::panic_already_mutably_borrowed",
        "__lanewise_panic_mutably_borrowed",
    ),
];

/// What takes the place of a symbol of lanewise-std if panics are recorded, or if they only trap.
const RECORDED: [(&str, &str); 1] = [("__lanewise_panic_text", "__lanewise_panic_text_recorded")];
const TRAPPED: [(&str, &str); 2] = [
    (RECORD, "__lanewise_panic_record_trap"),
    (FORMATTED, "__lanewise_panic_formatted_trap"),
];

/// The crates whose functions without variables are inlined if they end in a panic.
const LIBRARIES: [&str; 3] = ["core::", "alloc::", "lanewise_std::"];

/// LLVM's number for `memory(argmem: read, inaccessiblemem: readwrite)`: two bits for each kind of
/// memory, of which the first is for reads. Source: LLVM, `ModRef.h`.
const READS_ARGUMENTS: u64 = 0b1101;

/// Lets the functions of lanewise-std take the place of those of `core`.
pub(crate) fn choose(module: &Module<'_>, panics: Panics) {
    if let Some(variable) = module.get_global(VARIABLE) {
        variable.set_linkage(Linkage::Internal);
        variable.set_externally_initialized(true);
    }
    if panics == Panics::Message || module.get_function(RECORD).is_none() {
        return;
    }
    let by_name = match panics {
        Panics::Trap => &TRAPPED[..],
        _ => &RECORDED[..],
    };
    for (old, new) in by_name {
        if let (Some(old), Some(new)) = (module.get_function(old), module.get_function(new)) {
            replace(old, new);
            inline_always(module, new);
        }
    }
    for function in module.get_functions().collect::<Vec<_>>() {
        if function.count_basic_blocks() == 0 {
            continue;
        }
        let path = llvm::path(function);
        let substitute = SUBSTITUTES
            .iter()
            .find(|(of, _)| *of == path)
            .and_then(|(_, name)| module.get_function(name));
        match substitute {
            Some(substitute) => {
                replace(function, substitute);
                inline_always(module, substitute);
                if path == PANIC_FMT
                    && let Some(formatted) = module.get_function(FORMATTED)
                {
                    replace(formatted, function);
                }
            }
            None if is_short_panic(function, &path) => inline_always(module, function),
            None => {}
        }
    }
}

/// Replaces every use of a function by another of the same type.
fn replace(old: FunctionValue<'_>, new: FunctionValue<'_>) {
    if old.get_type() == new.get_type() {
        llvm::replace_function(old, new);
    }
}

/// Returns whether this is a library's function that ends in a panic and needs no stack for it.
fn is_short_panic(function: FunctionValue<'_>, path: &str) -> bool {
    let has = |name| {
        let kind = Attribute::get_named_enum_kind_id(name);
        function
            .get_enum_attribute(AttributeLoc::Function, kind)
            .is_some()
    };
    let is_library = || {
        let path = path.trim_start_matches('<');
        LIBRARIES.iter().any(|library| path.starts_with(library))
    };
    let has_no_variables =
        || llvm::instructions(function).all(|it| it.get_opcode() != InstructionOpcode::Alloca);
    has("cold")
        && has("noreturn")
        && llvm::name(function) != RECORD
        && is_library()
        && has_no_variables()
}

/// Lets a function be inlined in every place. rustc marks a function that does not return, and
/// each of its calls, as not to be inlined.
fn inline_always(module: &Module<'_>, function: FunctionValue<'_>) {
    let kind = Attribute::get_named_enum_kind_id;
    for unfit in ["noinline", "optsize", "minsize"] {
        function.remove_enum_attribute(AttributeLoc::Function, kind(unfit));
    }
    let always = module
        .get_context()
        .create_enum_attribute(kind("alwaysinline"), 0);
    function.add_attribute(AttributeLoc::Function, always);
    for call in llvm::calls_of(function) {
        call.remove_enum_attribute(AttributeLoc::Function, kind("noinline"));
    }
}

/// Returns the function that records, if a kernel reaches it.
fn record<'ctx>(module: &Module<'ctx>) -> Option<FunctionValue<'ctx>> {
    module
        .get_function(RECORD)
        .filter(|function| function.count_basic_blocks() > 0)
}

/// Hides the function that records from LLVM's optimiser. NVIDIA's optimiser gets a copy of it in
/// each place, and code for a debugger is left as it is.
pub(crate) fn hide(module: &Module<'_>, options: &Options) {
    let record = record(module).filter(|_| !options.debug);
    let store = module.get_function(STORE);
    let (Some(record), Some(store)) = (record.filter(|_| options.nvvm.is_none()), store) else {
        if let Some(record) = record {
            inline_always(module, record);
        }
        remove_store(module);
        return;
    };
    let site = module.add_function(SITE, record.get_type(), None);
    let kind = Attribute::get_named_enum_kind_id;
    for (name, value) in [
        ("cold", 0),
        ("noreturn", 0),
        ("nounwind", 0),
        ("nocallback", 0),
        // Two panics with different texts would become one whose text is not constant.
        ("nomerge", 0),
        ("memory", READS_ARGUMENTS),
    ] {
        let attribute = module
            .get_context()
            .create_enum_attribute(kind(name), value);
        site.add_attribute(AttributeLoc::Function, attribute);
    }
    llvm::replace_function(record, site);
    record.set_linkage(Linkage::External);
    // Their loops over bytes need not be fast, and each kernel with panics has a copy of one.
    for function in [record, store] {
        for name in ["optsize", "minsize"] {
            let attribute = module.get_context().create_enum_attribute(kind(name), 0);
            function.add_attribute(AttributeLoc::Function, attribute);
        }
    }
}

/// Removes [`STORE`], which was kept for [`sites::merge`], where nothing will call it.
fn remove_store(module: &Module<'_>) {
    if let Some(store) = module.get_function(STORE) {
        // SAFETY: nothing calls the function.
        unsafe { store.delete() };
        if let Some(variable) = module.get_global(VARIABLE).filter(|it| !llvm::is_used(*it)) {
            // SAFETY: nothing uses the variable.
            unsafe { variable.delete() };
        }
    }
}

/// Makes the variable visible to the host, if a kernel uses it.
pub(crate) fn publish(module: &Module<'_>) {
    if let Some(variable) = module.get_global(VARIABLE).filter(|it| llvm::is_used(*it)) {
        // Modules that are linked with each other have one variable.
        variable.set_linkage(Linkage::WeakAny);
    }
}

/// Returns the `file:line` of the first call that is left in a kernel.
pub(crate) fn call_left(module: &Module<'_>, kernel: &str, paths: &SourcePaths) -> Option<String> {
    let is_call = |instruction: &InstructionValue<'_>| {
        let Ok(call) = CallSiteValue::try_from(*instruction) else {
            return false;
        };
        match llvm::callee(call) {
            Some(function) => function.get_intrinsic_id() == 0,
            None => llvm::assembly(call).is_none(),
        }
    };
    let call = llvm::instructions(module.get_function(kernel)?).find(is_call)?;
    let place = llvm::shown_place(call, |file| paths.is_library(file));
    Some(place.map_or_else(|| "no line".to_owned(), |place| paths.short(&place)))
}
