//! What a caller may choose per file.

/// How a file is read. [`Settings::default`] fits most.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Settings {
    /// Columns of a table to translate; a table needs at least one.
    pub columns: Vec<Column>,
    /// What separates the columns of a table; `None` finds out.
    pub delimiter: Option<u8>,
    /// Sizes beyond which a file is refused.
    pub limits: Limits,
}

impl Settings {
    /// Chooses the columns of a table.
    #[must_use]
    pub fn with_columns(mut self, columns: Vec<Column>) -> Self {
        self.columns = columns;
        self
    }

    /// Sets what separates the columns of a table.
    #[must_use]
    pub fn with_delimiter(mut self, delimiter: u8) -> Self {
        self.delimiter = Some(delimiter);
        self
    }

    /// Sets the limits.
    #[must_use]
    pub fn with_limits(mut self, limits: Limits) -> Self {
        self.limits = limits;
        self
    }
}

/// A column of a table.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Column {
    /// Counted from 1. All rows are translated.
    Number(usize),
    /// What the first row calls it; that row stays.
    Name(String),
}

/// Sizes beyond which a file is refused, in bytes unless said otherwise.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct Limits {
    /// The file itself.
    pub file: u64,
    /// One part of an archive, unpacked.
    pub part: u64,
    /// All parts of an archive, unpacked.
    pub archive: u64,
    /// Number of entries in an archive.
    pub entries: u64,
    /// How many times larger a part may be than its compressed form, from 1 MB on.
    pub ratio: u64,
}

impl Limits {
    /// Sets the largest file.
    #[must_use]
    pub fn with_file(mut self, bytes: u64) -> Self {
        self.file = bytes;
        self
    }

    /// Sets the largest part of an archive and the most that all its parts have together.
    #[must_use]
    pub fn with_unpacked(mut self, part: u64, archive: u64) -> Self {
        (self.part, self.archive) = (part, archive);
        self
    }
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            file: 1 << 30,
            part: 256 << 20,
            archive: 2 << 30,
            entries: 65_535,
            ratio: 200,
        }
    }
}
