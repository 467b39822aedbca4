//! Writes the subject `expressions`, random functions from a fixed seed; then compiles all cases to
//! PTX.
//!
//! Each is a few statements of random trees over three integers and a float, so that the optimiser
//! meets combinations of operations that the cases written by hand do not have. Rust
//! defines the value of every one of them.

use std::fmt::Write;
use std::path::Path;

/// How many functions there are.
const FUNCTIONS: usize = 64;
/// Statements of a function, and how deep their trees are.
const STATEMENTS: usize = 4;
const DEPTH: u32 = 5;

#[derive(Clone, Copy)]
enum Type {
    U32,
    I64,
    U8,
    F64,
}

use Type::{F64, I64, U8, U32};

impl Type {
    fn name(self) -> &'static str {
        ["u32", "i64", "u8", "f64"][self as usize]
    }
}

/// Numbers from a seed: xorshift (Marsaglia, 2003).
struct Random(u64);

impl Random {
    fn below(&mut self, end: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0 % end
    }

    fn one_of<T: Copy>(&mut self, all: &[T]) -> T {
        all[self.below(all.len() as u64) as usize]
    }

    /// An expression of type `ty`; variables are named after their type.
    fn tree(&mut self, ty: Type, depth: u32) -> String {
        if depth == 0 || self.below(8) == 0 {
            return match (self.below(3), ty) {
                (0, F64) => self
                    .one_of(&["0.5_f64", "-3.0_f64", "1e9_f64", "0.1_f64"])
                    .to_owned(),
                (0, _) => format!("{}_{}", self.below(120), ty.name()),
                _ => format!("{}_{}", ty.name(), self.below(2)),
            };
        }
        match (self.below(10), ty) {
            (0, _) => {
                let other = self.one_of(&[U32, I64, U8, F64]);
                format!("({} as {})", self.tree(other, depth - 1), ty.name())
            }
            (1, _) => {
                let of = self.one_of(&[U32, I64, U8, F64]);
                let compare = self.one_of(&["<", "==", ">="]);
                let (a, b) = (self.tree(of, depth - 1), self.tree(of, depth - 1));
                let (yes, no) = (self.tree(ty, depth - 1), self.tree(ty, depth - 1));
                format!("(if {a} {compare} {b} {{ {yes} }} else {{ {no} }})")
            }
            (2..=5, F64) => {
                let operator = self.one_of(&["+", "-", "*", "/"]);
                format!(
                    "({} {operator} {})",
                    self.tree(F64, depth - 1),
                    self.tree(F64, depth - 1)
                )
            }
            (_, F64) => format!(
                "({}).{}()",
                self.tree(F64, depth - 1),
                self.one_of(&["abs", "recip", "to_radians"])
            ),
            (2, _) => {
                let division = self.one_of(&["checked_div", "checked_rem", "checked_rem_euclid"]);
                let (a, b, c) = (
                    self.tree(ty, depth - 1),
                    self.tree(ty, depth - 1),
                    self.tree(ty, depth - 1),
                );
                format!("({a}).{division}({b}).unwrap_or({c})")
            }
            (3, _) => {
                let shift = self.one_of(&[
                    "wrapping_shl",
                    "wrapping_shr",
                    "rotate_left",
                    "wrapping_pow",
                ]);
                format!(
                    "({}).{shift}({} % 9)",
                    self.tree(ty, depth - 1),
                    self.tree(U32, depth - 1)
                )
            }
            (4, _) => {
                let count = self.one_of(&["count_ones", "leading_zeros", "trailing_zeros"]);
                format!(
                    "(({}).{count}() as {})",
                    self.tree(ty, depth - 1),
                    ty.name()
                )
            }
            (5, _) => {
                let operator = self.one_of(&["&", "|", "^"]);
                format!(
                    "({} {operator} {})",
                    self.tree(ty, depth - 1),
                    self.tree(ty, depth - 1)
                )
            }
            _ => {
                let operation = self.one_of(&[
                    "wrapping_add",
                    "wrapping_sub",
                    "wrapping_mul",
                    "saturating_add",
                    "saturating_sub",
                    "min",
                    "max",
                ]);
                format!(
                    "({}).{operation}({})",
                    self.tree(ty, depth - 1),
                    self.tree(ty, depth - 1)
                )
            }
        }
    }
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    println!("cargo::rerun-if-changed=build.rs");
    let mut random = Random(0x2545_f491_4f6c_dd1d);
    let mut source = String::new();
    let mut names = String::new();
    for number in 0..FUNCTIONS {
        write!(names, "expression_{number}, ")?;
        writeln!(
            source,
            "fn expression_{number}(random: &mut Random, out: &mut Out<'_>) {{"
        )?;
        for ty in [U32, I64, U8, F64] {
            let name = ty.name();
            for variable in 0..2 {
                writeln!(source, "    let mut {name}_{variable} = random.{name}();")?;
            }
        }
        for _ in 0..STATEMENTS {
            let ty = random.one_of(&[U32, I64, U8, F64]);
            let to = format!("{}_{}", ty.name(), random.below(2));
            writeln!(source, "    {to} = {};", random.tree(ty, DEPTH))?;
        }
        writeln!(source, "    out.put((u32_0, i64_0, u8_0, f64_0));")?;
        writeln!(source, "    out.put((u32_1, i64_1, u8_1, f64_1));\n}}\n")?;
    }
    writeln!(
        source,
        "crate::case::subject! {{\n    /// Random functions.\n    expressions: {names}\n}}"
    )?;
    let out = std::env::var("OUT_DIR")?;
    std::fs::write(Path::new(&out).join("expressions.rs"), source)?;
    // Products and sums are not fused: the host's are not either, and results are compared
    // bit by bit.
    lanewise_builder::embed("Ptx", |builder| builder.arch("sm_80").fmad(false));
    Ok(())
}
