//! The comparison of the bytes that two machines stored.
//!
//! A result is a list of fields: the registers that the instruction writes, the carry flag, and the
//! elements of memory. They are compared as bits. Where bits differ, the field's type determines
//! the verdict: within the ISA's bound, a NaN with other bits (which the ISA leaves open for most
//! instructions), or wrong.

use lanewise_sim::isa::sample::Usage;
use lanewise_sim::ptx::ast::Type;
use serde::{Deserialize, Serialize};

use crate::case::Harness;
use crate::case::{Case, PLACE, THREADS};
use crate::image;
use crate::results::allowance::{self, Allowance};
use crate::surroundings::by_use;

/// The result of comparing a case. Each value is worse than the one before.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Verdict {
    /// The results are the same bits.
    Equal,
    /// A program can do the same with both results. This is for instructions that return addresses,
    /// counts and times.
    EqualByUse,
    /// The results differ by no more than the ISA's bound.
    WithinBound,
    /// The results differ only in the bits of NaNs.
    NanPayload,
    /// The results differ where NVIDIA's assembler is known not to follow the ISA.
    Departure,
    /// The results differ by more than is allowed.
    Differs,
}

/// The differing results of one thread.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Example {
    /// The thread's number in the grid.
    pub thread: usize,
    /// The values that the instruction read, in the order of its registers; memory is last.
    pub operands: Vec<String>,
    /// The name of the result: `%x0`, `carry` or `memory+4`.
    pub field: String,
    /// The device's value.
    pub device: String,
    /// The simulator's value.
    pub simulator: String,
}

/// The result of comparing the two sides.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Comparison {
    /// The worst verdict of all threads.
    pub verdict: Verdict,
    /// The number of threads with that verdict.
    pub threads: usize,
    /// The first few of these threads.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub examples: Vec<Example>,
}

/// The number of examples that are kept.
const EXAMPLES: usize = 3;

/// A value in a thread's results.
struct Field {
    name: String,
    at: usize,
    ty: Type,
}

/// Returns the fields of a case's results.
fn fields(case: &Case) -> Vec<Field> {
    if let Some(chain) = case.chain() {
        let ty = chain.types[3];
        let elements = (0..case.output_bytes()).step_by(ty.size() as usize);
        return elements
            .map(|at| Field {
                name: format!("memory+{at}"),
                at,
                ty,
            })
            .collect();
    }
    let mut fields = Vec::new();
    if case.harness == Harness::Use {
        let words = (0..by_use::COMPARED).step_by(4);
        return words
            .map(|at| Field {
                name: format!("use+{at}"),
                at,
                ty: Type::U32,
            })
            .collect();
    }
    let mut place = 0;
    for (number, register) in case.registers(Usage::Write) {
        // If a small value is in a larger register, the whole register is the result.
        let ty = match register.declared {
            Type::Pred => Type::U32,
            declared if declared.size() != register.value.size() => declared,
            _ => register.value,
        };
        fields.push(Field {
            name: format!("%x{number}"),
            at: place,
            ty,
        });
        place += PLACE;
    }
    let word = |name: &str, at| Field {
        name: name.to_owned(),
        at,
        ty: Type::U32,
    };
    if case.carry_out() {
        fields.push(word("carry", place));
    }
    match case.harness {
        Harness::Runs => fields.extend([word("before", 0), word("behind", 4)]),
        Harness::Memory(_) | Harness::Sequence => {
            if case.harness == Harness::Sequence {
                fields.extend([word("pending", place), word("done", place + 4)]);
            }
            let ty = case.cell_type();
            let size = (ty.size() as usize).clamp(1, PLACE);
            let start = case.cell_out();
            let cell = (start..case.output_bytes()).step_by(size);
            fields.extend(cell.map(|at| Field {
                name: format!("memory+{}", at - start),
                at,
                ty,
            }));
        }
        _ => {}
    }
    fields
}

/// Returns the type and number of the lanes of a packed type.
fn lanes(ty: Type) -> (Type, usize) {
    match ty {
        Type::F16x2 => (Type::F16, 2),
        Type::Bf16x2 => (Type::Bf16, 2),
        Type::F32x2 => (Type::F32, 2),
        _ => (ty, 1),
    }
}

fn bits(bytes: &[u8]) -> u128 {
    let mut all = [0; 16];
    all[..bytes.len()].copy_from_slice(bytes);
    u128::from_le_bytes(all)
}

/// Compares the results of all threads.
pub fn compare(case: &Case, input: &[u8], device: &[u8], simulator: &[u8]) -> Comparison {
    let fields = fields(case);
    let objects = case.images();
    let bound_of = |thread| match objects.get(image::of_thread(thread, objects.len())) {
        Some(object) => allowance::of_object(object),
        None => allowance::of(case),
    };
    let mut comparison = Comparison {
        verdict: Verdict::Equal,
        threads: 0,
        examples: Vec::new(),
    };
    for thread in 0..THREADS {
        let record = |of: &[u8], size| {
            of.get(thread * size..(thread + 1) * size)
                .map(<[u8]>::to_vec)
        };
        let (Some(input), Some(d), Some(s)) = (
            record(input, case.input_bytes()),
            record(device, case.output_bytes()),
            record(simulator, case.output_bytes()),
        ) else {
            break;
        };
        if d == s {
            continue;
        }
        let worst = fields
            .iter()
            .map(|field| (judge(case, field, bound_of(thread), &input, &d, &s), field))
            .max_by_key(|(verdict, _)| *verdict);
        let Some((verdict, field)) = worst else {
            continue;
        };
        if verdict == Verdict::Equal {
            continue;
        }
        if verdict > comparison.verdict {
            comparison = Comparison {
                verdict,
                threads: 0,
                examples: Vec::new(),
            };
        }
        if verdict == comparison.verdict {
            comparison.threads += 1;
            if comparison.examples.len() < EXAMPLES {
                comparison
                    .examples
                    .push(example(case, thread, field, &input, &d, &s));
            }
        }
    }
    surfaces(case, device, simulator, &mut comparison);
    if comparison.verdict == Verdict::Equal && case.harness == Harness::Use {
        comparison.verdict = Verdict::EqualByUse;
    }
    comparison
}

/// Compares the bytes after the threads' records: the contents of surfaces that were written.
fn surfaces(case: &Case, device: &[u8], simulator: &[u8], comparison: &mut Comparison) {
    let start = THREADS * case.output_bytes();
    let (Some(d), Some(s)) = (device.get(start..), simulator.get(start..)) else {
        return;
    };
    let wrong = d.chunks(4).zip(s.chunks(4)).enumerate();
    for (word, (d, s)) in wrong.filter(|(_, (d, s))| d != s) {
        comparison.verdict = Verdict::Differs;
        comparison.threads += 1;
        if comparison.examples.len() < EXAMPLES {
            comparison.examples.push(Example {
                thread: word,
                operands: Vec::new(),
                field: format!("surface+{}", word * 4),
                device: format!("{:#010x}", bits(d)),
                simulator: format!("{:#010x}", bits(s)),
            });
        }
    }
    if d.len() != s.len() {
        comparison.verdict = Verdict::Differs;
    }
}

fn judge(
    case: &Case,
    field: &Field,
    bound: Allowance,
    input: &[u8],
    d: &[u8],
    s: &[u8],
) -> Verdict {
    let (ty, count) = lanes(field.ty);
    let size = (ty.size() as usize).clamp(1, PLACE);
    let lane = |of: &[u8], lane: usize| bits(&of[field.at + lane * size..][..size]);
    let first = case.inputs().next();
    let first = first.filter(|_| case.harness != Harness::Matrix);
    let operand_type = first.map_or(ty, |(_, register)| lanes(register.value).0);
    (0..count)
        .map(|number| {
            let (d, s) = (lane(d, number), lane(s, number));
            if d == s {
                return Verdict::Equal;
            }
            if size > 8 {
                return Verdict::Differs;
            }
            let (d, s) = (d as u64, s as u64);
            if allowance::is_nan(ty, d) && allowance::is_nan(ty, s) {
                return Verdict::NanPayload;
            }
            let width = operand_type.size() as usize;
            let operand = bits(&input[number * width % PLACE..][..width.clamp(1, 8)]) as u64;
            let operand = allowance::number(operand_type, operand);
            if bound.admits(ty, d, s, operand) {
                Verdict::WithinBound
            } else if allowance::departs(case) {
                Verdict::Departure
            } else {
                Verdict::Differs
            }
        })
        .max()
        .unwrap_or(Verdict::Equal)
}

/// Describes the object of a thread's block.
fn object(case: &Case, thread: usize) -> Option<String> {
    let objects = case.images();
    let setup = objects.get(image::of_thread(thread, objects.len()))?;
    let [width, height, depth] = setup.size;
    let sampler = setup.sampler;
    Some(format!(
        "{:?} {width}x{height}x{depth} of {} {:?}, {} levels, {:?} {:?}, {:?}{}",
        setup.shape,
        setup.channels,
        setup.format,
        setup.levels,
        sampler.filter,
        sampler.level_filter,
        sampler.address,
        if sampler.normalized {
            ", normalized"
        } else {
            ""
        },
    ))
}

fn example(case: &Case, thread: usize, field: &Field, input: &[u8], d: &[u8], s: &[u8]) -> Example {
    let hex = |of: &[u8], at: usize, size: usize| {
        format!(
            "{:#0width$x}",
            bits(&of[at..][..size]),
            width = 2 + 2 * size
        )
    };
    let size = |ty: Type| {
        if ty == Type::Pred {
            4
        } else {
            ty.size() as usize
        }
    };
    // A matrix is too large to print.
    let judged = case.harness != Harness::Matrix;
    let reads = case.inputs().enumerate().filter(|_| judged);
    let mut operands: Vec<String> = object(case, thread).into_iter().collect();
    let values =
        reads.map(|(place, (_, register))| hex(input, place * PLACE, size(register.declared)));
    operands.extend(values);
    if case.carry_in() {
        operands.push(hex(input, case.inputs().count() * PLACE, 4));
    }
    if matches!(case.harness, Harness::Memory(_)) {
        operands.push(hex(
            input,
            case.cell_in(),
            size(case.cell_type()).clamp(1, PLACE),
        ));
    }
    let size = size(field.ty).clamp(1, PLACE);
    Example {
        thread,
        operands,
        field: field.name.clone(),
        device: hex(d, field.at, size),
        simulator: hex(s, field.at, size),
    }
}
