//! Kernels on the model of a Tesla K40 (Kepler): lines of 128 bytes in L1, banks of
//! 4 or 8 bytes.
//!
//! The embedded PTX is for newer devices. A kernel that uses nothing newer runs under an older
//! head. The tests use the simulator without the driver, also on a GPU's machine.

use lanewise_sim::{AllocationKind, BankWidth, Counters, Device, DeviceModel, Launch, Module};

/// The embedded text for the oldest target.
fn embedded() -> &'static str {
    let (_, text) = crate::ptx::embedded().next().expect("some PTX is embedded");
    text
}

/// Returns the text of an embedded kernel.
///
/// # Panics
/// If there is none of this name.
#[track_caller]
pub fn kernel(name: &str) -> &'static str {
    crate::ptx::kernel(embedded(), name)
}

/// The declarations that the embedded kernels share: variables, and functions of the driver. They
/// are between the head and the kernels. Tables of functions that this kernel does not use are left
/// out, because their functions are not in this text.
fn declarations(kernel: &str) -> String {
    const HEAD_ENDS: &str = ".address_size 64";
    let text = embedded();
    let start = text.find(HEAD_ENDS).map_or(0, |at| at + HEAD_ENDS.len());
    let rest = &text[start..];
    let declared = &rest[..rest.find(".visible .entry").unwrap_or(rest.len())];
    let is_foreign = |line: &&str| {
        let (variable, value) = line.split_once(" = ").unwrap_or((line, ""));
        let name = variable.rsplit(' ').next().unwrap_or_default();
        let name = name.split('[').next().unwrap_or_default();
        value.contains("_RN") && !kernel.contains(name)
    };
    let kept = declared.lines().filter(|line| !is_foreign(line));
    kept.collect::<Vec<_>>().join("\n")
}

/// One block of a kernel, whose parameters are slices of 1024 elements of 4 bytes, followed
/// by other parameters.
#[derive(Debug)]
pub struct Block<'a> {
    /// The text and the name of the entry point.
    pub kernel: (&'a str, &'a str),
    /// The block's shape in threads.
    pub threads: [u32; 3],
    /// The number of slice parameters.
    pub slices: usize,
    /// The bytes of the other parameters.
    pub more: &'a [u8],
    /// Bytes of dynamic shared memory.
    pub dynamic_shared: u32,
    /// The width of the banks.
    pub banks: BankWidth,
}

impl Block<'_> {
    /// Runs the kernel and returns the counters.
    ///
    /// # Panics
    /// If the kernel does not load, or faults.
    #[track_caller]
    pub fn count(&self) -> Counters {
        const LENGTH: u64 = 1024;
        let (text, name) = self.kernel;
        let declared = declarations(text);
        let head = format!(".version 7.0\n.target sm_35\n.address_size 64\n{declared}\n.visible ");
        let module = Module::load(&(head + &without_lines(text)));
        let module = module.unwrap_or_else(|error| panic!("{error}\n{text}"));
        let device = Device::new(DeviceModel::k40()).expect("the host gives address space");
        let instance = device
            .instantiate(&module)
            .expect("memory for its variables");

        let mut parameters = Vec::new();
        for _ in 0..self.slices {
            let memory = device.memory();
            let slice = memory.allocate(4 * LENGTH, 256, AllocationKind::Device, None);
            parameters.extend(slice.expect("memory").to_le_bytes());
            parameters.extend(LENGTH.to_le_bytes());
        }
        parameters.extend(self.more);
        let launch = Launch {
            count: true,
            dynamic_shared: self.dynamic_shared,
            bank_width: self.banks,
            ..Launch::new(name, [1, 1, 1], self.threads, &parameters)
        };
        let report = device.launch(&instance, &launch);
        let report = report.unwrap_or_else(|fault| panic!("{name}: {fault}"));
        report.counters.expect("counting was asked for")
    }
}

/// PTX without its references to source files, which are in another part of the module.
fn without_lines(kernel: &str) -> String {
    let keep = |line: &&str| !line.trim_start().starts_with(".loc");
    let lines = kernel.lines().filter(keep).collect::<Vec<_>>();
    // What LLVM writes for a relaxed access on targets before `sm_70`.
    lines.join("\n").replace(".relaxed.cta", ".volatile")
}
