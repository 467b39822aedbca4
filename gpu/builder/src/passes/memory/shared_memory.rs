//! Gives each shared array its memory in address space 3.
//!
//! Rust cannot place a static in shared memory. `shared!` therefore calls
//! `__lanewise_shared_static(size, align)` from a function that exists once per array and is never
//! inlined by rustc. This pass replaces each such call by the generic address of a new internal
//! variable in shared memory. This happens before O3, so LLVM recognises the address and turns the
//! accesses into native `ld.shared` and `st.shared`. `__lanewise_shared_dynamic()` becomes the
//! address of one external array without a size: the memory whose size the launch gives.
//!
//! A variable is named after its function and its declaration, for readers of the PTX. The
//! variables have no initial value (PTX allows none for shared memory).
//! Source: PTX ISA, "State Spaces: Shared State Space"; CUDA programming guide, "Shared Memory".

use inkwell::module::{Linkage, Module};
use inkwell::values::{AsValueRef, CallSiteValue, GlobalValue, InstructionValue};
use inkwell::{AddressSpace, attributes::Attribute, attributes::AttributeLoc};

use crate::cargo::source_paths::SourcePaths;
use crate::error::CodegenError;
use crate::llvm::{self, space};

const STATIC: &str = "__lanewise_shared_static";
const DYNAMIC: &str = "__lanewise_shared_dynamic";
/// The alignment that `DynamicSharedArray` guarantees, in bytes.
const DYNAMIC_ALIGN: u32 = 16;
/// The size of the widest access, in bytes. An array of at least this size is aligned to it, so
/// that neighbouring elements may be read by one instruction.
const WIDEST: u32 = 16;
/// The symbol of dynamic shared memory in the PTX.
pub(crate) const DYNAMIC_SYMBOL: &str = "dynamic_shared";

/// Replaces every marker call.
pub(crate) fn place(module: &Module<'_>, paths: &SourcePaths) -> Result<(), CodegenError> {
    let context = module.get_context();
    if let Some(marker) = module.get_function(STATIC) {
        for call in llvm::calls_of(marker) {
            let array = static_array(module, call, paths)?;
            llvm::replace_call_by_address(call, array, &context);
        }
    }
    if let Some(marker) = module.get_function(DYNAMIC) {
        let calls = llvm::calls_of(marker);
        if !calls.is_empty() {
            let memory = variable(module, DYNAMIC_SYMBOL, 0, DYNAMIC_ALIGN);
            memory.set_linkage(Linkage::External);
            for call in calls {
                allow_inlining(call);
                llvm::replace_call_by_address(call, memory, &context);
            }
        }
    }
    Ok(())
}

/// Makes the variable for one call of the marker.
fn static_array<'ctx>(
    module: &Module<'ctx>,
    call: CallSiteValue<'ctx>,
    paths: &SourcePaths,
) -> Result<GlobalValue<'ctx>, CodegenError> {
    let function = allow_inlining(call);
    let refused = || {
        // SAFETY: a `CallSiteValue` from a module's list of calls is an instruction.
        let instruction = unsafe { InstructionValue::new(call.as_value_ref()) };
        let place = llvm::shown_place(instruction, |file| paths.is_library(file));
        CodegenError::SharedSize {
            function: format!("{:#}", rustc_demangle::demangle(&function)),
            place: place.map_or_else(|| "no line".to_owned(), |place| paths.short(&place)),
        }
    };
    let (Some(size), Some(align)) = (
        llvm::constant_argument(call, 0),
        llvm::constant_argument(call, 1),
    ) else {
        return Err(refused());
    };
    let (Ok(size), Ok(align)) = (u32::try_from(size), u32::try_from(align)) else {
        return Err(refused());
    };
    let align = if size >= WIDEST {
        align.max(WIDEST)
    } else {
        align
    };
    let array = variable(module, &free_name(module, &name(&function)), size, align);
    array.set_linkage(Linkage::Internal);
    array.set_initializer(&module.get_context().i8_type().array_type(size).get_undef());
    Ok(array)
}

/// Makes a new variable in shared memory.
fn variable<'ctx>(module: &Module<'ctx>, name: &str, size: u32, align: u32) -> GlobalValue<'ctx> {
    let ty = module.get_context().i8_type().array_type(size);
    let global = module.add_global(ty, Some(AddressSpace::from(space::SHARED)), name);
    global.set_alignment(align.max(1));
    global
}

/// Allows the marker's caller to be inlined. It had to stay one function until now, and from here
/// on it is only an address. Returns its name.
fn allow_inlining(call: CallSiteValue<'_>) -> String {
    // SAFETY: a `CallSiteValue` from a module's list of calls is an instruction in a function.
    let instruction = unsafe { InstructionValue::new(call.as_value_ref()) };
    let Some(caller) = instruction
        .get_parent()
        .and_then(|block| block.get_parent())
    else {
        return String::new();
    };
    caller.remove_enum_attribute(
        AttributeLoc::Function,
        Attribute::get_named_enum_kind_id("noinline"),
    );
    llvm::name(caller)
}

/// Returns a name for the array of a marker function
/// `path::array::<path::kernel::Shared_TILE, [f32; 256]>`: `kernel_TILE`.
fn name(marker: &str) -> String {
    let path = format!("{:#}", rustc_demangle::demangle(marker));
    let declaration = path.split_once('<').map_or("", |(_, arguments)| arguments);
    let end = declaration.find([',', '>']).unwrap_or(declaration.len());
    // Generic parameters of the enclosing function are between
    // the names: `kernel::<_>::Shared_TILE`.
    let is_name = |part: &&str| {
        part.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_') && *part != "_"
    };
    let mut parts = declaration[..end].rsplit("::").filter(is_name);
    let words = |part: &str| {
        part.chars()
            .map(|c| if c.is_ascii_alphanumeric() { c } else { '_' })
            .collect::<String>()
    };
    match (parts.next(), parts.next()) {
        (Some(array), Some(function)) => words(&format!(
            "{function}_{}",
            array.strip_prefix("Shared_").unwrap_or(array)
        )),
        _ => "shared".to_owned(),
    }
}

/// Returns `name`, or `name_2`, `name_3`, ... if it is taken. The instances of a const-generic
/// kernel have arrays of the same name.
fn free_name(module: &Module<'_>, name: &str) -> String {
    let numbered = (2u32..).map(|number| format!("{name}_{number}"));
    let mut names = std::iter::once(name.to_owned()).chain(numbered);
    names
        .find(|name| module.get_global(name).is_none())
        .unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::name;

    #[test]
    fn an_array_is_named_after_its_function_and_declaration() {
        // `fixture_kernels::shared::array::<fixture_kernels::shared::shared_reverse::Tile, [f32;
        // 256]>`
        assert_eq!(name("not_mangled"), "shared");
        let mangled = "_RINvNtCs1_3gpu6shared5arrayNtNvB2_7reverse11Shared_TILEAfj100_EB4_";
        assert_eq!(name(mangled), "reverse_TILE");
    }
}
