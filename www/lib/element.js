/**
 * `<csanmt-translate>`: a part of a page with a button that translates its Chinese text to English
 * in place, and back.
 *
 * ```html
 * <script type="module" src="csanmt/element.js"></script>
 * <csanmt-translate model-url="/models/zh-en-tiny.safetensors">
 *   <p>我们今天去学校。</p>
 * </csanmt-translate>
 * ```
 *
 * Attributes: `model-url`, `model-sha256` (else what `configure()` says), `auto` (translate at
 * once), `label` and `label-original` (what the button says). Events: `csanmt-translated`,
 * `csanmt-restored` and `csanmt-error` (with `detail`). The parts `bar`, `button` and `status` can
 * be styled.
 */

import { DomTranslation } from "./dom-translation.js";
import { Translator } from "./translator.js";

const STYLE = `
  :host { display: block; }
  :host([hidden]) { display: none; }
  [part="bar"] { display: flex; gap: .75em; align-items: center; margin-block-end: .5em; font: .875rem/1.4 system-ui, sans-serif; }
  button { font: inherit; padding: .3em .8em; border: 1px solid currentColor; border-radius: .4em; background: none; color: inherit; cursor: pointer; }
  button:hover { background: color-mix(in srgb, currentColor 10%, transparent); }
  button:focus-visible { outline: 2px solid Highlight; outline-offset: 2px; }
`;

// Servers that render pages have no elements; the import must not fail there.
const Base = /** @type {typeof HTMLElement} */ (globalThis.HTMLElement ?? class {});

/** See above. */
export class CsanmtTranslateElement extends Base {
  static observedAttributes = ["label", "label-original"];

  /** @type {HTMLButtonElement} */
  #button;
  /** @type {HTMLElement} */
  #status;
  /** @type {Translator | undefined} */
  #translator;
  /** @type {DomTranslation | undefined} */
  #translation;
  /** @type {AbortController | undefined} */
  #loading;

  constructor() {
    super();
    const root = this.attachShadow({ mode: "open" });
    const style = document.createElement("style");
    style.textContent = STYLE;
    const bar = document.createElement("div");
    bar.part.add("bar");
    this.#button = document.createElement("button");
    this.#button.type = "button";
    this.#button.part.add("button");
    this.#status = document.createElement("span");
    this.#status.setAttribute("role", "status");
    this.#status.part.add("status");
    bar.append(this.#button, this.#status);
    root.append(style, bar, document.createElement("slot"));
    this.#button.addEventListener("click", () => (this.isTranslated ? this.showOriginal() : this.showTranslation()));
  }

  /** Whether the translation is shown, or on its way. */
  get isTranslated() {
    return this.#loading !== undefined || this.#translation?.isActive === true;
  }

  connectedCallback() {
    this.#show();
    if (this.hasAttribute("auto")) {
      this.showTranslation();
    }
  }

  disconnectedCallback() {
    // Moving it within the page disconnects it too.
    queueMicrotask(() => {
      if (!this.isConnected) {
        this.showOriginal();
        this.#translator?.destroy();
        this.#translator = undefined;
      }
    });
  }

  attributeChangedCallback() {
    this.#show();
  }

  /** Translates the content, and what is added to it later. */
  async showTranslation() {
    if (this.isTranslated) {
      return;
    }
    const loading = (this.#loading = new AbortController());
    this.#show("Loading…");
    try {
      this.#translator ??= await this.#create(loading.signal);
      if (loading.signal.aborted) {
        return;
      }
      this.#loading = undefined;
      this.#translation = new DomTranslation(this, this.#translator, {
        onprogress: ({ done, all }) => {
          this.#show(done < all ? `${done} / ${all}` : "");
          if (done === all) {
            this.dispatchEvent(new CustomEvent("csanmt-translated", { bubbles: true }));
          }
        },
        onerror: (error) => this.#fail(error),
      });
      this.#translation.start();
      this.#show();
    } catch (error) {
      if (!loading.signal.aborted) {
        this.#loading = undefined;
        this.#fail(error);
      }
    }
  }

  /** Shows the original again. */
  showOriginal() {
    const wasTranslated = this.isTranslated;
    this.#loading?.abort();
    this.#loading = undefined;
    this.#translation?.restore();
    this.#translation = undefined;
    this.#show();
    if (wasTranslated) {
      this.dispatchEvent(new CustomEvent("csanmt-restored", { bubbles: true }));
    }
  }

  /** @param {AbortSignal} signal */
  async #create(signal) {
    const translator = await Translator.create({
      sourceLanguage: "zh",
      targetLanguage: "en",
      ...(this.hasAttribute("model-url") && { modelUrl: this.getAttribute("model-url") ?? "" }),
      ...(this.hasAttribute("model-sha256") && { modelSha256: this.getAttribute("model-sha256") ?? "" }),
      monitor: (monitor) => {
        monitor.addEventListener("downloadprogress", (event) => {
          const { loaded } = /** @type {ProgressEvent} */ (event);
          this.#show(`Loading… ${Math.round(loaded * 100)} %`);
        });
      },
    });
    if (signal.aborted) {
      // It is shared: nobody else may need it.
      translator.destroy();
      throw signal.reason;
    }
    return translator;
  }

  /** @param {string} [status] */
  #show(status = "") {
    this.#button.textContent = this.isTranslated
      ? (this.getAttribute("label-original") ?? "Show original")
      : (this.getAttribute("label") ?? "Translate to English");
    this.#button.setAttribute("aria-pressed", String(this.isTranslated));
    this.#status.textContent = status;
  }

  /** @param {unknown} error */
  #fail(error) {
    this.#show(error instanceof Error ? error.message : String(error));
    this.dispatchEvent(new CustomEvent("csanmt-error", { bubbles: true, detail: error }));
  }
}

globalThis.customElements?.get("csanmt-translate") ??
  globalThis.customElements?.define("csanmt-translate", CsanmtTranslateElement);
