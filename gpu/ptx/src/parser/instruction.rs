//! Instructions and their operands.
//!
//! PTX ISA 4.3.2 "Instruction statements", chapter 6 "Instruction operands". The grammar of
//! operands is the same for all instructions except branches (labels) and calls (lists in
//! parentheses). A later stage compares the operands with the instruction table.

use super::body::BodyParser;
use super::constant::Constant;
use super::names::Named;
use crate::ast::{
    Base, Component, Guard, Indexed, Instruction, Modifier, Modifiers, Opcode, Operand, Position,
    RegisterId, Selector, Slice, SpecialRegister, Symbol, Unknown,
};
use crate::error::{ParseError, excerpt};
use crate::lexer::Token;

/// The deepest nesting of lists. `[tex, {x, y}]` has a depth of two.
const DEPTH: usize = 4;

impl<'a> BodyParser<'_, 'a> {
    /// Parses `p` or `!p` after `@`.
    pub(super) fn guard(&mut self) -> Result<Guard, ParseError> {
        let negated = self.cursor.eat(b'!')?;
        let register = self.register("a predicate register")?;
        Ok(Guard { register, negated })
    }

    fn register(&mut self, expected: &'static str) -> Result<RegisterId, ParseError> {
        let Token::Word(name) = self.cursor.token else {
            return Err(self.cursor.unexpected(expected));
        };
        match self.names.find(name, &mut self.body) {
            Some(Named::Register(id)) => {
                self.cursor.advance()?;
                Ok(id)
            }
            Some(_) => Err(self.cursor.unexpected(expected)),
            None => Err(not_declared(name, self.cursor.position)),
        }
    }

    /// Parses the rest of an instruction whose opcode was read. If the text is read
    /// leniently, an instruction that cannot be read is left out, and the body records it.
    pub(super) fn instruction(
        &mut self,
        guard: Option<Guard>,
        word: &'a str,
        at: Position,
    ) -> Result<(), ParseError> {
        let before = self.body.operands.len();
        match self.known_instruction(guard, word, at) {
            Err(error) if self.symbols.lenient && self.skip_instruction()? => {
                self.body.operands.truncate(before);
                self.pending.clear();
                let location = self.location;
                let unknown = Unknown { error, location };
                self.body.unknown.get_or_insert(unknown);
                Ok(())
            }
            result => result,
        }
    }

    /// Skips to after the `;` of an instruction. Returns false if the body ends before one.
    fn skip_instruction(&mut self) -> Result<bool, ParseError> {
        let mut open = 0_usize;
        loop {
            match self.cursor.token {
                Token::End => return Ok(false),
                Token::Mark(b'{') => open += 1,
                Token::Mark(b'}') if open == 0 => return Ok(false),
                Token::Mark(b'}') => open -= 1,
                Token::Mark(b';') => return self.cursor.eat(b';'),
                _ => {}
            }
            self.cursor.advance()?;
        }
    }

    fn known_instruction(
        &mut self,
        guard: Option<Guard>,
        word: &'a str,
        at: Position,
    ) -> Result<(), ParseError> {
        let Some(opcode) = Opcode::of(word) else {
            return Err(self.unknown(word, word, &Modifiers::EMPTY, at));
        };
        let mut modifiers = Modifiers::EMPTY;
        while let Token::Dotted(dotted) = self.cursor.token {
            let Some(modifier) = Modifier::of(dotted) else {
                return Err(self.unknown(word, dotted, &modifiers, at));
            };
            if !modifiers.push(modifier) {
                return Err(ParseError::TooManyModifiers {
                    opcode: opcode.name(),
                    limit: Modifiers::MAX,
                    at,
                });
            }
            self.cursor.advance()?;
        }
        let start = self.body.operands.len();
        match opcode {
            Opcode::Bra => self.branch_target()?,
            Opcode::Brx => {
                self.one_operand()?;
                self.cursor
                    .expect(b',', "`,` and a list of branch targets")?;
                self.branch_target()?;
            }
            Opcode::Call => self.call()?,
            _ if self.cursor.at(b';') => {}
            _ => {
                self.one_operand()?;
                while self.cursor.eat(b',')? {
                    self.one_operand()?;
                }
            }
        }
        if !self.cursor.eat(b';')? {
            return Err(self.cursor.unexpected("`,` or `;` after an operand"));
        }
        let operands = Slice {
            start: start as u32,
            len: (self.body.operands.len() - start) as u32,
        };
        self.push(Instruction {
            guard,
            opcode,
            modifiers,
            operands,
            position: at,
            location: None,
            row: None,
        });
        Ok(())
    }

    #[cold]
    fn unknown(&self, opcode: &str, word: &str, known: &Modifiers, at: Position) -> ParseError {
        let mut spelling = opcode.to_owned();
        for modifier in known.iter() {
            spelling.extend([".", modifier.name()]);
        }
        let rest = self.cursor.rest();
        let end = rest
            .find(|c: char| !(c.is_ascii_alphanumeric() || "._:$".contains(c)))
            .unwrap_or(rest.len());
        spelling.push_str(if rest.starts_with('.') {
            &rest[..end]
        } else {
            ""
        });
        let dot = if std::ptr::eq(opcode, word) { "" } else { "." };
        ParseError::UnknownInstruction {
            spelling: excerpt(&spelling),
            word: excerpt(&format!("{dot}{word}")),
            at,
        }
    }

    fn branch_target(&mut self) -> Result<(), ParseError> {
        let at = self.cursor.position;
        let name = self.cursor.word("a label")?;
        let label = self.names.label(name, at, &mut self.body);
        self.body.operands.push(Operand::Label(label));
        Ok(())
    }

    /// Parses `(returns), target, (arguments), prototype`, into three or four operands.
    fn call(&mut self) -> Result<(), ParseError> {
        let mut returns = Operand::Arguments(Slice::default());
        if self.cursor.at(b'(') {
            returns = self.list(b')', 0).map(Operand::Arguments)?;
            self.cursor.expect(b',', "`,` and the function to call")?;
        }
        let at = self.cursor.position;
        let name = self.cursor.word("the function to call")?;
        let target = match self.names.find(name, &mut self.body) {
            Some(Named::Register(id)) => Operand::Register(id),
            _ => Operand::Symbol(self.module_symbol(name, at)?, 0),
        };
        let mut arguments = Operand::Arguments(Slice::default());
        let mut table = None;
        if self.cursor.eat(b',')? {
            if self.cursor.at(b'(') {
                arguments = self.list(b')', 0).map(Operand::Arguments)?;
                if self.cursor.eat(b',')? {
                    table = Some(self.call_table()?);
                }
            } else {
                table = Some(self.call_table()?);
            }
        }
        self.body.operands.extend([returns, target, arguments]);
        self.body.operands.extend(table);
        Ok(())
    }

    fn call_table(&mut self) -> Result<Operand<'a>, ParseError> {
        let at = self.cursor.position;
        let name = self
            .cursor
            .word("the label of a prototype or of call targets")?;
        Ok(Operand::Label(self.names.label(name, at, &mut self.body)))
    }

    fn one_operand(&mut self) -> Result<(), ParseError> {
        let operand = self.operand(0)?;
        self.body.operands.push(operand);
        Ok(())
    }

    fn operand(&mut self, depth: usize) -> Result<Operand<'a>, ParseError> {
        match self.cursor.token {
            Token::Word(name) if name != "WARP_SZ" => self.named(name),
            Token::Mark(b'[') => self.address(depth),
            Token::Mark(b'{') => self.vector(depth),
            Token::Mark(b'!') => self.negated(),
            Token::Mark(b'-') if self.at_minus_register() => self.minus(),
            _ if self.cursor.at_constant() => self.immediate(),
            _ => Err(self.cursor.unexpected("an operand")),
        }
    }

    /// Parses `{a, b}`, or `{a, b}|p`.
    fn vector(&mut self, depth: usize) -> Result<Operand<'a>, ParseError> {
        let elements = self.list(b'}', depth)?;
        if !self.cursor.eat(b'|')? {
            return Ok(Operand::Vector(elements));
        }
        let predicate = self.register("a predicate register")?;
        Ok(Operand::VectorPair(elements, predicate))
    }

    fn immediate(&mut self) -> Result<Operand<'a>, ParseError> {
        Ok(match self.cursor.constant()? {
            Constant::Int(int) => Operand::Int(int.bits as i64),
            Constant::F32(bits) => Operand::F32(bits),
            Constant::F64(bits) => Operand::F64(bits),
        })
    }

    /// Parses `!p`, or a constant that begins with `!`.
    fn negated(&mut self) -> Result<Operand<'a>, ParseError> {
        let after = self.cursor.rest()[1..].trim_start();
        if after.starts_with(|c: char| c.is_ascii_digit() || "!~+-(".contains(c)) {
            return self.immediate();
        }
        self.cursor.advance()?;
        self.register("a predicate register").map(Operand::Negated)
    }

    /// Returns whether the text is `-` with a name after it.
    fn at_minus_register(&self) -> bool {
        let after = self.cursor.rest()[1..].trim_start();
        let name = |c: char| c.is_ascii_alphabetic() || "%_$".contains(c);
        after.starts_with(name) && !after.starts_with("WARP_SZ")
    }

    /// Reads an operand with a minus, as in `-%r1` and `-%r1.h0`.
    fn minus(&mut self) -> Result<Operand<'a>, ParseError> {
        self.cursor.advance()?;
        let id = self.register("a register")?;
        Ok(Operand::Minus(id, self.selector()?))
    }

    /// Parses the selector of a register's bytes or halves, if there is one.
    fn selector(&mut self) -> Result<Option<Selector>, ParseError> {
        let Token::Dotted(word) = self.cursor.token else {
            return Ok(None);
        };
        let Some(selector) = Selector::of(word) else {
            return Err(self
                .cursor
                .unexpected("bytes or halves of the register, such as `.b0` or `.h10`"));
        };
        self.cursor.advance()?;
        Ok(Some(selector))
    }

    /// Parses a register, pair, special register or symbol.
    fn named(&mut self, name: &'a str) -> Result<Operand<'a>, ParseError> {
        let at = self.cursor.position;
        self.cursor.advance()?;
        if name == "_" {
            return if self.cursor.eat(b'|')? {
                Ok(Operand::Pair(None, self.second()?))
            } else {
                Ok(Operand::Sink)
            };
        }
        let symbol = match self.names.find(name, &mut self.body) {
            Some(Named::Register(id)) => return self.register_operand(id),
            Some(Named::Variable(index)) => Symbol::Local(index),
            Some(Named::Param(index)) => Symbol::Param(index),
            Some(Named::Return(index)) => Symbol::Return(index),
            None if name.starts_with('%') => return self.special(name, at),
            None => self.module_symbol(name, at)?,
        };
        if self.cursor.at(b'[') {
            return self.indexed(symbol);
        }
        Ok(Operand::Symbol(symbol, self.cursor.offset()?))
    }

    /// Parses `[2]`, `[%r1]` or `[%r1+2]` after the name of an array.
    fn indexed(&mut self, symbol: Symbol<'a>) -> Result<Operand<'a>, ParseError> {
        self.cursor.advance()?;
        let (register, index) = if self.cursor.at_constant() {
            (None, self.cursor.integer("an index")?)
        } else {
            let register = self.register("a register or a constant as an index")?;
            (Some(register), self.cursor.offset()?)
        };
        self.cursor.expect(b']', "`]` of an index")?;
        Ok(Operand::Indexed(Indexed {
            symbol,
            register,
            index,
        }))
    }

    fn register_operand(&mut self, id: RegisterId) -> Result<Operand<'a>, ParseError> {
        match self.cursor.token {
            Token::Mark(b'|') => {
                self.cursor.advance()?;
                Ok(Operand::Pair(Some(id), self.second()?))
            }
            Token::Dotted(word) if self.body.registers[id as usize].vector > 1 => {
                let Some(component) = Component::of(word) else {
                    return Err(self.cursor.unexpected("`.x`, `.y`, `.z` or `.w`"));
                };
                self.cursor.advance()?;
                Ok(Operand::Element(id, component))
            }
            // In brackets, the offset belongs to the address.
            Token::Mark(b'+') if !self.in_brackets => Ok(Operand::Sum(id, self.cursor.offset()?)),
            _ => Ok(match self.selector()? {
                Some(selector) => Operand::Part(id, selector),
                None => Operand::Register(id),
            }),
        }
    }

    /// Parses the text after the `|` of a pair.
    fn second(&mut self) -> Result<Option<RegisterId>, ParseError> {
        if self.cursor.token == Token::Word("_") {
            self.cursor.advance()?;
            return Ok(None);
        }
        self.register("a predicate register").map(Some)
    }

    fn special(&mut self, name: &'a str, at: Position) -> Result<Operand<'a>, ParseError> {
        let Some(register) = SpecialRegister::of(&name[1..]) else {
            return Err(not_declared(name, at));
        };
        let Token::Dotted(word) = self.cursor.token else {
            return Ok(Operand::Special(register, None));
        };
        let Some(component) = Component::of(word) else {
            return Err(self.cursor.unexpected("`.x`, `.y`, `.z` or `.w`"));
        };
        self.cursor.advance()?;
        Ok(Operand::Special(register, Some(component)))
    }

    fn module_symbol(&mut self, name: &'a str, at: Position) -> Result<Symbol<'a>, ParseError> {
        if name.starts_with('%') {
            return Err(not_declared(name, at));
        }
        self.symbols.refer(name, at);
        Ok(Symbol::Module(name))
    }

    /// Parses `[base + offset]`, or a list in brackets.
    fn address(&mut self, depth: usize) -> Result<Operand<'a>, ParseError> {
        self.cursor.advance()?;
        self.in_brackets = true;
        let named = match self.cursor.token {
            Token::Word(name) if name != "WARP_SZ" => self.named(name).map(Some),
            _ => Ok(None),
        };
        self.in_brackets = false;
        let address = match self.cursor.token {
            _ if let Some(named) = named? => match named {
                Operand::Register(id) => {
                    Operand::Address(Base::Register(id), self.cursor.offset()?)
                }
                Operand::Symbol(symbol, offset) => Operand::Address(Base::Symbol(symbol), offset),
                _ => {
                    return Err(self
                        .cursor
                        .unexpected("an address of a register or symbol before this"));
                }
            },
            _ if self.cursor.at_constant() => {
                Operand::Address(Base::Absolute, self.cursor.integer("an address")?)
            }
            _ => return Err(self.cursor.unexpected("an address")),
        };
        if self.cursor.eat(b']')? {
            return Ok(address);
        }
        if !self.cursor.at(b',') {
            return Err(self
                .cursor
                .unexpected("`]`, `,` or an offset of the address"));
        }
        // In a list, the first element is a texture, surface or tensor map, and not an
        // address in memory.
        let first = match address {
            Operand::Address(Base::Register(id), 0) => Operand::Register(id),
            Operand::Address(Base::Symbol(symbol), offset) => Operand::Symbol(symbol, offset),
            other => other,
        };
        let begin = self.pending.len();
        self.pending.push(first);
        while self.cursor.eat(b',')? {
            self.element(depth)?;
        }
        self.cursor.expect(b']', "`,` or `]` of an address")?;
        Ok(Operand::List(self.take_pending(begin)))
    }

    /// Parses a list from its opening mark to its `close`. The list may be empty.
    fn list(&mut self, close: u8, depth: usize) -> Result<Slice, ParseError> {
        let begin = self.pending.len();
        self.cursor.advance()?;
        if self.cursor.eat(close)? {
            return Ok(Slice::default());
        }
        self.element(depth)?;
        while self.cursor.eat(b',')? {
            self.element(depth)?;
        }
        self.cursor.expect(
            close,
            if close == b'}' {
                "`,` or `}` of a vector"
            } else {
                "`,` or `)` of a list"
            },
        )?;
        Ok(self.take_pending(begin))
    }

    fn element(&mut self, depth: usize) -> Result<(), ParseError> {
        if depth == DEPTH {
            return Err(ParseError::TooDeep {
                what: "operands",
                limit: DEPTH,
                at: self.cursor.position,
            });
        }
        let element = self.operand(depth + 1)?;
        self.pending.push(element);
        Ok(())
    }

    fn take_pending(&mut self, begin: usize) -> Slice {
        let start = self.body.elements.len();
        self.body.elements.extend(self.pending.drain(begin..));
        Slice {
            start: start as u32,
            len: (self.body.elements.len() - start) as u32,
        }
    }
}

fn not_declared(name: &str, at: Position) -> ParseError {
    ParseError::NotDeclared {
        name: excerpt(name),
        kind: "a register",
        at,
    }
}
