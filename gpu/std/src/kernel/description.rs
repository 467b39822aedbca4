//! What `#[kernel]` records of a kernel for the builder.
//!
//! The macro writes a [`Description`] as an expression, so that its parts may be constants of the
//! program and depend on the parameters' types. The device's half is compiled with the record as a
//! line of JSON in a static beside the entry point, which the builder reads and removes. Both
//! halves compute the record's [`fingerprint`](Description::fingerprint).

use super::fingerprint::{START, digits, number, text};
use super::{LaunchBounds, Param};

/// The properties of a kernel that the builder needs.
#[derive(Clone, Copy, Debug)]
pub struct Description<'a> {
    /// The entry point's symbol, if no other kernel has it.
    pub name: &'a str,
    /// The parameters in the order of the function.
    pub params: &'a [DescribedParam],
    /// The values of `#[launch_bounds]`.
    pub bounds: Option<LaunchBounds>,
    /// The block's shape, if the launch contract allows only one.
    pub block: Option<[u32; 3]>,
    /// The value of `#[max_registers]`.
    pub max_registers: Option<u32>,
    /// The cluster's shape in blocks, if the kernel fixes it.
    pub cluster: Option<[u32; 3]>,
    /// Whether the kernel's blocks wait for each other.
    pub cooperative: bool,
    /// The oldest target that supports what the kernel uses.
    pub min_arch: Option<&'a str>,
    /// Whether the kernel launches kernels.
    pub launches: bool,
    /// The path of the source file.
    pub file: &'a str,
    /// The line of the function in the file.
    pub line: u32,
}

/// One parameter of a [`Description`].
#[derive(Clone, Copy, Debug)]
pub struct DescribedParam {
    /// The name and the type in the source.
    pub param: Param,
    /// How the parameter is passed.
    pub lowering: Lowering,
    /// The alignment in bytes of a slice's address, by
    /// [`slice_alignment`](super::slice_alignment).
    pub alignment: usize,
}

/// How a parameter of a Rust function becomes parameters of the PTX.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Lowering {
    /// Address and length of a slice that nothing writes while the kernel runs.
    ReadSlice,
    /// Address and length of a slice of cells, through which threads write.
    CellSlice,
    /// Address and length of a slice whose elements no other thread accesses, and no other
    /// parameter reaches.
    WriteSlice,
    /// The bytes of a tensor map.
    TensorMap,
    /// The value itself.
    ByValue,
    /// Nothing: the value has no bytes.
    Empty,
}

impl Lowering {
    /// Returns the builder's word.
    const fn word(self) -> &'static str {
        match self {
            Self::ReadSlice => "read_slice",
            Self::CellSlice => "cell_slice",
            Self::WriteSlice => "write_slice",
            Self::TensorMap => "tensor_map",
            Self::ByValue => "value",
            Self::Empty => "empty",
        }
    }
}

impl Description<'_> {
    /// Returns the fingerprint of what the host's half of the kernel has to know. The places of
    /// parameters follow from their types, whose layouts have fingerprints of their own.
    #[must_use]
    pub const fn fingerprint(&self) -> u64 {
        let mut it = text(START, self.name);
        let mut params = self.params;
        while let [DescribedParam { param, .. }, rest @ ..] = params {
            it = text(text(text(it, param.name), ":"), param.ty);
            params = rest;
        }
        it = match self.bounds {
            Some(LaunchBounds {
                max_threads,
                min_blocks,
            }) => number(number(it, max_threads as u64), or_zero(min_blocks)),
            None => number(it, 0),
        };
        it = number(it, or_zero(self.max_registers));
        if let Some([x, y, z]) = self.cluster {
            it = number(number(number(it, x as u64), y as u64), z as u64);
        }
        if let Some(arch) = self.min_arch {
            it = text(it, arch);
        }
        number(it, (self.cooperative as u64) << 1 | self.launches as u64)
    }

    /// Returns the number of bytes of the JSON.
    #[must_use]
    pub const fn length(&self) -> usize {
        self.written::<0>(0).length
    }

    /// Returns the JSON, of `N` bytes, with the fingerprint that the host's half has to have.
    #[must_use]
    pub const fn json<const N: usize>(&self, layout: u64) -> [u8; N] {
        self.written(layout).text
    }

    const fn written<const N: usize>(&self, layout: u64) -> Json<N> {
        let mut json = Json {
            text: [0; N],
            length: 0,
        };
        json.raw("{\"name\":");
        json.string(self.name);
        json.raw(",\"params\":[");
        let mut params = self.params;
        while let [described, rest @ ..] = params {
            json.raw("{\"name\":");
            json.string(described.param.name);
            json.raw(",\"type\":");
            json.string(described.param.ty);
            json.raw(",\"lower\":");
            json.string(described.lowering.word());
            json.raw(",\"align\":");
            json.number(described.alignment as u64);
            json.raw(if rest.is_empty() { "}" } else { "}," });
            params = rest;
        }
        json.raw("]");
        match self.bounds {
            Some(LaunchBounds {
                max_threads,
                min_blocks: Some(min_blocks),
            }) => json.list("launch_bounds", &[max_threads, min_blocks]),
            Some(LaunchBounds { max_threads, .. }) => json.list("launch_bounds", &[max_threads]),
            None => {}
        }
        if let Some(block) = &self.block {
            json.list("block", block);
        }
        if let Some(count) = self.max_registers {
            json.raw(",\"max_registers\":");
            json.number(count as u64);
        }
        if let Some(cluster) = &self.cluster {
            json.list("cluster", cluster);
        }
        if self.cooperative {
            json.raw(",\"cooperative\":true");
        }
        if let Some(arch) = self.min_arch {
            json.raw(",\"min_arch\":");
            json.string(arch);
        }
        if self.launches {
            json.raw(",\"launches\":true");
        }
        json.raw(",\"layout\":\"");
        json.bytes(&digits(layout));
        json.raw("\",\"file\":");
        json.string(self.file);
        json.raw(",\"line\":");
        json.number(self.line as u64);
        json.raw("}");
        json
    }
}

const fn or_zero(number: Option<u32>) -> u64 {
    match number {
        Some(number) => number as u64,
        None => 0,
    }
}

/// The JSON so far. The first `N` bytes are kept, and all are counted.
struct Json<const N: usize> {
    text: [u8; N],
    length: usize,
}

impl<const N: usize> Json<N> {
    const fn bytes(&mut self, mut bytes: &[u8]) {
        while let [byte, rest @ ..] = bytes {
            if self.length < N {
                self.text[self.length] = *byte;
            }
            self.length += 1;
            bytes = rest;
        }
    }

    const fn raw(&mut self, text: &str) {
        self.bytes(text.as_bytes());
    }

    const fn string(&mut self, text: &str) {
        self.raw("\"");
        let mut bytes = text.as_bytes();
        while let [byte, rest @ ..] = bytes {
            match *byte {
                b'"' | b'\\' => self.bytes(&[b'\\', *byte]),
                control @ 0..0x20 => {
                    let [.., high, low] = digits(control as u64);
                    self.raw("\\u00");
                    self.bytes(&[high, low]);
                }
                byte => self.bytes(&[byte]),
            }
            bytes = rest;
        }
        self.raw("\"");
    }

    const fn number(&mut self, number: u64) {
        if number >= 10 {
            self.number(number / 10);
        }
        self.bytes(&[b'0' + (number % 10) as u8]);
    }

    const fn list(&mut self, key: &str, mut numbers: &[u32]) {
        self.raw(",");
        self.string(key);
        self.raw(":[");
        while let [number, rest @ ..] = numbers {
            self.number(*number as u64);
            self.raw(if rest.is_empty() { "]" } else { "," });
            numbers = rest;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const PLAIN: Description<'_> = Description {
        name: "scale",
        params: &[],
        bounds: None,
        block: None,
        max_registers: None,
        cluster: None,
        cooperative: false,
        min_arch: None,
        launches: false,
        file: "src/lib.rs",
        line: 7,
    };
    const FULL: Description<'_> = Description {
        params: &[
            DescribedParam {
                param: Param {
                    name: "input",
                    ty: "&[f32]",
                },
                lowering: Lowering::ReadSlice,
                alignment: 16,
            },
            DescribedParam {
                param: Param {
                    name: "n",
                    ty: "u32",
                },
                lowering: Lowering::ByValue,
                alignment: 1,
            },
        ],
        bounds: Some(LaunchBounds {
            max_threads: 256,
            min_blocks: Some(2),
        }),
        block: Some([256, 1, 1]),
        max_registers: Some(64),
        cluster: Some([2, 1, 1]),
        cooperative: true,
        min_arch: Some("sm_90"),
        launches: true,
        file: "a \"b\\\u{1}.rs",
        ..PLAIN
    };

    #[test]
    fn a_description_is_written_as_json() {
        let text: [u8; PLAIN.length()] = PLAIN.json(0x0123_4567_89ab_cdef);
        let expected = r#"{"name":"scale","params":[],"layout":"0123456789abcdef","file":"src/lib.rs","line":7}"#;
        assert_eq!(core::str::from_utf8(&text), Ok(expected));
        let text: [u8; FULL.length()] = FULL.json(0);
        let expected = concat!(
            r#"{"name":"scale","params":[{"name":"input","type":"&[f32]","lower":"read_slice","align":16},"#,
            r#"{"name":"n","type":"u32","lower":"value","align":1}],"launch_bounds":[256,2],"block":[256,1,1],"#,
            r#""max_registers":64,"cluster":[2,1,1],"cooperative":true,"min_arch":"sm_90","launches":true,"#,
            r#""layout":"0000000000000000","file":"a \"b\\\u0001.rs","line":7}"#
        );
        assert_eq!(core::str::from_utf8(&text), Ok(expected));
    }

    #[test]
    fn the_place_in_the_source_is_not_in_the_fingerprint() {
        let moved = Description { line: 8, ..PLAIN };
        assert_eq!(PLAIN.fingerprint(), moved.fingerprint());
        let others = [
            Description {
                name: "other",
                ..PLAIN
            },
            Description {
                params: FULL.params,
                ..PLAIN
            },
            Description {
                bounds: FULL.bounds,
                ..PLAIN
            },
            Description {
                max_registers: FULL.max_registers,
                ..PLAIN
            },
            Description {
                cluster: FULL.cluster,
                ..PLAIN
            },
            Description {
                cooperative: true,
                ..PLAIN
            },
            Description {
                min_arch: FULL.min_arch,
                ..PLAIN
            },
            Description {
                launches: true,
                ..PLAIN
            },
        ];
        for other in others {
            assert_ne!(PLAIN.fingerprint(), other.fingerprint(), "{other:?}");
        }
    }
}
