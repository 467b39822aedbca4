//! The code around an instruction that cannot be judged by its result alone.

pub mod by_use;
pub mod matrix;
pub mod sequence;
pub mod special;
pub mod warpgroup;

/// The code around an instruction.
#[derive(Debug, Default)]
pub struct Surroundings {
    /// Functions of the module. `{n}` stands for the kernel's number.
    pub functions: String,
    /// The text after the kernel's parameters.
    pub attributes: &'static str,
    /// Lines before the instruction. `%index` differs between all threads; `%a`, `%b`, `%w`, `%v`,
    /// `%q` are free.
    pub before: Vec<String>,
    /// Lines after the instruction, which store words at `%out`.
    pub after: Vec<String>,
}
