//! Turns of phrase that models misread, in words that they read: double negations, which come out
//! as single ones, and Cantonese.

use std::borrow::Cow;

/// A phrase, what it means, and what makes it another phrase when it stands behind or before it.
struct Phrase {
    text: &'static str,
    meaning: &'static str,
    not_before: &'static [&'static str],
}

const fn phrase(text: &'static str, meaning: &'static str) -> Phrase {
    Phrase {
        text,
        meaning,
        not_before: &[],
    }
}

/// 不断, 不时 … are words without a negation.
const NO_NEGATION: &[&str] = &[
    "断", "时", "停", "小心", "慎", "禁", "过", "仅", "但", "管", "论",
];

/// Double negations in Simplified Chinese.
const DOUBLE_NEGATIONS: [Phrase; 11] = [
    Phrase {
        text: "没有一个人不",
        meaning: "每个人都",
        not_before: NO_NEGATION,
    },
    Phrase {
        text: "没有人不",
        meaning: "所有人都",
        not_before: NO_NEGATION,
    },
    Phrase {
        text: "没人不",
        meaning: "所有人都",
        not_before: NO_NEGATION,
    },
    Phrase {
        text: "没有谁不",
        meaning: "所有人都",
        not_before: NO_NEGATION,
    },
    Phrase {
        text: "没有哪个人不",
        meaning: "每个人都",
        not_before: NO_NEGATION,
    },
    Phrase {
        text: "无人不",
        meaning: "人人都",
        not_before: NO_NEGATION,
    },
    phrase("没有什么不可能", "一切都有可能"),
    phrase("不可能不", "一定会"),
    phrase("不会不", "一定会"),
    phrase("不能不", "必须"),
    phrase("不得不", "必须"),
];

/// Characters that only Cantonese is written with.
const CANTONESE: &str = "佢哋唔嘅喺冇咗嘢啲嚟咁嗰噉攞瞓㗎搵揾畀乜";

/// Cantonese words, in Simplified characters, and Mandarin ones; longer words first.
const MANDARIN: [(&str, &str); 79] = [
    ("唔好意思", "不好意思"),
    ("返屋企", "回家"),
    ("冇问题", "没问题"),
    ("点解", "为什么"),
    ("点样", "怎样"),
    ("乜嘢", "什么"),
    ("做嘢", "工作"),
    ("佢哋", "他们"),
    ("我哋", "我们"),
    ("你哋", "你们"),
    ("人哋", "人家"),
    ("听日", "明天"),
    ("寻日", "昨天"),
    ("噚日", "昨天"),
    ("琴日", "昨天"),
    ("今日", "今天"),
    ("今晚", "今晚"),
    ("而家", "现在"),
    ("依家", "现在"),
    ("头先", "刚才"),
    ("唔使", "不用"),
    ("唔该", "谢谢"),
    ("唔好", "不要"),
    ("唔系", "不是"),
    ("唔知", "不知道"),
    ("唔识", "不会"),
    ("系咪", "是不是"),
    ("定系", "还是"),
    ("梗系", "当然"),
    ("呢度", "这里"),
    ("呢个", "这个"),
    ("呢啲", "这些"),
    ("嗰度", "那里"),
    ("嗰个", "那个"),
    ("嗰啲", "那些"),
    ("边度", "哪里"),
    ("边个", "谁"),
    ("几时", "什么时候"),
    ("几多", "多少"),
    ("倾偈", "聊天"),
    ("返工", "上班"),
    ("放工", "下班"),
    ("收工", "下班"),
    ("返学", "上学"),
    ("返嚟", "回来"),
    ("屋企", "家里"),
    ("钟意", "喜欢"),
    ("中意", "喜欢"),
    ("食饭", "吃饭"),
    ("瞓觉", "睡觉"),
    ("得闲", "有空"),
    ("啱啱", "刚刚"),
    ("同埋", "和"),
    ("细路", "小孩"),
    ("咁多", "这么多"),
    ("的士", "出租车"),
    ("巴士", "公交车"),
    ("佢", "他"),
    ("哋", "们"),
    ("唔", "不"),
    ("冇", "没有"),
    ("系", "是"),
    ("嘅", "的"),
    ("喺", "在"),
    ("咗", "了"),
    ("嘢", "东西"),
    ("啲", "一些"),
    ("嗰", "那"),
    ("乜", "什么"),
    ("睇", "看"),
    ("嚟", "来"),
    ("畀", "给"),
    ("俾", "给"),
    ("靓", "漂亮"),
    ("食", "吃"),
    ("咁", "这么"),
    ("噉", "这样"),
    ("揾", "找"),
    ("攞", "拿"),
];

/// `sentence`, which is in Simplified characters, without double negations and in Mandarin.
#[must_use]
pub fn rephrase(sentence: &str) -> Cow<'_, str> {
    let mut out = Cow::Borrowed(sentence);
    if out.contains(|c| CANTONESE.contains(c)) {
        for (cantonese, mandarin) in MANDARIN {
            if out.contains(cantonese) {
                out = Cow::Owned(out.replace(cantonese, mandarin));
            }
        }
    }
    for phrase in &DOUBLE_NEGATIONS {
        if let Some(better) = replaced(&out, phrase) {
            out = Cow::Owned(better);
        }
    }
    out
}

fn replaced(text: &str, phrase: &Phrase) -> Option<String> {
    let mut out = String::new();
    let mut end = 0;
    for (at, found) in text.match_indices(phrase.text) {
        let tail = &text[at + found.len()..];
        // 有没有人不知道 asks.
        let asks = text[..at].ends_with('有') || tail.is_empty() || tail.starts_with(['，', '。']);
        if !asks && !phrase.not_before.iter().any(|word| tail.starts_with(word)) {
            out.push_str(&text[end..at]);
            out.push_str(phrase.meaning);
            end = at + found.len();
        }
    }
    out.push_str(&text[end..]);
    (end > 0).then_some(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn m2_double_negations_become_affirmations() {
        for (text, meaning) in [
            ("没有人不知道这件事。", "所有人都知道这件事。"),
            ("有没有人不知道？", "有没有人不知道？"),
            ("没有人不断地说话。", "没有人不断地说话。"),
            ("我不得不走。", "我必须走。"),
            ("不是不能吃。", "不是不能吃。"),
        ] {
            assert_eq!(rephrase(text), meaning);
        }
    }

    #[test]
    fn l1_cantonese_is_read_as_mandarin() {
        for (text, meaning) in [
            ("佢哋听日唔返工。", "他们明天不上班。"),
            ("你喺边度？", "你在哪里？"),
            ("关系很好，食品安全。", "关系很好，食品安全。"),
        ] {
            assert_eq!(rephrase(text), meaning);
        }
        assert!(matches!(rephrase("我们今天去学校。"), Cow::Borrowed(_)));
    }
}
