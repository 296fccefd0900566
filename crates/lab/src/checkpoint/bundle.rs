//! The messages of a checkpoint index.

use std::fmt;

use crate::checkpoint::protobuf::{Fields, Malformed, Value, put_fixed32, put_message, put_number};

/// TensorFlow's number for an element type.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DataType(pub u64);

impl DataType {
    /// IEEE single.
    pub const FLOAT: Self = Self(1);
    /// Signed 64-bit.
    pub const INT64: Self = Self(9);

    /// Bytes of an element, for the types that occur here.
    fn bytes(self) -> Option<u64> {
        Some(match self.0 {
            1 | 3 => 4,
            2 | 9 => 8,
            4 | 6 | 10 => 1,
            5 | 14 | 19 => 2,
            _ => return None,
        })
    }
}

impl fmt::Display for DataType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = match self.0 {
            1 => "float32",
            2 => "float64",
            3 => "int32",
            4 => "uint8",
            5 => "int16",
            6 => "int8",
            7 => "string",
            9 => "int64",
            10 => "bool",
            14 => "bfloat16",
            19 => "float16",
            other => return write!(f, "type {other}"),
        };
        f.write_str(name)
    }
}

/// The entry under the empty key.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Header {
    pub(crate) shards: u64,
    pub(crate) big_endian: bool,
    /// Oldest reader that understands the bundle.
    pub(crate) min_consumer: u64,
}

/// The version of readers that this one equals.
pub(crate) const CONSUMER: u64 = 1;

impl Header {
    pub(crate) fn read(message: &[u8]) -> Result<Self, Malformed> {
        let mut header = Self::default();
        for field in Fields::new(message) {
            match field? {
                (1, Value::Varint(shards)) => header.shards = shards,
                (2, Value::Varint(endianness)) => header.big_endian = endianness != 0,
                (3, Value::Bytes(version)) => {
                    for field in Fields::new(version) {
                        if let (2, Value::Varint(oldest)) = field? {
                            header.min_consumer = oldest;
                        }
                    }
                }
                _ => {}
            }
        }
        Ok(header)
    }

    pub(crate) fn bytes(self) -> Vec<u8> {
        let mut message = Vec::new();
        put_number(&mut message, 1, self.shards);
        put_number(&mut message, 2, u64::from(self.big_endian));
        let mut version = Vec::new();
        put_number(&mut version, 1, CONSUMER);
        put_number(&mut version, 2, self.min_consumer);
        put_message(&mut message, 3, &version);
        message
    }
}

/// Where and what a variable is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    /// Element type.
    pub dtype: DataType,
    /// Lengths of the axes, outermost first.
    pub shape: Vec<u64>,
    /// Number of the data file.
    pub shard: u64,
    /// Where it starts in that file.
    pub offset: u64,
    /// Its bytes.
    pub size: u64,
    /// Masked CRC32C of its bytes.
    pub crc: u32,
    /// Whether it is stored in slices elsewhere.
    pub sliced: bool,
}

impl Entry {
    pub(crate) fn read(message: &[u8]) -> Result<Self, Malformed> {
        let mut entry = Self {
            dtype: DataType(0),
            shape: Vec::new(),
            shard: 0,
            offset: 0,
            size: 0,
            crc: 0,
            sliced: false,
        };
        for field in Fields::new(message) {
            match field? {
                (1, Value::Varint(dtype)) => entry.dtype = DataType(dtype),
                (2, Value::Bytes(shape)) => entry.shape = read_shape(shape)?,
                (3, Value::Varint(shard)) => entry.shard = shard,
                (4, Value::Varint(offset)) => entry.offset = offset,
                (5, Value::Varint(size)) => entry.size = size,
                (6, Value::Fixed32(crc)) => entry.crc = crc,
                (7, _) => entry.sliced = true,
                _ => {}
            }
        }
        Ok(entry)
    }

    pub(crate) fn bytes(&self) -> Vec<u8> {
        let mut shape = Vec::new();
        for &axis in &self.shape {
            let mut dimension = Vec::new();
            put_number(&mut dimension, 1, axis);
            put_message(&mut shape, 2, &dimension);
        }
        let mut message = Vec::new();
        put_number(&mut message, 1, self.dtype.0);
        put_message(&mut message, 2, &shape);
        put_number(&mut message, 3, self.shard);
        put_number(&mut message, 4, self.offset);
        put_number(&mut message, 5, self.size);
        put_fixed32(&mut message, 6, self.crc);
        message
    }

    /// Checks that the size follows from type and shape.
    pub(crate) fn check_size(&self) -> Result<(), String> {
        let elements = self
            .shape
            .iter()
            .try_fold(1u64, |n, &axis| n.checked_mul(axis));
        let expected = self
            .dtype
            .bytes()
            .zip(elements)
            .and_then(|(b, n)| b.checked_mul(n));
        if expected == Some(self.size) {
            return Ok(());
        }
        let (size, dtype, shape) = (self.size, self.dtype, &self.shape);
        Err(format!("{size} bytes do not fit {dtype} {shape:?}"))
    }
}

fn read_shape(message: &[u8]) -> Result<Vec<u64>, Malformed> {
    let mut shape = Vec::new();
    for field in Fields::new(message) {
        if let (2, Value::Bytes(dimension)) = field? {
            let mut axis = 0;
            for field in Fields::new(dimension) {
                if let (1, Value::Varint(size)) = field? {
                    axis = size;
                }
            }
            shape.push(axis);
        }
    }
    Ok(shape)
}
