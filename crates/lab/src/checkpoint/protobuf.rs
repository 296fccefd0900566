//! The part of the protocol-buffer wire format that checkpoints use.

/// The value of one field.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Value<'a> {
    /// Wire type 0.
    Varint(u64),
    /// Wire type 1.
    Fixed64(u64),
    /// Wire type 2: bytes, strings, messages.
    Bytes(&'a [u8]),
    /// Wire type 5.
    Fixed32(u32),
}

/// Iterates over `(field number, value)` of a message; an `Err` ends it.
#[derive(Clone, Debug)]
pub(crate) struct Fields<'a>(&'a [u8]);

/// The bytes are not a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Malformed;

impl<'a> Fields<'a> {
    pub(crate) fn new(message: &'a [u8]) -> Self {
        Self(message)
    }

    fn field(&mut self) -> Result<(u64, Value<'a>), Malformed> {
        let tag = varint(&mut self.0).ok_or(Malformed)?;
        let value = match tag & 7 {
            0 => Value::Varint(varint(&mut self.0).ok_or(Malformed)?),
            1 => Value::Fixed64(u64::from_le_bytes(self.take()?)),
            2 => {
                let len = varint(&mut self.0).and_then(|len| usize::try_from(len).ok());
                let (bytes, rest) = len
                    .and_then(|len| self.0.split_at_checked(len))
                    .ok_or(Malformed)?;
                self.0 = rest;
                Value::Bytes(bytes)
            }
            5 => Value::Fixed32(u32::from_le_bytes(self.take()?)),
            _ => return Err(Malformed),
        };
        Ok((tag >> 3, value))
    }

    fn take<const N: usize>(&mut self) -> Result<[u8; N], Malformed> {
        let (bytes, rest) = self.0.split_first_chunk::<N>().ok_or(Malformed)?;
        self.0 = rest;
        Ok(*bytes)
    }
}

impl<'a> Iterator for Fields<'a> {
    type Item = Result<(u64, Value<'a>), Malformed>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.0.is_empty() {
            return None;
        }
        let field = self.field();
        if field.is_err() {
            self.0 = &[];
        }
        Some(field)
    }
}

/// Takes a base-128 number off the front.
pub(crate) fn varint(bytes: &mut &[u8]) -> Option<u64> {
    let mut value = 0u64;
    for shift in (0..64).step_by(7) {
        let (&byte, rest) = bytes.split_first()?;
        *bytes = rest;
        if shift == 63 && byte > 1 {
            return None;
        }
        value |= u64::from(byte & 0x7f) << shift;
        if byte < 0x80 {
            return Some(value);
        }
    }
    None
}

/// Appends a base-128 number.
pub(crate) fn put_varint(out: &mut Vec<u8>, mut value: u64) {
    while value >= 0x80 {
        out.push(value as u8 | 0x80);
        value >>= 7;
    }
    out.push(value as u8);
}

/// Appends a number field unless it is zero.
pub(crate) fn put_number(out: &mut Vec<u8>, field: u64, value: u64) {
    if value != 0 {
        put_varint(out, field << 3);
        put_varint(out, value);
    }
}

/// Appends a message field.
pub(crate) fn put_message(out: &mut Vec<u8>, field: u64, message: &[u8]) {
    put_varint(out, field << 3 | 2);
    put_varint(out, message.len() as u64);
    out.extend_from_slice(message);
}

/// Appends a fixed 32-bit field.
pub(crate) fn put_fixed32(out: &mut Vec<u8>, field: u64, value: u32) {
    put_varint(out, field << 3 | 5);
    out.extend_from_slice(&value.to_le_bytes());
}

#[cfg(test)]
mod tests {
    use super::{
        Fields, Malformed, Value, put_fixed32, put_message, put_number, put_varint, varint,
    };

    #[test]
    fn varints_round_trip_and_refuse_overflow() {
        for value in [0, 1, 127, 128, 300, u64::from(u32::MAX), u64::MAX] {
            let mut bytes = Vec::new();
            put_varint(&mut bytes, value);
            let mut rest = &bytes[..];
            assert_eq!(varint(&mut rest), Some(value));
            assert!(rest.is_empty());
            assert_eq!(varint(&mut &bytes[..bytes.len() - 1]), None, "cut off");
        }
        assert_eq!(
            varint(&mut &[0xff; 9].iter().chain(&[2]).copied().collect::<Vec<_>>()[..]),
            None
        );
        assert_eq!(varint(&mut &[0x80; 11][..]), None);
    }

    #[test]
    fn fields_come_back() {
        let mut message = Vec::new();
        put_number(&mut message, 1, 150);
        put_number(&mut message, 2, 0);
        put_message(&mut message, 3, b"ab");
        put_fixed32(&mut message, 6, 7);
        let fields: Result<Vec<_>, _> = Fields::new(&message).collect();
        assert_eq!(
            fields.unwrap(),
            [
                (1, Value::Varint(150)),
                (3, Value::Bytes(b"ab")),
                (6, Value::Fixed32(7))
            ]
        );
        let cut: Result<Vec<_>, _> = Fields::new(&message[..message.len() - 1]).collect();
        assert_eq!(cut, Err(Malformed));
    }
}
