//! `wgmma`: matrices in shared memory and in registers. Their elements are chosen so that the
//! result is exact in any order of the sums.
//!
//! PTX ISA 9.7.15. A block of 128 threads is a warpgroup. Shared memory is filled with elements
//! that are 0 or 1 (integers: 0 to 3). Both descriptors refer to it without swizzling, K-major or,
//! if the sample requires it, MN-major. For each thread one word is compared, which is computed
//! from all its accumulators.

use lanewise_sim::isa::sample::Usage;
use lanewise_sim::ptx::ast::Type;

use crate::Case;
use crate::surroundings::Surroundings;

/// The number of words of shared memory for both matrices: 32 groups of eight lines, each of four
/// pieces of eight times 16 bytes, and one more piece for the last group's neighbours.
const WORDS: usize = 4352;

/// The variable of every kernel that judges by use.
pub const DECLARATION: &str = ".shared .align 1024 .b8 operands[17408];";

/// Strides of 128 bytes between pieces and of 512 between groups, as encoded in a descriptor.
const STRIDES: u64 = (128 >> 4) << 16 | (512 >> 4) << 32;

/// Returns the mask for a random word, and the factor to multiply the result with, to get a
/// word of elements.
fn elements(ty: Type) -> (u32, u32) {
    match ty {
        Type::F16 => (0x0001_0001, 0x3c00),
        Type::Bf16 => (0x0001_0001, 0x3f80),
        Type::Tf32 => (1, 0x3f80_0000),
        Type::E4m3 => (0x0101_0101, 0x38),
        Type::E5m2 => (0x0101_0101, 0x3c),
        Type::B1 => (u32::MAX, 1),
        _ => (0x0303_0303, 1),
    }
}

/// Returns the code that makes a word of elements from `%v`.
fn word(ty: Type) -> [String; 3] {
    let (kept, one) = elements(ty);
    [
        "mul.lo.u32 %v, %v, 0x9e3779b1; shr.u32 %v, %v, 3;".to_owned(),
        format!("and.b32 %v, %v, {kept};"),
        format!("mul.lo.u32 %v, %v, {one};"),
    ]
}

/// Returns the numbers of an operand's registers.
fn of_operand(case: &Case, operand: usize) -> Vec<usize> {
    let registers = case.registers(Usage::Read);
    let of = registers.filter(|(_, register)| register.operand == operand);
    of.map(|(number, _)| number).collect()
}

/// Returns the code around a case.
pub fn of(case: &Case) -> Surroundings {
    let store = "st.global.u32 [%out], %w;".to_owned();
    let fence = "wgmma.fence.sync.aligned;".to_owned();
    let attributes = " .maxntid 128, 1, 1";
    let &[d_type, a_type, b_type] = &case.types()[..] else {
        return Surroundings {
            attributes,
            before: vec![fence],
            after: vec!["mov.u32 %w, %index;".to_owned(), store],
            ..Surroundings::default()
        };
    };
    let mut before = vec![
        "mov.u64 %a, operands; mul.wide.u32 %b, %thread, 4; add.u64 %a, %a, %b; mov.u32 %w, %thread;"
            .to_owned(),
        "fill: mov.u32 %v, %w;".to_owned(),
    ];
    // Both matrices use the same memory. If their types differ, the elements of A are read as B's,
    // which are small too.
    before.extend(word(b_type));
    before.push("st.shared.u32 [%a], %v; add.u64 %a, %a, 512; add.u32 %w, %w, 128;".to_owned());
    before.push(format!("setp.lt.u32 %q, %w, {WORDS}; @%q bra fill;"));
    before.push("fence.proxy.async; bar.sync 0;".to_owned());
    before.push("mov.u64 %a, operands; shr.u64 %a, %a, 4; and.b64 %a, %a, 0x3fff;".to_owned());
    before.push(format!("or.b64 %a, %a, {STRIDES};"));
    let d = of_operand(case, 0);
    for &number in &d {
        before.push(format!(
            "add.u32 %v, %thread, {number}; and.b32 %v, %v, 15;"
        ));
        before.push(match d_type {
            Type::F32 => format!("cvt.rn.f32.u32 %x{number}, %v;"),
            Type::F16 => format!("and.b32 %v, %v, 1; mul.lo.u32 %x{number}, %v, 0x3c003c00;"),
            _ => format!("mov.b32 %x{number}, %v;"),
        });
    }
    let all = case.registers(Usage::Read);
    for (number, register) in all.filter(|(_, register)| register.operand > 0) {
        match (register.declared, register.operand) {
            (Type::Pred, _) => before.push(format!("setp.eq.u32 %x{number}, %thread, %thread;")),
            (ty, _) if ty.size() == 8 => before.push(format!("mov.b64 %x{number}, %a;")),
            (_, 1) => {
                before.push(format!("mad.lo.u32 %v, %thread, 4, {number};"));
                before.extend(word(a_type));
                before.push(format!("mov.b32 %x{number}, %v;"));
            }
            // The first two of each four elements; for tf32 the first of each two.
            _ => before.push(format!("mov.b32 %x{number}, 0x44444444;")),
        }
    }
    before.push(fence);
    let mut after = vec![
        "wgmma.commit_group.sync.aligned; wgmma.wait_group.sync.aligned 0;".to_owned(),
        "mov.u32 %w, 0;".to_owned(),
    ];
    for number in d {
        after.push(format!(
            "mov.b32 %v, %x{number}; mad.lo.u32 %w, %w, 31, %v;"
        ));
    }
    after.push(store);
    Surroundings {
        attributes,
        before,
        after,
        ..Surroundings::default()
    }
}
