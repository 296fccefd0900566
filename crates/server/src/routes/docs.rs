//! `GET /openapi.json` and the page that shows it, both made of the handlers' own types.

use std::fmt::Write as _;
use std::sync::Arc;

use axum::Extension;
use axum::http::{HeaderValue, StatusCode};
use axum::response::Response;
use serde_json::Value;
use utoipa::OpenApi;

use crate::answer::{ok, typed};

/// What the description begins with; the router adds the paths.
#[derive(OpenApi)]
#[openapi(
    info(
        title = "csanmt",
        description = "Chinese to English translation on your own CPU, in the interfaces that \
                       clients already speak. Where tokens are set, send one as `Authorization: \
                       Bearer TOKEN`, `Authorization: DeepL-Auth-Key TOKEN`, `?token=TOKEN` or \
                       `api_key` in the body.",
        license(name = "MIT OR Apache-2.0")
    ),
    tags(
        (name = "translate", description = "This server's own interface and LibreTranslate's"),
        (name = "languages", description = "Languages and limits"),
        (name = "files", description = "Files"),
        (name = "deepl", description = "DeepL's interface"),
        (name = "google", description = "Google's interfaces"),
        (name = "openai", description = "OpenAI's interface"),
        (name = "extensions", description = "Browser extensions and MTranServer"),
        (name = "operations", description = "Health and metrics"),
    )
)]
pub(crate) struct Description;

/// The finished description.
#[derive(Clone)]
pub(crate) struct Api(pub(crate) Arc<Value>);

pub(crate) async fn openapi(Extension(api): Extension<Api>) -> Response {
    ok(&*api.0)
}

/// The description as a page: no script, so the strictest policy holds for it too.
pub(crate) async fn docs(Extension(api): Extension<Api>) -> Response {
    let html = HeaderValue::from_static("text/html; charset=utf-8");
    typed(StatusCode::OK, html, page(&api.0))
}

fn page(api: &Value) -> String {
    let mut html = format!(
        "<!DOCTYPE html>\n<html lang=\"en\">\n<meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width\">\n<title>csanmt API</title>\n\
         <h1>csanmt API</h1>\n<p>{}\n<p><a href=\"openapi.json\">openapi.json</a>\n",
        prose(&api["info"]["description"])
    );
    for tag in api["tags"].as_array().into_iter().flatten() {
        // Writing to a string cannot fail.
        let _ = writeln!(html, "<h2>{}</h2>", prose(&tag["description"]));
        for (path, methods) in api["paths"].as_object().into_iter().flatten() {
            for (method, operation) in methods.as_object().into_iter().flatten() {
                if operation["tags"][0] == tag["name"] {
                    let method = method.to_uppercase();
                    let _ = writeln!(html, "<h3><code>{method} {}</code></h3>", escape(path));
                    operation_details(&mut html, api, operation);
                }
            }
        }
    }
    html.push_str("</html>\n");
    html
}

fn operation_details(html: &mut String, api: &Value, operation: &Value) {
    let _ = writeln!(html, "<p>{}", prose(&operation["summary"]));
    if operation["description"].is_string() {
        let _ = writeln!(html, "<p>{}", prose(&operation["description"]));
    }
    for parameter in operation["parameters"].as_array().into_iter().flatten() {
        let (name, meaning) = (prose(&parameter["name"]), prose(&parameter["description"]));
        let _ = writeln!(html, "<p><code>{name}</code>: {meaning}");
    }
    for (kind, content) in operation["requestBody"]["content"]
        .as_object()
        .into_iter()
        .flatten()
    {
        let fields = names(api, &content["schema"]);
        let _ = writeln!(html, "<p>Takes {}: {fields}", escape(kind));
    }
    for (status, response) in operation["responses"].as_object().into_iter().flatten() {
        let meaning = prose(&response["description"]);
        let _ = write!(html, "<p>{}: {meaning}", escape(status));
        if status == "200" {
            for (kind, content) in response["content"].as_object().into_iter().flatten() {
                let fields = names(api, &content["schema"]);
                let _ = write!(html, " ({}: {fields})", escape(kind));
            }
        }
        html.push('\n');
    }
}

/// The fields of an object, or of each of several.
fn names(api: &Value, schema: &Value) -> String {
    let pointer = schema["$ref"]
        .as_str()
        .and_then(|name| name.strip_prefix('#'));
    let schema = pointer
        .and_then(|pointer| api.pointer(pointer))
        .unwrap_or(schema);
    if let Some(several) = schema["anyOf"].as_array() {
        let each: Vec<String> = several.iter().map(|one| names(api, one)).collect();
        return each.join(" or ");
    }
    if schema["items"].is_object() {
        return format!("a list of {}", names(api, &schema["items"]));
    }
    let required = schema["required"].as_array().map_or(&[][..], Vec::as_slice);
    let fields = schema["properties"].as_object().into_iter().flatten();
    let fields: Vec<String> = fields
        .map(|(name, _)| {
            let is_required = required.iter().any(|one| one == name);
            let optional = if is_required { "" } else { "?" };
            format!("{}{optional}", escape(name))
        })
        .collect();
    if !fields.is_empty() {
        return format!("<code>{{{}}}</code>", fields.join(", "));
    }
    match schema["type"].as_str() {
        Some("string") => "text".to_owned(),
        _ => "JSON".to_owned(),
    }
}

/// Text of the description; what is between backticks is code.
fn prose(value: &Value) -> String {
    let escaped = escape(value.as_str().unwrap_or_default());
    let mut html = String::with_capacity(escaped.len());
    for (number, part) in escaped.split('`').enumerate() {
        match number % 2 {
            0 => html.push_str(part),
            _ => {
                let _ = write!(html, "<code>{part}</code>");
            }
        }
    }
    html
}

fn escape(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for char in text.chars() {
        match char {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '"' => escaped.push_str("&quot;"),
            char => escaped.push(char),
        }
    }
    escaped
}
