//! The PTX of a case: load the operands, execute the instruction, store the results.
//!
//! A kernel has the five parameters of `PARAMETERS`. Thread `t` reads record `t` of the input and
//! writes record `t` of the output. [`Case`] defines the layout of a record. Operands come from
//! memory, so that no compiler can compute a result in advance.

use std::fmt::Write;

use lanewise_sim::isa::sample::{Register, Sample, Usage};
use lanewise_sim::ptx::ast::{Modifier, Opcode, Type};

use crate::case::{BLOCK, CELL, Case, CellSpace, Harness, PLACE};
use crate::image;
use crate::surroundings::Surroundings;
use crate::surroundings::by_use;
use crate::surroundings::matrix::{self, Part};
use crate::surroundings::sequence;

/// Address and length in bytes of the input and the output, and a parameter that only serves
/// to be loaded.
const PARAMETERS: &str = ".param .u64 in, .param .u64 in_bytes, .param .u64 out, .param .u64 out_bytes, \
                          .param .align 64 .b8 parameter[128]";

/// The offset of the last parameter of `PARAMETERS`. It has the alignment of a tensor map.
pub const PARAMETER: usize = 64;

/// Returns the value of the last parameter of `PARAMETERS`.
pub fn parameter() -> [u64; 16] {
    std::array::from_fn(|i| 0x0807_0605_0403_0201_u64.wrapping_mul(2 * i as u64 + 1))
}

/// The size in bytes of the table in constant memory.
const TABLE: usize = 16 * CELL;

/// Returns a module with the kernels of these cases, `k0`, `k1`, ... The cases must have the same
/// version and target.
pub fn module(cases: &[&Case]) -> String {
    let Some(first) = cases.first() else {
        return String::new();
    };
    let ((major, minor), target) = (first.sample.version, first.sample.target);
    let mut text = format!(
        ".version {major}.{minor}\n.target {target}\n.address_size 64\n.func callee() {{ ret; }}\n"
    );
    let of = |wanted: Harness| cases.iter().any(|case| case.harness == wanted);
    if of(Harness::Use) {
        text.push_str(by_use::VARIABLE);
    }
    if of(Harness::Memory(CellSpace::Constant)) || of(Harness::Use) {
        let bytes: Vec<String> = (0..TABLE).map(|i| (i * 37 % 251).to_string()).collect();
        let _ = writeln!(
            text,
            ".const .align 64 .b8 table[{TABLE}] = {{{}}};",
            bytes.join(", ")
        );
    }
    for (number, case) in cases.iter().enumerate() {
        Writer {
            case,
            text: &mut text,
        }
        .kernel(number);
    }
    text
}

struct Writer<'a> {
    case: &'a Case,
    text: &'a mut String,
}

impl Writer<'_> {
    fn line(&mut self, line: &str) {
        let _ = writeln!(self.text, "    {line}");
    }

    fn kernel(&mut self, number: usize) {
        let case = self.case;
        let around = match case.harness {
            Harness::Use => by_use::of(case),
            _ => Surroundings::default(),
        };
        // The names of a kernel's functions contain its number.
        let own = |line: &str| line.replace("{n}", &number.to_string());
        self.text.push_str(&own(&around.functions));
        self.opening(number, around.attributes);
        if case.harness == Harness::Matrix {
            self.matrices();
            return;
        }
        self.declarations();
        self.records();
        self.operands();
        if case.harness == Harness::Runs {
            self.line("st.global.u32 [%out], 1;");
        }
        self.before();
        let sequence = sequence::of(case);
        if case.harness == Harness::Sequence {
            sequence.before.iter().for_each(|line| self.line(line));
        }
        around.before.iter().for_each(|line| self.line(&own(line)));
        self.line(&case.sample.instruction);
        around.after.iter().for_each(|line| self.line(&own(line)));
        if case.harness == Harness::Sequence {
            sequence.after.iter().for_each(|line| self.line(line));
        }
        self.after();
        if case.harness == Harness::Runs {
            self.line("st.global.u32 [%out+4], 2;");
        }
        self.stores();
        self.text.push_str("next:\n    ret;\n}\n");
    }

    /// Writes the kernel's name and parameters, and the required attributes of the launch.
    fn opening(&mut self, number: usize, attributes: &str) {
        // Writes to another block's shared memory require a launch in clusters, even of one block.
        // Otherwise an H200 reports "illegal instruction".
        let attributes = match sequence::leaves_the_block(self.case) {
            true => " .explicitcluster .reqnctapercluster 1, 1, 1",
            false => attributes,
        };
        let _ = writeln!(
            self.text,
            ".visible .entry k{number}({PARAMETERS}){attributes}\n{{"
        );
    }

    /// Computes the addresses of the thread's records and of its other memory.
    fn records(&mut self) {
        let (input, output) = (self.case.input_bytes(), self.case.output_bytes());
        self.line("mov.u32 %thread, %tid.x;");
        self.line("mov.u32 %block, %ctaid.x;");
        self.line(&format!("mad.lo.u32 %index, %block, {BLOCK}, %thread;"));
        self.line("ld.param.u64 %in, [in];");
        self.line("ld.param.u64 %out, [out];");
        self.line(&format!("mad.wide.u32 %in, %index, {input}, %in;"));
        self.line(&format!("mad.wide.u32 %out, %index, {output}, %out;"));
        match self.case.harness {
            Harness::Memory(space) => self.cell(space),
            Harness::Sequence => self.places(),
            Harness::Image => self.handle(),
            _ => {}
        }
    }

    /// Loads what the instruction reads: values of the input, addresses, cache policies.
    fn operands(&mut self) {
        let case = self.case;
        for (place, (number, register)) in case.inputs().enumerate() {
            self.load(number, register, place * PLACE);
        }
        if !matches!(case.harness, Harness::Use | Harness::Image) {
            self.addresses();
        }
        for (number, _) in case.registers(Usage::Policy) {
            self.line(&format!(
                "createpolicy.fractional.L2::evict_first.b64 %x{number}, 0f3F800000;"
            ));
        }
    }

    /// Computes the addresses of the instruction, each in the space that it names.
    fn addresses(&mut self) {
        let case = self.case;
        let shared = [
            Modifier::Shared,
            Modifier::SharedCta,
            Modifier::SharedCluster,
        ];
        let named = shared.into_iter().any(|word| case.has(word));
        let generic = case.harness == Harness::Memory(CellSpace::Shared) && !named;
        let asynchronous = case.harness == Harness::Sequence;
        let sequence = sequence::of(case);
        for (index, (number, _)) in case.registers(Usage::Address).enumerate() {
            let of = match sequence.addresses.get(index) {
                Some(of) if asynchronous => of,
                _ => "%cell",
            };
            // Without a space an address is generic. Addresses in global memory are generic
            // in any case.
            let inside = ["%cell", "%bar", "%source"].contains(&of);
            let how = if generic || asynchronous && inside && !named {
                "cvta.shared.u64"
            } else {
                "mov.b64"
            };
            self.line(&format!("{how} %x{number}, {of};"));
        }
    }

    /// Stores what the instruction wrote to registers and to memory.
    fn stores(&mut self) {
        let case = self.case;
        if case.harness != Harness::Use {
            for (place, (number, register)) in case.registers(Usage::Write).enumerate() {
                self.store(number, register, place * PLACE);
            }
        }
        match case.harness {
            Harness::Memory(space) => self.results(space),
            // Results in global memory are already at the place where they are compared.
            Harness::Sequence if !sequence::of(case).addresses.contains(&"%to") => {
                self.results(CellSpace::Shared);
            }
            _ => {}
        }
    }

    /// Writes a chain of matrix instructions. The registers of each have their own names.
    fn matrices(&mut self) {
        let Some(chain) = self.case.chain() else {
            return;
        };
        let (region, results) = (self.case.input_bytes(), self.case.output_bytes());
        let name = |part: Part| ["%a", "%b", "%c", "%m", "%d"][part as usize];
        self.line(".reg .u32 %thread, %block, %index, %lane;");
        self.line(".reg .u64 %in, %out, %mine, %matrices, %results, %cell, %long;");
        self.line(&format!(
            ".shared .align 128 .b8 cells[{}];",
            BLOCK * region
        ));
        for (part, sample) in &chain.parts {
            for (number, register) in sample.registers.iter().enumerate() {
                let ty = register.declared.name();
                self.line(&format!(".reg .{ty} {}{number};", name(*part)));
            }
        }
        for line in [
            "mov.u32 %thread, %tid.x;".to_owned(),
            "mov.u32 %block, %ctaid.x;".to_owned(),
            format!("mad.lo.u32 %index, %block, {BLOCK}, %thread;"),
            "and.b32 %lane, %thread, 31;".to_owned(),
            "ld.param.u64 %in, [in];".to_owned(),
            "ld.param.u64 %out, [out];".to_owned(),
            format!("mad.wide.u32 %in, %index, {region}, %in;"),
            format!("mad.wide.u32 %out, %index, {results}, %out;"),
            // The warp's matrices begin at the records of its first lane.
            format!("mul.wide.u32 %long, %lane, {region};"),
            "sub.u64 %matrices, %in, %long;".to_owned(),
            format!("mul.wide.u32 %long, %lane, {results};"),
            "sub.u64 %results, %out, %long;".to_owned(),
            "mov.u64 %cell, cells;".to_owned(),
            format!("mad.wide.u32 %mine, %thread, {region}, %cell;"),
            "sub.u32 %index, %thread, %lane;".to_owned(),
            format!("mad.wide.u32 %cell, %index, {region}, %cell;"),
        ] {
            self.line(&line);
        }
        for at in (0..region).step_by(8) {
            self.line(&format!("ld.global.b64 %long, [%in+{at}];"));
            self.line(&format!("st.shared.b64 [%mine+{at}], %long;"));
        }
        self.meet("shared");
        for (part, sample) in &chain.parts {
            self.link(*part, sample, name);
            self.line(&sample.instruction.replace("%x", name(*part)));
        }
        let (_, store) = &chain.parts[4];
        if matrix::in_shared(store) {
            self.meet("shared");
            self.line(&format!("mad.wide.u32 %mine, %lane, {results}, %cell;"));
            for at in (0..results).step_by(8) {
                self.line(&format!("ld.shared.b64 %long, [%mine+{at}];"));
                self.line(&format!("st.global.b64 [%out+{at}], %long;"));
            }
        }
        self.text.push_str("next:\n    ret;\n}\n");
    }

    /// Gives an instruction of a chain its address, or the registers of the previous instructions.
    fn link(&mut self, part: Part, sample: &Sample, name: impl Fn(Part) -> &'static str) {
        let mut taken = [0; 4];
        for (number, register) in sample.registers.iter().enumerate() {
            let to = format!("{}{number}", name(part));
            let from = match (register.usage, part) {
                (Usage::Address, Part::Store) if !matrix::in_shared(sample) => {
                    "%results".to_owned()
                }
                (Usage::Address, _) => {
                    let base = if matrix::in_shared(sample) {
                        "%cell"
                    } else {
                        "%matrices"
                    };
                    let start = matrix::STARTS.get(part as usize).copied().unwrap_or(0);
                    self.line(&format!("add.u64 {to}, {base}, {start};"));
                    continue;
                }
                (Usage::Read, Part::Multiply) => {
                    // Operand 0 is D. A, B and C follow. Each is in the registers of its load,
                    // beginning with the first.
                    let which = register.operand;
                    taken[which] += 1;
                    let of = [Part::Store, Part::A, Part::B, Part::C][which];
                    format!("{}{}", name(of), taken[which] - 1)
                }
                (Usage::Read, Part::Store) => {
                    taken[0] += 1;
                    format!("{}{}", name(Part::Multiply), taken[0] - 1)
                }
                _ => continue,
            };
            let bits = register.declared.size() * 8;
            self.line(&format!("mov.b{bits} {to}, {from};"));
        }
    }

    fn declarations(&mut self) {
        self.line(".reg .u32 %thread, %block, %index, %word;");
        self.line(".reg .u64 %in, %out, %cell, %long;");
        match self.case.harness {
            Harness::Memory(CellSpace::Shared) => {
                self.line(&format!(".shared .align 128 .b8 cells[{}];", BLOCK * CELL));
            }
            Harness::Sequence => {
                let bytes = BLOCK * CELL;
                self.line(&format!(
                    ".shared .align 128 .b8 cells[{bytes}], sources[{bytes}];"
                ));
                self.line(&format!(".shared .align 8 .b8 bars[{}];", BLOCK * 8));
                self.line(".reg .u64 %from, %to, %source, %bar, %state;");
                self.line(".reg .pred %done;");
            }
            Harness::Use => by_use::DECLARATIONS.iter().for_each(|line| self.line(line)),
            Harness::Memory(CellSpace::Local) => {
                self.line(&format!(".local .align 64 .b8 cells[{CELL}];"));
            }
            _ => {}
        }
        let registers = self.case.sample.registers.iter().enumerate();
        for (number, register) in registers {
            self.line(&format!(".reg .{} %x{number};", register.declared.name()));
        }
        if self.case.row.opcode == Opcode::Brx {
            self.line("list: .branchtargets next;");
        }
    }

    /// Loads the handle of the block's object. The machine passes handles as words of
    /// the last parameter.
    fn handle(&mut self) {
        let case = self.case;
        let registers = case.sample.registers.iter().copied().enumerate();
        let handle = registers.filter(|&(_, register)| image::is_handle(case, register));
        for (number, _) in handle.collect::<Vec<_>>() {
            let objects = case.images().len();
            self.line(&format!("rem.u32 %word, %block, {objects};"));
            self.line("mov.u64 %long, parameter;");
            self.line("mad.wide.u32 %long, %word, 8, %long;");
            self.line(&format!("ld.param.u64 %x{number}, [%long];"));
        }
    }

    /// Writes the address of the thread's cell to `%cell`, and fills the cell.
    fn cell(&mut self, space: CellSpace) {
        let (copied, address) = match space {
            CellSpace::Input => (
                None,
                format!("add.u64 %cell, %in, {};", self.case.cell_in()),
            ),
            CellSpace::Global => (
                Some("global"),
                format!("add.u64 %cell, %out, {};", self.case.cell_out()),
            ),
            CellSpace::Shared => (
                Some("shared"),
                format!("mov.u64 %cell, cells;\n    mad.wide.u32 %cell, %thread, {CELL}, %cell;"),
            ),
            CellSpace::Local => (Some("local"), "mov.u64 %cell, cells;".to_owned()),
            CellSpace::Constant => (
                None,
                format!(
                    "mov.u64 %cell, table;\n    rem.u32 %word, %thread, {};\n    mad.wide.u32 %cell, %word, {CELL}, %cell;",
                    TABLE / CELL
                ),
            ),
            CellSpace::Parameter => return,
        };
        self.line(&address);
        let Some(space) = copied else { return };
        for at in (0..CELL).step_by(8) {
            let from = self.case.cell_in() + at;
            self.line(&format!("ld.global.b64 %long, [%in+{from}];"));
            self.line(&format!("st.{space}.b64 [%cell+{at}], %long;"));
        }
        self.meet(space);
    }

    /// Computes the addresses of an asynchronous instruction: source, destination and barrier in
    /// shared memory, source and destination in global memory. At first both destinations contain
    /// the source, rotated by 8 bytes.
    fn places(&mut self) {
        let (input, output) = (self.case.cell_in(), self.case.cell_out());
        for (array, register, size) in [
            ("cells", "%cell", CELL),
            ("sources", "%source", CELL),
            ("bars", "%bar", 8),
        ] {
            self.line(&format!("mov.u64 {register}, {array};"));
            self.line(&format!(
                "mad.wide.u32 {register}, %thread, {size}, {register};"
            ));
        }
        if self.case.registers(Usage::Policy).next().is_some() {
            // If the address consists of a uniform register and another one, and there is a
            // policy, the assembler of CUDA 13.0 translates `cp.async` to an instruction that is
            // illegal on an H200. This adds the length's top bit, which is 0, but the assembler
            // does not know that.
            self.line("ld.param.u64 %long, [in_bytes];");
            self.line("shr.u64 %long, %long, 63;");
            self.line("xor.b64 %cell, %cell, %long;");
        }
        self.line(&format!("add.u64 %from, %in, {input};"));
        self.line(&format!("add.u64 %to, %out, {output};"));
        for at in (0..CELL).step_by(8) {
            self.line(&format!("ld.global.b64 %long, [%from+{at}];"));
            self.line(&format!("st.shared.b64 [%source+{at}], %long;"));
            let to = (at + 8) % CELL;
            self.line(&format!("st.shared.b64 [%cell+{to}], %long;"));
            self.line(&format!("st.global.b64 [%to+{to}], %long;"));
        }
    }

    /// Copies the cell to the place where results are compared. In global memory it
    /// is already there.
    fn results(&mut self, space: CellSpace) {
        let space = match space {
            CellSpace::Shared => "shared",
            CellSpace::Local => "local",
            _ => return,
        };
        self.meet(space);
        for at in (0..CELL).step_by(8) {
            let to = self.case.cell_out() + at;
            self.line(&format!("ld.{space}.b64 %long, [%cell+{at}];"));
            self.line(&format!("st.global.b64 [%out+{to}], %long;"));
        }
    }

    /// Synchronises the block, because an instruction of a warp may access the cells
    /// of other threads.
    fn meet(&mut self, space: &str) {
        if space == "shared" {
            self.line("bar.sync 0;");
        }
    }

    fn load(&mut self, number: usize, register: Register, at: usize) {
        match register.declared {
            Type::Pred => {
                self.line(&format!("ld.global.u32 %word, [%in+{at}];"));
                self.line(&format!("setp.ne.u32 %x{number}, %word, 0;"));
            }
            ty => self.line(&format!(
                "ld.global.b{} %x{number}, [%in+{at}];",
                ty.size() * 8
            )),
        }
    }

    fn store(&mut self, number: usize, register: Register, at: usize) {
        match register.declared {
            // The bits of a barrier's state are specific to the device. Only its number of pending
            // arrivals can be compared.
            ty if self.case.row.opcode == Opcode::Mbarrier && ty.size() == 8 => {
                self.line(&format!("mbarrier.pending_count.b64 %word, %x{number};"));
                self.line(&format!("st.global.u32 [%out+{at}], %word;"));
            }
            // A policy's bits are specific to the device.
            _ if self.case.row.opcode == Opcode::Createpolicy => {}
            Type::Pred => {
                self.line(&format!("selp.u32 %word, 1, 0, %x{number};"));
                self.line(&format!("st.global.u32 [%out+{at}], %word;"));
            }
            ty => self.line(&format!(
                "st.global.b{} [%out+{at}], %x{number};",
                ty.size() * 8
            )),
        }
    }

    /// Writes the code that has to be directly before the instruction.
    fn before(&mut self) {
        let case = self.case;
        if case.carry_in() {
            let at = case.registers(Usage::Read).count() * PLACE;
            self.line(&format!("ld.global.u32 %word, [%in+{at}];"));
            // The flag is set with additions, before subtractions too. It is the flag of a GPU,
            // not a borrow.
            self.line("add.cc.u32 %word, %word, -1;");
        }
        if case.row.opcode == Opcode::Barrier && case.has(Modifier::Wait) {
            self.line("barrier.cluster.arrive.aligned;");
        }
    }

    /// Writes the code that has to be directly after the instruction.
    fn after(&mut self) {
        let case = self.case;
        if case.carry_out() {
            let at = case.registers(Usage::Write).count() * PLACE;
            self.line("addc.u32 %word, 0, 0;");
            self.line(&format!("st.global.u32 [%out+{at}], %word;"));
        }
        if case.row.opcode == Opcode::Barrier
            && case.has(Modifier::Cluster)
            && case.has(Modifier::Arrive)
        {
            self.line("barrier.cluster.wait.aligned;");
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cases::all;

    #[test]
    fn every_kernel_reads_as_ptx_of_the_table() {
        let cases = all();
        let wrong: Vec<String> = cases
            .iter()
            .filter(|case| !matches!(case.harness, Harness::None(_)))
            .filter_map(|case| {
                let text = module(&[case]);
                let parsed = lanewise_sim::ptx::parse(&text).map_err(|error| error.to_string());
                let checked = parsed.and_then(|mut module| {
                    lanewise_sim::isa::check(&mut module).map_err(|e| e.to_string())
                });
                checked
                    .err()
                    .map(|error| format!("{}: {error}", case.sample.instruction))
            })
            .collect();
        assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    }
}
