//! Numbered strings with look-up by content: one buffer, offsets, and an open-addressed index.

/// Strings numbered in the order they were added.
#[derive(Clone, Default)]
pub(crate) struct StringTable {
    text: String,
    /// `ends[i]` is where string `i` ends in `text`; it starts where `i - 1` ends.
    ends: Vec<u32>,
    /// Power-of-two table of `id + 1`, 0 for free; at most half full.
    slots: Vec<u32>,
    used_slots: usize,
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
            slots: vec![0; (strings * 2).next_power_of_two().max(16)],
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
        match *self.slots.get(self.slot_of(string))? {
            0 => None,
            stored => Some(stored - 1),
        }
    }

    /// Adds `string` under a new number; a look-up finds the last one added.
    pub(crate) fn push(&mut self, string: &str) -> u32 {
        if self.slots.len() < (self.used_slots + 1) * 2 {
            self.grow();
        }
        let slot = self.slot_of(string);
        let id = self.ends.len() as u32;
        self.text.push_str(string);
        self.ends.push(self.text.len() as u32);
        self.used_slots += usize::from(self.slots[slot] == 0);
        self.slots[slot] = id + 1;
        id
    }

    /// The number of `string`, added if it is new.
    pub(crate) fn intern(&mut self, string: &str) -> u32 {
        self.find(string).unwrap_or_else(|| self.push(string))
    }

    /// Where `string` is, or the free slot where it would go. (0 while there are no slots.)
    fn slot_of(&self, string: &str) -> usize {
        let mask = self.slots.len().wrapping_sub(1);
        let mut slot = hash(string.as_bytes()) as usize & mask;
        if self.slots.is_empty() {
            return 0;
        }
        while self.slots[slot] != 0 && self.get(self.slots[slot] - 1) != Some(string) {
            slot = (slot + 1) & mask;
        }
        slot
    }

    fn grow(&mut self) {
        let size = (self.slots.len() * 2).max(16);
        let old = std::mem::replace(&mut self.slots, vec![0; size]);
        for stored in old.into_iter().filter(|&stored| stored != 0) {
            if let Some(string) = self.get(stored - 1) {
                let slot = self.slot_of(string);
                self.slots[slot] = stored;
            }
        }
    }
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
    state.wrapping_mul(FACTOR) >> 16
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
