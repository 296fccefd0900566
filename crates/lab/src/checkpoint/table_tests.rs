use proptest::prelude::*;

use super::{read, write};

type Entries = Vec<(Vec<u8>, Vec<u8>)>;

fn table(entries: &Entries, snappy: bool) -> Vec<u8> {
    write(
        entries.iter().map(|(key, value)| (&key[..], &value[..])),
        snappy,
    )
}

fn sample(count: usize) -> Entries {
    let name = |i: usize| format!("NmtModel/encoder/layer_{i:04}/ffn_layer/matrix").into_bytes();
    let mut entries: Entries = (0..count)
        .map(|i| (name(i), vec![i as u8; i % 40]))
        .collect();
    entries.insert(0, (Vec::new(), b"header".to_vec()));
    entries
}

#[test]
fn tables_of_one_and_many_blocks_round_trip() {
    for count in [0, 1, 15, 16, 17, 300] {
        for snappy in [false, true] {
            let entries = sample(count);
            assert_eq!(
                read(&table(&entries, snappy)).unwrap(),
                entries,
                "{count} {snappy}"
            );
        }
    }
    assert_eq!(read(&table(&Vec::new(), false)).unwrap(), []);
}

#[test]
fn every_truncation_is_an_error() {
    let file = table(&sample(40), false);
    for len in 0..file.len() {
        assert!(read(&file[..len]).is_err(), "{len} of {}", file.len());
    }
}

#[test]
fn flipped_bits_in_blocks_break_a_check_sum() {
    for snappy in [false, true] {
        let entries = sample(20);
        let file = table(&entries, snappy);
        for at in 0..file.len() {
            for bit in 0..8 {
                let mut damaged = file.clone();
                damaged[at] ^= 1 << bit;
                // The padding and the unused meta handle of the footer carry no information.
                match read(&damaged) {
                    Ok(found) => {
                        assert!(at >= file.len() - 48, "byte {at}");
                        assert_eq!(found, entries);
                    }
                    Err(message) => assert!(!message.is_empty()),
                }
            }
        }
    }
}

proptest! {
    #[test]
    fn arbitrary_bytes_never_panic(bytes in prop::collection::vec(any::<u8>(), 0..400)) {
        let _ = read(&bytes);
    }

    /// Damage behind valid check sums: the block is re-summed after each change.
    #[test]
    fn resummed_damage_never_panics(
        changes in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..6),
        snappy: bool,
    ) {
        let mut file = table(&sample(30), snappy);
        let footer = file.len() - 48;
        let mut blocks = Vec::new();
        let mut handles = &file[footer..];
        let meta = super::Handle::read(&mut handles).unwrap();
        let index = super::Handle::read(&mut handles).unwrap();
        blocks.push(index);
        super::entries(&super::block(&file, index).unwrap(), |_, mut value| {
            blocks.push(super::Handle::read(&mut value).unwrap());
            Ok(())
        }).unwrap();
        blocks.push(meta);
        for (place, value) in changes {
            let at = place.index(footer);
            file[at] = value;
        }
        for block in blocks {
            let end = block.offset + block.size + 1;
            let sum = crate::checkpoint::mask(crc32c::crc32c(&file[block.offset..end]));
            file[end..end + 4].copy_from_slice(&sum.to_le_bytes());
        }
        let _ = read(&file);
    }
}
