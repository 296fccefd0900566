/** Text of a page translated in place: `csanmt/dom` and the element `<csanmt-translate>`. */

import assert from "node:assert/strict";
import { after, before, test } from "node:test";

import { LibraryBench } from "./support/library-page.js";

/** Names that a test gives its page. @typedef {any} Any */

/** @type {LibraryBench} */
let bench;
before(async () => {
  bench = await LibraryBench.start();
  bench.site.pages["/text.html"] = `<!doctype html><meta charset=utf-8><body>
    <h1>你好。</h1><p id=a>  我们今天<b>去学校</b>。</p><p>English stays.</p><code>代码</code>
    <p translate=no>不要</p><textarea>我的</textarea><div style="height:5000px"></div><p id=far>他昨天买了一本书。</p>`;
  bench.site.pages["/element.html"] = `<!doctype html><meta charset=utf-8>
    <script type=module src="/lib/element.js"></script>
    <csanmt-translate model-url="/models/zh-en-tiny.safetensors"><p>我们今天去学校。</p></csanmt-translate>`;
});
after(() => bench?.stop());

test("the text of a document: visible first, later additions, and back again", async () => {
  const page = await bench.open({}, "/text.html");
  const seen = await page.evaluate(async () => {
    const { create } = /** @type {Any} */ (window);
    const { DomTranslation } = await import(new URL("/lib/dom-translation.js", location.href).href);
    const translator = await create();
    /** @type {string[]} */
    const order = [];
    const recording = {
      translate: (/** @type {string} */ text, /** @type {Any} */ options) => {
        order.push(text.trim());
        return translator.translate(text, options);
      },
    };
    const original = document.body.innerHTML;
    const complete = async () => {
      for (let wait = 0; wait < 200; wait += 1) {
        await new Promise((resolve) => setTimeout(resolve, 50));
        const text = [...document.querySelectorAll("h1, #a, #far, #late")].map(({ textContent }) => textContent).join("");
        if (!/\p{Script=Han}/u.test(text)) {
          return;
        }
      }
      throw new Error("not translated");
    };
    const translation = new DomTranslation(document.body, recording);
    translation.start();
    await complete();
    const translated = document.body.innerHTML;
    const late = document.createElement("p");
    late.id = "late";
    late.textContent = "天气很好。";
    document.body.append(late);
    await complete();
    const added = late.textContent;
    late.firstChild?.replaceWith("再见。");
    await complete();
    translation.restore();
    const lateRestored = late.textContent;
    late.remove();
    return { original, translated, added, lateRestored, restored: document.body.innerHTML, order };
  });
  assert.equal(seen.restored, seen.original);
  assert.equal(seen.lateRestored, "再见。");
  assert.match(seen.added ?? "", /^[A-Za-z]/);
  assert.match(seen.translated, /<h1>[A-Za-z][^<]*<\/h1><p id="a"> {2}[A-Za-z][^<]*<b>[A-Za-z][^<]*<\/b>/);
  assert.match(seen.translated, /<p>English stays\.<\/p><code>代码<\/code>\s*<p translate="no">不要<\/p><textarea>我的<\/textarea>/);
  assert.ok(!seen.order.includes("代码") && !seen.order.includes("不要") && !seen.order.includes("我的"));
  assert.equal(new Set(seen.order).size, seen.order.length, "something was translated twice");
  await page.context().close();
});

/** What is in a paragraph, and how it may be translated: every element once, where its words are. */
const PARAGRAPHS = /** @type {[string, RegExp][]} */ ([
  ["我<b>今天</b>去学校", /^I go to school <b>today<\/b>$/],
  ["\n  我们<b>今天</b>去\n  <a href=\"#x\">学校</a>。\n  老师很高兴。\n", /^\n {2}We go to <a href="#x">school<\/a> <b>today<\/b>\. The teacher is happy\.\n$/],
  ["一<br>二<img alt=\"\">三。", /^[^<]+<br>[^<]+<img alt="">[^<]+$/],
  ["运行<code>make 所有</code>。<span translate=\"no\">小明</span>很好。", /^[A-Za-z][^<]*<code>make 所有<\/code>.*<span translate="no">小明<\/span>/],
  ["<a href=\"#1\">首页</a> | <a href=\"#2\">关于我们</a>", /^<a href="#1">[A-Z][^<]*<\/a> \| <a href="#2">[A-Z][^<]*<\/a>$/],
  ["<i class=\"icon\"></i> <a href=\"#3\"><span>首页</span></a>", /^<i class="icon"><\/i> <a href="#3"><span>[A-Z][^<]*<\/span><\/a>$/],
  ["共<!-- -->3<!-- -->条<b></b>评论 &amp; 5 &lt; 6", /^[A-Za-z][^<]*(<!-- -->[^<]*){2}<b><\/b>.*&amp; 5 &lt; 6/],
  ["我喜欢<div>学习中文</div>和<span style=\"display:block\">英文</span>。", /^[^<一-鿿]+<div>[^<一-鿿]+<\/div>[^<一-鿿]+<span style="display:block">[^<一-鿿]+<\/span>。$/],
  ["他<b>昨天<i>买了</i></b>一本<button type=\"button\">书</button>。", /<b>[^<]*<i>[^<]*<\/i>[^<]*<\/b>/],
]);

test("a paragraph is one text, its elements go where their words go and stay the same objects", async () => {
  bench.site.pages["/inline.html"] = `<!doctype html><meta charset=utf-8><body>${PARAGRAPHS.map(([html]) => `<div class=p>${html}</div>`).join("")}`;
  const page = await bench.open({}, "/inline.html");
  const seen = await page.evaluate(async () => {
    const { create } = /** @type {Any} */ (window);
    const { DomTranslation } = await import(new URL("/lib/dom-translation.js", location.href).href);
    const translator = await create();
    const original = document.body.innerHTML;
    const nodes = () => {
      const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_ALL);
      const nodes = [];
      while (walker.nextNode()) {
        nodes.push(walker.currentNode);
      }
      return nodes;
    };
    const before = nodes();
    let clicks = 0;
    const button = /** @type {HTMLElement} */ (document.querySelector("button"));
    button.addEventListener("click", () => (clicks += 1));
    document.querySelector("a")?.focus();
    /** @type {Any} */
    let last;
    const reports = [];
    const translate = async () => {
      await new Promise((resolve, reject) => {
        const translation = new DomTranslation(document.body, translator, {
          onerror: reject,
          onprogress: (/** @type {Any} */ report) => {
            reports.push(report);
            if (report.done === report.all) {
              last = translation;
              resolve(undefined);
            }
          },
        });
        translation.start();
      });
      return last;
    };
    const translation = await translate();
    const html = [...document.querySelectorAll(".p")].map(({ innerHTML }) => innerHTML);
    button.click();
    const kept = before.every((node) => node.isConnected);
    const focused = document.activeElement?.getAttribute("href");
    // Its own changes are no news to it.
    const count = reports.length;
    await new Promise((resolve) => setTimeout(resolve, 300));
    const again = reports.length - count;
    translation.restore();
    const after = nodes();
    const restored = document.body.innerHTML;
    const same = after.length === before.length && after.every((node, index) => node === before[index]);
    translator.destroy();
    return { original, restored, same, html, clicks, kept, focused, again };
  });
  for (const [index, [html, expected]] of PARAGRAPHS.entries()) {
    assert.match(seen.html[index] ?? "", expected, html);
  }
  assert.equal(seen.restored, seen.original);
  const { same, clicks, kept, focused, again } = seen;
  assert.deepEqual({ same, clicks, kept, focused, again }, { same: true, clicks: 1, kept: true, focused: "#x", again: 0 });
  await page.context().close();
});

test("what the page changes meanwhile is translated as it is then, and what it has changed is not restored", async () => {
  bench.site.pages["/changing.html"] = "<!doctype html><meta charset=utf-8><body><p id=a>我们<b>今天</b>去学校。</p><p id=b>老师<b>很</b>高兴。</p>";
  const page = await bench.open({}, "/changing.html");
  const seen = await page.evaluate(async () => {
    const { create } = /** @type {Any} */ (window);
    const { DomTranslation } = await import(new URL("/lib/dom-translation.js", location.href).href);
    const translator = await create();
    const [a, b] = /** @type {HTMLElement[]} */ ([...document.querySelectorAll("p")]);
    let isFirst = true;
    const changing = {
      translate: async (/** @type {string} */ text, /** @type {Any} */ options) => {
        const translation = await translator.translate(text, options);
        if (isFirst && a?.firstChild) {
          isFirst = false;
          a.firstChild.nodeValue = "他们";
        }
        // The engine never does so; another translator may lose a tag.
        return text.includes("老师") && options.format ? translation.replace(/<[^>]*>/g, "") : translation;
      },
      translateDetailed: () => {},
    };
    const translation = new DomTranslation(document.body, changing);
    translation.start();
    for (let wait = 0; wait < 200 && /\p{Script=Han}/u.test(document.body.innerText); wait += 1) {
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
    const shown = [a?.innerHTML, b?.innerHTML];
    b?.append("！");
    if (a?.firstChild) {
      a.firstChild.nodeValue = "Somebody ";
    }
    translation.restore();
    return { shown, a: a?.textContent, b: b?.innerHTML };
  });
  assert.match(seen.shown[0] ?? "", /^They .*<b>[^<]*today<\/b>/);
  assert.match(seen.shown[1] ?? "", /^[A-Za-z][^<]*<b>[A-Za-z][^<]*<\/b>/);
  assert.match(seen.a ?? "", /^Somebody [^\p{Script=Han}]*$/u);
  assert.equal(seen.b, "老师<b>很</b>高兴。！");
  await page.context().close();
});

test("the element: a button that translates and undoes it", async () => {
  const page = await bench.open({}, "/element.html");
  const element = page.locator("csanmt-translate");
  const button = element.locator("button");
  assert.equal(await button.textContent(), "Translate to English");
  await button.click();
  await page.waitForFunction(() => /^[A-Za-z]/.test(document.querySelector("csanmt-translate p")?.textContent ?? ""));
  assert.equal(await button.textContent(), "Show original");
  assert.equal(await button.getAttribute("aria-pressed"), "true");
  await button.click();
  assert.equal(await element.locator("p").textContent(), "我们今天去学校。");
  await element.evaluate((element) => element.remove());
  for (let wait = 0; wait < 50 && page.workers().length > 0; wait += 1) {
    await page.waitForTimeout(100);
  }
  assert.equal(page.workers().length, 0);
  await page.context().close();
});

test("the element says what is wrong", async () => {
  const page = await bench.open({}, "/element.html");
  const message = await page.evaluate(async () => {
    const element = /** @type {Any} */ (document.querySelector("csanmt-translate"));
    element.setAttribute("model-url", "/nothing");
    const failed = new Promise((resolve) => element.addEventListener("csanmt-error", (/** @type {Any} */ { detail }) => resolve(detail.message)));
    element.shadowRoot.querySelector("button").click();
    return failed;
  });
  assert.match(String(message), /404/);
  assert.match((await page.locator("csanmt-translate [role=status]").textContent()) ?? "", /404/);
  await page.context().close();
});
