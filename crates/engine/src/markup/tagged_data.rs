//! Tagged texts that come from outside are checked.

use serde::Deserialize;

use super::TaggedText;
use super::tagged::Tag;

/// A tagged text as data.
#[derive(Deserialize)]
pub(crate) struct TaggedData {
    text: String,
    tags: Vec<Tag>,
}

impl TryFrom<TaggedData> for TaggedText {
    type Error = String;

    fn try_from(TaggedData { text, tags }: TaggedData) -> Result<Self, String> {
        for (number, tag) in tags.iter().enumerate() {
            if text.get(tag.range.clone()).is_none() {
                return Err(format!(
                    "element {number} is at {:?}, expected a range in a text of {} bytes",
                    tag.range,
                    text.len()
                ));
            }
            let Some(parent) = tag.parent else { continue };
            let around = tags.get(parent).filter(|_| parent < number);
            let inside = around.is_some_and(|parent| {
                parent.range.start <= tag.range.start && tag.range.end <= parent.range.end
            });
            if !inside {
                return Err(format!(
                    "element {number} is not in its parent, element {parent}"
                ));
            }
        }
        Ok(Self::from_parts(text, tags))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_comes_back_as_it_was_and_a_wrong_one_is_refused() {
        let mut builder = TaggedText::builder();
        builder.text("在");
        builder.open();
        builder.text("学");
        builder.open();
        builder.text("校");
        let text = builder.build();
        let mut data = serde_json::to_value(&text).unwrap();
        let back: TaggedText = serde_json::from_value(data.clone()).unwrap();
        assert_eq!(back, text);
        data["tags"][0]["range"]["end"] = 7.into();
        let error = serde_json::from_value::<TaggedText>(data.clone()).unwrap_err();
        assert!(error.to_string().contains("element 0"), "{error}");
        data["tags"][0]["range"]["end"] = 6.into();
        let error = serde_json::from_value::<TaggedText>(data.clone()).unwrap_err();
        assert!(error.to_string().contains("not in its parent"), "{error}");
        data["tags"][0]["parent"] = 0.into();
        assert!(serde_json::from_value::<TaggedText>(data).is_err());
    }
}
