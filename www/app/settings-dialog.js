/**
 * @import { Engine } from "./engine.js"
 * @import { Settings } from "./settings.js"
 */

import { button, checkbox, find } from "./find.js";
import { strings } from "./i18n.js";
import { isPersisted, persist, storedBytes } from "./offline.js";
import { saveSettings } from "./settings.js";

/**
 * The last translation, in numbers.
 *
 * @typedef {{ sentences: number, characters: number, milliseconds: number }} Measured
 */

/** The dialog with everything that can be chosen. */
export class SettingsDialog {
  /** @type {Engine | undefined} */
  engine;
  /** @type {Measured | undefined} */
  measured;
  /** A choice was made. @type {(changed: keyof Settings) => void} */
  onchange = () => {};
  /** The model is to be removed. @type {() => Promise<void>} */
  onremove = async () => {};

  #settings;
  /** Each shows one choice. @type {(() => void)[]} */
  #choices = [];
  #dialog = /** @type {HTMLDialogElement} */ (find("settings"));

  /** @param {Settings} settings is changed by what the person chooses */
  constructor(settings) {
    this.#settings = settings;
    button("open-settings").addEventListener("click", () => {
      this.refresh();
      this.#dialog.showModal();
    });
    this.#select("theme", "theme");
    this.#select("language", "language");
    this.#switch("join-lines", "joinLines");
    this.#switch("use-glossary", "useGlossary");
    this.#switch("keep-text", "keepText");
    this.#switch("keep-history", "keepHistory");
    button("persist").addEventListener("click", async () => {
      this.#showPersisted(await persist());
    });
    button("remove-model").addEventListener("click", async () => {
      await this.onremove();
      await this.refresh();
    });
  }

  /** Shows the choices, and what is stored and measured now. */
  async refresh() {
    this.#choices.forEach((show) => show());
    const { engine, measured } = this;
    const rate = measured && measured.sentences / (measured.milliseconds / 1000);
    find("speed").textContent =
      measured && rate !== undefined
        ? strings.speed(rate, measured.characters / (measured.milliseconds / 1000))
        : strings.notMeasured;
    find("memory").textContent =
      engine && engine.memoryBytes > 0 ? strings.memory(engine.memoryBytes) : "";
    const [used, model] = await Promise.all([storedBytes(), engine?.storedModelBytes() ?? 0]);
    find("stored").textContent = used === undefined ? strings.storageUnknown : strings.stored(used, model);
    button("remove-model").disabled = model === 0;
    this.#showPersisted(await isPersisted());
  }

  /** @param {boolean} isKept */
  #showPersisted(isKept) {
    find("persisted").textContent = isKept ? strings.storageKept : strings.storageNotKept;
    button("persist").hidden = isKept || !navigator.storage?.persist;
  }

  /**
   * @param {string} id
   * @param {"theme" | "language"} key
   */
  #select(id, key) {
    const element = /** @type {HTMLSelectElement} */ (find(id));
    this.#show(() => (element.value = this.#settings[key]));
    element.addEventListener("change", () => {
      Object.assign(this.#settings, { [key]: element.value });
      this.#changed(key);
    });
  }

  /**
   * @param {string} id
   * @param {"joinLines" | "useGlossary" | "keepText" | "keepHistory"} key
   */
  #switch(id, key) {
    const element = checkbox(id);
    this.#show(() => (element.checked = this.#settings[key]));
    element.addEventListener("change", () => {
      this.#settings[key] = element.checked;
      this.#changed(key);
    });
  }

  /** @param {() => void} show now and whenever it may have changed */
  #show(show) {
    this.#choices.push(show);
    show();
  }

  /** @param {keyof Settings} key */
  #changed(key) {
    saveSettings(this.#settings);
    this.onchange(key);
  }
}
