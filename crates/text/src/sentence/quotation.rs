//! Whether a quotation that ends with a full stop ends the sentence around it.

use super::characters::{is_cjk, is_opening};
use crate::invisible;

/// What the words behind a quotation say when they report it: 他说, 妈妈问道.
const SPEECH: [&str; 30] = [
    "说", "說", "问", "問", "喊", "叫", "答", "嚷", "骂", "罵", "吼", "叹", "嘆", "讲", "講",
    "笑道", "回应", "回應", "表示", "指出", "认为", "認為", "强调", "強調", "告诉", "告訴", "补充",
    "補充", "心想", "想道",
];
/// Words that contain one of them and report nothing.
const NOT_SPEECH: [&str; 16] = [
    "小说", "小說", "据说", "據說", "听说", "聽說", "传说", "傳說", "说明", "說明", "问题", "問題",
    "学问", "叫做", "答案", "讲座",
];
const ENGLISH_SPEECH: [&str; 9] = [
    "said",
    "says",
    "asked",
    "replied",
    "answered",
    "cried",
    "shouted",
    "whispered",
    "told",
];
/// A report is short: the verb stands within this many characters.
const REPORT_CHARS: usize = 10;

/// Whether the sentence ends behind a quotation whose own text ends with a stop. `before` is what
/// the sentence has before the quotation, `rest` what follows it.
pub(super) fn ends_sentence(before: &str, rest: &str) -> bool {
    let next = rest.chars().next();
    if rest.trim_start_matches(invisible::is_gap).is_empty() || next.is_some_and(is_opening) {
        return true;
    }
    match before.chars().next_back() {
        // “你好。”他说。 and 他点点头，“好。”她说。
        None | Some('，' | ',' | '、') => !is_speech_tag(rest),
        // 他说：“你好。”然后走了。 but 写着：“小心！”的牌子
        Some('：' | ':') => !next.is_some_and(|c| {
            matches!(
                c,
                '的' | '地' | '得' | '之' | '等' | '与' | '和' | '及' | '或'
            )
        }),
        // 墙上的“禁止吸烟！”几个大字 — but a new English sentence begins with a space.
        Some(_) => next.is_some_and(invisible::is_gap) && !is_speech_tag(rest),
    }
}

/// Whether `rest` begins with the words that report a quotation.
pub(super) fn is_speech_tag(rest: &str) -> bool {
    let rest = rest.trim_start_matches(invisible::is_gap);
    let latin = rest.starts_with(|c: char| !is_cjk(c));
    let limit = if latin {
        REPORT_CHARS * 3
    } else {
        REPORT_CHARS
    };
    let end = rest
        .char_indices()
        .take(limit)
        .find(|&(_, c)| ends_sentence_or_clause(c) || is_opening(c))
        .map(|(at, _)| at)
        .or_else(|| rest.char_indices().nth(limit).map(|(at, _)| at))
        .unwrap_or(rest.len());
    let report = &rest[..end];
    if latin {
        return report.split(' ').any(|word| ENGLISH_SPEECH.contains(&word));
    }
    if report.ends_with('道') && !report.ends_with("知道") {
        return true;
    }
    let has_verb = SPEECH.iter().any(|verb| report.contains(verb));
    has_verb && !NOT_SPEECH.iter().any(|word| report.contains(word))
}

fn ends_sentence_or_clause(c: char) -> bool {
    super::characters::ends_sentence(c) || matches!(c, '，' | ',' | '：' | ':' | '、')
}
