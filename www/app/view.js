/**
 * @import { LoadProgress } from "./lib/types.d.ts"
 * @import { Session } from "./session.js"
 * @import { Strings } from "./strings.js"
 */

import { Output } from "./output.js";
import { linkScrolling } from "./scroll-link.js";

/** How long the copy button says that it has copied. */
const FEEDBACK_MS = 2000;

/**
 * @template {HTMLElement} [E=HTMLElement]
 * @param {string} id
 */
const find = (id) => /** @type {E} */ (document.getElementById(id));

/** The document: shows a session, knows no rules. */
export class View {
  /** @type {HTMLTextAreaElement} */
  source = find("source");
  /** @type {HTMLInputElement} */
  auto = find("auto");
  /** @type {HTMLButtonElement} */
  translate = find("translate");
  /** @type {HTMLButtonElement} */
  stop = find("stop");
  /** @type {HTMLButtonElement} */
  clear = find("clear");
  /** @type {HTMLButtonElement} */
  copy = find("copy");
  /** @type {HTMLButtonElement} */
  retry = find("retry");

  #strings;
  #target = find("target");
  #output = new Output(this.#target);
  #status = find("status");
  #count = find("count");
  #loading = find("loading");
  #loadingLabel = find("loading-label");
  /** @type {HTMLProgressElement} */
  #loadingBar = find("loading-bar");
  #notice = find("notice");
  #noticeText = find("notice-text");
  #copyLabel = find("copy-label");
  #realign = linkScrolling(this.source, this.#target);
  /** The text whose characters are shown as counted. */
  #counted = "";
  #frame = 0;
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  #feedback;
  #ready = false;

  /** @param {Strings} strings */
  constructor(strings) {
    this.#strings = strings;
    this.#count.textContent = strings.characters(0);
  }

  /**
   * Shows the session with the next frame, however often it changes before.
   *
   * @param {Session} session
   */
  update(session) {
    this.#frame ||= requestAnimationFrame(() => {
      this.#frame = 0;
      this.#show(session);
    });
  }

  /** @param {LoadProgress} progress */
  showLoading({ loaded, total }) {
    this.#loadingLabel.textContent = this.#strings.loading(loaded, total);
    if (total === undefined) {
      this.#loadingBar.removeAttribute("value");
    } else {
      this.#loadingBar.value = loaded / total;
    }
  }

  showReady() {
    this.#ready = true;
    this.#loading.hidden = true;
    this.#say(this.#strings.ready);
  }

  /** @param {string} message */
  showLoadFailure(message) {
    this.#loading.hidden = true;
    this.showNotice(this.#strings.loadFailed(message), true);
  }

  /** Loading begins again. */
  showLoadingAgain() {
    this.#loading.hidden = false;
    this.#loadingLabel.textContent = this.#strings.preparing;
    this.#loadingBar.removeAttribute("value");
    this.hideNotice();
  }

  /**
   * @param {string} text
   * @param {boolean} [canRetry]
   */
  showNotice(text, canRetry = false) {
    this.#noticeText.textContent = text;
    this.retry.hidden = !canRetry;
    this.#notice.hidden = false;
  }

  hideNotice() {
    this.#notice.hidden = true;
  }

  /** @param {boolean} copied */
  showCopied(copied) {
    clearTimeout(this.#feedback);
    this.copy.classList.toggle("copied", copied);
    this.#copyLabel.textContent = copied ? this.#strings.copied : this.#strings.copy;
    this.#say(copied ? this.#strings.copied : this.#strings.copyFailed);
    this.#feedback = setTimeout(() => {
      this.copy.classList.remove("copied");
      this.#copyLabel.textContent = this.#strings.copy;
    }, FEEDBACK_MS);
  }

  /** @param {Session} session */
  #show(session) {
    const { run, target, stale } = session;
    if (this.#counted !== session.source) {
      this.#counted = session.source;
      this.#count.textContent = this.#strings.characters(countCharacters(session.source));
    }
    this.clear.disabled = session.source === "";
    this.copy.disabled = target === "";
    this.translate.disabled = !session.hasText;

    this.#output.show(target, stale);
    this.#realign();
    const busy = run.phase === "waiting" || run.phase === "running";
    this.#target.setAttribute("aria-busy", String(busy));
    if (!busy && document.activeElement === this.stop) {
      this.source.focus();
    }
    this.stop.hidden = run.phase !== "running";
    if (run.phase === "failed") {
      this.showNotice(this.#strings.failed(run.message));
    } else if (this.#ready) {
      this.hideNotice();
    }
    this.#say(this.#statusOf(session));
  }

  /** @param {Session} session */
  #statusOf({ run }) {
    const strings = this.#strings;
    switch (run.phase) {
      case "waiting":
        return this.#ready ? "" : strings.waitingForModel;
      case "running":
        return run.sentences > 1
          ? strings.progress(run.sentencesDone, run.sentences)
          : strings.translating;
      case "done": {
        const parts = [strings.done(run.sentences, run.milliseconds)];
        if (run.truncated > 0) {
          parts.push(strings.truncated(run.truncated));
        }
        return parts.join(" · ");
      }
      case "stopped":
        return strings.stopped;
      default:
        return "";
    }
  }

  /** @param {string} text */
  #say(text) {
    if (this.#status.textContent !== text) {
      this.#status.textContent = text;
    }
  }
}

/**
 * Code points, without making an array of them.
 *
 * @param {string} text
 */
function countCharacters(text) {
  let count = 0;
  for (const _ of text) {
    count += 1;
  }
  return count;
}
