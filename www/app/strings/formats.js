/** The kinds of files that are translated, as the page lists them. */
export const FORMATS = "txt, md, html, srt, vtt, docx, pptx, xlsx, epub, csv, json";
