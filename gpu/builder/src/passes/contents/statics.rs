//! Finds the statics of a module for the manifest: those that the host may read and write, and
//! those that only kernels see.

use std::collections::BTreeMap;

use inkwell::AddressSpace;
use inkwell::module::{Linkage, Module};
use inkwell::targets::TargetMachine;
use inkwell::values::GlobalValue;

use crate::llvm::{self, space};
use crate::manifest::Static;
use crate::passes::code::panics::VARIABLE;

/// Returns the visible statics by name, in global and in constant memory, with their layout's
/// digits if they have any.
pub(crate) fn of(
    module: &Module<'_>,
    machine: &TargetMachine,
    layouts: &BTreeMap<String, String>,
) -> Vec<Static> {
    let layout = machine.get_target_data();
    let mut statics: Vec<Static> = variables(module)
        .filter(|global| global.get_linkage() == Linkage::External)
        .map(|global| {
            let name = llvm::text(global.get_name());
            Static {
                bytes: layout.get_abi_size(&global.get_value_type()),
                constant: space_of(global) == space::CONSTANT.into(),
                layout: layouts.get(&name).cloned(),
                name,
            }
        })
        .collect();
    statics.sort_by(|a, b| a.name.cmp(&b.name));
    statics
}

/// Returns the names of the statics that the host does not see and kernels may write. The
/// variable of the panic record is none: the driver sets it in each module alike.
pub(crate) fn hidden(module: &Module<'_>) -> Vec<String> {
    let hidden = variables(module)
        .filter(|global| global.get_linkage() != Linkage::External && !global.is_constant());
    let names = hidden.map(|global| llvm::text(global.get_name()));
    let mut names: Vec<String> = names.filter(|name| name != VARIABLE).collect();
    names.sort();
    names
}

/// Returns the variables that outlive a launch: all but those in shared memory.
fn variables<'ctx>(module: &Module<'ctx>) -> impl Iterator<Item = GlobalValue<'ctx>> {
    module
        .get_globals()
        .filter(|global| !global.is_declaration() && space_of(*global) != space::SHARED.into())
}

fn space_of(global: GlobalValue<'_>) -> AddressSpace {
    global.as_pointer_value().get_type().get_address_space()
}
