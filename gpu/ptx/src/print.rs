//! Converts a syntax tree to PTX text.
//!
//! The text parses to the same tree, except for positions. Constants are printed as bits, so that
//! nothing is rounded. `.file` directives come at the top, and debug sections at the end.

use std::fmt::Write;

use super::ast::*;

/// Returns the PTX text of a module.
///
/// ```
/// let module = lanewise_ptx::parse(".version 8.0 .target sm_90 .address_size 64 .entry k() { ret; }")?;
/// let text = lanewise_ptx::print(&module);
/// assert_eq!(lanewise_ptx::print(&lanewise_ptx::parse(&text)?), text);
/// # Ok::<(), lanewise_ptx::ParseError>(())
/// ```
pub fn print(module: &Module<'_>) -> String {
    let mut printer = Printer { out: String::new() };
    printer.module(module);
    printer.out
}

/// Returns the text of the instruction of this index in the function's body, without its
/// semicolon.
///
/// ```
/// let text = ".version 8.0 .target sm_90 .address_size 64 .entry k() { bar.sync \t0; ret; }";
/// let module = lanewise_ptx::parse(text)?;
/// let instruction = lanewise_ptx::print_instruction(&module.functions[0], 0);
/// assert_eq!(instruction.as_deref(), Some("bar.sync 0"));
/// # Ok::<(), lanewise_ptx::ParseError>(())
/// ```
pub fn print_instruction(function: &Function<'_>, index: usize) -> Option<String> {
    let body = function.body.as_ref()?;
    let instruction = body.instructions.get(index)?;
    let mut printer = Printer { out: String::new() };
    let mut one = BodyPrinter {
        printer: &mut printer,
        function,
        body,
        depth: 0,
    };
    one.instruction(instruction);
    printer.out.pop();
    Some(printer.out)
}

struct Printer {
    out: String,
}

/// Writes to a string, which cannot fail.
macro_rules! put {
    ($printer:expr, $($argument:tt)*) => {{
        let _ = write!($printer.out, $($argument)*);
    }};
}

impl Printer {
    fn module(&mut self, module: &Module<'_>) {
        let (major, minor) = module.version;
        put!(
            self,
            ".version {major}.{minor}\n.target {}\n",
            module.targets.join(", ")
        );
        put!(self, ".address_size {}\n", module.address_size);
        for file in &module.files {
            put!(self, ".file {} \"{}\"", file.index, file.name);
            if let Some((time, size)) = file.stamp {
                put!(self, ", {time}, {size}");
            }
            self.out.push('\n');
        }
        for pragma in &module.pragmas {
            put!(self, ".pragma \"{pragma}\";\n");
        }
        for &declared in &module.order {
            match declared {
                Declared::Variable(index) => {
                    self.variable(&module.variables[index as usize]);
                    self.out.push_str(";\n");
                }
                Declared::Function(index) => self.function(&module.functions[index as usize]),
                Declared::Alias(index) => {
                    let Alias { name, of, .. } = module.aliases[index as usize];
                    put!(self, ".alias {name}, {of};\n");
                }
            }
        }
        for section in &module.sections {
            self.section(section);
        }
    }

    fn section(&mut self, section: &Section<'_>) {
        put!(self, ".section {} {{\n", section.name);
        for datum in &section.data {
            match datum {
                Datum::Label(label) => put!(self, "{label}:\n"),
                Datum::Number { bits, number } => {
                    put!(self, ".b{bits} ");
                    match number {
                        Number::Value(value) => put!(self, "{value}\n"),
                        Number::Address { symbol, offset: 0 } => put!(self, "{symbol}\n"),
                        Number::Address { symbol, offset } => put!(self, "{symbol}+{offset}\n"),
                        Number::Distance { to, from } => put!(self, "{to}-{from}\n"),
                    }
                }
            }
        }
        self.out.push_str("}\n");
    }

    fn linkage(&mut self, linkage: Linkage) {
        if let Some(name) = linkage.name() {
            put!(self, ".{name} ");
        }
    }

    fn attributes(&mut self, attributes: &[Attribute]) {
        for attribute in attributes {
            match attribute {
                Attribute::Managed => self.out.push_str(" .attribute(.managed)"),
                Attribute::Unified(first, second) => {
                    put!(self, " .attribute(.unified({first}, {second}))");
                }
            }
        }
    }

    fn variable(&mut self, variable: &Variable<'_>) {
        self.linkage(variable.linkage);
        put!(self, ".{}", variable.space.name());
        if let Some(bank) = variable.bank {
            put!(self, "[{bank}]");
        }
        self.attributes(&variable.attributes);
        if let Some(align) = variable.align {
            put!(self, " .align {align}");
        }
        self.vector(variable.vector);
        put!(self, " .{}", variable.ty.name());
        if let Some(pointer) = variable.pointer {
            self.out.push_str(" .ptr");
            if let Some(space) = pointer.space {
                put!(self, " .{}", space.name());
            }
            if let Some(align) = pointer.align {
                put!(self, " .align {align}");
            }
        }
        put!(self, " {}", variable.name);
        for dim in &variable.dims {
            match dim {
                Some(length) => {
                    put!(self, "[{length}]");
                }
                None => self.out.push_str("[]"),
            }
        }
        if let Some(initializer) = &variable.initializer {
            self.out.push_str(" = ");
            self.initializer(initializer);
        }
    }

    fn vector(&mut self, vector: u8) {
        if vector > 1 {
            put!(self, " .v{vector}");
        }
    }

    /// The recursion is limited, because the parser limits the depth of initializers.
    fn initializer(&mut self, initializer: &Initializer<'_>) {
        match initializer {
            Initializer::List(list) => {
                self.out.push('{');
                self.separated(list, |printer, item| printer.initializer(item));
                self.out.push('}');
            }
            Initializer::Int(value) => {
                put!(self, "{value}");
            }
            Initializer::F32(bits) => {
                put!(self, "0f{bits:08X}");
            }
            Initializer::F64(bits) => {
                put!(self, "0d{bits:016X}");
            }
            Initializer::Address(address) => self.address_of(address),
        }
    }

    fn address_of(&mut self, address: &AddressOf<'_>) {
        if let Some(mask) = address.mask {
            put!(self, "{mask}(");
        }
        if address.generic {
            put!(self, "generic({})", address.symbol);
        } else {
            self.out.push_str(address.symbol);
        }
        self.offset(address.offset);
        if address.mask.is_some() {
            self.out.push(')');
        }
    }

    fn offset(&mut self, offset: i64) {
        if offset != 0 {
            put!(self, "+{offset}");
        }
    }

    fn separated<T>(&mut self, items: &[T], mut item: impl FnMut(&mut Self, &T)) {
        for (index, each) in items.iter().enumerate() {
            if index > 0 {
                self.out.push_str(", ");
            }
            item(self, each);
        }
    }

    fn parameters(&mut self, parameters: &[Variable<'_>]) {
        self.out.push('(');
        self.separated(parameters, |printer, parameter| printer.variable(parameter));
        self.out.push(')');
    }

    fn function(&mut self, function: &Function<'_>) {
        self.linkage(function.linkage);
        self.out
            .push_str(if function.entry { ".entry" } else { ".func" });
        self.attributes(&function.attributes);
        if !function.returns.is_empty() {
            self.out.push(' ');
            self.parameters(&function.returns);
        }
        put!(self, " {}", function.name);
        self.parameters(&function.params);
        self.directives(&function.directives);
        match &function.body {
            None => self.out.push_str(";\n"),
            Some(body) => BodyPrinter {
                printer: self,
                function,
                body,
                depth: 1,
            }
            .body(),
        }
    }

    fn directives(&mut self, directives: &[Directive<'_>]) {
        for directive in directives {
            self.out.push('\n');
            match directive {
                Directive::MaxThreads([x, y, z]) => {
                    put!(self, ".maxntid {x}, {y}, {z}");
                }
                Directive::RequiredThreads([x, y, z]) => {
                    put!(self, ".reqntid {x}, {y}, {z}");
                }
                Directive::RequiredCluster([x, y, z]) => {
                    put!(self, ".reqnctapercluster {x}, {y}, {z}");
                }
                Directive::MinBlocksPerSm(blocks) => {
                    put!(self, ".minnctapersm {blocks}");
                }
                Directive::MaxBlocksPerSm(blocks) => {
                    put!(self, ".maxnctapersm {blocks}");
                }
                Directive::MaxRegisters(registers) => {
                    put!(self, ".maxnreg {registers}");
                }
                Directive::MaxClusterRank(blocks) => {
                    put!(self, ".maxclusterrank {blocks}");
                }
                Directive::AbiPreserve(registers) => {
                    put!(self, ".abi_preserve {registers}");
                }
                Directive::AbiPreserveControl(registers) => {
                    put!(self, ".abi_preserve_control {registers}");
                }
                Directive::ExplicitCluster => self.out.push_str(".explicitcluster"),
                Directive::BlocksAreClusters => self.out.push_str(".blocksareclusters"),
                Directive::NoReturn => self.out.push_str(".noreturn"),
                Directive::Pragma(text) => {
                    put!(self, ".pragma \"{text}\";");
                }
            }
        }
    }
}

/// Prints a body. The names of its operands belong to the function around it.
struct BodyPrinter<'p> {
    printer: &'p mut Printer,
    function: &'p Function<'p>,
    body: &'p Body<'p>,
    depth: usize,
}

impl<'p> BodyPrinter<'p> {
    fn body(mut self) {
        self.printer.out.push_str("\n{\n");
        for item in &self.body.items {
            if *item == Item::ScopeEnd {
                self.depth -= 1;
            }
            for _ in 0..self.depth {
                self.printer.out.push_str("    ");
            }
            self.item(*item);
            self.printer.out.push('\n');
        }
        self.printer.out.push_str("}\n");
    }

    fn item(&mut self, item: Item<'_>) {
        match item {
            Item::ScopeBegin => {
                self.printer.out.push('{');
                self.depth += 1;
            }
            Item::ScopeEnd => self.printer.out.push('}'),
            Item::Registers(index) => {
                let declaration = &self.body.register_declarations[index as usize];
                self.printer.out.push_str(".reg");
                self.printer.vector(declaration.vector);
                put!(
                    self.printer,
                    " .{} {}",
                    declaration.ty.name(),
                    declaration.name
                );
                if let Some(count) = declaration.count {
                    put!(self.printer, "<{count}>");
                }
                self.printer.out.push(';');
            }
            Item::Variable(index) => {
                self.printer.variable(&self.body.variables[index as usize]);
                self.printer.out.push(';');
            }
            Item::Label(id) => self.label(id),
            Item::Instruction(index) => self.instruction(&self.body.instructions[index as usize]),
            Item::Location(index) => self.location(&self.body.locations[index as usize]),
            Item::Pragma(text) => {
                put!(self.printer, ".pragma \"{text}\";");
            }
        }
    }

    fn label(&mut self, id: LabelId) {
        let label = &self.body.labels[id as usize];
        put!(self.printer, "{}:", label.name);
        match label.target {
            Target::Instruction(_) => {}
            Target::Prototype(index) => {
                let prototype = &self.body.prototypes[index as usize];
                self.printer.out.push_str(" .callprototype ");
                if !prototype.returns.is_empty() {
                    self.printer.parameters(&prototype.returns);
                }
                self.printer.out.push_str(" _ ");
                self.printer.parameters(&prototype.params);
                self.printer.directives(&prototype.directives);
                self.printer.out.push(';');
            }
            Target::BranchTargets(index) => {
                let names: Vec<_> = self.body.branch_targets[index as usize]
                    .iter()
                    .map(|&label| self.label_name(label))
                    .collect();
                put!(self.printer, " .branchtargets {};", names.join(", "));
            }
            Target::CallTargets(index) => {
                put!(
                    self.printer,
                    " .calltargets {};",
                    self.body.call_targets[index as usize].join(", ")
                );
            }
        }
    }

    fn location(&mut self, location: &Location<'_>) {
        put!(
            self.printer,
            ".loc {} {} {}",
            location.file,
            location.line,
            location.column
        );
        if let Some(inlined) = &location.inlined {
            put!(self.printer, ", function_name {}", inlined.function_name);
            self.printer.offset(inlined.offset);
            let (file, line, column) = inlined.at;
            put!(self.printer, ", inlined_at {file} {line} {column}");
        }
    }

    fn instruction(&mut self, instruction: &Instruction) {
        if let Some(Guard { register, negated }) = instruction.guard {
            put!(
                self.printer,
                "@{}{} ",
                if negated { "!" } else { "" },
                self.register_name(register)
            );
        }
        self.printer.out.push_str(instruction.opcode.name());
        for modifier in instruction.modifiers.iter() {
            put!(self.printer, ".{}", modifier.name());
        }
        let mut separator = " ";
        for operand in self.body.operands(instruction) {
            // Empty lists of a call are left out.
            if !matches!(operand, Operand::Arguments(Slice { len: 0, .. })) {
                self.printer.out.push_str(separator);
                self.operand(operand);
                separator = ", ";
            }
        }
        self.printer.out.push(';');
    }

    fn register_name(&self, id: RegisterId) -> &'p str {
        self.body.registers[id as usize].name
    }

    fn label_name(&self, id: LabelId) -> &'p str {
        self.body.labels[id as usize].name
    }

    fn symbol_name(&self, symbol: Symbol<'p>) -> &'p str {
        match symbol {
            Symbol::Param(index) => self.function.params[index as usize].name,
            Symbol::Return(index) => self.function.returns[index as usize].name,
            Symbol::Local(index) => self.body.variables[index as usize].name,
            Symbol::Module(name) => name,
        }
    }

    fn half(&self, register: Option<RegisterId>) -> &'p str {
        register.map_or("_", |id| self.register_name(id))
    }

    /// The recursion is limited, because the parser limits the depth of operands.
    fn operand(&mut self, operand: &Operand<'p>) {
        let text = match *operand {
            Operand::Register(id) => self.register_name(id).to_owned(),
            Operand::Negated(id) => format!("!{}", self.register_name(id)),
            Operand::Element(id, component) => {
                format!("{}.{}", self.register_name(id), component.name())
            }
            Operand::Part(id, part) => format!("{}.{part}", self.register_name(id)),
            Operand::Minus(id, None) => format!("-{}", self.register_name(id)),
            Operand::Minus(id, Some(part)) => format!("-{}.{part}", self.register_name(id)),
            Operand::Pair(first, second) => format!("{}|{}", self.half(first), self.half(second)),
            Operand::Sink => "_".to_owned(),
            Operand::Special(register, None) => format!("%{register}"),
            Operand::Special(register, Some(component)) => {
                format!("%{register}.{}", component.name())
            }
            Operand::Int(value) => value.to_string(),
            Operand::F32(bits) => format!("0f{bits:08X}"),
            Operand::F64(bits) => format!("0d{bits:016X}"),
            Operand::Symbol(symbol, offset) => {
                self.printer.out.push_str(self.symbol_name(symbol));
                return self.printer.offset(offset);
            }
            Operand::Sum(id, offset) => format!("{}+{offset}", self.register_name(id)),
            Operand::Address(base, offset) => return self.address(base, offset),
            Operand::Indexed(Indexed {
                symbol,
                register: None,
                index,
            }) => format!("{}[{index}]", self.symbol_name(symbol)),
            Operand::Indexed(Indexed {
                symbol,
                register: Some(id),
                index,
            }) => {
                let offset = if index == 0 {
                    String::new()
                } else {
                    format!("+{index}")
                };
                format!(
                    "{}[{}{offset}]",
                    self.symbol_name(symbol),
                    self.register_name(id)
                )
            }
            Operand::List(slice) => return self.list('[', slice, ']'),
            Operand::Vector(slice) => return self.list('{', slice, '}'),
            Operand::VectorPair(slice, predicate) => {
                self.list('{', slice, '}');
                format!("|{}", self.register_name(predicate))
            }
            Operand::Arguments(slice) => return self.list('(', slice, ')'),
            Operand::Label(id) => self.label_name(id).to_owned(),
        };
        self.printer.out.push_str(&text);
    }

    fn address(&mut self, base: Base<'p>, offset: i64) {
        self.printer.out.push('[');
        match base {
            Base::Register(id) => self.printer.out.push_str(self.register_name(id)),
            Base::Symbol(symbol) => self.printer.out.push_str(self.symbol_name(symbol)),
            Base::Absolute => {
                put!(self.printer, "{offset}]");
                return;
            }
        }
        self.printer.offset(offset);
        self.printer.out.push(']');
    }

    fn list(&mut self, open: char, slice: Slice, close: char) {
        self.printer.out.push(open);
        for (index, element) in self.body.elements(slice).iter().enumerate() {
            if index > 0 {
                self.printer.out.push_str(", ");
            }
            match (open, index, element) {
                // The first address of a bracketed list is printed without brackets of its own.
                ('[', 0, Operand::Address(Base::Register(id), offset)) => {
                    self.printer.out.push_str(self.register_name(*id));
                    self.printer.offset(*offset);
                }
                ('[', 0, Operand::Address(Base::Absolute, offset)) => {
                    put!(self.printer, "{offset}");
                }
                _ => self.operand(element),
            }
        }
        self.printer.out.push(close);
    }
}
