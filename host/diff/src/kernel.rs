//! The PTX of a case: load the operands, execute the instruction, store the results.
//!
//! A kernel has the five parameters of [`PARAMETERS`]. Thread `t` reads record `t` of the input and writes record `t` of the
//! output; [`Case`] says what is where in a record. Operands come from memory, so that no compiler can compute a result.

use std::fmt::Write;

use sim::isa::sample::{Register, Usage};
use sim::ptx::ast::{Modifier, Opcode, Type};

use crate::case::{BLOCK, CELL, Case, Harness, PLACE, Space};

/// Input and output as address and length in bytes, and a parameter that is only there to be loaded.
const PARAMETERS: &str = ".param .u64 in, .param .u64 in_bytes, .param .u64 out, .param .u64 out_bytes, \
                          .param .align 16 .b8 parameter[128]";

/// What [`PARAMETERS`]' last one holds.
pub fn parameter() -> [u64; 16] {
    std::array::from_fn(|i| 0x0807_0605_0403_0201_u64.wrapping_mul(2 * i as u64 + 1))
}

/// Bytes of the table in constant memory.
const TABLE: usize = 16 * CELL;

/// A module with the kernels of these cases, `k0`, `k1`, ... The cases need the same version and target.
pub fn module(cases: &[&Case]) -> String {
    let Some(first) = cases.first() else {
        return String::new();
    };
    let ((major, minor), target) = (first.sample.version, first.sample.target);
    let mut text = format!(
        ".version {major}.{minor}\n.target {target}\n.address_size 64\n.func callee() {{ ret; }}\n"
    );
    if cases
        .iter()
        .any(|case| case.harness == Harness::Memory(Space::Constant))
    {
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
        let _ = writeln!(self.text, ".visible .entry k{number}({PARAMETERS})\n{{");
        self.declarations();
        self.line("mov.u32 %thread, %tid.x;");
        self.line("mov.u32 %block, %ctaid.x;");
        self.line(&format!("mad.lo.u32 %index, %block, {BLOCK}, %thread;"));
        self.line("ld.param.u64 %in, [in];");
        self.line("ld.param.u64 %out, [out];");
        self.line(&format!(
            "mad.wide.u32 %in, %index, {}, %in;",
            case.input_bytes()
        ));
        self.line(&format!(
            "mad.wide.u32 %out, %index, {}, %out;",
            case.output_bytes()
        ));
        if let Harness::Memory(space) = case.harness {
            self.cell(space);
        }
        let reads: Vec<_> = case.registers(Usage::Read).collect();
        for (place, (number, register)) in reads.into_iter().enumerate() {
            self.load(number, register, place * PLACE);
        }
        let shared = [
            Modifier::Shared,
            Modifier::SharedCta,
            Modifier::SharedCluster,
        ];
        let generic = case.harness == Harness::Memory(Space::Shared)
            && !shared.into_iter().any(|word| case.has(word));
        for (number, _) in case.registers(Usage::Address).collect::<Vec<_>>() {
            let how = if generic {
                "cvta.shared.u64"
            } else {
                "mov.b64"
            };
            self.line(&format!("{how} %x{number}, %cell;"));
        }
        for (number, _) in case.registers(Usage::Policy).collect::<Vec<_>>() {
            self.line(&format!(
                "createpolicy.fractional.L2::evict_first.b64 %x{number}, 0f3F800000;"
            ));
        }
        if case.harness == Harness::Runs {
            self.line("st.global.u32 [%out], 1;");
        }
        self.before();
        self.line(&case.sample.instruction);
        self.after();
        if case.harness == Harness::Runs {
            self.line("st.global.u32 [%out+4], 2;");
        }
        let writes: Vec<_> = case.registers(Usage::Write).collect();
        for (place, (number, register)) in writes.into_iter().enumerate() {
            self.store(number, register, place * PLACE);
        }
        if let Harness::Memory(space) = case.harness {
            self.results(space);
        }
        self.text.push_str("next:\n    ret;\n}\n");
    }

    fn declarations(&mut self) {
        self.line(".reg .u32 %thread, %block, %index, %word;");
        self.line(".reg .u64 %in, %out, %cell, %long;");
        match self.case.harness {
            Harness::Memory(Space::Shared) => {
                self.line(&format!(".shared .align 128 .b8 cells[{}];", BLOCK * CELL));
            }
            Harness::Memory(Space::Local) => {
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

    /// Puts the address of the thread's cell into `%cell`, and its contents into it.
    fn cell(&mut self, space: Space) {
        let (copied, address) = match space {
            Space::Input => (
                None,
                format!("add.u64 %cell, %in, {};", self.case.cell_in()),
            ),
            Space::Global => (
                Some("global"),
                format!("add.u64 %cell, %out, {};", self.case.cell_out()),
            ),
            Space::Shared => (
                Some("shared"),
                format!("mov.u64 %cell, cells;\n    mad.wide.u32 %cell, %thread, {CELL}, %cell;"),
            ),
            Space::Local => (Some("local"), "mov.u64 %cell, cells;".to_owned()),
            Space::Constant => (
                None,
                format!(
                    "mov.u64 %cell, table;\n    rem.u32 %word, %thread, {};\n    mad.wide.u32 %cell, %word, {CELL}, %cell;",
                    TABLE / CELL
                ),
            ),
            Space::Parameter => return,
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

    /// Copies the cell to where results are compared; in global memory it is there already.
    fn results(&mut self, space: Space) {
        let space = match space {
            Space::Shared => "shared",
            Space::Local => "local",
            _ => return,
        };
        self.meet(space);
        for at in (0..CELL).step_by(8) {
            let to = self.case.cell_out() + at;
            self.line(&format!("ld.{space}.b64 %long, [%cell+{at}];"));
            self.line(&format!("st.global.b64 [%out+{to}], %long;"));
        }
    }

    /// An instruction of a warp may work on the cells of others.
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
            // A policy's bits are the device's own business.
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

    /// What has to come directly before the instruction.
    fn before(&mut self) {
        let case = self.case;
        if case.carry_in() {
            let at = case.registers(Usage::Read).count() * PLACE;
            self.line(&format!("ld.global.u32 %word, [%in+{at}];"));
            // By additions, before subtractions too: the flag is what a GPU has, not what a borrow would be.
            self.line("add.cc.u32 %word, %word, -1;");
        }
        if case.row.opcode == Opcode::Barrier && case.has(Modifier::Wait) {
            self.line("barrier.cluster.arrive.aligned;");
        }
    }

    /// What has to come directly behind it.
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
    use crate::case::all;

    #[test]
    fn every_kernel_reads_as_ptx_of_the_table() {
        let cases = all();
        let wrong: Vec<String> = cases
            .iter()
            .filter(|case| !matches!(case.harness, Harness::None(_)))
            .filter_map(|case| {
                let text = module(&[case]);
                let parsed = sim::ptx::parse(&text).map_err(|error| error.to_string());
                let checked =
                    parsed.and_then(|module| sim::isa::check(&module).map_err(|e| e.to_string()));
                checked
                    .err()
                    .map(|error| format!("{}: {error}", case.sample.instruction))
            })
            .collect();
        assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    }
}
