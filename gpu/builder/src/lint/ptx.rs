//! A reader for the parts of PTX that the lint needs: functions, blocks, instructions as
//! words, source lines.
//!
//! It is not a full parser of PTX (the simulator has one) and it refuses nothing: it skips what it
//! does not understand. It splits text at `;`, `{`, `}` and labels, so it also finds inline
//! assembly with several statements on a line.

use std::collections::HashMap;

use crate::flow::Flow;

/// A module of PTX, with the parts that the checks use.
#[derive(Debug, Default)]
pub struct Module {
    /// Kernels and device functions with a body.
    pub functions: Vec<Function>,
    /// External functions, each with the line of its declaration.
    pub externs: Vec<(String, usize)>,
    /// Variables in shared memory, of the module and of functions.
    pub shared: Vec<String>,
    /// Files by number, from `.file`.
    pub files: HashMap<u32, String>,
}

/// A kernel or device function.
#[derive(Debug, Default)]
pub struct Function {
    /// Its name, as it is written in its source.
    pub name: String,
    /// Its instructions in order.
    pub instructions: Vec<Instruction>,
    /// The number of the block that each label begins.
    labels: HashMap<String, usize>,
    /// The label tables of `brx.idx`.
    tables: HashMap<String, Vec<String>>,
    blocks: usize,
}

/// An instruction: its words, and where its operands are.
#[derive(Debug, Clone)]
pub struct Instruction {
    /// Its text, without guard and semicolon.
    pub text: String,
    /// The guard predicate before it: `@%p1`, `@!%p1`.
    pub guard: Option<String>,
    /// The line of the PTX, from 1.
    pub line: usize,
    /// The `.loc` that applies to it: file, line, column.
    pub loc: Option<(u32, u32, u32)>,
    /// The block that it is in.
    pub block: usize,
}

impl Instruction {
    /// Returns the opcode with its modifiers.
    pub fn opcode(&self) -> &str {
        self.text.split_whitespace().next().unwrap_or_default()
    }

    /// Returns whether it involves other threads: barriers, shuffles, votes, matrix operations
    /// of a warp.
    pub fn is_convergent(&self) -> bool {
        const WHOLE: [&str; 3] = ["bar", "barrier", "wmma"];
        let mut words = self.opcode().split('.');
        let first = words.next().unwrap_or_default();
        WHOLE.contains(&first) || words.any(|word| word == "sync" || word == "aligned")
    }

    /// Returns the function that it calls by name.
    pub fn callee(&self) -> Option<&str> {
        if self.opcode().split('.').next() != Some("call") {
            return None;
        }
        // In `call.uni (results), name, (arguments)`, the name is the first
        // word outside parentheses.
        let mut depth = 0;
        let rest = self.text[self.opcode().len()..].split_inclusive(['(', ')', ',']);
        for part in rest {
            let word = part.trim_matches([' ', '\t', '\n', ',', '(', ')']);
            if depth == 0 && !word.is_empty() && !word.starts_with('%') {
                return Some(word);
            }
            depth += part.matches('(').count();
            depth = depth.saturating_sub(part.matches(')').count());
        }
        None
    }
}

impl Function {
    /// Returns the function's control flow.
    pub(crate) fn flow(&self) -> Flow {
        Flow::new(self.successors())
    }

    /// Returns the loops, each as the numbers of its blocks, the one that it begins with first.
    pub fn loops(&self) -> Vec<Vec<usize>> {
        self.flow().loops()
    }

    /// Returns for each block the blocks that may follow it.
    fn successors(&self) -> Vec<Vec<usize>> {
        let mut successors = vec![Vec::new(); self.blocks];
        let mut falls_through = vec![true; self.blocks];
        for instruction in &self.instructions {
            let targets = &mut successors[instruction.block];
            let operand = instruction
                .text
                .split_whitespace()
                .last()
                .unwrap_or_default();
            match instruction.opcode().split('.').next() {
                Some("bra") => targets.extend(self.labels.get(operand)),
                Some("brx") => {
                    let table = self.tables.get(operand).into_iter().flatten();
                    targets.extend(table.filter_map(|label| self.labels.get(label)));
                }
                Some("ret" | "exit" | "trap") => {}
                _ => continue,
            }
            falls_through[instruction.block] &= instruction.guard.is_some();
        }
        for (block, falls) in falls_through.into_iter().enumerate() {
            if falls {
                successors[block].push(block + 1);
            }
        }
        successors
    }

    fn next_block(&mut self) {
        self.blocks += 1;
    }

    fn add(&mut self, text: &str, line: usize, loc: Option<(u32, u32, u32)>) {
        let (guard, text) = match text.split_once(char::is_whitespace) {
            Some((guard, rest)) if guard.starts_with('@') => (Some(guard.to_owned()), rest.trim()),
            _ => (None, text),
        };
        let block = self.blocks.saturating_sub(1);
        self.instructions.push(Instruction {
            text: text.to_owned(),
            guard,
            line,
            loc,
            block,
        });
        let ends_block = matches!(
            text.split(['.', ' ', '\t']).next(),
            Some("bra" | "brx" | "ret" | "exit" | "trap")
        );
        if ends_block {
            self.next_block();
        }
    }
}

impl Module {
    /// Reads a module's text.
    pub fn parse(text: &str) -> Module {
        let mut reader = Reader::default();
        for (index, line) in text.lines().enumerate() {
            // Most lines have no slash at all. A search for one character is faster than a
            // search for two.
            let code = match line.find('/') {
                Some(_) => line.split("//").next().unwrap_or_default(),
                None => line,
            };
            reader.line(code, index + 1);
        }
        reader.module
    }

    /// Returns the `file:line` of a source position.
    pub fn place(&self, loc: Option<(u32, u32, u32)>) -> Option<String> {
        let (file, line, _) = loc.filter(|(_, line, _)| *line != 0)?;
        Some(format!("{}:{line}", self.files.get(&file)?))
    }
}

#[derive(Default)]
struct Reader {
    module: Module,
    /// The function that is being read, and how many braces are open.
    function: Option<Function>,
    depth: usize,
    /// The statement so far, and the line on which it began.
    statement: String,
    started: usize,
    loc: Option<(u32, u32, u32)>,
    quoted: bool,
}

impl Reader {
    fn line(&mut self, line: &str, number: usize) {
        let trimmed = line.trim();
        // These statements end with their line, not with a semicolon.
        if let Some(rest) = trimmed.strip_prefix(".loc") {
            self.loc = position(rest);
            return;
        }
        if let Some(rest) = trimmed.strip_prefix(".file") {
            self.file(rest);
            return;
        }
        if [".version", ".target", ".address_size"]
            .iter()
            .any(|word| trimmed.starts_with(word))
        {
            return;
        }
        // The text is read in ranges, not by characters. Build scripts are compiled without
        // optimisation, and this code reads each byte of every module.
        let mut rest = line;
        while !rest.is_empty() {
            if self.statement.trim().is_empty() {
                self.started = number;
            }
            let marks = |byte: u8| match byte {
                b'"' => true,
                b'{' | b'}' | b';' | b':' => !self.quoted,
                _ => false,
            };
            let run = rest.bytes().position(marks).unwrap_or(rest.len());
            self.statement.push_str(&rest[..run]);
            let Some(mark) = rest.as_bytes().get(run) else {
                break;
            };
            match mark {
                b'"' => self.quoted = !self.quoted,
                b'{' => self.open(),
                b'}' => self.close(),
                b';' => self.end_statement(),
                _ if is_label(&self.statement) => self.label(),
                _ => self.statement.push(':'),
            }
            rest = &rest[run + 1..];
        }
        self.statement.push(' ');
    }

    fn open(&mut self) {
        // `{%r1, %r2}` is a vector operand, and an initialiser follows `=`. A body or block opens
        // only where a statement begins.
        let text = self.statement.trim();
        let header = ["entry", "func"]
            .iter()
            .any(|word| text.split([' ', '.', '\t']).any(|part| part == *word));
        if self.depth == 0 && header {
            self.function = Some(Function {
                name: declared_name(text),
                blocks: 1,
                ..Function::default()
            });
            self.statement.clear();
            self.loc = None;
        } else if !text.is_empty() {
            self.statement.push('{');
            return;
        }
        self.depth += 1;
    }

    fn close(&mut self) {
        if !self.statement.trim().is_empty() {
            self.statement.push('}');
            return;
        }
        self.depth = self.depth.saturating_sub(1);
        if self.depth == 0 {
            self.module.functions.extend(self.function.take());
        }
    }

    fn label(&mut self) {
        let name = std::mem::take(&mut self.statement).trim().to_owned();
        if let Some(function) = &mut self.function {
            function.next_block();
            function.labels.insert(name, function.blocks - 1);
        }
    }

    fn end_statement(&mut self) {
        let text = std::mem::take(&mut self.statement);
        let text = text.trim();
        if text.starts_with('.') {
            self.directive(text);
        } else if let Some(function) = &mut self.function
            && !text.is_empty()
        {
            function.add(text, self.started, self.loc);
        }
    }

    fn directive(&mut self, text: &str) {
        if text.split_whitespace().any(|word| word == ".shared") {
            self.module.shared.push(declared_name(text));
        } else if text.starts_with(".extern") && text.contains(".func") {
            self.module
                .externs
                .push((declared_name(text), self.started));
        } else if let (Some(function), Some(list)) =
            (&mut self.function, text.strip_prefix(".branchtargets"))
        {
            // The table's label has just begun a block. It is also the table's name.
            let block = function.blocks - 1;
            let name = function
                .labels
                .iter()
                .find(|(_, at)| **at == block)
                .map(|(name, _)| name.clone());
            let targets = list
                .split(',')
                .map(|label| label.trim().to_owned())
                .collect();
            function.tables.insert(name.unwrap_or_default(), targets);
        }
    }

    fn file(&mut self, rest: &str) {
        let mut words = rest.trim().splitn(2, char::is_whitespace);
        let number = words.next().and_then(|word| word.parse().ok());
        let name = words.next().and_then(|rest| rest.split('"').nth(1));
        if let (Some(number), Some(name)) = (number, name) {
            self.module.files.insert(number, name.to_owned());
        }
    }
}

/// Reads the `file line column` of a `.loc`.
fn position(rest: &str) -> Option<(u32, u32, u32)> {
    let mut numbers = rest
        .split(|c: char| c.is_whitespace() || c == ',')
        .filter_map(|word| word.parse().ok());
    Some((numbers.next()?, numbers.next()?, numbers.next()?))
}

/// Returns whether a colon after `text` ends a label.
fn is_label(text: &str) -> bool {
    let text = text.trim();
    !text.is_empty()
        && text
            .chars()
            .all(|c| c.is_ascii_alphanumeric() || "_$%".contains(c))
}

/// Returns the name that a declaration declares. It is the word before the parameters of a
/// function, or before the `[` of a variable.
fn declared_name(text: &str) -> String {
    let is_word =
        |part: &&str| part.starts_with(|c: char| c.is_ascii_alphabetic() || "_$%".contains(c));
    let outside = outside_parentheses(text);
    let end = outside.find(['[', '=']).unwrap_or(outside.len());
    outside[..end]
        .split_whitespace()
        .rfind(is_word)
        .unwrap_or_default()
        .to_owned()
}

/// Returns `text` without everything in parentheses, and without everything from a `.noreturn` or
/// performance directive on.
fn outside_parentheses(text: &str) -> String {
    let mut depth = 0usize;
    let mut outside = String::new();
    for c in text.chars() {
        match c {
            '(' => depth += 1,
            ')' => depth = depth.saturating_sub(1),
            _ if depth == 0 => outside.push(c),
            _ => {}
        }
    }
    outside
}
