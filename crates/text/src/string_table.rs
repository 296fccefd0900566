//! Numbered strings with look-up by content: one buffer, offsets, and an open-addressed index.

/// Strings numbered in the order they were added.
#[derive(Clone, Default)]
pub(crate) struct StringTable {
    text: String,
    /// `ends[i]` is where string `i` ends in `text`; it starts where `i - 1` ends.
    ends: Vec<u32>,
    /// Power-of-two table, at most three quarters full.
    slots: Vec<Slot>,
    used_slots: usize,
}

#[derive(Clone, Copy, Default)]
struct Slot {
    /// High half of the hash, so that other strings are passed over without reading them.
    tag: u32,
    /// 0 for a free slot.
    id_plus_one: u32,
}

impl std::fmt::Debug for StringTable {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(
            f,
            "StringTable({} strings, {} bytes)",
            self.ends.len(),
            self.text.len()
        )
    }
}

impl StringTable {
    /// Room for `strings` strings of `bytes` bytes in all. Their total must be below 4 GiB, which
    /// callers check on the file they read.
    pub(crate) fn with_capacity(strings: usize, bytes: usize) -> Self {
        Self {
            text: String::with_capacity(bytes),
            ends: Vec::with_capacity(strings),
            slots: vec![Slot::default(); (strings * 4 / 3 + 1).next_power_of_two().max(16)],
            used_slots: 0,
        }
    }

    pub(crate) fn len(&self) -> usize {
        self.ends.len()
    }

    pub(crate) fn get(&self, id: u32) -> Option<&str> {
        let i = id as usize;
        let end = *self.ends.get(i)? as usize;
        let start = if i == 0 { 0 } else { self.ends[i - 1] as usize };
        self.text.get(start..end)
    }

    pub(crate) fn find(&self, string: &str) -> Option<u32> {
        if self.slots.is_empty() {
            return None;
        }
        let slot = self.slots[self.slot_of(string, hash(string.as_bytes()))];
        slot.id_plus_one.checked_sub(1)
    }

    /// Adds `string` under a new number; a look-up finds the last one added.
    pub(crate) fn push(&mut self, string: &str) -> u32 {
        self.reserve_slot();
        let hash = hash(string.as_bytes());
        let slot = self.slot_of(string, hash);
        self.push_at(slot, string, hash)
    }

    /// The number of `string`, added if it is new.
    pub(crate) fn intern(&mut self, string: &str) -> u32 {
        self.reserve_slot();
        let hash = hash(string.as_bytes());
        let slot = self.slot_of(string, hash);
        match self.slots[slot].id_plus_one {
            0 => self.push_at(slot, string, hash),
            stored => stored - 1,
        }
    }

    fn push_at(&mut self, slot: usize, string: &str, hash: u64) -> u32 {
        let id = self.ends.len() as u32;
        self.text.push_str(string);
        self.ends.push(self.text.len() as u32);
        self.used_slots += usize::from(self.slots[slot].id_plus_one == 0);
        self.slots[slot] = Slot {
            tag: tag(hash),
            id_plus_one: id + 1,
        };
        id
    }

    /// Where `string` is, or the free slot where it would go. There must be slots.
    fn slot_of(&self, string: &str, hash: u64) -> usize {
        let mask = self.slots.len() - 1;
        let mut at = hash as usize & mask;
        loop {
            let slot = self.slots[at];
            let same =
                slot.tag == tag(hash) && self.get(slot.id_plus_one.wrapping_sub(1)) == Some(string);
            if slot.id_plus_one == 0 || same {
                return at;
            }
            at = (at + 1) & mask;
        }
    }

    fn reserve_slot(&mut self) {
        if (self.used_slots + 1) * 4 <= self.slots.len() * 3 {
            return;
        }
        let size = (self.slots.len() * 2).max(16);
        let old = std::mem::replace(&mut self.slots, vec![Slot::default(); size]);
        for slot in old {
            if let Some(string) = slot.id_plus_one.checked_sub(1).and_then(|id| self.get(id)) {
                let at = self.slot_of(string, hash(string.as_bytes()));
                self.slots[at] = slot;
            }
        }
    }
}

fn tag(hash: u64) -> u32 {
    (hash >> 32) as u32
}

/// Multiply-and-fold over 8-byte blocks: a few cycles for the short strings of a vocabulary.
fn hash(bytes: &[u8]) -> u64 {
    const FACTOR: u64 = 0x9e37_79b9_7f4a_7c15;
    let mut state = bytes.len() as u64;
    for block in bytes.chunks(8) {
        let mut word = [0; 8];
        word[..block.len()].copy_from_slice(block);
        state = (state ^ u64::from_le_bytes(word)).wrapping_mul(FACTOR);
        state ^= state >> 29;
    }
    let mixed = state.wrapping_mul(FACTOR);
    mixed ^ mixed >> 32
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn finds_what_was_pushed_across_growth() {
        let mut table = StringTable::default();
        assert_eq!(table.find("a"), None);
        for i in 0..5000 {
            assert_eq!(table.push(&format!("w{i}")), i);
        }
        for i in 0..5000 {
            assert_eq!(table.find(&format!("w{i}")), Some(i));
            assert_eq!(table.get(i), Some(format!("w{i}").as_str()));
        }
        assert_eq!(table.find("w5000"), None);
        assert_eq!(table.get(5000), None);
    }

    #[test]
    fn last_duplicate_wins_and_intern_reuses() {
        let mut table = StringTable::default();
        table.push("a");
        table.push("b");
        assert_eq!(table.push("a"), 2);
        assert_eq!(table.find("a"), Some(2));
        assert_eq!(table.intern("b"), 1);
        assert_eq!(table.intern(""), 3);
        assert_eq!(table.get(3), Some(""));
    }
}
