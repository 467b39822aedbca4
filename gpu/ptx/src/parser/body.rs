//! Function bodies: statements, scopes, labels and the directives among them.
//!
//! PTX ISA 4.3 "Statements", 7.1, 11.4 "Control flow directives", 11.5 "Debugging
//! directives". Nested scopes are kept on a stack of names, and not on the call stack, so
//! depth needs no recursion.

use super::cursor::Cursor;
use super::module::Symbols;
use super::names::Names;
use super::variable::{misplaced, space_of, variable_is_complete};
use crate::ast::{
    Body, Inlined, Instruction, Item, LabelId, Linkage, Location, Position, Prototype, Register,
    Space, Target, Variable,
};
use crate::error::ParseError;
use crate::lexer::Token;

pub(super) struct BodyParser<'p, 'a> {
    pub(super) cursor: &'p mut Cursor<'a>,
    pub(super) symbols: &'p mut Symbols<'a>,
    pub(super) names: Names<'a>,
    pub(super) body: Body<'a>,
    /// The `.loc` directive that applies now.
    pub(super) location: Option<u32>,
    /// Elements of the lists that are being read.
    pub(super) pending: Vec<crate::ast::Operand<'a>>,
    /// Whether the base of an address is being read. An offset then belongs to the address.
    pub(super) in_brackets: bool,
}

impl<'p, 'a> BodyParser<'p, 'a> {
    pub(super) fn new(cursor: &'p mut Cursor<'a>, symbols: &'p mut Symbols<'a>) -> Self {
        BodyParser {
            cursor,
            symbols,
            names: Names::default(),
            body: Body::default(),
            location: None,
            pending: Vec::new(),
            in_brackets: false,
        }
    }

    /// Parses a body, from its `{` to its `}`. Parameters that are declared `.reg` become registers
    /// of the body.
    pub(super) fn parse(
        mut self,
        returns: &mut [Variable<'a>],
        params: &mut [Variable<'a>],
    ) -> Result<Body<'a>, ParseError> {
        let open = self.cursor.position;
        self.names.enter(open)?;
        self.bind_parameters(returns, params)?;
        self.cursor.expect(b'{', "`{` of a function body")?;
        loop {
            match self.cursor.token {
                Token::Word(word) => {
                    let at = self.cursor.position;
                    self.cursor.advance()?;
                    if self.cursor.at(b':') {
                        self.label(word, at)?;
                    } else {
                        self.instruction(None, word, at)?;
                    }
                }
                Token::Mark(b'@') => self.guarded()?,
                Token::Dotted(word) => self.directive(word)?,
                Token::Mark(b';') => drop(self.cursor.advance()?),
                Token::Mark(b'{') => {
                    self.names.enter(self.cursor.position)?;
                    self.body.items.push(Item::ScopeBegin);
                    self.cursor.advance()?;
                }
                Token::Mark(b'}') => {
                    self.body.end = self.cursor.position;
                    let inner = self.names.leave(&mut self.body)?;
                    self.cursor.advance()?;
                    if !inner {
                        break;
                    }
                    self.body.items.push(Item::ScopeEnd);
                }
                Token::End => {
                    return Err(ParseError::Unterminated {
                        what: "a function body",
                        at: open,
                    });
                }
                _ => {
                    return Err(self
                        .cursor
                        .unexpected("an instruction, a label, a directive or `}`"));
                }
            }
        }
        self.names.join_labels(&mut self.body);
        Ok(self.body)
    }

    fn bind_parameters(
        &mut self,
        returns: &mut [Variable<'a>],
        params: &mut [Variable<'a>],
    ) -> Result<(), ParseError> {
        let returned = returns.len();
        for (index, variable) in returns.iter_mut().chain(params).enumerate() {
            let at = variable.position;
            if variable.space == Space::Reg {
                let id = self.body.registers.len() as u32;
                let Variable {
                    name, ty, vector, ..
                } = *variable;
                self.body.registers.push(Register { name, ty, vector });
                self.names.parameter_register(name, id, at)?;
                variable.register = Some(id);
            } else if index < returned {
                self.names.result(variable.name, index as u32, at)?;
            } else {
                self.names
                    .param(variable.name, (index - returned) as u32, at)?;
            }
        }
        Ok(())
    }

    fn guarded(&mut self) -> Result<(), ParseError> {
        self.cursor.advance()?;
        let guard = self.guard()?;
        let at = self.cursor.position;
        let word = self.cursor.word("an opcode after the guard")?;
        self.instruction(Some(guard), word, at)
    }

    /// Adds an instruction with the `.loc` directive that applies now.
    pub(super) fn push(&mut self, mut instruction: Instruction) {
        instruction.location = self.location;
        self.body
            .items
            .push(Item::Instruction(self.body.instructions.len() as u32));
        self.body.instructions.push(instruction);
    }

    /// Parses `name:`, possibly with a prototype or a list of targets.
    fn label(&mut self, name: &'a str, at: Position) -> Result<(), ParseError> {
        self.cursor.advance()?;
        let target = match self.cursor.token {
            Token::Dotted("callprototype") => {
                let prototype = self.cursor.prototype()?;
                self.body.prototypes.push(prototype);
                Target::Prototype(self.body.prototypes.len() as u32 - 1)
            }
            Token::Dotted("branchtargets") => {
                let labels = self.branch_targets()?;
                self.body.branch_targets.push(labels);
                Target::BranchTargets(self.body.branch_targets.len() as u32 - 1)
            }
            Token::Dotted("calltargets") => {
                let functions = self.call_targets()?;
                self.body.call_targets.push(functions);
                Target::CallTargets(self.body.call_targets.len() as u32 - 1)
            }
            _ => Target::Instruction(self.body.instructions.len() as u32),
        };
        let id = self.names.define(name, target, at, &mut self.body)?;
        self.body.items.push(Item::Label(id));
        Ok(())
    }

    fn branch_targets(&mut self) -> Result<Vec<LabelId>, ParseError> {
        let mut labels = Vec::new();
        loop {
            self.cursor.advance()?;
            let at = self.cursor.position;
            let name = self.cursor.word("a label")?;
            labels.push(self.names.label(name, at, &mut self.body));
            if !self.cursor.at(b',') {
                self.cursor.expect(b';', "`,` or `;` after a label")?;
                return Ok(labels);
            }
        }
    }

    fn call_targets(&mut self) -> Result<Vec<&'a str>, ParseError> {
        let mut functions = Vec::new();
        loop {
            self.cursor.advance()?;
            let at = self.cursor.position;
            let name = self.cursor.word("a function")?;
            self.symbols.refer(name, at);
            functions.push(name);
            if !self.cursor.at(b',') {
                self.cursor.expect(b';', "`,` or `;` after a function")?;
                return Ok(functions);
            }
        }
    }

    fn directive(&mut self, word: &'a str) -> Result<(), ParseError> {
        let at = self.cursor.position;
        match word {
            "loc" => {
                let location = self.cursor.location()?;
                self.location = Some(self.body.locations.len() as u32);
                self.body
                    .items
                    .push(Item::Location(self.body.locations.len() as u32));
                self.body.locations.push(location);
                Ok(())
            }
            "pragma" => {
                let items = &mut self.body.items;
                self.cursor.pragmas(|text| items.push(Item::Pragma(text)))
            }
            "file" => {
                let file = self.cursor.file()?;
                self.symbols.files.push(file);
                Ok(())
            }
            _ if space_of(word).is_some() => self.declarations(),
            "extern" | "visible" | "weak" | "common" => {
                Err(misplaced("linkage inside a function", at))
            }
            _ => Err(self
                .cursor
                .unexpected("an instruction, a label, a declaration, `.loc`, `.pragma` or `}`")),
        }
    }

    /// Parses `.space ... name, name;`.
    fn declarations(&mut self) -> Result<(), ParseError> {
        let head = self.cursor.declaration_head(Linkage::Internal)?;
        loop {
            let at = self.cursor.position;
            if head.space() == Space::Reg {
                let declaration = self.cursor.register(&head)?;
                self.names.declare(declaration, at)?;
                self.body
                    .items
                    .push(Item::Registers(self.body.register_declarations.len() as u32));
                self.body.register_declarations.push(declaration);
            } else {
                let variable = self.cursor.declarator(&head)?;
                variable_is_complete(&variable)?;
                self.symbols.refer_initializer(&variable);
                let index = self.body.variables.len() as u32;
                self.names.variable(variable.name, index, at)?;
                self.body.items.push(Item::Variable(index));
                self.body.variables.push(variable);
            }
            if !self.cursor.eat(b',')? {
                return self.cursor.expect(b';', "`,` or `;` after a declaration");
            }
        }
    }
}

impl<'a> Cursor<'a> {
    /// Parses `.loc file line column`, and the place of the call for inlined code.
    fn location(&mut self) -> Result<Location<'a>, ParseError> {
        self.advance()?;
        let (file, line, column) = self.place()?;
        let mut inlined = None;
        if self.eat(b',')? {
            self.keyword("function_name")?;
            let function_name = self.word("the label of a function's name")?;
            let offset = self.offset()?;
            self.expect(b',', "`,` before `inlined_at`")?;
            self.keyword("inlined_at")?;
            inlined = Some(Inlined {
                function_name,
                offset,
                at: self.place()?,
            });
        }
        Ok(Location {
            file,
            line,
            column,
            inlined,
        })
    }

    fn place(&mut self) -> Result<(u32, u32, u32), ParseError> {
        Ok((
            self.u32("a file number")?,
            self.u32("a line number")?,
            self.u32("a column number")?,
        ))
    }

    fn keyword(&mut self, keyword: &'static str) -> Result<(), ParseError> {
        if self.token != Token::Word(keyword) {
            return Err(self.unexpected(keyword));
        }
        self.advance()?;
        Ok(())
    }

    /// Parses `.callprototype (returns) _ (params) directives;`.
    fn prototype(&mut self) -> Result<Prototype<'a>, ParseError> {
        self.advance()?;
        let returns = if self.at(b'(') {
            self.parameters()?
        } else {
            Vec::new()
        };
        if self.token != Token::Word("_") {
            return Err(self.unexpected("`_` in the place of a function's name"));
        }
        self.advance()?;
        let params = if self.at(b'(') {
            self.parameters()?
        } else {
            Vec::new()
        };
        let mut directives = Vec::new();
        self.function_directives(&mut directives)?;
        self.expect(b';', "`;` after a prototype")?;
        Ok(Prototype {
            returns,
            params,
            directives,
        })
    }
}
