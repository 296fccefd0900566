/** The same lines as a file of every format. */

import { archive } from "./archive.js";

const WORD = "http://schemas.openxmlformats.org/wordprocessingml/2006/main";
const SLIDES = "http://schemas.openxmlformats.org/presentationml/2006/main";
const DRAWING = "http://schemas.openxmlformats.org/drawingml/2006/main";
const SHEETS = "http://schemas.openxmlformats.org/spreadsheetml/2006/main";
const OFFICE = "application/vnd.openxmlformats-officedocument";

/** Lines in one paragraph of some formats. */
const LINES = 6;

/** The first characters of a line, and the rest. @param {string} line @returns {[string, string]} */
const halves = (line) => [line.slice(0, line.length >> 1), line.slice(line.length >> 1)];

/** @param {string} text */
const escaped = (text) => text.replaceAll("&", "&amp;").replaceAll("<", "&lt;");

/** What the parts of an office document are. @param {Record<string, string>} kinds by path */
const types = (kinds) => {
  const parts = Object.entries(kinds);
  return `<Types>${parts.map(([path, kind]) => `<Override PartName="/${path}" ContentType="${OFFICE}.${kind}+xml"/>`).join("")}</Types>`;
};

/** Runs of lines, each a paragraph. @param {string[]} lines */
function paragraphs(lines) {
  const starts = Array.from({ length: Math.ceil(lines.length / LINES) }, (_, index) => index * LINES);
  return starts.map((start) => lines.slice(start, start + LINES));
}

/** A paragraph of HTML: every second line begins in bold. @param {string[]} lines */
const html = (lines) =>
  lines
    .map((line, index) => {
      const [first, rest] = halves(line).map(escaped);
      return index % 2 === 0 ? `<b>${first}</b>${rest}` : first + rest;
    })
    .join("");

/** @type {Record<string, (lines: string[]) => string | Buffer>} */
const WRITERS = {
  txt: (lines) => lines.join("\n"),
  md: (lines) => paragraphs(lines).map((run) => `- ${run.join("")}`).join("\n\n"),
  html: (lines) => `<!doctype html><p>${paragraphs(lines).map(html).join("</p>\n<p>")}</p>\n<p>${html(lines)}</p>`,
  srt: (lines) => lines.map((line, index) => `${index + 1}\n00:00:01,000 --> 00:00:02,000\n${line}\n`).join("\n"),
  vtt: (lines) => `WEBVTT\n\n${lines.map((line) => `00:01.000 --> 00:02.000\n${line}\n`).join("\n")}`,
  json: (lines) => JSON.stringify({ lines, whole: lines.join(""), n: 1 }, undefined, 2),
  csv: (lines) => `号,话\n${lines.map((line, index) => `${index},"${line.replaceAll('"', '""')}"`).join("\n")}\n`,
  docx: (lines) => {
    const run = (/** @type {string} */ text, style = "") => `<w:r>${style}<w:t>${escaped(text)}</w:t></w:r>`;
    const bold = "<w:rPr><w:b/></w:rPr>";
    const body = paragraphs(lines).map((paragraph) => {
      const runs = paragraph.map((line) => run(halves(line)[0], bold) + run(halves(line)[1]));
      return `<w:p>${runs.join("")}</w:p>`;
    });
    return archive({
      "[Content_Types].xml": types({ "word/document.xml": "wordprocessingml.document.main" }),
      "word/document.xml": `<w:document xmlns:w="${WORD}"><w:body>${body.join("")}</w:body></w:document>`,
    });
  },
  pptx: (lines) =>
    archive({
      "[Content_Types].xml": types({
        "ppt/presentation.xml": "presentationml.presentation.main",
        "ppt/slides/slide1.xml": "presentationml.slide",
      }),
      "ppt/presentation.xml": `<p:presentation xmlns:p="${SLIDES}"/>`,
      "ppt/slides/slide1.xml": `<p:sld xmlns:p="${SLIDES}" xmlns:a="${DRAWING}">${lines
        .map((line) => `<a:p><a:r><a:t>${escaped(line)}</a:t></a:r></a:p>`)
        .join("")}</p:sld>`,
    }),
  xlsx: (lines) =>
    archive({
      "[Content_Types].xml": types({
        "xl/workbook.xml": "spreadsheetml.sheet.main",
        "xl/sharedStrings.xml": "spreadsheetml.sharedStrings",
      }),
      "xl/workbook.xml": `<workbook xmlns="${SHEETS}"/>`,
      "xl/sharedStrings.xml": `<sst xmlns="${SHEETS}">${lines.map((line) => `<si><t>${escaped(line)}</t></si>`).join("")}</sst>`,
    }),
  epub: (lines) =>
    archive({
      mimetype: "application/epub+zip",
      "META-INF/container.xml": '<container><rootfiles><rootfile full-path="content.opf"/></rootfiles></container>',
      "content.opf": '<package><manifest><item id="a" href="a.xhtml" media-type="application/xhtml+xml"/></manifest></package>',
      "a.xhtml": `<html><body><p>${paragraphs(lines).map(html).join("</p><p>")}</p></body></html>`,
    }),
};

/** All formats that have a sample. */
export const FORMATS = Object.keys(WRITERS);

/**
 * A file with these lines, as base64, which a page can be given.
 *
 * @param {string} format
 * @param {string[]} lines
 */
export function sample(format, lines) {
  const content = WRITERS[format]?.(lines);
  if (content === undefined) {
    throw new Error(`there is no sample of ${format}`);
  }
  return Buffer.from(content).toString("base64");
}
