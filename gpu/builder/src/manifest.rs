//! `gpu.json`: what a module of PTX holds, for those who launch it and for people.
//!
//! Half of it comes from the description that `#[kernel]` leaves beside each kernel
//! ([`Description`]), half from the compiled module (the PTX parameters, static shared memory).
//! Sizes are in bytes.

use serde::{Deserialize, Serialize};

use crate::assembler::Resources;

/// What `#[kernel]` says about a kernel; a static named `__lanewise_kernel.PATH` holds it as JSON
/// in the bitcode.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Description {
    /// The entry point's symbol: the function's name, or its path with `$` for `::` where two have
    /// the name.
    pub name: String,
    /// The parameters as written in Rust, in order.
    pub params: Vec<Param>,
    /// `#[launch_bounds(max_threads, min_blocks)]`: one or two numbers.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub launch_bounds: Option<Vec<u32>>,
    /// `#[max_registers(n)]`: the most registers that a thread may have.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_registers: Option<u32>,
    /// The cluster's shape in blocks, if the kernel fixes it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cluster: Option<[u32; 3]>,
    /// Whether its blocks wait for each other: `#[cooperative_launch]`.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub cooperative: bool,
    /// Whether it launches kernels, so that it is in the module that has to be linked with the
    /// device runtime.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub launches: bool,
    /// The first target that can run the kernel; it is left out of modules for earlier ones.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub min_arch: Option<String>,
    /// 16 digits that stand for what the kernel expects of the host: names, types and what these
    /// are made of, and the launch's contract. The host's half of the kernel has the same.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub layout: Option<String>,
    /// The path of the Rust file.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub file: String,
    /// The line of the function in that file.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub line: u32,
}

fn is_zero(line: &u32) -> bool {
    *line == 0
}

/// One parameter as written in Rust.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Param {
    /// Its name, as it is written in its source.
    pub name: String,
    /// The parameter's type, as the source writes it.
    #[serde(rename = "type")]
    pub ty: String,
    /// How the parameter is passed in PTX.
    pub lower: Lower,
}

/// How a Rust parameter becomes PTX parameters.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Lower {
    /// Two parameters, 64-bit pointer and 64-bit length in elements; nothing writes to it while the
    /// kernel runs.
    ReadSlice,
    /// The same of cells (atomics, `Cell`), through which threads write.
    CellSlice,
    /// Two parameters, 64-bit pointer and 64-bit length in elements.
    WriteSlice,
    /// One parameter, the 128 bytes of a tensor map at a multiple of 64, whose address the kernel
    /// uses.
    TensorMap,
    /// One parameter that holds the value itself.
    Value,
    /// No parameter: a value without bytes.
    Empty,
}

/// A kernel in a compiled module.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Kernel {
    /// What the kernel's source says of it.
    #[serde(flatten)]
    pub description: Description,
    /// Static shared memory of one block, in bytes: every shared array that the kernel reaches.
    pub static_shared: u64,
    /// Whether it also uses dynamic shared memory, whose size the launch gives.
    pub dynamic_shared: bool,
    /// What ptxas makes of it, where the build had one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub resources: Option<Resources>,
    /// The same as of the build before, where it differs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub before: Option<Resources>,
}

/// A static of the device that the host may read and write.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Static {
    /// The symbol that it has in the PTX.
    pub name: String,
    /// Its size in bytes.
    pub bytes: u64,
    /// Whether it is in constant memory; else it is in global memory.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub constant: bool,
    /// 16 digits that stand for what it holds, as the host's half of the static has them; none of a
    /// static that was exported by hand.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub layout: Option<String>,
}

/// How floats are computed with, in the words of nvcc's options.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Floats {
    /// Whether `a * b + c` is contracted to a fused multiply-add.
    pub fmad: bool,
    /// Whether denormal `f32` are taken and given as zero.
    pub ftz: bool,
    /// Whether divisions of `f32` are correctly rounded.
    pub prec_div: bool,
    /// Whether square roots of `f32` are correctly rounded.
    pub prec_sqrt: bool,
    /// Whether the machine's approximations stand for mathematical functions and divisions of
    /// `f32`.
    pub fast_math: bool,
}

impl Default for Floats {
    /// What nvcc does unless it is told otherwise.
    fn default() -> Floats {
        Floats {
            fmad: true,
            ftz: false,
            prec_div: true,
            prec_sqrt: true,
            fast_math: false,
        }
    }
}

impl Floats {
    /// Every option that trades exactness for speed, as nvcc's `-use_fast_math`.
    pub const FAST: Floats = Floats {
        fmad: true,
        ftz: true,
        prec_div: false,
        prec_sqrt: false,
        fast_math: true,
    };
}

/// The module of one target: its kernels and statics.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Module {
    /// The target, as in `sm_80`.
    pub arch: String,
    /// The PTX file's name, beside this manifest.
    pub ptx: String,
    /// That of the kernels that launch kernels, if there are any: it has to be linked with the
    /// device runtime.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub launching_ptx: Option<String>,
    /// How exactly floats are computed.
    #[serde(flatten)]
    pub floats: Floats,
    /// Whether it is for a debugger.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub debug: bool,
    /// The kernels by name.
    pub kernels: Vec<Kernel>,
    /// The statics by name.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub statics: Vec<Static>,
    /// The functions that other modules may call (`#[device]`).
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub exports: Vec<String>,
    /// The functions of other modules that it calls: it has to be linked with those.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub imports: Vec<String>,
    /// What is allowed and may yet surprise: recursion, whose stack is not known.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub warnings: Vec<String>,
}

/// All modules of one build of a kernel crate.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Manifest {
    /// The name of the kernel crate.
    pub krate: String,
    /// One module per target, in the order in which they were asked for.
    pub modules: Vec<Module>,
}
