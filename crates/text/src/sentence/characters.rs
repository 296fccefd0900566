//! Classes of characters that decide about sentences.

/// Marks that end a sentence, always or under conditions.
pub(super) fn ends_sentence(c: char) -> bool {
    matches!(
        c,
        '。' | '！' | '？' | '；' | '｡' | '…' | '.' | '!' | '?' | ';' | '‼' | '⁇' | '⁈' | '⁉'
    )
}

/// Quotes and brackets that belong to the sentence before them.
pub(super) fn closes(c: char) -> bool {
    matches!(
        c,
        '”' | '’'
            | '」'
            | '』'
            | '﹂'
            | '﹄'
            | '）'
            | '】'
            | '》'
            | '〉'
            | '〕'
            | '］'
            | '｝'
            | '»'
            | ')'
            | ']'
            | '}'
            | '"'
            | '\''
    )
}

/// Quotes and brackets that belong to what follows.
pub(super) fn is_opening(c: char) -> bool {
    matches!(
        c,
        '“' | '‘'
            | '「'
            | '『'
            | '﹁'
            | '﹃'
            | '（'
            | '【'
            | '《'
            | '〈'
            | '〔'
            | '［'
            | '｛'
            | '«'
            | '('
            | '['
            | '{'
            | '"'
    )
}

/// Characters of scripts written without spaces and of their punctuation, and Hangul.
pub(super) fn is_cjk(c: char) -> bool {
    matches!(
        u32::from(c),
        0x2e80..=0x9fff | 0xa960..=0xa97f | 0xac00..=0xd7ff | 0xf900..=0xfaff | 0xfe30..=0xfe4f
            | 0xff01..=0xffef | 0x1_f200..=0x1_f2ff | 0x2_0000..=0x3_ffff
    ) || matches!(c, '“' | '‘' | '”' | '’')
}

/// Whether the text goes on with a mark that only stands inside a sentence.
pub(super) fn continues_clause(rest: &str) -> bool {
    rest.starts_with(['，', ',', '、', '：', ':'])
}
