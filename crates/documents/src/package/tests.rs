use std::io::Cursor;

use zip::write::SimpleFileOptions;
use zip::{CompressionMethod, ZipWriter};

use super::Package;
use crate::testing::archive;
use crate::{DocumentError, Limits};

fn open(bytes: &[u8]) -> Result<Package<'_>, DocumentError> {
    Package::open(bytes, &Limits::default())
}

fn rewritten(package: &Package<'_>, first: Option<&str>, changed: &str) -> Vec<u8> {
    let mut output = Cursor::new(Vec::new());
    let mut upper = |_: &str, bytes: &[u8]| Ok(bytes.to_ascii_uppercase());
    package
        .rewrite(&mut output, first, &mut upper, &|name| name == changed)
        .unwrap();
    output.into_inner()
}

#[test]
fn n2_other_parts_keep_their_compressed_bytes() {
    let bytes = archive(&[
        ("a.xml", b"text"),
        ("图/b.png", &[7; 5000]),
        ("c/", b""),
        ("c/d.xml", b"more"),
    ]);
    let package = open(&bytes).unwrap();
    assert_eq!(
        package.names().collect::<Vec<_>>(),
        ["a.xml", "图/b.png", "c/", "c/d.xml"]
    );
    let out = rewritten(&package, None, "c/d.xml");
    let copy = open(&out).unwrap();
    assert_eq!(
        copy.names().collect::<Vec<_>>(),
        package.names().collect::<Vec<_>>()
    );
    assert_eq!(copy.part("c/d.xml").unwrap().unwrap(), b"MORE");
    for (i, name) in ["a.xml", "图/b.png"].into_iter().enumerate() {
        assert_eq!(copy.part(name).unwrap(), package.part(name).unwrap());
        let raw = |package: &Package<'_>| {
            let mut archive = package.archive.clone();
            let mut file = archive.by_index_raw(i).unwrap();
            let mut raw = Vec::new();
            std::io::Read::read_to_end(&mut file, &mut raw).unwrap();
            (raw, file.last_modified())
        };
        assert_eq!(raw(&copy), raw(&package));
    }
    // Nothing changed: nothing is packed again.
    assert_eq!(
        rewritten(&package, None, "nothing"),
        rewritten(&package, None, "图/b.png")
    );
    assert_eq!(package.part("nothing").unwrap(), None);
}

#[test]
fn n3_the_first_part_is_stored() {
    let bytes = archive(&[("a.xml", b"text"), ("mimetype", b"application/epub+zip")]);
    let out = rewritten(&open(&bytes).unwrap(), Some("mimetype"), "");
    assert_eq!(
        &out[..38],
        b"PK\x03\x04\x0a\0\0\0\0\0\0\0\x21\0\x6f\x61\xab\x2c\x14\0\0\0\x14\0\0\0\x08\0\0\0mimetype"
    );
    assert_eq!(&out[38..58], b"application/epub+zip");
}

#[test]
fn bombs_are_refused() {
    let zeros = vec![b' '; 40 << 20];
    let bytes = archive(&[("word/document.xml", &zeros)]);
    let error = open(&bytes).unwrap_err();
    assert!(
        matches!(&error, DocumentError::Limit { what, .. } if what.contains("document.xml")),
        "{error}"
    );
    let small = Limits {
        part: 3,
        ..Limits::default()
    };
    assert!(matches!(
        Package::open(&archive(&[("a", b"1234")]), &small),
        Err(DocumentError::Limit { .. })
    ));
    let small = Limits {
        archive: 5,
        ..Limits::default()
    };
    assert!(matches!(
        Package::open(&archive(&[("a", b"123"), ("b", b"123")]), &small),
        Err(DocumentError::Limit { .. })
    ));
    let small = Limits {
        entries: 1,
        ..Limits::default()
    };
    assert!(matches!(
        Package::open(&archive(&[("a", b"1"), ("b", b"2")]), &small),
        Err(DocumentError::Limit { .. })
    ));
}

#[test]
fn a_part_that_is_larger_than_it_says_is_refused() {
    let mut bytes = archive(&[("a.xml", &[b'x'; 1000])]);
    // The uncompressed size in the list of contents, and in front of the part.
    let declared = 1000_u32.to_le_bytes();
    let places: Vec<usize> = (0..bytes.len() - 4)
        .filter(|&at| bytes[at..at + 4] == declared)
        .collect();
    assert_eq!(places.len(), 2);
    for at in places {
        bytes[at..at + 4].copy_from_slice(&10_u32.to_le_bytes());
    }
    let error = open(&bytes).unwrap().part("a.xml").unwrap_err();
    assert!(matches!(error, DocumentError::Archive { .. }), "{error}");
}

#[test]
fn names_that_lead_elsewhere_or_twice_are_refused() {
    for name in ["../a", "/a", "C:\\a"] {
        let bytes = archive(&[(name, b"x")]);
        assert!(
            matches!(open(&bytes), Err(DocumentError::EntryName { .. })),
            "{name}"
        );
    }
    let bytes = archive(&[("a.xml", b"x"), ("A.xml", b"y")]);
    assert!(matches!(open(&bytes), Err(DocumentError::EntryName { .. })));
    let mut bytes = archive(&[("a.xml", b"x"), ("b.xml", b"y")]);
    for at in 0..bytes.len() - 5 {
        if &bytes[at..at + 5] == b"b.xml" {
            bytes[at] = b'a';
        }
    }
    assert!(open(&bytes).is_err());
}

#[test]
fn encrypted_and_broken_archives_are_refused() {
    let mut bytes = archive(&[("a.xml", b"text")]);
    // The flags in the list of contents and in front of the part.
    for (signature, offset) in [(b"PK\x01\x02", 8), (b"PK\x03\x04", 6)] {
        let at = bytes
            .windows(4)
            .position(|window| window == signature)
            .unwrap();
        bytes[at + offset] |= 1;
    }
    assert!(matches!(open(&bytes), Err(DocumentError::Encrypted { .. })));
    let bytes = archive(&[("a.xml", b"text")]);
    for cut in 0..bytes.len() {
        if let Ok(package) = open(&bytes[..cut]) {
            let _ = package.part("a.xml");
        }
    }
    assert!(open(&bytes[..bytes.len() - 30]).is_err());
    assert!(open(b"PK\x03\x04").is_err());
    let mut damaged = bytes;
    // The first byte of the packed text.
    damaged[35] ^= 0xff;
    assert!(open(&damaged).unwrap().part("a.xml").is_err());
}

#[test]
fn links_are_refused() {
    let mut writer = ZipWriter::new(Cursor::new(Vec::new()));
    let options = SimpleFileOptions::default().compression_method(CompressionMethod::Stored);
    writer.add_symlink("a.xml", "/etc/passwd", options).unwrap();
    let bytes = writer.finish().unwrap().into_inner();
    assert!(matches!(open(&bytes), Err(DocumentError::EntryName { .. })));
}
