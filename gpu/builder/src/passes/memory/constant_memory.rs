//! Moves statics that are declared for it to constant memory, address space 4.
//!
//! Rust can only set the section of a static: `#[unsafe(link_section = ".lanewise.constant")]`. For
//! each of them this pass makes a copy in address space 4 with the same name and initial value.
//! Uses of the static become generic addresses of the copy, and O3 then turns the loads into
//! `ld.const`. The host writes the variable by its name before a launch, so the compiler must not
//! assume the initial value.
//!
//! Source: PTX ISA, "State Spaces: Constant State Space".

use inkwell::AddressSpace;
use inkwell::module::Module;
use inkwell::types::BasicTypeEnum;
use inkwell::values::GlobalValue;

use crate::llvm::{self, space};

const SECTION: &str = ".lanewise.constant";

/// Moves all statics in that section.
pub(crate) fn place(module: &Module<'_>) {
    for global in module.get_globals().collect::<Vec<_>>() {
        if global
            .get_section()
            .is_some_and(|section| section.to_bytes() == SECTION.as_bytes())
        {
            place_one(module, global);
        }
    }
}

fn place_one<'ctx>(module: &Module<'ctx>, old: GlobalValue<'ctx>) {
    let (Ok(ty), Some(initial)) = (
        BasicTypeEnum::try_from(old.get_value_type()),
        old.get_initializer(),
    ) else {
        return; // a declaration: it has no memory to move
    };
    let name = llvm::text(old.get_name());
    old.set_name("");
    let new = module.add_global(ty, Some(AddressSpace::from(space::CONSTANT)), &name);
    new.set_initializer(&initial);
    new.set_linkage(old.get_linkage());
    new.set_alignment(old.get_alignment());
    new.set_externally_initialized(true);
    let generic = module.get_context().ptr_type(AddressSpace::default());
    llvm::replace_global(
        old,
        new.as_pointer_value().const_address_space_cast(generic),
    );
}
