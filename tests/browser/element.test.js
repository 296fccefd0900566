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
