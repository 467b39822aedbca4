//! Types and state spaces, which declarations and instruction modifiers use.
//!
//! PTX ISA 5.1 "State Spaces" and 5.2 "Types". Sizes are in bytes; predicates and opaque references
//! have no size in memory that a program can see.

use super::words::Modifier;

macro_rules! types {
    ($($(#[$doc:meta])* $name:ident = $text:literal, $size:literal, $class:ident;)*) => {
        /// A fundamental, packed, alternate or opaque type.
        #[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
        #[repr(u8)]
        pub enum Type { $($(#[$doc])* $name,)* }

        impl Type {
            /// Every type, in declaration order.
            pub const ALL: &'static [Type] = &[$(Type::$name,)*];

            /// Returns the type's name without its dot.
            pub const fn name(self) -> &'static str {
                match self { $(Type::$name => $text,)* }
            }

            /// Returns the size of one value in memory, in bytes; 0 for predicates
            /// and opaque references.
            pub const fn size(self) -> u64 {
                match self { $(Type::$name => $size,)* }
            }

            /// Returns the interpretation of the bits.
            pub const fn class(self) -> Class {
                match self { $(Type::$name => Class::$class,)* }
            }

            /// Returns the type that a modifier stands for, if it is a type.
            pub const fn of(modifier: Modifier) -> Option<Type> {
                match modifier { $(Modifier::$name => Some(Type::$name),)* _ => None }
            }

            /// Returns this type as an instruction modifier.
            pub const fn modifier(self) -> Modifier {
                match self { $(Type::$name => Modifier::$name,)* }
            }
        }
    };
}

/// The interpretation of the bits of a type.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Class {
    /// `.bN`: bits without an interpretation.
    Bits,
    /// Integers without a sign, `.uN`.
    Unsigned,
    /// Integers with a sign, `.sN`.
    Signed,
    /// `.fN`, `.bf16`, `.tf32` and the 8-, 6- and 4-bit formats.
    Float,
    /// Two or more small values in one register (`.f16x2`, `.u16x2`, ...).
    Packed,
    /// Truth values, `.pred`.
    Predicate,
    /// `.texref`, `.samplerref`, `.surfref`.
    Opaque,
}

types! {
    /// Untyped, of 8 bits.
    B8 = "b8", 1, Bits;
    /// Untyped, of 16 bits.
    B16 = "b16", 2, Bits;
    /// Untyped, of 32 bits.
    B32 = "b32", 4, Bits;
    /// Untyped, of 64 bits.
    B64 = "b64", 8, Bits;
    /// Untyped, of 128 bits.
    B128 = "b128", 16, Bits;
    /// Unsigned, 8 bits.
    U8 = "u8", 1, Unsigned;
    /// Unsigned, 16 bits.
    U16 = "u16", 2, Unsigned;
    /// Unsigned, 32 bits.
    U32 = "u32", 4, Unsigned;
    /// Unsigned, 64 bits.
    U64 = "u64", 8, Unsigned;
    /// Signed, 8 bits.
    S8 = "s8", 1, Signed;
    /// Signed, 16 bits.
    S16 = "s16", 2, Signed;
    /// Signed, 32 bits.
    S32 = "s32", 4, Signed;
    /// Signed, 64 bits.
    S64 = "s64", 8, Signed;
    /// IEEE half precision.
    F16 = "f16", 2, Float;
    /// IEEE single precision.
    F32 = "f32", 4, Float;
    /// IEEE double precision.
    F64 = "f64", 8, Float;
    /// The upper half of a single.
    Bf16 = "bf16", 2, Float;
    /// A single with 10 bits of fraction.
    Tf32 = "tf32", 4, Float;
    /// 8-bit float, 4 bits of exponent.
    E4m3 = "e4m3", 1, Float;
    /// 8-bit float, 5 bits of exponent.
    E5m2 = "e5m2", 1, Float;
    /// 6-bit float, 2 bits of exponent.
    E2m3 = "e2m3", 1, Float;
    /// 6-bit float, 3 bits of exponent.
    E3m2 = "e3m2", 1, Float;
    /// 4-bit float, 2 bits of exponent.
    E2m1 = "e2m1", 1, Float;
    /// 8-bit scale: exponent only.
    Ue8m0 = "ue8m0", 1, Float;
    /// 8-bit scale: 4 bits of exponent, no sign.
    Ue4m3 = "ue4m3", 1, Float;
    /// Two `.f16`, packed side by side.
    F16x2 = "f16x2", 4, Packed;
    /// Two `.bf16`, packed side by side.
    Bf16x2 = "bf16x2", 4, Packed;
    /// Two `.f32`, packed side by side.
    F32x2 = "f32x2", 8, Packed;
    /// Two `.u16`, packed side by side.
    U16x2 = "u16x2", 4, Packed;
    /// Two `.s16`, packed side by side.
    S16x2 = "s16x2", 4, Packed;
    /// Two `.e4m3`, packed side by side.
    E4m3x2 = "e4m3x2", 2, Packed;
    /// Two `.e5m2`, packed side by side.
    E5m2x2 = "e5m2x2", 2, Packed;
    /// Two `.e2m3`, packed side by side.
    E2m3x2 = "e2m3x2", 2, Packed;
    /// Two `.e3m2`, packed side by side.
    E3m2x2 = "e3m2x2", 2, Packed;
    /// Two `.e2m1`, packed side by side.
    E2m1x2 = "e2m1x2", 1, Packed;
    /// Two `.ue8m0`, packed side by side.
    Ue8m0x2 = "ue8m0x2", 2, Packed;
    /// Four `.e4m3`, packed side by side.
    E4m3x4 = "e4m3x4", 4, Packed;
    /// Four `.e5m2`, packed side by side.
    E5m2x4 = "e5m2x4", 4, Packed;
    /// Four `.e2m3`, packed side by side.
    E2m3x4 = "e2m3x4", 4, Packed;
    /// Four `.e3m2`, packed side by side.
    E3m2x4 = "e3m2x4", 4, Packed;
    /// Four `.e2m1`, packed side by side.
    E2m1x4 = "e2m1x4", 2, Packed;
    /// Signed, 4 bits (matrix fragments).
    S4 = "s4", 1, Signed;
    /// Unsigned, 4 bits (matrix fragments).
    U4 = "u4", 1, Unsigned;
    /// One bit (matrix fragments).
    B1 = "b1", 1, Bits;
    /// True or false.
    Pred = "pred", 0, Predicate;
    /// A texture by reference, as a variable declares it.
    Texref = "texref", 0, Opaque;
    /// A sampler by reference, as a variable declares it.
    Samplerref = "samplerref", 0, Opaque;
    /// A surface by reference, as a variable declares it.
    Surfref = "surfref", 0, Opaque;
}

impl Type {
    /// Returns whether registers and variables can have this type. The other types occur
    /// in instructions only.
    pub const fn is_fundamental(self) -> bool {
        match self.class() {
            Class::Float => matches!(self, Type::F16 | Type::F32 | Type::F64),
            Class::Packed => matches!(self, Type::F16x2),
            _ => !matches!(self, Type::S4 | Type::U4 | Type::B1),
        }
    }
}

/// The state space of a variable.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Space {
    /// `.reg`: a register. Function parameters may be declared `.reg`.
    Reg,
    /// The state space `.global`.
    Global,
    /// The state space `.const`.
    Const,
    /// `.shared`: one copy for each block.
    Shared,
    /// `.local`: one copy for each thread.
    Local,
    /// `.param`: kernel and function parameters, call arguments.
    Param,
    /// `.tex`: the old form of declaring a texture; the same as `.global .texref`.
    Tex,
}

impl Space {
    /// Returns the space's name without its dot.
    pub const fn name(self) -> &'static str {
        match self {
            Space::Reg => "reg",
            Space::Global => "global",
            Space::Const => "const",
            Space::Shared => "shared",
            Space::Local => "local",
            Space::Param => "param",
            Space::Tex => "tex",
        }
    }
}

/// The visibility of a name outside its module.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub enum Linkage {
    /// Visible in this module only.
    #[default]
    Internal,
    /// `.extern`: defined elsewhere.
    Extern,
    /// Visible in all modules: `.visible`.
    Visible,
    /// `.weak`: the first definition wins.
    Weak,
    /// `.common`: the largest declaration wins.
    Common,
}

impl Linkage {
    /// Returns the directive without its dot, or `None` for internal names.
    pub const fn name(self) -> Option<&'static str> {
        match self {
            Linkage::Internal => None,
            Linkage::Extern => Some("extern"),
            Linkage::Visible => Some("visible"),
            Linkage::Weak => Some("weak"),
            Linkage::Common => Some("common"),
        }
    }
}
