//! Declarations of variables, registers and parameters, with their initializers.
//!
//! PTX ISA 5.4 "Variables" and 7.1 "Function declarations and definitions".

use super::constant::Constant;
use super::cursor::Cursor;
use crate::ast::{
    AddressOf, Attribute, Class, Initializer, Linkage, Modifier, Pointer, Position,
    RegisterDeclaration, Space, Type, Variable,
};
use crate::error::{ParseError, excerpt};
use crate::lexer::Token;

/// The largest size of a variable, in bytes. No GPU has that much memory with its 48 address bits.
const LARGEST: u64 = 1 << 47;
/// The most array dimensions, and the deepest nesting of initializers.
const DIMS: usize = 16;

/// The part of a declaration before the name.
#[derive(Clone, Debug)]
pub(super) struct Head {
    space: Space,
    bank: Option<u32>,
    linkage: Linkage,
    align: Option<u32>,
    ty: Type,
    vector: u8,
    pointer: Option<Pointer>,
    attributes: Vec<Attribute>,
}

/// Returns the space of this dotted word.
pub(super) fn space_of(word: &str) -> Option<Space> {
    Some(match word {
        "reg" => Space::Reg,
        "global" => Space::Global,
        "const" => Space::Const,
        "shared" => Space::Shared,
        "local" => Space::Local,
        "param" => Space::Param,
        "tex" => Space::Tex,
        _ => return None,
    })
}

impl<'a> Cursor<'a> {
    /// Parses the space, alignment, type and attributes of a declaration. The order after the
    /// space is free.
    pub(super) fn declaration_head(&mut self, linkage: Linkage) -> Result<Head, ParseError> {
        let Token::Dotted(word) = self.token else {
            return Err(self.unexpected("a state space"));
        };
        let Some(space) = space_of(word) else {
            return Err(self.unexpected("a state space"));
        };
        self.advance()?;
        let (mut bank, mut align, mut ty, mut vector) = (None, None, None, 1);
        let (mut pointer, mut attributes) = (None, Vec::new());
        if space == Space::Const && self.eat(b'[')? {
            bank = Some(self.u32("the number of a constant bank")?);
            self.expect(b']', "`]` of a constant bank")?;
        }
        while let Token::Dotted(word) = self.token {
            match word {
                "align" => align = Some(self.alignment()?),
                "ptr" => pointer = Some(self.pointer()?),
                "attribute" => self.attributes(&mut attributes)?,
                "v2" | "v4" | "v8" => {
                    vector = word.as_bytes()[1] - b'0';
                    self.advance()?;
                }
                _ => {
                    let Some(found) = Modifier::of(word)
                        .and_then(Type::of)
                        .filter(|_| ty.is_none())
                    else {
                        return Err(self
                            .unexpected("a type, `.align`, `.ptr` or the name that is declared"));
                    };
                    if !found.is_fundamental() {
                        return Err(misplaced(
                            "a type of instructions in a declaration",
                            self.position,
                        ));
                    }
                    ty = Some(found);
                    self.advance()?;
                }
            }
        }
        let Some(ty) = ty else {
            return Err(self.unexpected("a type"));
        };
        Ok(Head {
            space,
            bank,
            linkage,
            align,
            ty,
            vector,
            pointer,
            attributes,
        })
    }

    fn alignment(&mut self) -> Result<u32, ParseError> {
        self.advance()?;
        let at = self.position;
        let align = self.u32("an alignment")?;
        if align.is_power_of_two() && align <= 1 << 20 {
            return Ok(align);
        }
        Err(ParseError::Range {
            what: "the alignment",
            value: align.into(),
            allowed: "a power of two up to 1048576",
            at,
        })
    }

    fn pointer(&mut self) -> Result<Pointer, ParseError> {
        self.advance()?;
        let mut pointer = Pointer {
            space: None,
            align: None,
        };
        if let Token::Dotted(word @ ("global" | "const" | "shared" | "local" | "param")) =
            self.token
        {
            pointer.space = space_of(word);
            self.advance()?;
        }
        if self.token == Token::Dotted("align") {
            pointer.align = Some(self.alignment()?);
        }
        Ok(pointer)
    }

    /// Parses `.attribute(.managed, .unified(a, b))`.
    pub(super) fn attributes(&mut self, into: &mut Vec<Attribute>) -> Result<(), ParseError> {
        self.advance()?;
        self.expect(b'(', "`(` of the attributes")?;
        loop {
            if self.eat_dotted("managed")? {
                into.push(Attribute::Managed);
            } else if self.eat_dotted("unified")? {
                self.expect(b'(', "`(` of `.unified`")?;
                let first = self.u64("an unsigned integer")?;
                self.expect(b',', "`,`")?;
                let second = self.u64("an unsigned integer")?;
                self.expect(b')', "`)` of `.unified`")?;
                into.push(Attribute::Unified(first, second));
            } else {
                return Err(self.unexpected("`.managed` or `.unified`"));
            }
            if !self.eat(b',')? {
                return self.expect(b')', "`)` of the attributes");
            }
        }
    }

    /// Parses the name and array dimensions of a variable, and its initializer.
    pub(super) fn declarator(&mut self, head: &Head) -> Result<Variable<'a>, ParseError> {
        let position = self.position;
        let name = self.word("the name of a variable")?;
        if self.at(b'<') {
            return Err(ParseError::Unsupported {
                what: "a family of variables `name<count>` outside `.reg`",
                help: "declare an array, or each variable by itself",
                at: self.position,
            });
        }
        let mut variable = Variable {
            name,
            space: head.space,
            bank: head.bank,
            linkage: head.linkage,
            align: head.align,
            ty: head.ty,
            vector: head.vector,
            dims: Vec::new(),
            initializer: None,
            pointer: head.pointer,
            attributes: head.attributes.clone(),
            register: None,
            position,
        };
        while self.at(b'[') {
            let dim = self.dimension(variable.dims.is_empty())?;
            variable.dims.push(dim);
            if variable.dims.len() > DIMS {
                return Err(ParseError::TooDeep {
                    what: "array dimensions",
                    limit: DIMS,
                    at: position,
                });
            }
        }
        if self.eat(b'=')? {
            variable.initializer = Some(self.initializer(0)?);
        }
        check_size(&variable)?;
        Ok(variable)
    }

    fn dimension(&mut self, outermost: bool) -> Result<Option<u64>, ParseError> {
        self.advance()?;
        if self.at(b']') {
            let error = self.unexpected("the length of an inner dimension");
            self.advance()?;
            return if outermost { Ok(None) } else { Err(error) };
        }
        let at = self.position;
        let length = self.integer("an array length")?;
        self.expect(b']', "`]` of an array length")?;
        match u64::try_from(length) {
            Ok(length) if length <= LARGEST => Ok(Some(length)),
            _ => Err(ParseError::Range {
                what: "the array length",
                value: length.into(),
                allowed: "0 to 2^47",
                at,
            }),
        }
    }

    fn initializer(&mut self, depth: usize) -> Result<Initializer<'a>, ParseError> {
        match self.token {
            Token::Mark(b'{') if depth == DIMS => Err(ParseError::TooDeep {
                what: "initializers",
                limit: DIMS,
                at: self.position,
            }),
            Token::Mark(b'{') => {
                self.advance()?;
                let mut list = Vec::new();
                while !self.eat(b'}')? {
                    list.push(self.initializer(depth + 1)?);
                    if !self.eat(b',')? {
                        self.expect(b'}', "`,` or `}` of an initializer")?;
                        break;
                    }
                }
                Ok(Initializer::List(list))
            }
            Token::Word(word) if word != "WARP_SZ" => self.address_of(None),
            _ if !self.at_constant() => Err(self.unexpected("a constant, a symbol or `{`")),
            _ => {
                let constant = self.constant()?;
                Ok(match constant {
                    Constant::Int(mask) if self.eat(b'(')? => {
                        let address = self.address_of(Some(mask.bits))?;
                        self.expect(b')', "`)` of a masked address")?;
                        address
                    }
                    Constant::Int(int) => Initializer::Int(int.bits as i64),
                    Constant::F32(bits) => Initializer::F32(bits),
                    Constant::F64(bits) => Initializer::F64(bits),
                })
            }
        }
    }

    /// Parses `sym` or `generic(sym)`, each with an optional `+offset`.
    fn address_of(&mut self, mask: Option<u64>) -> Result<Initializer<'a>, ParseError> {
        let position = self.position;
        let mut symbol = self.word("a symbol")?;
        let generic = symbol == "generic" && self.eat(b'(')?;
        if generic {
            symbol = self.word("a symbol")?;
            self.expect(b')', "`)` of `generic`")?;
        }
        let offset = self.offset()?;
        Ok(Initializer::Address(AddressOf {
            symbol,
            offset,
            generic,
            mask,
            position,
        }))
    }

    /// Parses one item of the list of names in a `.reg` declaration whose head was read.
    pub(super) fn register(&mut self, head: &Head) -> Result<RegisterDeclaration<'a>, ParseError> {
        let name = self.word("the name of a register")?;
        let mut count = None;
        if self.eat(b'<')? {
            count = Some(self.u32("how many registers")?);
            self.expect(b'>', "`>` of a family of registers")?;
        }
        Ok(RegisterDeclaration {
            name,
            count,
            ty: head.ty,
            vector: head.vector,
        })
    }
}

impl Head {
    pub(super) fn space(&self) -> Space {
        self.space
    }
}

fn check_size(variable: &Variable<'_>) -> Result<(), ParseError> {
    let at = variable.position;
    let inner = variable
        .dims
        .iter()
        .skip(1)
        .try_fold(variable.element_size(), |size, dim| {
            size.checked_mul(dim.unwrap_or(0))
                .filter(|&size| size <= LARGEST)
        });
    let listed = match &variable.initializer {
        Some(Initializer::List(list)) => list.len() as u64,
        _ => 0,
    };
    let room = match (variable.dims.first(), variable.vector) {
        (Some(first), _) => first.unwrap_or(listed),
        (None, vector) => u64::from(vector),
    };
    let fits = inner
        .and_then(|inner| inner.checked_mul(room))
        .is_some_and(|size| size <= LARGEST);
    if !fits {
        return Err(ParseError::TooLarge {
            name: excerpt(variable.name),
            limit: LARGEST,
            at,
        });
    }
    // A flat list may fill an array of several dimensions, so only the total is checked here.
    let total = variable
        .dims
        .iter()
        .skip(1)
        .fold(room, |room, dim| room.saturating_mul(dim.unwrap_or(0)));
    if listed > total.saturating_mul(u64::from(variable.vector)) {
        return Err(ParseError::TooManyElements {
            name: excerpt(variable.name),
            elements: listed,
            room: total,
            at,
        });
    }
    Ok(())
}

/// Refuses invalid variables: an array without a length, if neither an initializer nor another
/// module gives it one; an array without elements; a predicate in memory; an initial value that its
/// state space or its type does not allow.
pub(super) fn variable_is_complete(variable: &Variable<'_>) -> Result<(), ParseError> {
    let at = variable.position;
    let external = variable.linkage == Linkage::Extern;
    let open = variable.dims.first() == Some(&None) && variable.initializer.is_none();
    if open && !external {
        return Err(ParseError::Unsupported {
            what: "an array without a length that is not `.extern`",
            help: "give it a length or an initializer",
            at,
        });
    }
    if variable.dims.contains(&Some(0)) && !external {
        return Err(misplaced("an array of no elements", at));
    }
    if variable.ty == Type::Pred && variable.space != Space::Reg {
        return Err(misplaced("a predicate outside `.reg`", at));
    }
    let Some(initializer) = &variable.initializer else {
        return Ok(());
    };
    if matches!(
        variable.space,
        Space::Shared | Space::Local | Space::Param | Space::Reg
    ) {
        return Err(misplaced(
            "an initial value outside `.global` and `.const`",
            at,
        ));
    }
    if initializer_fits(initializer, variable.ty) {
        Ok(())
    } else {
        Err(misplaced("an initial value of another kind of type", at))
    }
}

/// Returns whether an initial value fits the type. Integers cannot initialise floats, nor floats
/// integers, and halves have no initial values at all.
fn initializer_fits(initializer: &Initializer<'_>, ty: Type) -> bool {
    match (initializer, ty.class()) {
        (Initializer::List(list), _) => list.iter().all(|element| initializer_fits(element, ty)),
        (Initializer::Int(_), Class::Float) => false,
        (Initializer::F32(_) | Initializer::F64(_), Class::Unsigned | Class::Signed) => false,
        (Initializer::F32(_) | Initializer::F64(_), _) => ty != Type::F16,
        _ => true,
    }
}

/// Where a declaration stands that is not allowed.
pub(super) fn misplaced(what: &'static str, at: Position) -> ParseError {
    ParseError::Unsupported { what, help: "", at }
}
