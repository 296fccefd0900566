//! Which language a sentence is written in, by its characters.

use crate::chinese::Simplifier;
use crate::script::{is_han, is_hangul, is_kana};

/// A language as far as its characters tell.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Language {
    /// Chinese in Simplified characters, or in characters that both forms share.
    ChineseSimplified,
    /// Chinese with at least one character that only Traditional Chinese has.
    ChineseTraditional,
    /// Chinese characters with kana between them, or kana alone.
    Japanese,
    /// Hangul.
    Korean,
    /// A language in Latin letters.
    Latin,
    /// Another alphabet.
    Other,
    /// No letters.
    None,
}

impl Language {
    /// The code of the language, where the characters give it: `zh-Hans`, `zh-Hant`, `ja`, `ko`.
    #[must_use]
    pub fn code(self) -> Option<&'static str> {
        match self {
            Self::ChineseSimplified => Some("zh-Hans"),
            Self::ChineseTraditional => Some("zh-Hant"),
            Self::Japanese => Some("ja"),
            Self::Korean => Some("ko"),
            Self::Latin | Self::Other | Self::None => None,
        }
    }
}

/// Letters of a text by writing system.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Letters {
    /// Chinese characters.
    pub han: usize,
    /// Hiragana and katakana.
    pub kana: usize,
    /// Korean syllables and letters.
    pub hangul: usize,
    /// Latin letters.
    pub latin: usize,
    /// All others.
    pub other: usize,
}

impl Letters {
    /// Counts the letters of `text`.
    #[must_use]
    pub fn count(text: &str) -> Self {
        let mut letters = Self::default();
        for c in text.chars() {
            let count = match c {
                _ if is_han(c) => &mut letters.han,
                _ if is_kana(c) => &mut letters.kana,
                _ if is_hangul(c) => &mut letters.hangul,
                'a'..='z' | 'A'..='Z' | '\u{c0}'..='\u{24f}' | '\u{1e00}'..='\u{1eff}' => {
                    &mut letters.latin
                }
                _ if c.is_alphabetic() => &mut letters.other,
                _ => continue,
            };
            *count += 1;
        }
        letters
    }

    /// There are none but Latin ones.
    #[must_use]
    pub fn is_latin(&self) -> bool {
        self.han + self.kana + self.hangul + self.other == 0
    }

    /// There are none.
    #[must_use]
    pub fn is_none(&self) -> bool {
        *self == Self::default()
    }

    /// Whether the text is Chinese: it has Chinese characters, and kana or Hangul are at most what
    /// a name or an ornament (鲜の每日) brings along.
    #[must_use]
    pub fn is_chinese(&self) -> bool {
        self.han > 0 && self.kana * 4 <= self.han && self.hangul <= self.han
    }
}

/// The language of a sentence. Kana tell Japanese from Chinese; Chinese characters outweigh Latin
/// ones, since a term in Latin letters is common in Chinese and the reverse is not.
#[must_use]
pub fn detect(text: &str, simplifier: &Simplifier) -> Language {
    let letters = Letters::count(text);
    if letters.is_chinese() {
        if simplifier.traditional(text) > 0 {
            Language::ChineseTraditional
        } else {
            Language::ChineseSimplified
        }
    } else if letters.kana > 0 && letters.kana >= letters.hangul {
        Language::Japanese
    } else if letters.hangul > 0 {
        Language::Korean
    } else if letters.latin > 0 && letters.latin >= letters.other {
        Language::Latin
    } else if letters.other > 0 {
        Language::Other
    } else {
        Language::None
    }
}

/// A language with how likely it is that of a text.
#[derive(Debug, Clone, PartialEq)]
pub struct Likely {
    /// Its BCP 47 tag, `und` for an unknown one.
    pub tag: &'static str,
    /// 0 to 1.
    pub confidence: f32,
}

/// What every text in a language is full of, for languages in Latin letters.
const WORDS: [(&str, &[&str]); 7] = [
    (
        "en",
        &[
            "the", "of", "and", "to", "is", "in", "you", "that", "it", "for", "this", "are",
            "with", "not", "hello", "a", "i", "we", "what", "my",
        ],
    ),
    (
        "fr",
        &[
            "le", "la", "les", "des", "et", "est", "une", "un", "du", "dans", "que", "qui", "pas",
            "pour", "je", "vous", "bonjour", "ne", "sur", "avec",
        ],
    ),
    (
        "de",
        &[
            "der", "die", "das", "und", "ist", "nicht", "ein", "eine", "ich", "zu", "den", "mit",
            "sie", "es", "auf", "guten", "von", "wir", "im", "für",
        ],
    ),
    (
        "es",
        &[
            "el", "los", "las", "y", "es", "una", "por", "con", "para", "del", "no", "qué", "hola",
            "está", "como", "su", "al", "pero", "muy", "que",
        ],
    ),
    (
        "pt",
        &[
            "o", "os", "as", "um", "uma", "não", "com", "para", "do", "da", "em", "você", "é",
            "que", "olá", "por", "mais", "na", "no", "eu",
        ],
    ),
    (
        "it",
        &[
            "il", "gli", "di", "che", "è", "non", "per", "una", "sono", "ciao", "del", "della",
            "con", "si", "ma", "come", "mi", "ho", "lo", "questo",
        ],
    ),
    (
        "nl",
        &[
            "de", "het", "een", "en", "van", "ik", "niet", "dat", "zijn", "op", "te", "met",
            "voor", "je", "wij", "naar", "hallo", "ook", "maar", "aan",
        ],
    ),
];

/// The languages a text may be in, the most likely first and `und` last, as the browsers'
/// LanguageDetector gives them: confidences fall, none is below that of `und`, and they sum up to 1.
#[must_use]
pub fn ranking(text: &str, simplifier: &Simplifier) -> Vec<Likely> {
    let letters = Letters::count(text);
    let mut ranking: Vec<Likely> = match detect(text, simplifier) {
        Language::None => Vec::new(),
        Language::ChineseTraditional => {
            let share = simplifier.traditional(text) as f32 / letters.han.max(1) as f32;
            shared(
                letters.han,
                [
                    ("zh-Hant", 0.7 + share * 0.25),
                    ("zh-Hans", 0.1),
                    ("ja", 0.05),
                ],
            )
        }
        Language::ChineseSimplified => {
            let simplified = text.chars().filter(|&c| is_only_simplified(c)).count() > 0;
            let weights = if simplified {
                [0.95, 0.02, 0.02]
            } else {
                [0.72, 0.15, 0.1]
            };
            let [hans, hant, ja] = weights;
            shared(
                letters.han,
                [("zh-Hans", hans), ("zh-Hant", hant), ("ja", ja)],
            )
        }
        Language::Japanese => shared(
            letters.kana * 2,
            [("ja", 0.97), ("zh-Hans", 0.01), ("zh-Hant", 0.01)],
        ),
        Language::Korean => shared(
            letters.hangul * 2,
            [("ko", 0.97), ("ja", 0.01), ("zh-Hans", 0.01)],
        ),
        Language::Latin => latin(text),
        Language::Other => other(text).into_iter().collect(),
    };
    ranking.sort_by(|a, b| b.confidence.total_cmp(&a.confidence));
    let known: f32 = ranking.iter().map(|likely| likely.confidence).sum();
    let unknown = 1.0 - known;
    ranking.retain(|likely| likely.confidence >= unknown);
    ranking.push(Likely {
        tag: "und",
        confidence: unknown,
    });
    ranking
}

/// Confidences that grow with the number of letters.
fn shared(count: usize, weights: [(&'static str, f32); 3]) -> Vec<Likely> {
    let sure = 1.0 - 0.35 / count.max(1) as f32;
    let likely = |(tag, weight)| Likely {
        tag,
        confidence: weight * sure * 0.98,
    };
    weights.into_iter().map(likely).collect()
}

fn latin(text: &str) -> Vec<Likely> {
    let lower = text.to_lowercase();
    let words: Vec<&str> = lower
        .split(|c: char| !c.is_alphabetic() && c != '\'')
        .filter(|word| !word.is_empty())
        .take(1000)
        .collect();
    let mut hits = WORDS.map(|(tag, list)| {
        let count = words.iter().filter(|word| list.contains(word)).count();
        (tag, count as f32)
    });
    // Letters with marks speak against English.
    if lower.is_ascii() {
        hits[0].1 += 0.5;
    }
    let total: f32 = hits.iter().map(|(_, count)| count).sum();
    if total == 0.0 {
        return Vec::new();
    }
    let sure = 0.97 - 0.5 / (1.0 + total * 2.0);
    hits.into_iter()
        .filter(|(_, count)| *count > 0.0)
        .map(|(tag, count)| Likely {
            tag,
            confidence: count / total * sure,
        })
        .collect()
}

/// The language of a script that few languages use.
fn other(text: &str) -> Option<Likely> {
    const SCRIPTS: [(&str, std::ops::RangeInclusive<char>); 9] = [
        ("ru", '\u{400}'..='\u{52f}'),
        ("el", '\u{370}'..='\u{3ff}'),
        ("ar", '\u{600}'..='\u{6ff}'),
        ("he", '\u{590}'..='\u{5ff}'),
        ("th", '\u{e00}'..='\u{e7f}'),
        ("hi", '\u{900}'..='\u{97f}'),
        ("bn", '\u{980}'..='\u{9ff}'),
        ("ta", '\u{b80}'..='\u{bff}'),
        ("ka", '\u{10a0}'..='\u{10ff}'),
    ];
    let count =
        |range: &std::ops::RangeInclusive<char>| text.chars().filter(|c| range.contains(c)).count();
    let (tag, found) = SCRIPTS
        .iter()
        .map(|(tag, range)| (*tag, count(range)))
        .max_by_key(|(_, found)| *found)?;
    let (tag, found) = match tag {
        "ru" if text.contains(['і', 'ї', 'є', 'ґ']) => ("uk", found),
        "ar" if text.contains(['پ', 'چ', 'ژ', 'گ']) => ("fa", found),
        _ => (tag, found),
    };
    (found > 0).then(|| Likely {
        tag,
        confidence: 0.9 - 0.3 / found as f32,
    })
}

/// Whether a text has characters that only Chinese is written with, neither Japanese nor Korean: it
/// is Chinese then, however many words in kana or Hangul it quotes.
#[must_use]
pub fn has_only_chinese(text: &str) -> bool {
    const CHARACTERS: &str = "你吗呢哪啊吧这们说话过还进样开经么头关书东车长门问间买卖马鸟鱼饭语读认识谢让请谁\
        岁钱错难欢观乐药华汉热爷讲论许该记讯词译试谈边转轻较输农决冲备处复够夹奖妈";
    text.contains(|c| CHARACTERS.contains(c))
}

/// Common characters that only Simplified Chinese has.
fn is_only_simplified(c: char) -> bool {
    "们这个来时说国为会过对学发动还进样开点经现么头关气书见话电车东长门问间里买卖马鸟鱼见贝饭语读写认识谢让请谁岁钱银铁错难双欢观视觉乐药医华汉热爱爷讲论设计许该记讯词译试词调谈连远运选边达迟适转轻较输农决况冲净准凉减几击划则刚创别剧劝办务劳势区协单卫厂厅历压厌县参变叶号叹听员呜园围图圆场坏块坚坛坝坟垄处备复够夹夺奋奖妆妇妈娱学宁宝实宠审宪宽宾对寻导寿将尔尘尝层属岁岗岛岭币师带帮库应庙废广开异弃张弹强归当录彦彻径忆忧怀态怂总恋恶恼悬惊惧惨惯愿慑懒战户扑执扩扫扬护报担拥拦拨择挂挡挣挤挥损换据掷揽搀搁摄摆摇撑携敌数断无旧显晋晒晓晕术机杀杂权条极构枪柜标栋栏树桥检楼横欧欲毁毕毙氢汇沟没沪泪泽洁浅浆测济浏浓涂涛润涨渊渐渔温湾湿满滚滞滤滥灭灯灵灾炉炼烁烂烛烟烦烧烫".contains(c)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn l4_languages_are_told_by_their_characters() {
        let simplifier = Simplifier::default();
        for (text, language) in [
            ("我们今天去学校。", Language::ChineseSimplified),
            ("你好", Language::ChineseSimplified),
            ("請問捷運站怎麼走？", Language::ChineseTraditional),
            ("鲜の每日牛奶", Language::ChineseSimplified),
            ("支持Python 3.9", Language::ChineseSimplified),
            ("私は学生です。", Language::Japanese),
            ("ありがとう", Language::Japanese),
            ("東京タワー", Language::Japanese),
            ("안녕하세요", Language::Korean),
            ("Hello, world!", Language::Latin),
            ("Привет", Language::Other),
            ("12:30 😀", Language::None),
        ] {
            assert_eq!(detect(text, &simplifier), language, "{text}");
        }
    }

    #[test]
    fn l3_quotations_do_not_make_a_sentence_japanese() {
        assert!(has_only_chinese("我喜欢カラオケ。") && has_only_chinese("他说안녕하세요"));
        assert!(!has_only_chinese("私は学生です。") && !has_only_chinese("東京タワーへ行きます。"));
    }

    #[test]
    fn l4_rankings_have_the_shape_of_the_browsers() {
        let simplifier = Simplifier::default();
        for (text, first) in [
            ("我们今天去学校。", "zh-Hans"),
            ("你", "zh-Hans"),
            ("請問捷運站怎麼走？", "zh-Hant"),
            ("臺灣", "zh-Hant"),
            ("私は学生です。", "ja"),
            ("カ", "ja"),
            ("안녕하세요", "ko"),
            ("This is a test of the detector.", "en"),
            ("Je ne sais pas ce que vous voulez.", "fr"),
            ("Das ist nicht gut.", "de"),
            ("Hola, ¿cómo está usted? No es para ti.", "es"),
            ("Привет, как дела?", "ru"),
            ("Це її книга і зошит.", "uk"),
            ("สวัสดี", "th"),
            ("12:30 😀", "und"),
            ("", "und"),
        ] {
            let ranking = ranking(text, &simplifier);
            assert_eq!(ranking[0].tag, first, "{text}: {ranking:?}");
            let (last, others) = ranking.split_last().unwrap();
            assert!(
                last.tag == "und" && last.confidence > 0.0,
                "{text}: {ranking:?}"
            );
            let falls = others.is_sorted_by(|a, b| a.confidence >= b.confidence);
            let least = others
                .iter()
                .all(|likely| likely.confidence >= last.confidence);
            assert!(falls && least, "{text}: {ranking:?}");
            let sum: f32 = others.iter().map(|likely| likely.confidence).sum();
            assert!(
                sum < 0.99 && sum + last.confidence <= 1.0 + 1e-6,
                "{text}: {ranking:?}"
            );
        }
    }
}
