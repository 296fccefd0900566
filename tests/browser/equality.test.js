/** The page and the API give the same translation for the same text. */

import assert from "node:assert/strict";
import { after, before, test } from "node:test";

import { launch, TranslatorPage } from "./support/page.js";
import { Server } from "./support/server.js";
import { SENTENCES } from "./support/texts.js";
import { assertSameText } from "./support/texts-equal.js";

const COUNT = SENTENCES.length;
const sentences = SENTENCES;

/** What is more than words: each is guarded, copied or cleaned somewhere on its way. */
const LINES = [
  "2024年3月15日下午3:30，气温是-5.5℃，湿度60%。",
  "他花了¥1,299.00买了3本书，每本$14.99。",
  "电话：+86 138-0013-8000，编号A-2031/7。",
  "三千五百万人，百分之二十，两点五倍。",
  "请访问https://example.org/路径?q=你好&x=1#top，或写信到info@example.org。",
  "文件在C:\\Users\\张三\\a.txt，运行`npm run build -- --watch`。",
  "今天好开心😀👍🏽！我爱你❤️👨‍👩‍👧‍👦🇨🇳。",
  "😀😀😀",
  "@小明 来看 #北京旅游# 的照片。",
  "<b>你好</b> &amp; <a href='x'>再见</a>",
  "我们\u200b今天\u200d去\ufeff学校。",
  "  \t缩进的一行。\u3000\u3000再一句。  ",
  "ＡＢＣ１２３，全角。",
  "This is English. 这是中文。Ceci est français.",
  "Nothing but English here.",
  "哈".repeat(300),
  "好".repeat(80) + "。" + "学校".repeat(60) + "？",
  "「引号」和“引号”，还有《书名》（括号）……——！？",
  "𠮷野家的牛肉饭很好吃。",
  "繁體中文也可以翻譯嗎？",
  "שלום 你好 مرحبا 世界",
  "{0} {1} %s ${name} 您好，{{user}}！",
  "第一行\r\n第二行\r\n\r\n第四行",
  "<SENT_SPLIT>一。<SENT_SPLIT>二。",
];

/** Texts in other formats. */
const MARKED = [
  { format: "html", text: '<p class="a">我们<b>今天</b>去<a href="/x?y=1&amp;z">学校</a>。老师<i>很<u>高兴</u></i>！</p><!-- 注 --><ul><li>一</li><li>二</li></ul><code>代码</code>' },
  { format: "html", text: `<h1>${sentences[3]}</h1>\n<p>${sentences.slice(4, 12).map((line) => `<em>${line}</em>`).join("")}</p>` },
  { format: "html", text: "没有标签的一行 & 更多。" },
  { format: "markdown", text: "# 你好\n\n- 我们**今天**去[学校](https://example.org/)。\n- 运行 `代码`。\n\n| 甲 | 乙 |\n|---|---|\n| 好 | 坏 |\n" },
];

/** @type {import("playwright-core").Browser} */
let browser;
/** @type {Server} */
let server;
/** @type {TranslatorPage} */
let page;
before(async () => {
  browser = await launch();
  server = await Server.start();
  page = await TranslatorPage.open(browser, server.url);
  await page.ready();
});
after(async () => {
  await browser?.close();
  await server?.stop();
});

for (const { build, wasmUrl } of [
  { build: "relaxed-simd", wasmUrl: undefined },
  { build: "simd", wasmUrl: "lib/csanmt_wasm_bg.wasm" },
]) {
  test(`${COUNT} sentences, ${LINES.length} lines and ${MARKED.length} texts with markup, each by itself, with ${build}`, async () => {
    const texts = [...[...sentences, ...LINES].map((text) => ({ text, format: "text" })), ...MARKED];
    const inPage = await page.page.evaluate(async ({ texts, wasmUrl }) => {
      const { Translator } = await import(new URL("lib/index.js", location.href).href);
      const manifest = await (await fetch("manifest.json")).json();
      const translator = await Translator.create({ sourceLanguage: "zh", targetLanguage: "en", modelUrl: manifest.model, wasmUrl });
      const translations = await Promise.all(texts.map(({ text, format }) => translator.translate(text, { format })));
      const { build } = translator;
      translator.destroy();
      return { build, translations };
    }, { texts, wasmUrl });
    assert.equal(inPage.build, build);
    for (const [index, { text, format }] of texts.entries()) {
      assert.equal(inPage.translations[index], await server.translate(text, format), text);
    }
  });
}

test("two hundred of them as one text of many lines", async () => {
  const text = [...sentences.slice(0, 200), ...LINES].join("\n");
  await page.paste(text);
  const shown = await page.translated();
  // What a text field keeps of line ends.
  const field = text.replace(/\r\n/g, "\n");
  assertSameText(shown, await server.translate(field), "the text");
  assert.equal(shown.split("\n").length, field.split("\n").length);
});

test("paragraphs of several sentences", async () => {
  for (let at = 0; at < 60; at += 6) {
    const text = sentences.slice(at, at + 6).join("");
    await page.paste("");
    await page.paste(text);
    assert.equal(await page.translated(), await server.translate(text), text);
  }
});
