//! Compares a module's instructions with the table.
//!
//! The modifiers of an instruction may be in another order than in the table (see `order`). This
//! module puts them into the table's order for all later stages. `operands` compares the operands
//! with the rows.

use std::collections::HashMap;
use std::collections::hash_map::Entry;

use foldhash::fast::RandomState;

use super::error::Missed;
use super::operands::Form;
use super::pattern::{self, Pattern};
use super::{Architecture, IsaError, Row};
use crate::NEWEST;
use crate::ast::{Instruction, Modifier, Modifiers, Module, Opcode, Type};

/// A function that contains something that the machine does not model. The rest of its module
/// is not affected.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Refusal {
    /// The index of the function in [`Module::functions`].
    pub function: usize,
    /// The error of its first instruction that cannot run.
    pub error: IsaError,
}

/// Checks every instruction of a module, stores the row of each, and puts its modifiers into
/// the table's order.
///
/// Returns the functions that cannot run. Such a function contains an instruction that the
/// ISA has and this machine does not model, or one that is unknown in a module of a PTX
/// version after [`NEWEST`].
///
/// # Errors
///
/// The first instruction, in the order of the text, that no row of the table describes, or that
/// does not exist in the module's version or target.
pub fn check(module: &mut Module<'_>) -> Result<Vec<Refusal>, IsaError> {
    let mut checker = Checker::new(module)?;
    let newer = module.version > NEWEST;
    let mut refusals = Vec::new();
    for (index, function) in module.functions.iter_mut().enumerate() {
        let Some(body) = &mut function.body else {
            continue;
        };
        let mut refused = None;
        for at in 0..body.instructions.len() {
            let instruction = body.instructions[at];
            let checked = checker.form(&instruction);
            match checked.and_then(|form| form.check(body, &instruction)) {
                Ok((pattern, ordered)) => {
                    let instruction = &mut body.instructions[at];
                    (instruction.row, instruction.modifiers) = (Some(pattern.index), ordered);
                }
                Err(error @ IsaError::Refused { .. }) => refused = refused.or(Some(error)),
                Err(error) if newer => refused = refused.or(Some(error)),
                Err(error) => return Err(error),
            }
        }
        refusals.extend(refused.map(|error| Refusal {
            function: index,
            error,
        }));
    }
    Ok(refusals)
}

/// Returns the PTX version that the instructions of a module need, whichever version it states.
/// The operands decide between rows only in a module that [`check`] has seen.
pub fn version_needed(module: &Module<'_>) -> (u32, u32) {
    let bodies = module.functions.iter().filter_map(|it| it.body.as_ref());
    let instructions = bodies.flat_map(|body| &body.instructions);
    let mut known: HashMap<_, _, RandomState> = HashMap::default();
    let needed = instructions.filter_map(|instruction| {
        let Instruction {
            opcode,
            modifiers,
            row,
            ..
        } = *instruction;
        *known.entry((opcode, modifiers, row)).or_insert_with(|| {
            let rows = pattern::of(opcode).iter();
            let may_be = rows.filter(|pattern| match row {
                Some(row) => pattern.index == row,
                None => pattern.arrange(&modifiers).is_some(),
            });
            let since = may_be.map(|pattern| super::needs(pattern.row, &modifiers).0);
            since.min()
        })
    });
    needed.max().unwrap_or((1, 0))
}

/// The module's `.version` and `.target`.
#[derive(Clone)]
struct ModuleTarget {
    target: Architecture,
    name: String,
    version: (u32, u32),
}

/// The state that the checker keeps between instructions.
struct Checker {
    has: ModuleTarget,
    forms: HashMap<(Opcode, Modifiers), Form, RandomState>,
}

impl Checker {
    fn new(module: &Module<'_>) -> Result<Self, IsaError> {
        let name = module.targets.first().copied().unwrap_or("");
        let target = Architecture::read(name).ok_or_else(|| IsaError::NoTarget {
            target: name.to_owned(),
        })?;
        Ok(Checker {
            has: ModuleTarget {
                target,
                name: name.to_owned(),
                version: module.version,
            },
            forms: HashMap::default(),
        })
    }

    /// Returns the form of an instruction. It is computed when its words first occur.
    fn form(&mut self, instruction: &Instruction) -> Result<&Form, IsaError> {
        match self
            .forms
            .entry((instruction.opcode, instruction.modifiers))
        {
            Entry::Occupied(known) => Ok(known.into_mut()),
            Entry::Vacant(new) => Ok(new.insert(form(instruction, &self.has)?)),
        }
    }
}

/// Checks that this instance of a row exists in the module's version and target, and that the
/// machine models it.
fn check_row(row: &Row, instruction: &Instruction, has: &ModuleTarget) -> Result<(), IsaError> {
    let (spelling, at) = (|| instruction.spelling(), instruction.position);
    let (since, needs) = super::needs(row, &instruction.modifiers);
    if has.version < since {
        return Err(IsaError::Version {
            spelling: spelling(),
            since,
            version: has.version,
            at,
        });
    }
    if !has.target.has(needs) {
        return Err(IsaError::Target {
            spelling: spelling(),
            needs,
            target: has.name.clone(),
            at,
        });
    }
    if let Some((from, sm)) = row.gone
        && has.version >= from
        && has.target.sm >= sm
    {
        return Err(IsaError::Gone {
            spelling: spelling(),
            from,
            sm,
            target: has.name.clone(),
            at,
        });
    }
    match row.refused {
        Some(why) => Err(IsaError::Refused {
            spelling: spelling(),
            why,
            at,
        }),
        None => Ok(()),
    }
}

/// Returns the rows of the opcode that accept the modifiers, that the machine models and that the
/// module may use.
fn form(instruction: &Instruction, has: &ModuleTarget) -> Result<Form, IsaError> {
    let Instruction {
        opcode, modifiers, ..
    } = *instruction;
    let rows = pattern::of(opcode);
    let (mut patterns, mut refused) = (Vec::new(), None);
    for &pattern in rows {
        let Some(ordered) = pattern.arrange(&modifiers) else {
            continue;
        };
        match check_row(pattern.row, instruction, has) {
            Ok(()) => patterns.push((pattern, Modifiers::of(&ordered))),
            // A refusal by the machine is more useful to report than a missing target.
            Err(error @ IsaError::Refused { .. }) => refused = Some(error),
            Err(error) => refused = refused.or(Some(error)),
        }
    }
    if patterns.is_empty() {
        return Err(refused.unwrap_or_else(|| unknown(instruction)));
    }
    Ok(Form::new(patterns, modifiers))
}

/// Returns the error for modifiers that no row accepts. It describes the difference from
/// the nearest row.
#[cold]
fn unknown(instruction: &Instruction) -> IsaError {
    let written = &instruction.modifiers;
    let rows = pattern::of(instruction.opcode);
    // The same types in reverse order are another instruction: the reverse conversion.
    let types = |words: &[Modifier]| -> Vec<Modifier> {
        let types = words.iter().filter(|word| Type::of(**word).is_some());
        types.copied().collect()
    };
    let turned = |row: &Pattern| 2 * usize::from(types(&row.in_order(written)) != types(written));
    let nearest = rows
        .iter()
        .map(|row| (row.misses(written), row))
        .min_by_key(|((left, missing), row)| match (left.len(), missing.len()) {
            (0, 0) => (turned(row), 0),
            (left, missing) => (left + missing, left),
        });
    let Some(((left, missing), row)) = nearest else {
        return IsaError::Unknown {
            spelling: instruction.spelling(),
            opcode: instruction.opcode.name(),
            missed: Missed::Extra(Vec::new(), Vec::new()),
            at: instruction.position,
        };
    };
    let names = |words: &[Modifier]| words.iter().map(|word| word.name()).collect::<Vec<_>>();
    let missed = match (&left[..], &missing[..]) {
        ([], []) => {
            let right = row.in_order(written);
            let right = right.iter().map(|word| format!(".{word}"));
            Missed::Order(format!(
                "{}{}",
                instruction.opcode,
                right.collect::<String>()
            ))
        }
        ([], [group, ..]) => Missed::Needs(group.alternatives()),
        ([word, ..], [group, ..]) => Missed::Instead(word.name(), group.alternatives()),
        (left, []) => Missed::Extra(names(left), row.unfilled(written)),
    };
    IsaError::Unknown {
        spelling: instruction.spelling(),
        opcode: instruction.opcode.name(),
        missed,
        at: instruction.position,
    }
}
