/**
 * An element of the page by its id; the page has all that are asked for.
 *
 * @template {HTMLElement} [E=HTMLElement]
 * @param {string} id
 */
export const find = (id) => /** @type {E} */ (document.getElementById(id));

/** @param {string} id */
export const button = (id) => /** @type {HTMLButtonElement} */ (find(id));

/** @param {string} id */
export const checkbox = (id) => /** @type {HTMLInputElement} */ (find(id));
