//! Finds the statics that the host may read and write, for the manifest.

use std::collections::BTreeMap;

use inkwell::module::{Linkage, Module};
use inkwell::targets::TargetMachine;
use inkwell::values::GlobalValue;

use crate::llvm::{self, space};
use crate::manifest::Static;

/// Returns the visible statics by name, in global and in constant memory, with their layout's
/// digits if they have any.
pub(crate) fn of(
    module: &Module<'_>,
    machine: &TargetMachine,
    layouts: &BTreeMap<String, String>,
) -> Vec<Static> {
    let layout = machine.get_target_data();
    let space_of =
        |global: GlobalValue<'_>| global.as_pointer_value().get_type().get_address_space();
    let is_the_hosts = |global: &GlobalValue<'_>| {
        !global.is_declaration()
            && global.get_linkage() == Linkage::External
            && space_of(*global) != space::SHARED.into()
    };
    let mut statics: Vec<Static> = module
        .get_globals()
        .filter(is_the_hosts)
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
