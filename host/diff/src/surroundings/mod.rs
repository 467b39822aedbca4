//! What a kernel puts around an instruction that cannot be judged by its result alone.

pub mod by_use;
pub mod matrix;
pub mod sequence;
pub mod special;
pub mod warpgroup;

/// What stands around an instruction.
#[derive(Debug, Default)]
pub struct Surroundings {
    /// Functions of the module; `{n}` is the kernel's number.
    pub functions: String,
    /// Behind the kernel's parameters.
    pub attributes: &'static str,
    /// Lines before it. `%index` differs between all threads; `%a`, `%b`, `%w`, `%v`, `%q` are
    /// free.
    pub before: Vec<String>,
    /// Lines behind it, which store words at `%out`.
    pub after: Vec<String>,
}
