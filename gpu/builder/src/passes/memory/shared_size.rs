//! Computes the static shared memory of each kernel: the sum over the shared arrays that the kernel
//! reaches directly or through calls.
//!
//! Arrays are laid out one after the other, each at its alignment, as ptxas does. A function whose
//! address is taken counts as called. This can only make the sum too large.

use std::collections::HashSet;

use inkwell::module::Module;
use inkwell::targets::TargetMachine;
use inkwell::values::{AsValueRef, FunctionValue, GlobalValue};

use super::shared_memory::DYNAMIC_SYMBOL;
use crate::cargo::source_paths::SourcePaths;
use crate::error::CodegenError;
use crate::llvm::{self, Referred, space};
use crate::manifest::{Description, Kernel, Lower, Param};

/// The most static shared memory of a block, in bytes, on every target. Source: CUDA programming
/// guide, "Technical Specifications per Compute Capability".
const LIMIT: u64 = 48 << 10;

/// Refuses kernels whose arrays do not fit.
pub(crate) fn check(
    module: &Module<'_>,
    kernels: &[Kernel],
    paths: &SourcePaths,
) -> Result<(), CodegenError> {
    let Some(kernel) = kernels.iter().find(|kernel| kernel.static_shared > LIMIT) else {
        return Ok(());
    };
    let name = &kernel.description.name;
    let function = module.get_function(name);
    Err(CodegenError::SharedTooLarge {
        kernel: name.clone(),
        place: function.map_or_else(String::new, |function| {
            crate::passes::place(function, Some(&kernel.description), paths)
        }),
        bytes: kernel.static_shared,
        limit: LIMIT,
    })
}

/// Returns the module's kernels by name, with their descriptions and the shared memory
/// that they use.
pub(crate) fn kernels(
    module: &Module<'_>,
    descriptions: &[Description],
    machine: &TargetMachine,
) -> Vec<Kernel> {
    let layout = machine.get_target_data();
    let mut kernels: Vec<Kernel> = llvm::kernels(module)
        .into_iter()
        .map(|function| {
            let name = llvm::name(function);
            let arrays = shared_arrays(function);
            let (dynamic, fixed): (Vec<_>, Vec<_>) = arrays
                .into_iter()
                .partition(|array| array.get_name().to_bytes() == DYNAMIC_SYMBOL.as_bytes());
            let static_shared = fixed.iter().fold(0u64, |end, array| {
                let size = layout.get_abi_size(&array.get_value_type());
                end.next_multiple_of(u64::from(array.get_alignment().max(1))) + size
            });
            let description = descriptions.iter().find(|d| d.name == name).cloned();
            Kernel {
                description: description.unwrap_or_else(|| describe(function)),
                static_shared,
                dynamic_shared: !dynamic.is_empty(),
                call: None,
                resources: None,
                before: None,
            }
        })
        .collect();
    kernels.sort_by(|a, b| a.description.name.cmp(&b.description.name));
    kernels
}

/// Describes a kernel that was written without `#[kernel]`, from its PTX parameters.
fn describe(function: FunctionValue<'_>) -> Description {
    let params = function
        .get_params()
        .into_iter()
        .enumerate()
        .map(|(index, value)| Param {
            name: format!("param_{index}"),
            ty: value.get_type().print_to_string().to_string(),
            lower: Lower::Value,
            align: 1,
        });
    Description {
        name: llvm::name(function),
        params: params.collect(),
        launch_bounds: None,
        max_registers: None,
        block: None,
        cluster: None,
        cooperative: false,
        launches: false,
        min_arch: None,
        layout: None,
        file: String::new(),
        line: 0,
    }
}

/// Returns the variables in shared memory that `kernel` reaches, in the order in which
/// they are found.
fn shared_arrays<'ctx>(kernel: FunctionValue<'ctx>) -> Vec<GlobalValue<'ctx>> {
    let mut seen = HashSet::new();
    let mut arrays = Vec::new();
    let mut work = vec![kernel];
    while let Some(function) = work.pop() {
        for referred in llvm::instructions(function).flat_map(llvm::referred) {
            match referred {
                // A kernel that this one launches has shared memory of its own.
                Referred::Function(callee) if llvm::is_kernel(callee) => {}
                Referred::Function(callee) if seen.insert(callee.as_value_ref()) => {
                    work.push(callee)
                }
                Referred::Global(global)
                    if is_shared(global) && seen.insert(global.as_value_ref()) =>
                {
                    arrays.push(global)
                }
                _ => {}
            }
        }
    }
    arrays
}

fn is_shared(global: GlobalValue<'_>) -> bool {
    global.as_pointer_value().get_type().get_address_space() == space::SHARED.into()
}
