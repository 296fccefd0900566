/** Numbers as the page writes them. */

/** @param {number} milliseconds */
export const seconds = (milliseconds) => (milliseconds / 1000).toFixed(milliseconds < 9950 ? 2 : 1);

/** @param {number} bytes */
export const megabytes = (bytes) => (bytes / 1e6).toFixed(1);
