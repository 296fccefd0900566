//! NumPy archives (`.npz`: a zip of `.npy` arrays) as f32 arrays.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{self, BufReader, Read};
use std::path::Path;

use zip::ZipArchive;

/// An array of an archive in C order.
#[derive(Clone, Debug, PartialEq)]
pub struct Array {
    /// Lengths of the axes, outermost first.
    pub shape: Vec<usize>,
    /// The elements; integers and booleans are converted.
    pub data: Vec<f32>,
}

/// All arrays of the archive by name, without `.npy`.
///
/// # Errors
/// When the file cannot be read or holds an array that is not of plain little-endian numbers in C
/// order.
pub fn load(path: &Path) -> io::Result<BTreeMap<String, Array>> {
    let named = |name: &str, error: io::Error| {
        io::Error::new(error.kind(), format!("{}: {name}: {error}", path.display()))
    };
    let file = File::open(path).map_err(|error| named("archive", error))?;
    let mut archive =
        ZipArchive::new(BufReader::new(file)).map_err(|error| named("archive", error.into()))?;
    let mut arrays = BTreeMap::new();
    for place in 0..archive.len() {
        let mut member = archive
            .by_index(place)
            .map_err(|error| named("archive", error.into()))?;
        let name = member
            .name()
            .map_err(|error| named("archive", error.into()))?;
        let name = name.trim_end_matches(".npy").to_owned();
        let mut bytes = Vec::new();
        member
            .read_to_end(&mut bytes)
            .map_err(|error| named(&name, error))?;
        let array = parse(&bytes).map_err(|message| named(&name, io::Error::other(message)))?;
        arrays.insert(name, array);
    }
    Ok(arrays)
}

/// `\x93NUMPY`, version, header length, header (a Python dict), data.
fn parse(npy: &[u8]) -> Result<Array, String> {
    let cut_off = || "the array is cut off".to_owned();
    let rest = npy.strip_prefix(b"\x93NUMPY").ok_or("not a .npy array")?;
    let ([major, _minor], rest) = rest.split_first_chunk::<2>().ok_or_else(cut_off)?;
    let (len, rest) = if *major == 1 {
        let (len, rest) = rest.split_first_chunk::<2>().ok_or_else(cut_off)?;
        (usize::from(u16::from_le_bytes(*len)), rest)
    } else {
        let (len, rest) = rest.split_first_chunk::<4>().ok_or_else(cut_off)?;
        (u32::from_le_bytes(*len) as usize, rest)
    };
    let (header, data) = rest.split_at_checked(len).ok_or_else(cut_off)?;
    let header = String::from_utf8_lossy(header);
    let entry = |key: &str| {
        let (_, value) = header.split_once(&format!("'{key}':"))?;
        Some(value.trim_start())
    };
    let shape = entry("shape").and_then(|value| value.strip_prefix('(')?.split_once(')'));
    let axes = shape
        .ok_or("the header has no shape")?
        .0
        .split(',')
        .map(str::trim);
    let axes = axes.filter(|axis| !axis.is_empty()).map(str::parse);
    let shape: Vec<usize> = axes
        .collect::<Result<_, _>>()
        .map_err(|_| "the shape is damaged")?;
    if shape.len() > 1 && !entry("fortran_order").is_some_and(|value| value.starts_with("False")) {
        return Err("Fortran order, expected C order".into());
    }
    let dtype = entry("descr").and_then(|value| value.strip_prefix('\'')?.split_once('\''));
    let data = numbers(dtype.ok_or("the header has no plain type")?.0, data)?;
    if shape
        .iter()
        .try_fold(1usize, |n, &axis| n.checked_mul(axis))
        != Some(data.len())
    {
        return Err(format!(
            "{} elements do not fit shape {shape:?}",
            data.len()
        ));
    }
    Ok(Array { shape, data })
}

/// The elements of a NumPy type such as `<f4`.
fn numbers(dtype: &str, data: &[u8]) -> Result<Vec<f32>, String> {
    macro_rules! read {
        ($type:ty) => {{
            let (elements, rest) = data.as_chunks::<{ size_of::<$type>() }>();
            if !rest.is_empty() {
                return Err("the array is cut off".into());
            }
            elements
                .iter()
                .map(|&bytes| <$type>::from_le_bytes(bytes) as f32)
                .collect()
        }};
    }
    Ok(match dtype {
        "<f4" => read!(f32),
        "<f8" => read!(f64),
        "|b1" | "|u1" => read!(u8),
        "|i1" => read!(i8),
        "<i2" => read!(i16),
        "<i4" => read!(i32),
        "<i8" => read!(i64),
        "<u2" => read!(u16),
        "<u4" => read!(u32),
        "<u8" => read!(u64),
        other => return Err(format!("type {other}, expected little-endian numbers")),
    })
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::{Array, parse};

    fn npy(header: &str, data: &[u8]) -> Vec<u8> {
        let len = (header.len() as u16).to_le_bytes();
        [b"\x93NUMPY\x01\x00", &len[..], header.as_bytes(), data].concat()
    }

    #[test]
    fn types_and_shapes() {
        let header = "{'descr': '<i4', 'fortran_order': False, 'shape': (2, 1), }\n";
        let data = [7i32.to_le_bytes(), (-2i32).to_le_bytes()].concat();
        let expected = Array {
            shape: vec![2, 1],
            data: vec![7.0, -2.0],
        };
        assert_eq!(parse(&npy(header, &data)), Ok(expected));
        let header = "{'descr': '|b1', 'fortran_order': False, 'shape': (3,), }\n";
        assert_eq!(
            parse(&npy(header, &[1, 0, 1])).unwrap().data,
            [1.0, 0.0, 1.0]
        );
        let header = "{'descr': '<f8', 'fortran_order': False, 'shape': (), }\n";
        let scalar = parse(&npy(header, &0.5f64.to_le_bytes())).unwrap();
        assert_eq!(
            scalar,
            Array {
                shape: vec![],
                data: vec![0.5]
            }
        );
    }

    #[test]
    fn misfits_are_errors() {
        let cases = [
            "{'descr': '<f4', 'fortran_order': False, 'shape': (2,), }",
            "{'descr': '<f4', 'fortran_order': True, 'shape': (1, 1), }",
            "{'descr': '>f4', 'fortran_order': False, 'shape': (1,), }",
            "{'descr': '<f8', 'fortran_order': False, 'shape': (1,), }",
            "{'fortran_order': False, 'shape': (1,), }",
            "{'descr': '<f4', 'fortran_order': False, 'shape': (x,), }",
        ];
        for header in cases {
            assert!(parse(&npy(header, &[0; 4])).is_err(), "{header}");
        }
        assert!(parse(b"\x93NUMPY\x01\x00\xff\x00{").is_err());
    }

    #[test]
    fn golden_archives_are_readable() {
        let dir = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/golden/fixtures");
        let arrays = super::load(&dir.join("a_zh2en/goldens.npz")).unwrap();
        assert!(arrays.len() > 20);
        assert_eq!(arrays["0/semantic_output"].shape, [1, 1, 32]);
    }
}
