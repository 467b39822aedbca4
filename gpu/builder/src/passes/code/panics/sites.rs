//! One block for each function that records all of its panics.
//!
//! What a panic says is known here but for its values: the file, the line and the text. So all of
//! it is in one constant of the module, and a panic is a number, its place in that constant, with
//! at most four values. The block that records then needs few registers. A panic whose place or
//! text is not constant calls the function that takes all of these one by one.

use std::collections::HashMap;

use inkwell::AddressSpace;
use inkwell::builder::{Builder, BuilderError};
use inkwell::module::{Linkage, Module};
use inkwell::targets::TargetMachine;
use inkwell::types::BasicType;
use inkwell::values::{
    BasicValueEnum, CallSiteValue, FunctionValue, InstructionOpcode, InstructionValue, IntValue,
    PointerValue,
};

use super::{SITE, STORE, inline_always, record};
use crate::error::CodegenError;
use crate::llvm::{self, space};
use crate::passes::{Options, by_name};

/// The first instruction at each place that panics, which does nothing there. Without it, ptxas
/// computes the arguments of the block that records before each branch to it, where the kernel does
/// its work. ptxas does not move this instruction.
const STAY: &str = "llvm.nvvm.nanosleep";

/// The constant with what all panics of the module say.
const TABLE: &str = "__lanewise_panic_sites";

/// What an error of this pass names.
const STAGE: &str = "the merging of panics";

/// The most bytes of a file's name and of a text: lanewise-std's `panic::record` has the record.
const LONGEST: (usize, usize) = (288, 640);

/// The word after the bytes of a panic, which are never these.
const END: u32 = u32::MAX;

/// The operands of the function that records: place, text, its length, the number of values, and
/// the values.
const VALUES: u32 = 4;

/// Gives each function with panics one block that records.
pub(crate) fn merge(
    module: &Module<'_>,
    options: &Options,
    machine: &TargetMachine,
) -> Result<(), CodegenError> {
    let (Some(record), Some(store)) = (record(module), module.get_function(STORE)) else {
        return Ok(());
    };
    // Without a panic that is left, LLVM has removed the declaration.
    if let Some(site) = module.get_function(SITE) {
        let mut table = Table::default();
        let mut merged = Vec::new();
        for function in module.get_functions().collect::<Vec<_>>() {
            let calls = calls(function, site, &mut table);
            if !calls.is_empty() {
                merged.push((function, calls));
            }
        }
        llvm::replace_function(site, record);
        if !merged.is_empty() {
            let table = table.make(module);
            for (function, calls) in merged {
                merge_in(module, function, store, table, &calls)
                    .map_err(|error| options.failed(STAGE, error))?;
            }
        }
    }
    for function in [record, store] {
        function.set_linkage(Linkage::Internal);
        llvm::remove_debug_information(function);
    }
    inline_always(module, store);
    by_name(module, "always-inline,globaldce", STAGE, options, machine)
}

/// The bytes of all panics that are constant.
#[derive(Default)]
struct Table {
    bytes: Vec<u8>,
    places: HashMap<Vec<u8>, usize>,
}

impl Table {
    /// Returns the place of a panic in the table.
    fn place(&mut self, site: Vec<u8>) -> usize {
        let Table { bytes, places } = self;
        *places.entry(site).or_insert_with_key(|site| {
            let place = bytes.len();
            bytes.extend(site);
            place
        })
    }

    /// Makes the module's constant.
    fn make<'ctx>(self, module: &Module<'ctx>) -> PointerValue<'ctx> {
        let constant = module.get_context().const_string(&self.bytes, false);
        let space = Some(AddressSpace::from(space::GLOBAL));
        let global = module.add_global(constant.get_type(), space, TABLE);
        global.set_initializer(&constant);
        global.set_constant(true);
        global.set_linkage(Linkage::Internal);
        global.set_alignment(4);
        global.as_pointer_value()
    }
}

/// A panic whose place is the number.
struct Known<'ctx> {
    call: InstructionValue<'ctx>,
    place: usize,
}

/// The panics of a function whose places and texts are constant.
fn calls<'ctx>(
    function: FunctionValue<'ctx>,
    site: FunctionValue<'ctx>,
    table: &mut Table,
) -> Vec<Known<'ctx>> {
    let known = llvm::instructions(function).filter_map(|instruction| {
        let call = CallSiteValue::try_from(instruction).ok()?;
        let is_last = instruction
            .get_next_instruction()
            .is_some_and(|next| next.get_opcode() == InstructionOpcode::Unreachable);
        if !is_last || llvm::callee(call) != Some(site) {
            return None;
        }
        let place = table.place(constant(instruction)?);
        Some(Known {
            call: instruction,
            place,
        })
    });
    known.collect()
}

/// What is constant of a panic, as lanewise-std's `Site` has it: the line, the column, the number
/// of values, the lengths of the file's name and of the text, and both.
fn constant(call: InstructionValue<'_>) -> Option<Vec<u8>> {
    let pointer = |index| match operand(call, index)? {
        BasicValueEnum::PointerValue(pointer) => Some(pointer),
        _ => None,
    };
    let number = |index| match operand(call, index)? {
        BasicValueEnum::IntValue(number) => number.get_zero_extended_constant(),
        _ => None,
    };
    let (file, line, column) = location(pointer(0)?)?;
    let text = llvm::constant_bytes(pointer(1)?, number(2)?)?;
    let count = u32::try_from(number(3)?).ok()?;
    let file = &file[..file.len().min(LONGEST.0)];
    let text = &text[..text.len().min(LONGEST.1)];
    let lengths = [file, text].map(|it| it.len() as u32);
    let words = [line, column, count, lengths[0], lengths[1]];
    let mut site: Vec<u8> = words.into_iter().flat_map(u32::to_le_bytes).collect();
    site.extend(file);
    site.extend(text);
    site.resize(site.len().next_multiple_of(4), 0);
    site.extend(END.to_le_bytes());
    Some(site)
}

/// The file, line and column of a constant `core::panic::Location`: the address and the length of
/// the name, and two numbers.
fn location(place: PointerValue<'_>) -> Option<(Vec<u8>, u32, u32)> {
    let (name, numbers) = llvm::pointer_and_bytes(place)?;
    let (length, rest) = numbers.split_first_chunk::<8>()?;
    let (line, rest) = rest.split_first_chunk::<4>()?;
    let (column, _) = rest.split_first_chunk::<4>()?;
    let file = llvm::constant_bytes(name, u64::from_le_bytes(*length))?;
    Some((file, u32::from_le_bytes(*line), u32::from_le_bytes(*column)))
}

/// Merges the panics of one function.
fn merge_in<'ctx>(
    module: &Module<'ctx>,
    function: FunctionValue<'ctx>,
    store: FunctionValue<'ctx>,
    table: PointerValue<'ctx>,
    calls: &[Known<'ctx>],
) -> Result<(), BuilderError> {
    let context = module.get_context();
    let word = context.i32_type();
    let builder = context.create_builder();
    let merged = context.append_basic_block(function, "panics");
    builder.position_at_end(merged);
    let mut phis = Vec::new();
    let places: Vec<_> = calls
        .iter()
        .map(|it| word.const_int(it.place as u64, false).into())
        .collect();
    let place = match places[..] {
        [only] => only,
        _ => {
            let phi = builder.build_phi(word, "panic")?;
            phis.push((phi, places));
            phi.as_basic_value()
        }
    };
    let place: IntValue<'_> = place.into_int_value();
    let mut values = Vec::new();
    for index in 0..store.count_params() - 1 {
        let of = calls
            .iter()
            .filter_map(|it| value(it.call, index))
            .collect::<Vec<_>>();
        let is_same = of.iter().all(|it| *it == of[0]);
        if is_same && matches!(of[0], BasicValueEnum::IntValue(it) if it.is_const()) {
            values.push(of[0].into());
            continue;
        }
        let phi = builder.build_phi(of[0].get_type(), "value")?;
        values.push(phi.as_basic_value().into());
        phis.push((phi, of));
    }
    // SAFETY: the place is in the table.
    let site = unsafe { builder.build_gep(context.i8_type(), table, &[place], "site")? };
    let generic = context.ptr_type(AddressSpace::default());
    let site = builder.build_address_space_cast(site, generic, "site")?;
    let mut arguments = vec![site.into()];
    arguments.append(&mut values);
    builder.build_call(store, &arguments, "")?;
    builder.build_unreachable()?;
    for (phi, values) in &phis {
        for (value, call) in values.iter().zip(calls) {
            if let Some(block) = call.call.get_parent() {
                builder.position_before(&call.call);
                phi.add_incoming(&[(&copied(&builder, *value)?, block)]);
            }
        }
    }
    let stay = stay(module);
    for Known { call, .. } in calls {
        builder.position_before(call);
        builder.build_call(stay, &[word.const_zero().into()], "")?;
        builder.build_unconditional_branch(merged)?;
        if let Some(end) = call.get_next_instruction() {
            end.erase_from_basic_block();
        }
        call.erase_from_basic_block();
    }
    Ok(())
}

/// Returns the declaration of [`STAY`].
pub(in crate::passes::code) fn stay<'ctx>(module: &Module<'ctx>) -> FunctionValue<'ctx> {
    module.get_function(STAY).unwrap_or_else(|| {
        let context = module.get_context();
        let word = context.i32_type().into();
        let ty = context.void_type().fn_type(&[word], false);
        module.add_function(STAY, ty, None)
    })
}

/// Copies a number into another register here. Otherwise, the kernel's own work has the number in
/// the register of the block that records, even a parameter, which takes none elsewhere.
fn copied<'ctx>(
    builder: &Builder<'ctx>,
    value: BasicValueEnum<'ctx>,
) -> Result<BasicValueEnum<'ctx>, BuilderError> {
    let BasicValueEnum::IntValue(number) = value else {
        return Ok(value);
    };
    let is_known = number.is_const() || number.is_undef();
    if is_known || number.get_type().get_bit_width() != 64 {
        return Ok(value);
    }
    let signature = number
        .get_type()
        .fn_type(&[number.get_type().into()], false);
    let text = "mov.b64 $0, $1;".to_owned();
    let copy = number.get_type().get_context().create_inline_asm(
        signature,
        text,
        "=l,l".to_owned(),
        true,
        false,
        None,
        false,
    );
    let call = builder.build_indirect_call(signature, copy, &[number.into()], "")?;
    Ok(call.try_as_basic_value().unwrap_basic())
}

/// A value of a panic. What comes after those that its text refers to may be anything.
fn value<'ctx>(call: InstructionValue<'ctx>, index: u32) -> Option<BasicValueEnum<'ctx>> {
    let value = operand(call, VALUES + index)?;
    let count = match operand(call, VALUES - 1)? {
        BasicValueEnum::IntValue(count) => count.get_zero_extended_constant()?,
        _ => return None,
    };
    Some(if u64::from(index) < count {
        value
    } else {
        let ty = value.get_type();
        match ty.as_basic_type_enum() {
            inkwell::types::BasicTypeEnum::IntType(ty) => ty.get_undef().into(),
            _ => value,
        }
    })
}

fn operand<'ctx>(call: InstructionValue<'ctx>, index: u32) -> Option<BasicValueEnum<'ctx>> {
    call.get_operand(index)?.value()
}
