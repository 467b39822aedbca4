//! Module scope: the header, variables, functions and aliases.
//!
//! PTX ISA 11.1 to 11.3, 11.6 and 11.7; debug sections are in `section`.

use super::body::BodyParser;
use super::cursor::Cursor;
use super::names::Map;
use super::variable::{misplaced, space_of, variable_is_complete};
use crate::NEWEST;
use crate::ast::{
    Alias, Declared, Directive, File, Function, Initializer, Linkage, Module, Position, Space,
    Variable,
};
use crate::error::{ParseError, excerpt};
use crate::lexer::Token;

/// The names with module scope.
#[derive(Default)]
pub(super) struct Symbols<'a> {
    declared: Map<&'a str, Symbol>,
    /// Names that were used before their declaration. They are looked up again at the end.
    open: Vec<(&'a str, Position)>,
    /// `.file` directives. They may also be in bodies.
    pub(super) files: Vec<File<'a>>,
    /// Whether instructions that this crate does not know are left out of their bodies, as in
    /// text of a version after [`NEWEST`].
    pub(super) lenient: bool,
}

#[derive(Clone, Copy)]
struct Symbol {
    function: bool,
    /// Whether it has a body, or is a variable that is not `.extern`.
    defined: bool,
    at: Position,
}

impl<'a> Symbols<'a> {
    /// Records the use of a name.
    pub(super) fn refer(&mut self, name: &'a str, at: Position) {
        if !self.declared.contains_key(name) {
            self.open.push((name, at));
        }
    }

    /// Records the names that an initializer uses.
    pub(super) fn refer_initializer(&mut self, variable: &Variable<'a>) {
        if let Some(initializer) = &variable.initializer {
            self.refer_all(initializer);
        }
    }

    fn refer_all(&mut self, initializer: &Initializer<'a>) {
        match initializer {
            // The recursion is limited, because the parser limits the depth.
            Initializer::List(list) => list
                .iter()
                .for_each(|initializer| self.refer_all(initializer)),
            Initializer::Address(address) => self.refer(address.symbol, address.position),
            _ => {}
        }
    }

    fn declare(&mut self, name: &'a str, symbol: Symbol) -> Result<(), ParseError> {
        let Some(before) = self.declared.get_mut(name) else {
            self.declared.insert(name, symbol);
            return Ok(());
        };
        if before.function != symbol.function || before.defined && symbol.defined {
            return Err(ParseError::Duplicate {
                name: excerpt(name),
                first: before.at,
                at: symbol.at,
            });
        }
        before.defined |= symbol.defined;
        Ok(())
    }
}

pub(super) fn module(source: &str, lenient: bool) -> Result<Module<'_>, ParseError> {
    // Positions, indices and lengths have 32 bits.
    const LIMIT: usize = u32::MAX as usize / 2;
    if source.len() > LIMIT {
        return Err(ParseError::TooLong {
            bytes: source.len(),
            limit: LIMIT,
        });
    }
    let symbols = Symbols {
        lenient,
        ..Symbols::default()
    };
    let mut parser = Parser {
        cursor: Cursor::new(source)?,
        symbols,
        module: Module::default(),
    };
    parser.header()?;
    while parser.cursor.token != Token::End {
        parser.declaration()?;
    }
    let Parser {
        symbols,
        mut module,
        ..
    } = parser;
    if let Some(&(name, at)) = symbols
        .open
        .iter()
        .find(|(name, _)| !symbols.declared.contains_key(name))
    {
        return Err(ParseError::NotDeclared {
            name: excerpt(name),
            kind: "a variable or function",
            at,
        });
    }
    module.files = symbols.files;
    Ok(module)
}

pub(super) struct Parser<'a> {
    pub(super) cursor: Cursor<'a>,
    symbols: Symbols<'a>,
    pub(super) module: Module<'a>,
}

impl<'a> Parser<'a> {
    /// Parses `.version`, `.target` and `.address_size`.
    fn header(&mut self) -> Result<(), ParseError> {
        if !self.cursor.eat_dotted("version")? {
            return Err(self
                .cursor
                .unexpected("`.version`, with which a PTX module begins"));
        }
        let version = match self.cursor.token {
            Token::F64(_) => self.cursor.text().split_once('.'),
            _ => None,
        };
        let Some((Ok(major), Ok(minor))) =
            version.map(|(major, minor)| (major.parse(), minor.parse()))
        else {
            return Err(self.cursor.unexpected("a version such as 8.0"));
        };
        self.module.version = (major, minor);
        self.symbols.lenient |= self.module.version > NEWEST;
        self.cursor.advance()?;
        if !self.cursor.eat_dotted("target")? {
            return Err(self.cursor.unexpected("`.target`"));
        }
        loop {
            let target = self.cursor.word("a target such as sm_90")?;
            self.module.targets.push(target);
            if !self.cursor.eat(b',')? {
                break;
            }
        }
        // ISA 11.1.3: without the directive, addresses have 32 bits.
        self.module.address_size = 32;
        let at = self.cursor.position;
        if self.cursor.eat_dotted("address_size")? {
            self.module.address_size = self.cursor.u32("32 or 64")?;
        }
        match self.module.address_size {
            32 | 64 => Ok(()),
            value => Err(ParseError::Range {
                what: "`.address_size`",
                value: value.into(),
                allowed: "32 or 64",
                at,
            }),
        }
    }

    fn declaration(&mut self) -> Result<(), ParseError> {
        let linkage = self.linkage()?;
        let Token::Dotted(word) = self.cursor.token else {
            if linkage == Linkage::Internal && self.cursor.eat(b';')? {
                return Ok(());
            }
            return Err(self
                .cursor
                .unexpected("a directive: a variable, `.entry` or `.func`"));
        };
        match word {
            "entry" => self.function(true, linkage),
            "func" => self.function(false, linkage),
            "reg" => Err(misplaced(
                "a register at module scope",
                self.cursor.position,
            )),
            _ if space_of(word).is_some() => self.variables(linkage),
            _ if linkage != Linkage::Internal => {
                Err(self.cursor.unexpected("a variable, `.entry` or `.func`"))
            }
            "alias" => self.alias(),
            "file" => {
                let file = self.cursor.file()?;
                self.symbols.files.push(file);
                Ok(())
            }
            "section" => self.section(),
            "pragma" => {
                let pragmas = &mut self.module.pragmas;
                self.cursor.pragmas(|text| pragmas.push(text))
            }
            _ => Err(self
                .cursor
                .unexpected("a variable, `.entry`, `.func`, `.alias`, `.file` or `.section`")),
        }
    }

    fn linkage(&mut self) -> Result<Linkage, ParseError> {
        let linkage = match self.cursor.token {
            Token::Dotted("extern") => Linkage::Extern,
            Token::Dotted("visible") => Linkage::Visible,
            Token::Dotted("weak") => Linkage::Weak,
            Token::Dotted("common") => Linkage::Common,
            _ => return Ok(Linkage::Internal),
        };
        self.cursor.advance()?;
        Ok(linkage)
    }

    fn variables(&mut self, linkage: Linkage) -> Result<(), ParseError> {
        let head = self.cursor.declaration_head(linkage)?;
        loop {
            let variable = self.cursor.declarator(&head)?;
            variable_is_complete(&variable)?;
            let symbol = Symbol {
                function: false,
                defined: linkage != Linkage::Extern,
                at: variable.position,
            };
            self.symbols.declare(variable.name, symbol)?;
            self.symbols.refer_initializer(&variable);
            self.module
                .order
                .push(Declared::Variable(self.module.variables.len() as u32));
            self.module.variables.push(variable);
            if !self.cursor.eat(b',')? {
                return self.cursor.expect(b';', "`,` or `;` after a variable");
            }
        }
    }

    fn function(&mut self, entry: bool, linkage: Linkage) -> Result<(), ParseError> {
        let cursor = &mut self.cursor;
        cursor.advance()?;
        let mut attributes = Vec::new();
        while cursor.token == Token::Dotted("attribute") {
            cursor.attributes(&mut attributes)?;
        }
        let mut returns = if cursor.at(b'(') {
            if entry {
                return Err(misplaced("what a kernel returns", cursor.position));
            }
            cursor.parameters()?
        } else {
            Vec::new()
        };
        let position = cursor.position;
        let name = cursor.word("the name of a function")?;
        let mut params = if cursor.at(b'(') {
            cursor.parameters()?
        } else {
            Vec::new()
        };
        let mut directives = Vec::new();
        let at = cursor.position;
        cursor.function_directives(&mut directives)?;
        if entry && directives.contains(&Directive::NoReturn) {
            return Err(misplaced("`.noreturn` on a kernel", at));
        }
        if let Some(what) = contradiction(&directives) {
            return Err(misplaced(what, at));
        }
        let open = |variable: &Variable<'_>| variable.dims.first() == Some(&None);
        let (last, others) = match params.split_last() {
            Some((last, others)) if !entry => (Some(last), others),
            _ => (None, &params[..]),
        };
        let unsized_one = others
            .iter()
            .chain(&returns)
            .find(|variable| open(variable));
        if let Some(variable) = unsized_one.filter(|_| last.is_some() || entry) {
            return Err(misplaced(
                "an array without a length that is not the last parameter of a function",
                variable.position,
            ));
        }
        let defined = !cursor.at(b';');
        if self.symbols.declared.contains_key(name) {
            let functions = &self.module.functions;
            let before = functions.iter().rev().find(|before| before.name == name);
            if before.is_some_and(|before| {
                !same_types(&before.params, &params) || !same_types(&before.returns, &returns)
            }) {
                return Err(misplaced(
                    "a function with other parameters than it was declared with",
                    position,
                ));
            }
        }
        // The function is declared before its body is read, because it may call itself.
        self.symbols.declare(
            name,
            Symbol {
                function: true,
                defined,
                at: position,
            },
        )?;
        let body = if defined {
            Some(BodyParser::new(cursor, &mut self.symbols).parse(&mut returns, &mut params)?)
        } else {
            cursor.advance()?;
            None
        };
        self.module
            .order
            .push(Declared::Function(self.module.functions.len() as u32));
        self.module.functions.push(Function {
            name,
            entry,
            linkage,
            returns,
            params,
            directives,
            attributes,
            body,
            position,
        });
        Ok(())
    }

    fn alias(&mut self) -> Result<(), ParseError> {
        self.cursor.advance()?;
        let position = self.cursor.position;
        let name = self.cursor.word("the alias")?;
        self.cursor
            .expect(b',', "`,` and the function that is named")?;
        let at = self.cursor.position;
        let of = self.cursor.word("the function that is named")?;
        self.cursor.expect(b';', "`;` after an alias")?;
        // The alias itself was declared as a function without a body.
        self.symbols.declare(
            name,
            Symbol {
                function: true,
                defined: true,
                at: position,
            },
        )?;
        self.symbols.refer(of, at);
        self.module
            .order
            .push(Declared::Alias(self.module.aliases.len() as u32));
        self.module.aliases.push(Alias { name, of, position });
        Ok(())
    }
}

/// Returns whether the parameters have the same types, one by one.
fn same_types(some: &[Variable<'_>], others: &[Variable<'_>]) -> bool {
    let what = |variable: &Variable<'_>| (variable.ty, variable.vector, variable.dims.clone());
    some.iter().map(what).eq(others.iter().map(what))
}

/// Returns a message if directives of a kernel contradict each other.
fn contradiction(directives: &[Directive<'_>]) -> Option<&'static str> {
    let find = |is: fn(&Directive<'_>) -> bool| directives.iter().any(is);
    let most = find(|it| matches!(it, Directive::MaxThreads(_)));
    let exactly = find(|it| matches!(it, Directive::RequiredThreads(_)));
    let cluster = find(|it| matches!(it, Directive::RequiredCluster(_)));
    let none = find(
        |it| matches!(it, Directive::MaxThreads(extent) | Directive::RequiredThreads(extent) if extent.contains(&0)),
    );
    if none {
        Some("a block of no threads")
    } else if most && exactly {
        Some("`.maxntid` beside `.reqntid`")
    } else if cluster && find(|it| matches!(it, Directive::MaxClusterRank(_))) {
        Some("`.maxclusterrank` beside `.reqnctapercluster`")
    } else if find(|it| *it == Directive::BlocksAreClusters) && !(exactly && cluster) {
        Some("`.blocksareclusters` without `.reqntid` and `.reqnctapercluster`")
    } else {
        None
    }
}

impl<'a> Cursor<'a> {
    /// Parses parameters in parentheses.
    pub(super) fn parameters(&mut self) -> Result<Vec<Variable<'a>>, ParseError> {
        self.advance()?;
        let mut params = Vec::new();
        if self.eat(b')')? {
            return Ok(params);
        }
        loop {
            let at = self.position;
            let head = self.declaration_head(Linkage::Internal)?;
            if !matches!(head.space(), Space::Param | Space::Reg) {
                return Err(misplaced("a parameter outside `.param` and `.reg`", at));
            }
            let param = self.declarator(&head)?;
            if param.vector > 1 && param.space == Space::Param {
                return Err(misplaced("a vector as a parameter in `.param`", at));
            }
            params.push(param);
            if !self.eat(b',')? {
                self.expect(b')', "`,` or `)` of the parameters")?;
                return Ok(params);
            }
        }
    }

    /// Parses the directives between the parameters and the body.
    pub(super) fn function_directives(
        &mut self,
        into: &mut Vec<Directive<'a>>,
    ) -> Result<(), ParseError> {
        while let Token::Dotted(word) = self.token {
            if word == "pragma" {
                self.pragmas(|text| into.push(Directive::Pragma(text)))?;
                continue;
            }
            let error = self.unexpected("a directive of a function, `{` or `;`");
            self.advance()?;
            into.push(match word {
                "maxntid" => Directive::MaxThreads(self.extent()?),
                "reqntid" => Directive::RequiredThreads(self.extent()?),
                "reqnctapercluster" => Directive::RequiredCluster(self.extent()?),
                "minnctapersm" => Directive::MinBlocksPerSm(self.u32("how many blocks")?),
                "maxnctapersm" => Directive::MaxBlocksPerSm(self.u32("how many blocks")?),
                "maxnreg" => Directive::MaxRegisters(self.u32("how many registers")?),
                "maxclusterrank" => Directive::MaxClusterRank(self.u32("how many blocks")?),
                "explicitcluster" => Directive::ExplicitCluster,
                "blocksareclusters" => Directive::BlocksAreClusters,
                "noreturn" => Directive::NoReturn,
                "abi_preserve" => Directive::AbiPreserve(self.u32("how many registers")?),
                "abi_preserve_control" => {
                    Directive::AbiPreserveControl(self.u32("how many registers")?)
                }
                _ => return Err(error),
            });
        }
        Ok(())
    }

    /// Parses `x`, `x, y` or `x, y, z`.
    fn extent(&mut self) -> Result<[u32; 3], ParseError> {
        let mut extent = [1; 3];
        extent[0] = self.u32("an extent")?;
        for more in &mut extent[1..] {
            if !self.eat(b',')? {
                break;
            }
            *more = self.u32("an extent")?;
        }
        Ok(extent)
    }

    /// Parses `.pragma "text", "text";`.
    pub(super) fn pragmas(&mut self, mut take: impl FnMut(&'a str)) -> Result<(), ParseError> {
        self.advance()?;
        loop {
            take(self.string("a string")?);
            if !self.eat(b',')? {
                return self.expect(b';', "`,` or `;` after a pragma");
            }
        }
    }

    /// Parses `.file index "name" [, timestamp, size]`.
    pub(super) fn file(&mut self) -> Result<File<'a>, ParseError> {
        self.advance()?;
        let index = self.u32("a file number")?;
        let name = self.string("the name of a file")?;
        let mut stamp = None;
        if self.eat(b',')? {
            let timestamp = self.u64("a timestamp")?;
            self.expect(b',', "`,` and the size of the file")?;
            stamp = Some((timestamp, self.u64("the size of the file")?));
        }
        Ok(File { index, name, stamp })
    }
}
