//! A kernel of one instruction: made, run and compared.

use std::fmt::Write;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{LazyLock, Mutex, PoisonError};

use lanewise_sim::isa::sample::Sample;
use lanewise_sim::ptx::ast::{Modifier, Opcode, Operand, Type};
use lanewise_sim::{AllocationKind, Device, DeviceModel, Launch, Module};

use crate::inputs::{self, Records};
use crate::reference::{self, Expect};

/// Bytes between operands in memory.
const SLOT: usize = 16;
/// The most records that run with every other lane disabled. What a lane computes does not depend
/// on its record.
const GUARDED: usize = 512;
/// The value of destinations before the instruction.
const OLD: u128 = 0x5a5a_5a5a_5a5a_5a5a_5a5a_5a5a_5a5a_5a5a;

/// A register of the instruction.
#[derive(Clone, Debug)]
pub struct Register {
    name: String,
    /// The type that it is declared with.
    pub ty: Type,
}

impl Register {
    /// Bits of its value.
    pub fn bits(&self) -> u32 {
        match self.ty {
            Type::Pred => 1,
            ty => ty.size() as u32 * 8,
        }
    }
}

/// An instruction with its operands.
#[derive(Clone, Debug)]
pub struct Case {
    /// The instruction as PTX text.
    pub text: String,
    pub opcode: Opcode,
    pub words: Vec<Modifier>,
    /// The types among the words.
    pub types: Vec<Type>,
    pub writes: Vec<Register>,
    pub reads: Vec<Register>,
    /// A constant operand.
    pub constant: i64,
    /// How many records of random operands it runs on.
    pub records: usize,
    /// The input whose register is also the first destination.
    shared: Option<usize>,
    /// The register of the instruction's guard: a register of its own, or the first destination.
    guard: String,
    head: String,
}

impl Case {
    /// Reads a sample back from its own text.
    pub fn new(sample: &Sample, records: usize) -> Case {
        let module = lanewise_sim::ptx::parse(&sample.module).expect("samples parse");
        let function = module.functions.iter().find(|f| f.name == "sample");
        let body = function.and_then(|f| f.body.as_ref()).expect("a kernel");
        let instruction = &body.instructions[0];
        let register = |id: u32| Register {
            name: body.registers[id as usize].name.to_string(),
            ty: body.registers[id as usize].ty,
        };
        let (mut writes, mut reads, mut constant) = (Vec::new(), Vec::new(), 0);
        for (index, operand) in body.operands(instruction).iter().enumerate() {
            let mut found = Vec::new();
            match *operand {
                Operand::Register(id) | Operand::Part(id, _) | Operand::Minus(id, _) => {
                    found.push(register(id));
                }
                Operand::Pair(a, b) => found.extend(a.into_iter().chain(b).map(register)),
                Operand::Vector(slice) => {
                    for element in body.elements(slice) {
                        let Operand::Register(id) = *element else {
                            panic!("{element:?} in a vector")
                        };
                        found.push(register(id));
                    }
                }
                Operand::Int(value) => constant = value,
                other => panic!("{other:?} in `{}`", sample.instruction),
            }
            if index == 0 {
                writes = found
            } else {
                reads.extend(found)
            }
        }
        let head = sample.module.lines().take(3).collect::<Vec<_>>().join("\n");
        Case {
            text: sample.instruction.clone(),
            opcode: instruction.opcode,
            words: instruction.modifiers.to_vec(),
            types: instruction.modifiers.types().collect(),
            writes,
            reads,
            constant,
            records,
            shared: None,
            guard: "%go".to_owned(),
            head,
        }
    }

    /// The same instruction with registers that are both read and written: its destination is an
    /// operand, its destination is its guard, or a comparison gives both results.
    pub fn variants(&self, records: usize) -> Vec<Case> {
        let case = || Case {
            records,
            ..self.clone()
        };
        let mut variants = Vec::new();
        let first = &self.writes[0];
        if let Some(index) = self.reads.iter().rposition(|read| read.ty == first.ty) {
            let mut shared = case();
            let name = &self.reads[index].name;
            shared.text = replaced(&self.text, name, &first.name);
            shared.reads[index].name = first.name.clone();
            shared.shared = Some(index);
            variants.push(shared);
        }
        if first.ty == Type::Pred {
            variants.push(Case {
                guard: first.name.clone(),
                ..case()
            });
        }
        if self.opcode == Opcode::Setp && self.writes.len() == 1 {
            let mut pair = case();
            pair.writes.push(Register {
                name: "%second".to_owned(),
                ty: Type::Pred,
            });
            pair.text = replaced(&self.text, &first.name, &format!("{}|%second", first.name));
            variants.push(Case {
                guard: "%second".to_owned(),
                ..pair.clone()
            });
            variants.push(pair);
        }
        variants
    }

    /// Returns whether the instruction has a modifier.
    pub fn has(&self, word: Modifier) -> bool {
        self.words.contains(&word)
    }

    /// Returns whether the instruction reads the carry flag, which is then the last input.
    pub fn carry_in(&self) -> bool {
        matches!(self.opcode, Opcode::Addc | Opcode::Subc | Opcode::Madc)
    }

    /// Returns whether the instruction writes the carry flag, which is then the last result.
    pub fn carry_out(&self) -> bool {
        self.has(Modifier::Cc)
    }

    /// Returns whether the carry flag is a borrow.
    fn borrows(&self) -> bool {
        matches!(self.opcode, Opcode::Sub | Opcode::Subc)
    }

    /// Bits of each input.
    pub fn inputs(&self) -> Vec<u32> {
        let carry = self.carry_in().then_some(1);
        self.reads.iter().map(Register::bits).chain(carry).collect()
    }

    fn outputs(&self) -> Vec<u32> {
        let carry = self.carry_out().then_some(1);
        self.writes
            .iter()
            .map(Register::bits)
            .chain(carry)
            .collect()
    }

    /// The kernel: each thread `t` below `n` reads record `t` and writes record `t`. With `odd`
    /// only odd threads run the instruction.
    fn kernel(&self) -> String {
        let mut s = self.head.clone();
        let mut line = |text: String| writeln!(s, "{text}").expect("memory");
        line(
            "\n.entry run(.param .u64 in, .param .u64 out, .param .u64 n, .param .u64 odd) {"
                .into(),
        );
        line(
            ".reg .pred %go, %past; .reg .u32 %i, %b, %w; .reg .u64 %in, %out, %n; .reg .u64 %at;"
                .into(),
        );
        let shared = self.shared.map(|index| &self.reads[index].name);
        let others = self
            .reads
            .iter()
            .filter(|register| Some(&register.name) != shared);
        for register in self.writes.iter().chain(others) {
            line(format!(".reg .{} {};", register.ty.name(), register.name));
        }
        line("mov.u32 %i, %tid.x; mov.u32 %b, %ctaid.x; mad.lo.u32 %i, %b, 128, %i;".into());
        line("ld.param.u32 %w, [n]; setp.ge.u32 %past, %i, %w; @%past bra end;".into());
        line("ld.param.u32 %w, [odd]; and.b32 %b, %i, 1; setp.ge.u32 %go, %b, %w;".into());
        line("ld.param.u64 %in, [in]; ld.param.u64 %out, [out];".into());
        line(format!(
            "mad.wide.u32 %in, %i, {}, %in;",
            self.inputs().len() * SLOT
        ));
        line(format!(
            "mad.wide.u32 %out, %i, {}, %out;",
            self.outputs().len() * SLOT
        ));
        let load = |register: &Register, base: &str, slot: usize| match register.ty {
            Type::Pred => {
                let name = &register.name;
                format!(
                    "ld.global.u8 %w, [{base}+{}]; setp.ne.u32 {name}, %w, 0;",
                    slot * SLOT
                )
            }
            ty => format!(
                "ld.global.b{} {}, [{base}+{}];",
                ty.size() * 8,
                register.name,
                slot * SLOT
            ),
        };
        for (slot, register) in self.writes.iter().enumerate() {
            line(load(register, "%out", slot));
        }
        for (slot, register) in self.reads.iter().enumerate() {
            line(load(register, "%in", slot));
        }
        if self.carry_in() {
            line(format!(
                "ld.global.u32 %w, [%in+{}];",
                self.reads.len() * SLOT
            ));
            line(
                if self.borrows() {
                    "sub.cc.u32 %w, 0, %w;"
                } else {
                    "add.cc.u32 %w, %w, -1;"
                }
                .into(),
            );
        } else if self.carry_out() {
            let none = if self.borrows() { "sub" } else { "add" };
            line(format!("{none}.cc.u32 %w, 0, 0;"));
        }
        if self.guard != "%go" {
            line(format!("mov.pred {}, %go;", self.guard));
        }
        line(format!("@{} {}", self.guard, self.text));
        if self.carry_out() {
            line(
                if self.borrows() {
                    "subc.u32 %w, 0, 0; neg.s32 %w, %w;"
                } else {
                    "addc.u32 %w, 0, 0;"
                }
                .into(),
            );
            line(format!(
                "st.global.u32 [%out+{}], %w;",
                self.writes.len() * SLOT
            ));
        }
        for (slot, register) in self.writes.iter().enumerate() {
            line(match register.ty {
                Type::Pred => format!(
                    "selp.u32 %w, 1, 0, {}; st.global.u8 [%out+{}], %w;",
                    register.name,
                    slot * SLOT
                ),
                ty => format!(
                    "st.global.b{} [%out+{}], {};",
                    ty.size() * 8,
                    slot * SLOT,
                    register.name
                ),
            });
        }
        line("end: ret; }".into());
        s
    }

    /// Runs the instruction on `records`, and returns the results of each, one after another.
    fn run(&self, module: &Module, records: &Records, odd: bool) -> Vec<u128> {
        static DEVICE: LazyLock<Device> = LazyLock::new(|| {
            Device::new(DeviceModel::b200()).expect("the host gives address space")
        });
        let device = &*DEVICE;
        let instance = device.instantiate(module).expect("variables fit");
        let outputs = self.outputs();
        let old: Vec<u128> = outputs.iter().map(|&bits| low(OLD, bits)).collect();
        let to = old.repeat(records.len());
        let (from, to_buffer) = (Buffer::of(device, &records.values), Buffer::of(device, &to));
        let (from_at, to_at) = (from.at, to_buffer.at);
        let params = [from_at, to_at, records.len() as u64, odd.into()];
        let params: Vec<u8> = params.iter().flat_map(|p| p.to_le_bytes()).collect();
        let blocks = records.len().div_ceil(128) as u32;
        let launch = Launch::new("run", [blocks, 1, 1], [128, 1, 1], &params);
        if let Err(fault) = device.launch(&instance, &launch) {
            panic!("`{}`: {fault}", self.text);
        }
        // SAFETY: the buffer made above, which has at least as many values.
        let results = unsafe { std::slice::from_raw_parts(to_at as *const u128, to.len()) };
        let results = results.iter().zip(outputs.iter().cycle());
        let results = results.map(|(&result, &bits)| low(result, bits)).collect();
        from.give_back();
        to_buffer.give_back();
        results
    }

    /// Returns what a register, or the carry flag, holds where the guard is false.
    fn unchanged(&self, record: &[u128], index: usize) -> Expect {
        let Some(register) = self.writes.get(index) else {
            let carry = record.last().filter(|_| self.carry_in());
            return Expect::Bits(carry.copied().unwrap_or(0));
        };
        Expect::Bits(match self.shared {
            // A guard that is false is still false after the instruction.
            _ if register.name == self.guard => 0,
            Some(input) if index == 0 => record[input],
            _ => low(OLD, register.bits()),
        })
    }

    /// Describes the first few results that differ from the reference, if any.
    pub fn differences(&self, wrong: &AtomicUsize) -> Option<String> {
        let text = self.kernel();
        let module = match Module::load(&text) {
            Ok(module) => module,
            Err(error) => return Some(format!("`{}` does not load: {error}\n{text}", self.text)),
        };
        let records = inputs::records(self);
        let width = self.outputs().len();
        let mut changed: Vec<Expect> = Vec::with_capacity(records.len() * width);
        for (record, before) in records.iter().zip((0..).step_by(width)) {
            changed.extend(reference::expect(self, record));
            assert_eq!(
                changed.len(),
                before + width,
                "`{}`: a reference for each result",
                self.text
            );
        }
        let mut report = String::new();
        let mut count = 0;
        let apart = records.len().div_ceil(GUARDED);
        let few = records.each(apart);
        for (records, step, odd) in [(&records, 1, false), (&few, apart, true)] {
            let results = self.run(&module, records, odd);
            let rows = changed
                .chunks(width)
                .step_by(step)
                .zip(results.chunks(width));
            for (thread, (record, (changed, result))) in records.iter().zip(rows).enumerate() {
                let runs = !odd || thread % 2 == 1;
                let expected = |index: usize| {
                    if runs {
                        changed[index]
                    } else {
                        self.unchanged(record, index)
                    }
                };
                if (0..width).any(|index| !expected(index).holds(result[index])) {
                    count += 1;
                    if count <= 3 {
                        let expected: Vec<Expect> = (0..width).map(expected).collect();
                        let _ = write!(
                            report,
                            "\n    {record:x?} gives {result:x?}, expected {expected:x?}"
                        );
                    }
                }
            }
        }
        wrong.fetch_add(count, Ordering::Relaxed);
        (count > 0).then(|| {
            format!(
                "`{}`: {count} of {}:{report}",
                self.text,
                records.len() + few.len()
            )
        })
    }
}

/// Device memory that runs reuse: allocating and freeing it takes longer than most runs.
struct Buffer {
    at: u64,
    bytes: u64,
}

/// The memory that no run uses.
static IDLE: Mutex<Vec<Buffer>> = Mutex::new(Vec::new());

impl Buffer {
    /// Returns memory that begins with these values.
    fn of(device: &Device, values: &[u128]) -> Buffer {
        let bytes = size_of_val(values) as u64;
        let idle = {
            let mut idle = IDLE.lock().unwrap_or_else(PoisonError::into_inner);
            let fits = idle.iter().position(|buffer| buffer.bytes >= bytes);
            fits.map(|index| idle.swap_remove(index))
        };
        let buffer = idle.unwrap_or_else(|| {
            let bytes = bytes.next_power_of_two().max(1 << 18);
            let made = device
                .memory()
                .allocate(bytes, 16, AllocationKind::Device, None);
            let at = made.expect("memory");
            Buffer { at, bytes }
        });
        // SAFETY: a live allocation of at least that many bytes, aligned for them, which
        // nobody else has.
        unsafe {
            (buffer.at as *mut u128).copy_from_nonoverlapping(values.as_ptr(), values.len());
        }
        buffer
    }

    fn give_back(self) {
        IDLE.lock()
            .unwrap_or_else(PoisonError::into_inner)
            .push(self);
    }
}

/// `text` with one register, which no other's name begins with at that place, named otherwise.
fn replaced(text: &str, name: &str, by: &str) -> String {
    let is_name = |c: char| c.is_ascii_alphanumeric();
    let mut parts = text.split(name);
    let mut result = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        result += if part.starts_with(is_name) { name } else { by };
        result += part;
    }
    result
}

/// The low bits of `x`.
pub fn low(x: u128, bits: u32) -> u128 {
    if bits == 128 {
        x
    } else {
        x & ((1 << bits) - 1)
    }
}
