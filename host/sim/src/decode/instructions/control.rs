//! `bra`, `brx.idx`, `call`, `ret`, `exit`, `trap`.
//!
//! PTX ISA, "Control Flow Instructions". `.uni` is a promise that the machine does not need. Calls
//! of functions that the machine provides (`vprintf`, `malloc`, `__cudaCDP2LaunchDeviceV2` and
//! similar ones) become operations of their own.

use crate::decode::builder::{Builder, Operands};
use crate::decode::problem::{Result, invalid};
use crate::decode::signature::{Formal, agree, listed};
use crate::isa::{Successors, pattern};
use crate::machine::control::{self as run, builtin};
use crate::machine::launch::children;
use crate::machine::op::Handler;
use crate::machine::program::{Area, CallSite, Class};
use crate::ptx::ast::{Instruction, Opcode, Operand, Symbol, Target, Variable};

/// Decodes `bra` into an operation of the machine.
pub(super) fn branch(b: &mut Builder<'_, '_>, i: &Instruction) -> Result<()> {
    let [Operand::Label(label)] = *b.body.operands(i) else {
        return invalid("`bra` takes a label");
    };
    if i.guard.is_some() && !ends(b, label) {
        b.classify(Class::Branch, 0);
    }
    b.jump_to(label);
    leads(b, pattern::successors(i), run::branch, Operands::NONE);
    Ok(())
}

/// Decodes `brx.idx` into an operation of the machine.
pub(super) fn branch_indexed<'a>(b: &mut Builder<'a, '_>, i: &Instruction) -> Result<()> {
    let [index, Operand::Label(label)] = *b.body.operands(i) else {
        return invalid("`brx.idx` takes an index and a table");
    };
    let Some(Target::BranchTargets(table)) = b.body.labels.get(label as usize).map(|l| l.target)
    else {
        return invalid("expected the label of a `.branchtargets`");
    };
    let labels = b.body.branch_targets[table as usize].clone();
    let a = b.source(&index, 4, None)?;
    let aux = b.table(&labels);
    b.classify(Class::Indexed, 0);
    leads(
        b,
        pattern::successors(i),
        run::branch_indexed,
        Operands::NONE.a(a).aux(aux),
    );
    Ok(())
}

/// Decodes `ret`, which is `exit` in a kernel.
pub(super) fn ret(b: &mut Builder<'_, '_>, i: &Instruction) -> Result<()> {
    if b.function.entry {
        return exit(b, i);
    }
    b.leave()?;
    end(b, i, run::ret)
}

/// Decodes `exit` into an operation of the machine.
pub(super) fn exit(b: &mut Builder<'_, '_>, i: &Instruction) -> Result<()> {
    end(b, i, run::exit)
}

/// Decodes `trap` into an operation of the machine.
pub(super) fn trap(b: &mut Builder<'_, '_>, i: &Instruction) -> Result<()> {
    end(b, i, run::trap)
}

/// Decodes `brkpt` into an operation of the machine.
pub(super) fn breakpoint(b: &mut Builder<'_, '_>, i: &Instruction) -> Result<()> {
    end(b, i, run::breakpoint)
}

fn end(b: &mut Builder<'_, '_>, i: &Instruction, run: Handler) -> Result<()> {
    leads(b, pattern::successors(i), run, Operands::NONE);
    Ok(())
}

/// Adds the operation of an instruction with these successors. The other operations of the
/// instruction lead to the next one.
fn leads(b: &mut Builder<'_, '_>, successors: Successors, run: Handler, operands: Operands) {
    b.info.successors = successors;
    b.emit(run, operands);
    b.info.successors = Successors::Next;
}

/// Returns whether a label is at the function's end. A GPU's compiler turns a branch to such a
/// label into guards.
fn ends(b: &Builder<'_, '_>, label: u32) -> bool {
    match b.body.labels.get(label as usize).map(|l| l.target) {
        Some(Target::Instruction(index)) => {
            let next = b.body.instructions.get(index as usize);
            next.is_none_or(|i| matches!(i.opcode, Opcode::Ret | Opcode::Exit) && i.guard.is_none())
        }
        _ => false,
    }
}

/// Decodes `call (results), target, (arguments) [, prototype]`.
pub(super) fn call<'a>(b: &mut Builder<'a, '_>, i: &Instruction) -> Result<()> {
    let operands = b.body.operands(i);
    let [results, target, arguments, ref table @ ..] = *operands else {
        return invalid("`call` takes a target");
    };
    match target {
        Operand::Symbol(Symbol::Module(name), 0) => {
            if let Some(index) = b.symbols.function(b.module, name) {
                return call_function(b, i, (index, name), (&results, &arguments));
            }
            call_builtin(b, name, &results, &arguments)
        }
        Operand::Register(_) => {
            let (params, returns) = match declared(b, table) {
                Some((params, returns)) => (Some(params), Some(returns)),
                None => (None, None),
            };
            let arguments = b.arguments(&arguments, params.as_deref())?;
            let (results, deliveries) = b.results(&results, returns.as_deref())?;
            let a = b.register(&target, 8)?;
            let aux = b.call_site(CallSite {
                function: None,
                arguments,
                results,
            });
            leads(
                b,
                pattern::successors(i),
                run::call_indirect,
                Operands::NONE.a(a).aux(aux),
            );
            b.deliver(deliveries)
        }
        _ => invalid("expected a function or a register"),
    }
}

/// Returns the parameters and results that the prototype or the first target of an
/// indirect call declares.
fn declared(b: &Builder<'_, '_>, table: &[Operand<'_>]) -> Option<(Vec<Formal>, Vec<Formal>)> {
    let [Operand::Label(label)] = *table else {
        return None;
    };
    match b.body.labels.get(label as usize)?.target {
        Target::Prototype(index) => {
            let prototype = b.body.prototypes.get(index as usize)?;
            let formals = |list: &[Variable<'_>]| list.iter().map(Formal::of).collect();
            Some((formals(&prototype.params), formals(&prototype.returns)))
        }
        Target::CallTargets(index) => {
            let first = b.body.call_targets.get(index as usize)?.first()?;
            Some(b.symbols.signature(b.symbols.function(b.module, first)?))
        }
        _ => None,
    }
}

fn call_function<'a>(
    b: &mut Builder<'a, '_>,
    i: &Instruction,
    (index, name): (usize, &str),
    (results, arguments): (&Operand<'a>, &Operand<'a>),
) -> Result<()> {
    let (params, returns) = b.symbols.signature(index);
    let arguments = b.arguments(arguments, Some(&params))?;
    let (results, deliveries) = b.results(results, Some(&returns))?;
    if !agree(&arguments, &params) || !agree(&results, &returns) {
        let (takes, gives) = (listed(&params), listed(&returns));
        return invalid(format!(
            "`{name}` takes {takes} and returns {gives}; the call differs"
        ));
    }
    let aux = b.call_site(CallSite {
        function: Some(index),
        arguments,
        results,
    });
    leads(
        b,
        pattern::successors(i),
        run::call,
        Operands::NONE.aux(aux),
    );
    b.deliver(deliveries)
}

/// The properties of the program that a call of a function of the machine implies.
#[derive(Clone, Copy)]
enum Marks {
    Nothing,
    /// The program prints.
    Prints,
    /// The program takes memory from the heap.
    Heap,
    /// The calling function launches kernels.
    Launches,
    /// The call never returns.
    Ends,
}

/// A function that the machine provides: its name, its handler, the bytes of each parameter and of
/// each result, and the property that a call of it implies.
type Builtin = (&'static str, Handler, &'static [u32], &'static [u32], Marks);

#[rustfmt::skip] // a line for each row
const BUILTINS: &[Builtin] = &[
    ("vprintf", builtin::vprintf, &[8, 8], &[4], Marks::Prints),
    ("malloc", builtin::malloc, &[8], &[8], Marks::Heap),
    ("free", builtin::free, &[8], &[], Marks::Nothing),
    ("cudaGraphSetConditional", builtin::set_condition, &[8, 4], &[], Marks::Nothing),
    ("__cudaCDP2GetParameterBufferV2", children::parameter_buffer, &[8, 12, 12, 4], &[8], Marks::Launches),
    ("__cudaCDP2LaunchDeviceV2", children::launch, &[8, 8], &[4], Marks::Nothing),
    ("__cudaCDP2LaunchDeviceV2_ptsz", children::launch_per_thread, &[8, 8], &[4], Marks::Nothing),
    ("__cudaCDP2GetLastError", children::get_last_error, &[], &[4], Marks::Nothing),
    ("__cudaCDP2PeekAtLastError", children::peek_at_last_error, &[], &[4], Marks::Nothing),
    ("__assertfail", builtin::assert_fail, &[8, 8, 4, 8, 8], &[], Marks::Ends),
];

/// Returns the names of the functions that the machine provides.
pub(crate) fn functions() -> impl Iterator<Item = &'static str> {
    BUILTINS.iter().map(|row| row.0)
}

/// Decodes a call of a function that the machine provides.
fn call_builtin<'a>(
    b: &mut Builder<'a, '_>,
    name: &str,
    results: &Operand<'a>,
    arguments: &Operand<'a>,
) -> Result<()> {
    let Some(&(_, run, takes, gives, marks)) = BUILTINS.iter().find(|row| row.0 == name) else {
        return invalid(format!(
            "`{name}` is not defined in this module; link the one that defines it"
        ));
    };
    let arguments = b.arguments(arguments, None)?;
    let (results, deliveries) = b.results(results, None)?;
    let sizes = |areas: &[Area]| areas.iter().map(|a| a.size).collect::<Vec<_>>();
    if sizes(&arguments) != takes || !(sizes(&results) == gives || results.is_empty()) {
        return invalid(format!(
            "`{name}` takes {takes:?} bytes and returns {gives:?}; the call differs"
        ));
    }
    let mut successors = Successors::Next;
    match marks {
        Marks::Nothing => {}
        Marks::Prints => b.code.prints = true,
        Marks::Heap => b.code.heap = true,
        Marks::Launches => b.out.launches = true,
        Marks::Ends => successors = Successors::None,
    }
    let aux = b.call_site(CallSite {
        function: None,
        arguments,
        results,
    });
    leads(b, successors, run, Operands::NONE.aux(aux));
    b.deliver(deliveries)
}
