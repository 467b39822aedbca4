//! `gpu.json`: the contents of a module of PTX, for code that launches its kernels and for people.
//!
//! Half of the file comes from the description that `#[kernel]` leaves beside each kernel
//! ([`Description`]). The other half comes from the compiled module (the PTX parameters, static
//! shared memory). Sizes are in bytes.

use serde::{Deserialize, Serialize};

use crate::assembler::Resources;

/// The properties of a kernel that `#[kernel]` records. A static named `__lanewise_kernel.PATH`
/// holds them as JSON in the bitcode.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Description {
    /// The entry point's symbol. It is the function's name, or its path with `$` for `::` if two
    /// functions have that name.
    pub name: String,
    /// The parameters as written in Rust, in order.
    pub params: Vec<Param>,
    /// `#[launch_bounds(max_threads, min_blocks)]`: one or two numbers.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub launch_bounds: Option<Vec<u32>>,
    /// `#[launch_contract(block = ..)]`: the block's shape, if the contract allows only one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub block: Option<[u32; 3]>,
    /// `#[max_registers(n)]`: the most registers that a thread may have.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_registers: Option<u32>,
    /// The cluster's shape in blocks, if the kernel fixes it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cluster: Option<[u32; 3]>,
    /// Whether its blocks wait for each other: `#[cooperative_launch]`.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub cooperative: bool,
    /// Whether it launches kernels. Then it is in the module that has to be linked with
    /// the device runtime.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub launches: bool,
    /// The first target that can run the kernel; it is left out of modules for earlier ones.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub min_arch: Option<String>,
    /// 16 digits that identify what the kernel expects of the host: names, types and their parts,
    /// and the launch's contract. The host's half of the kernel has the same digits.
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
    /// The alignment of a slice's address, in bytes: see `lanewise_std::kernel::slice_alignment`.
    /// Whoever passes the address has to keep it.
    #[serde(default = "any", skip_serializing_if = "is_any")]
    pub align: u32,
}

fn any() -> u32 {
    1
}

fn is_any(align: &u32) -> bool {
    *align == 1
}

/// How a Rust parameter becomes PTX parameters.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Lower {
    /// Two parameters, a 64-bit pointer and a 64-bit length in elements. Nothing writes to the
    /// slice while the kernel runs.
    ReadSlice,
    /// The same two parameters for a slice of cells (atomics, `Cell`), through which threads write.
    CellSlice,
    /// Two parameters, a 64-bit pointer and a 64-bit length in elements, for a slice that
    /// the kernel writes.
    WriteSlice,
    /// One parameter, which is the 128 bytes of a tensor map, aligned to 64 bytes. The kernel
    /// uses its address.
    TensorMap,
    /// One parameter that holds the value itself.
    Value,
    /// No parameter, because the value has no bytes.
    Empty,
}

/// A kernel in a compiled module.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Kernel {
    /// The description in the kernel's source.
    #[serde(flatten)]
    pub description: Description,
    /// Static shared memory of one block, in bytes: every shared array that the kernel reaches.
    pub static_shared: u64,
    /// Whether it also uses dynamic shared memory, whose size the launch gives.
    pub dynamic_shared: bool,
    /// The Rust file and line of a call that is left in its code, if there is one. A call costs
    /// registers and a stack.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub call: Option<String>,
    /// The resources that ptxas reported, if the build had an assembler.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub resources: Option<Resources>,
    /// The resources in the previous build, if they differ.
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
    /// Whether it is in constant memory. Otherwise it is in global memory.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub constant: bool,
    /// 16 digits that identify the type of its value. The host's half of the static has the same
    /// digits. A static that was exported by hand has none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub layout: Option<String>,
}

/// How floats are computed, with the names of nvcc's options.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Floats {
    /// Whether `a * b + c` is contracted to a fused multiply-add.
    pub fmad: bool,
    /// Whether denormal operands and results of `f32` become zero.
    pub ftz: bool,
    /// Whether divisions of `f32` are correctly rounded.
    pub prec_div: bool,
    /// Whether square roots of `f32` are correctly rounded.
    pub prec_sqrt: bool,
    /// Whether the GPU's approximations replace mathematical functions and divisions of `f32`.
    pub fast_math: bool,
}

impl Default for Floats {
    /// Returns nvcc's defaults.
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
    /// Every option that makes floats faster and less exact, as nvcc's `-use_fast_math`.
    pub const FAST: Floats = Floats {
        fmad: true,
        ftz: true,
        prec_div: false,
        prec_sqrt: false,
        fast_math: true,
    };
}

/// How a panic of a kernel is reported.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize,
)]
#[serde(rename_all = "snake_case")]
pub enum Panics {
    /// The thread records the panic in memory of the host and traps, and the host prints the
    /// message. Most panics then need no call.
    #[default]
    Record,
    /// The thread prints the message with `vprintf` and traps. A kernel that can panic contains a
    /// call, and needs the registers and the stack of the code that formats.
    Message,
    /// The thread traps, without a message.
    Trap,
}

impl Panics {
    /// The modes by their names.
    pub const ALL: [(&str, Panics); 3] = [
        ("record", Panics::Record),
        ("message", Panics::Message),
        ("trap", Panics::Trap),
    ];

    /// Returns the mode of this name.
    pub fn of_name(name: &str) -> Option<Panics> {
        let found = Panics::ALL.into_iter().find(|(of, _)| *of == name);
        found.map(|(_, mode)| mode)
    }
}

/// The module of one target: its kernels and statics.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Module {
    /// The target, as in `sm_80`.
    pub arch: String,
    /// The PTX file's name, beside this manifest.
    pub ptx: String,
    /// The name of the PTX file with the kernels that launch kernels, if there are any. It has to
    /// be linked with the device runtime.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub launching_ptx: Option<String>,
    /// How floats are computed.
    #[serde(flatten)]
    pub floats: Floats,
    /// How a panic is reported.
    #[serde(default)]
    pub panic: Panics,
    /// Whether it is for a debugger.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub debug: bool,
    /// The kernels by name.
    pub kernels: Vec<Kernel>,
    /// The statics by name.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub statics: Vec<Static>,
    /// The statics that only kernels see and may write.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub hidden: Vec<String>,
    /// The functions that other modules may call (`#[device]`).
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub exports: Vec<String>,
    /// The functions of other modules that it calls. It has to be linked with those modules.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub imports: Vec<String>,
    /// Warnings about what is allowed but may surprise: recursion, whose stack size is not known.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub warnings: Vec<String>,
}

/// All modules of one build of a kernel crate.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Manifest {
    /// The name of the kernel crate.
    pub krate: String,
    /// One module per target, in the order in which the targets were given.
    pub modules: Vec<Module>,
}
