//! Passes the guarantees of `#[kernel]` to LLVM: read-only slices, launch bounds, and the shapes of
//! blocks and clusters.
//!
//! Nothing writes to a slice `&[T]` while the kernel runs. LLVM calls this `noalias readonly`. For
//! such a kernel parameter the backend turns loads into `ld.global.nc`, which uses the read-only
//! cache. Outputs of which each thread has its own elements are `noalias`: no other parameter
//! reaches them, and no other thread accesses a thread's elements. Slices of cells get neither
//! attribute: other threads write to them too, so LLVM may assume nothing across a barrier. The
//! address of every slice is aligned as `lanewise_std::kernel::slice_alignment` says, and is not
//! null, so that an `Option<&mut T>` of an element is compared with null nowhere.
//!
//! Source: LLVM, "User Guide for NVPTX Back-end: Function Attributes"; PTX
//! ISA, "Performance-Tuning Directives".

use inkwell::attributes::{Attribute, AttributeLoc};
use inkwell::module::Module;
use inkwell::types::AnyType;
use inkwell::values::FunctionValue;

use crate::llvm;
use crate::manifest::{Description, Lower};

/// Sets the attributes of every described kernel.
pub(crate) fn set(module: &Module<'_>, descriptions: &[Description]) {
    for kernel in llvm::kernels(module) {
        if let Some(description) = descriptions.iter().find(|d| d.name == llvm::name(kernel)) {
            slices(kernel, module, description);
            tensor_maps(kernel, module, description);
            launch_shape(kernel, module, description);
        }
    }
}

fn slices(kernel: FunctionValue<'_>, module: &Module<'_>, description: &Description) {
    let context = module.get_context();
    let [noalias, readonly, nonnull] = ["noalias", "readonly", "nonnull"]
        .map(|name| context.create_enum_attribute(Attribute::get_named_enum_kind_id(name), 0));
    let mut index = 0;
    for param in &description.params {
        let is_pointer = kernel
            .get_nth_param(index)
            .is_some_and(|value| value.is_pointer_value());
        let place = AttributeLoc::Param(index);
        if is_pointer && matches!(param.lower, Lower::ReadSlice | Lower::WriteSlice) {
            kernel.add_attribute(place, noalias);
        }
        if is_pointer && param.lower == Lower::ReadSlice {
            kernel.add_attribute(place, readonly);
        }
        if is_pointer && ptx_parameters(param.lower) == 2 {
            kernel.add_attribute(place, nonnull);
            if param.align.is_power_of_two() {
                let align = Attribute::get_named_enum_kind_id("align");
                let align = context.create_enum_attribute(align, param.align.into());
                kernel.add_attribute(place, align);
            }
        }
        index += ptx_parameters(param.lower);
    }
}

/// Returns the number of PTX parameters for a Rust parameter.
fn ptx_parameters(lower: Lower) -> u32 {
    match lower {
        Lower::ReadSlice | Lower::CellSlice | Lower::WriteSlice => 2,
        Lower::TensorMap | Lower::Value => 1,
        Lower::Empty => 0,
    }
}

/// Lets the kernel use a tensor map where it lies among the parameters. The pointer in Rust is the
/// address of a parameter passed by value, and no copy of it is made.
fn tensor_maps(kernel: FunctionValue<'_>, module: &Module<'_>, description: &Description) {
    let context = module.get_context();
    let kind = Attribute::get_named_enum_kind_id;
    let bytes = context.i64_type().array_type(16).as_any_type_enum();
    let mut index = 0;
    for param in &description.params {
        if param.lower == Lower::TensorMap {
            let place = AttributeLoc::Param(index);
            for attribute in [
                context.create_type_attribute(kind("byval"), bytes),
                context.create_enum_attribute(kind("align"), 64),
                context.create_enum_attribute(kind("readonly"), 0),
                context.create_string_attribute("nvvm.grid_constant", ""),
            ] {
                kernel.add_attribute(place, attribute);
            }
        }
        index += ptx_parameters(param.lower);
    }
}

/// Returns whether there are blocks of this shape. A kernel whose contract requires another can't
/// be launched, and the assembler would refuse it.
fn can_be(block: [u32; 3]) -> bool {
    let threads = block
        .iter()
        .try_fold(1u32, |threads, size| threads.checked_mul(*size));
    threads.is_some_and(|threads| (1..=1024).contains(&threads))
}

fn launch_shape(kernel: FunctionValue<'_>, module: &Module<'_>, description: &Description) {
    let set = |key: &str, value: String| {
        let attribute = module.get_context().create_string_attribute(key, &value);
        kernel.add_attribute(AttributeLoc::Function, attribute);
    };
    let bounds = description.launch_bounds.as_deref().unwrap_or_default();
    // PTX has one of the two, and the shape says more.
    if let Some([x, y, z]) = description.block.filter(|block| can_be(*block)) {
        set("nvvm.reqntid", format!("{x},{y},{z}"));
    } else if let Some(max_threads) = bounds.first() {
        set("nvvm.maxntid", max_threads.to_string());
    }
    if let Some(min_blocks) = bounds.get(1) {
        set("nvvm.minctasm", min_blocks.to_string());
    }
    if let Some(registers) = description.max_registers {
        set("nvvm.maxnreg", registers.to_string());
    }
    if let Some([x, y, z]) = description.cluster {
        set("nvvm.cluster_dim", format!("{x},{y},{z}"));
    }
}
