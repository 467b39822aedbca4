//! Moves the statics that ask for it to constant memory, address space 4.
//!
//! Rust can only say which section a static is in:
//! `#[unsafe(link_section = ".lanewise.constant")]`. Here each of them gets a twin in address space
//! 4 with the same name and initial value, and its uses become generic addresses of the twin; O3
//! then makes `ld.const` of the loads. The host writes it by its name before a launch, so the
//! initial value is not to be believed at compile time.
//!
//! Source: PTX ISA, "State Spaces: Constant State Space".

use inkwell::AddressSpace;
use inkwell::module::Module;
use inkwell::types::BasicTypeEnum;
use inkwell::values::GlobalValue;

use crate::llvm::{self, space};

const SECTION: &str = ".lanewise.constant";

/// Moves them all.
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
