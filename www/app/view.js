/**
 * @import { LoadProgress } from "./lib/types.d.ts"
 * @import { Notices } from "./notices.js"
 * @import { Session } from "./session.js"
 */

import { button, checkbox, find } from "./find.js";
import { strings } from "./i18n.js";
import { Output } from "./output.js";

/** How long a button says that it has done something. */
const FEEDBACK_MS = 2000;

/** The two panes and their controls: shows a session, knows no rules. */
export class View {
  target = find("target");
  output = new Output(this.target);
  auto = checkbox("auto");
  translate = button("translate");
  stop = button("stop");
  clear = button("clear");
  copy = button("copy");
  download = button("download");
  share = button("share");
  swap = button("swap");
  /** Called when the session has been shown. @type {() => void} */
  onshown = () => {};

  #notices;
  #status = find("status");
  #count = find("count");
  #loading = find("loading");
  #loadingLabel = find("loading-label");
  #loadingBar = /** @type {HTMLProgressElement} */ (find("loading-bar"));
  /** The text whose characters are shown as counted. @type {string | undefined} */
  #counted;
  #frame = 0;
  #ready = false;
  /** @type {Session | undefined} */
  #session;

  /** @param {Notices} notices */
  constructor(notices) {
    this.#notices = notices;
  }

  /**
   * Shows the session with the next frame, however often it changes before.
   *
   * @param {Session} session
   */
  update(session) {
    this.#session = session;
    this.#frame ||= requestAnimationFrame(() => {
      this.#frame = 0;
      this.#show(session);
    });
  }

  /** The language has changed. */
  refresh() {
    this.#counted = undefined;
    if (this.#session) {
      this.update(this.#session);
    }
  }

  /** @param {LoadProgress} progress */
  showLoading({ loaded, total }) {
    this.#loadingLabel.textContent = strings.loading(loaded, total);
    if (total === undefined) {
      this.#loadingBar.removeAttribute("value");
    } else {
      this.#loadingBar.value = loaded / total;
    }
  }

  showReady() {
    this.#ready = true;
    this.#loading.hidden = true;
    this.#sayIfIdle(strings.readyOnce);
  }

  /** @param {boolean} isKept whether the page will open offline */
  showKept(isKept) {
    this.#sayIfIdle(isKept ? strings.ready : strings.readyOnce);
  }

  /** @param {string} text */
  #sayIfIdle(text) {
    if (["", strings.waitingForModel, strings.readyOnce].includes(this.#status.textContent ?? "")) {
      this.say(text);
    }
  }

  /** @param {string} message */
  showLoadFailure(message) {
    this.#loading.hidden = true;
    this.#notices.fail(strings.loadFailed(message), true);
  }

  /** Loading begins again. */
  showLoadingAgain() {
    this.#loading.hidden = false;
    this.#loadingLabel.textContent = strings.preparing;
    this.#loadingBar.removeAttribute("value");
    this.#notices.recover();
  }

  /**
   * A button says for a moment that it has done what it is for.
   *
   * @param {HTMLButtonElement} element with a label inside
   * @param {string} done
   */
  confirm(element, done) {
    const label = /** @type {HTMLElement} */ (element.querySelector("span"));
    const usual = label.dataset.text ?? "";
    element.classList.add("is-done");
    label.textContent = done;
    this.say(done);
    setTimeout(() => {
      element.classList.remove("is-done");
      label.textContent = String(strings[/** @type {keyof typeof strings} */ (usual)]);
    }, FEEDBACK_MS);
  }

  /** @param {string} text */
  say(text) {
    if (this.#status.textContent !== text) {
      this.#status.textContent = text;
    }
  }

  /** @param {Session} session */
  #show(session) {
    const { run, source, target, stale } = session;
    if (this.#counted !== source) {
      this.#counted = source;
      this.#count.textContent = strings.characters(countCharacters(source));
    }
    this.clear.disabled = source === "";
    this.copy.disabled = this.download.disabled = this.swap.disabled = target === "";
    this.share.disabled = source === "";
    this.translate.disabled = !session.hasText;

    this.output.show(target, stale);
    const busy = run.phase === "waiting" || run.phase === "running";
    this.target.setAttribute("aria-busy", String(busy));
    if (!busy && document.activeElement === this.stop) {
      this.target.focus();
    }
    this.stop.hidden = run.phase !== "running";
    if (run.phase === "failed") {
      this.#notices.fail(strings.failed(run.message));
    } else if (this.#ready) {
      this.#notices.recover();
    }
    this.say(this.#statusOf(session));
    this.onshown();
  }

  /** @param {Session} session */
  #statusOf({ run }) {
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
}

/**
 * Code points, without making an array of them.
 *
 * @param {string} text
 */
function countCharacters(text) {
  let count = 0;
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    // The second half of a character is not counted.
    count += code >= 0xdc00 && code < 0xe000 ? 0 : 1;
  }
  return count;
}
