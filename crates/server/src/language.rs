//! Language codes as clients write them, and the pair that the model translates.

use csanmt::{Letters, Simplifier, language};

use crate::ApiError;

/// A language with its writing system where that matters.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Language {
    /// Two or three letters, lower case.
    base: String,
    /// Traditional Chinese characters.
    traditional: bool,
}

impl Language {
    /// Reads a code or a name: `zh`, `ZH`, `zh_CN`, `zh-Hans-CN`, `cmn`, `zt`, `EN-GB`, `英语` … .
    pub(crate) fn parse(tag: &str) -> Option<Self> {
        let tag = tag.trim().to_lowercase().replace('_', "-");
        let (base, traditional) = match &*tag {
            "中文" | "简体中文" | "中文(简体)" | "中文（简体）" | "汉语" | "chinese" => {
                ("zh", false)
            }
            "繁体中文" | "中文(繁体)" | "中文（繁体）" | "繁體中文" | "中文(繁體)" | "zt" => {
                ("zh", true)
            }
            "英语" | "英文" | "英語" | "english" => ("en", false),
            _ => return Self::parse_code(&tag),
        };
        Some(Self::new(base, traditional))
    }

    fn parse_code(tag: &str) -> Option<Self> {
        let mut parts = tag.split('-');
        let base = parts.next()?;
        if !matches!(base.len(), 2 | 3) || !base.bytes().all(|byte| byte.is_ascii_lowercase()) {
            return None;
        }
        let base = match base {
            "cmn" | "zho" | "chi" => "zh",
            "eng" => "en",
            base => base,
        };
        let mut traditional = false;
        for part in parts {
            let letters = part.bytes().all(|byte| byte.is_ascii_alphanumeric());
            if !letters || part.is_empty() || part.len() > 8 {
                return None;
            }
            traditional |= matches!(part, "hant" | "tw" | "hk" | "mo" | "cht");
        }
        Some(Self::new(base, traditional && base == "zh"))
    }

    fn new(base: &str, traditional: bool) -> Self {
        Self {
            base: base.to_owned(),
            traditional,
        }
    }

    fn is_chinese(&self) -> bool {
        self.base == "zh"
    }

    /// As BCP 47 has it: `zh-Hans`, `zh-Hant`, `en`.
    pub(crate) fn code(&self) -> &str {
        match (self.is_chinese(), self.traditional) {
            (true, true) => "zh-Hant",
            (true, false) => "zh-Hans",
            _ => &self.base,
        }
    }

    /// As Google has it: `zh-CN`, `zh-TW`, `en`.
    pub(crate) fn google(&self) -> &str {
        match (self.is_chinese(), self.traditional) {
            (true, true) => "zh-TW",
            (true, false) => "zh-CN",
            _ => &self.base,
        }
    }

    /// As DeepL has it: `ZH`, `EN`.
    pub(crate) fn deepl(&self) -> String {
        self.base.to_uppercase()
    }

    /// Its English name.
    pub(crate) fn name(&self) -> &str {
        match self.code() {
            "zh-Hans" => "Chinese",
            "zh-Hant" => "Chinese (traditional)",
            "en" => "English",
            code => code,
        }
    }

    /// Its Chinese name.
    pub(crate) fn chinese_name(&self) -> &str {
        match self.code() {
            "zh-Hans" => "中文(简体)",
            "zh-Hant" => "中文(繁体)",
            "en" => "英语",
            "ja" => "日语",
            "ko" => "韩语",
            code => code,
        }
    }
}

/// What the model reads and writes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Pair {
    pub(crate) source: Language,
    pub(crate) target: Language,
}

/// What to do with texts of a request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Direction {
    /// The model's pair; the source is given or to be detected.
    Translate {
        /// None: detected text by text.
        source: Option<Language>,
    },
    /// Source and target are the same language: the text is its own translation.
    Echo {
        /// That language.
        language: Language,
    },
}

impl Pair {
    /// The pair of a model by its two codes.
    pub(crate) fn new(source: &str, target: &str) -> Self {
        let language = |code| Language::parse(code).unwrap_or_else(|| Language::new(code, false));
        Self {
            source: language(source),
            target: language(target),
        }
    }

    /// What a client's codes mean. No source and `auto` are detected, no target is the model's.
    pub(crate) fn direction(
        &self,
        source: Option<&str>,
        target: Option<&str>,
    ) -> Result<Direction, ApiError> {
        let parse = |code: &str| Language::parse(code).ok_or_else(|| self.unsupported(code));
        let source = match source.map(str::trim) {
            None | Some("") => None,
            Some(code) if code.eq_ignore_ascii_case("auto") => None,
            Some("自动检测" | "自动选择") => None,
            Some(code) => Some((parse(code)?, code)),
        };
        let target = match target.map(str::trim) {
            None | Some("") => (self.target.clone(), ""),
            Some(code) => (parse(code)?, code),
        };
        match source {
            Some((source, _)) if source.base == target.0.base => {
                Ok(Direction::Echo { language: source })
            }
            Some((source, code)) if source.base != self.source.base => Err(self.unsupported(code)),
            _ if target.0.base != self.target.base => Err(self.unsupported(target.1)),
            source => Ok(Direction::Translate {
                source: source.map(|(source, _)| source),
            }),
        }
    }

    fn unsupported(&self, code: &str) -> ApiError {
        ApiError::Language {
            code: code.chars().take(40).collect(),
            source_language: self.source.base.clone(),
            target: self.target.base.clone(),
        }
    }

    /// Everything a text may be declared as.
    pub(crate) fn languages(&self) -> Vec<Language> {
        let mut languages = vec![self.source.clone()];
        if self.source.is_chinese() {
            languages.push(Language::new("zh", true));
        }
        languages.push(self.target.clone());
        languages
    }
}

/// A guess at the language of a text.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Detected {
    pub(crate) language: Language,
    /// 0 to 1.
    pub(crate) confidence: f64,
}

/// The language of a text by its characters. Text in Latin letters counts as English: the model
/// knows nothing else.
pub(crate) fn detect(text: &str, simplifier: &Simplifier) -> Detected {
    let letters = Letters::count(text);
    let all = letters.han + letters.kana + letters.hangul + letters.latin + letters.other;
    let (language, found) = match language::detect(text, simplifier) {
        language::Language::ChineseTraditional => (Language::new("zh", true), letters.han),
        language::Language::ChineseSimplified => (Language::new("zh", false), letters.han),
        language::Language::Japanese => (Language::new("ja", false), letters.han + letters.kana),
        language::Language::Korean => (Language::new("ko", false), letters.hangul),
        language::Language::Latin => (Language::new("en", false), letters.latin),
        _ => (Language::new("en", false), 0),
    };
    // A few letters say less than many.
    let confidence = match all {
        0 => 0.0,
        all => found as f64 / all as f64 * (1.0 - 0.5 / (found + 1) as f64),
    };
    Detected {
        language,
        confidence,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pair() -> Pair {
        Pair::new("zh", "en")
    }

    #[test]
    fn j2_aliases_are_the_languages_they_mean() {
        for code in [
            "zh",
            "ZH",
            "zh-CN",
            "zh_CN",
            "zh-Hans",
            "zh-Hans-CN",
            "zh-SG",
            "cmn",
            "Zh-hans",
            "中文(简体)",
            " zh ",
            "zh-TW",
            "zt",
            "zh-Hant",
        ] {
            for target in ["en", "en-US", "EN-GB", "eng", "English", "英语"] {
                let direction = pair().direction(Some(code), Some(target)).unwrap();
                let Direction::Translate { source } = direction else {
                    panic!("{code} to {target}");
                };
                let traditional = ["zh-TW", "zt", "zh-Hant"].contains(&code);
                let expected = if traditional { "zh-Hant" } else { "zh-Hans" };
                assert_eq!(source.unwrap().code(), expected, "{code}");
            }
        }
        for auto in [None, Some("auto"), Some("AUTO"), Some("")] {
            let direction = pair().direction(auto, None).unwrap();
            assert_eq!(direction, Direction::Translate { source: None });
        }
    }

    #[test]
    fn j2_unknown_codes_are_refused_with_what_is_known() {
        for (source, target, wrong) in [
            ("xx", "en", "xx"),
            ("zh", "de", "de"),
            ("auto", "zh", "zh"),
            ("en", "zh", "en"),
            ("fr", "en", "fr"),
            ("zh", "e n", "e n"),
            ("中", "en", "中"),
            ("zh", "en-", "en-"),
            ("z", "en", "z"),
        ] {
            let error = pair().direction(Some(source), Some(target)).unwrap_err();
            let message = error.to_string();
            assert!(
                message.starts_with(&format!("{wrong} is not supported")),
                "{message}"
            );
            assert!(
                message.contains("zh") && message.contains("en"),
                "{message}"
            );
        }
    }

    #[test]
    fn the_same_language_is_an_echo() {
        for (source, target) in [("en", "EN-US"), ("zh", "zh-Hant"), ("zh-CN", "zh")] {
            let direction = pair().direction(Some(source), Some(target)).unwrap();
            assert!(matches!(direction, Direction::Echo { .. }));
        }
    }

    #[test]
    fn detection_is_surer_of_longer_texts() {
        let simplifier = Simplifier::default();
        let of = |text| detect(text, &simplifier);
        assert_eq!(of("我们今天去学校。").language.code(), "zh-Hans");
        assert_eq!(of("請問捷運站怎麼走").language.code(), "zh-Hant");
        assert_eq!(of("Hello, world").language.code(), "en");
        assert_eq!(of("12 + 3").confidence, 0.0);
        assert!(of("我们今天去学校").confidence > of("我").confidence);
        assert!(of("我们今天去 school").confidence < of("我们今天去学校").confidence);
    }
}
