//! Days of the week, which models confuse as they do numbers.

use super::Kind;

const WORDS: [&str; 5] = ["星期", "礼拜", "禮拜", "周", "週"];
const DAYS: [(char, &str); 8] = [
    ('一', "Monday"),
    ('二', "Tuesday"),
    ('三', "Wednesday"),
    ('四', "Thursday"),
    ('五', "Friday"),
    ('六', "Saturday"),
    ('日', "Sunday"),
    ('天', "Sunday"),
];

pub(super) fn scan(text: &str, at: usize) -> Option<(usize, Kind)> {
    let rest = &text[at..];
    let word = WORDS.into_iter().find(|word| rest.starts_with(word))?;
    // 一周三次, 四周五座, and names: 周 alone only where a day is likely.
    if word.len() == 3 {
        let before = text[..at].chars().next_back();
        let counted = before.is_some_and(|c| "一二两三四五六七八九十半几".contains(c));
        let behind = rest.chars().nth(2);
        let clear = behind.is_none_or(|c| {
            !c.is_alphanumeric() || "早上中下晚凌至到和的前后开会我你他".contains(c)
        });
        if counted || !clear {
            return None;
        }
    }
    let day = rest[word.len()..].chars().next()?;
    weekday_name(&rest[..word.len() + day.len_utf8()])
        .map(|_| (at + word.len() + day.len_utf8(), Kind::Weekday))
}

/// The English name of 星期三 or 周三.
#[must_use]
pub fn weekday_name(text: &str) -> Option<&'static str> {
    let day = text.chars().next_back()?;
    DAYS.iter().find(|(c, _)| *c == day).map(|&(_, name)| name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn days_of_the_week_are_told_from_weeks() {
        for (text, found) in [
            ("星期三", true),
            ("周三上午", true),
            ("星期天", true),
            ("周三次", false),
            ("周一鸣", false),
            ("星期", false),
        ] {
            assert_eq!(scan(text, 0).is_some(), found, "{text}");
        }
        assert_eq!(weekday_name("星期三"), Some("Wednesday"));
    }
}
