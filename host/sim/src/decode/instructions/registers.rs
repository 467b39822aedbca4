//! Instructions that work on rows of registers alone. The decoder's table contains the handler of
//! each and the layout of its operands.

use crate::decode::builder::{Builder, Operands, literal_type};
use crate::decode::problem::{Result, invalid, unsupported};
use crate::decode::table;
use crate::ptx::ast::{Instruction, Modifier};

/// Decodes an instruction of the table.
pub(super) fn registers<'a>(b: &mut Builder<'a, '_>, i: &Instruction) -> Result<()> {
    let operands = b.body.operands(i);
    let key = table::key(i.opcode, &i.modifiers, operands.len());
    let Some(entry) = table::find(&key) else {
        return unsupported();
    };
    let sources = entry.sources.iter().take_while(|&&w| w > 0).count();
    let [d, from @ ..] = operands else {
        return invalid("no operands");
    };
    if from.len() != sources {
        return invalid(format!(
            "{} operands, where `{key}` takes {}",
            operands.len(),
            sources + 1
        ));
    }
    let literal = literal_type(i);
    let mut rows = [0; 4];
    for (row, (operand, &width)) in rows.iter_mut().zip(from.iter().zip(&entry.sources)) {
        *row = b.source(operand, width, literal)?;
    }
    let d = b.destination(d, entry.d)?;
    let [a, b_row, c, mut aux] = rows;
    if entry.shape == table::Shape::Carry {
        aux = u32::from(i.modifiers.has(Modifier::Cc));
    }
    b.emit(entry.run, Operands::to(d).a(a).b(b_row).c(c).aux(aux));
    Ok(())
}
