/**
 * What the page keeps in the browser: itself, by the service worker, and the model.
 *
 * @import { Notices } from "./notices.js"
 */

import { strings } from "./i18n.js";

/** A page that stays open looks for a new version this often. */
const UPDATE_INTERVAL_MS = 3_600_000;

/**
 * Lets the service worker keep the page, and tells when a new version of it is there. Returns
 * whether the page is kept.
 *
 * @param {Notices} notices
 * @returns {Promise<boolean>}
 */
export async function keepPage(notices) {
  const container = navigator.serviceWorker;
  if (!container) {
    return false;
  }
  try {
    const registration = await container.register("sw.js");
    watch(registration, notices);
    setInterval(() => registration.update().catch(() => {}), UPDATE_INTERVAL_MS);
    return await isInstalled(registration);
  } catch {
    return false;
  }
}

/**
 * Tells when a new version waits. The first one takes its place by itself; a later one only when
 * the person says so.
 *
 * @param {ServiceWorkerRegistration} registration
 * @param {Notices} notices
 */
function watch(registration, notices) {
  const container = navigator.serviceWorker;
  const announce = () => {
    const { waiting } = registration;
    if (waiting && container.controller) {
      notices.show("version", strings.newVersion, {
        label: strings.reload,
        run: () => {
          container.addEventListener("controllerchange", () => location.reload(), { once: true });
          waiting.postMessage({ type: "activate" });
        },
      });
    }
  };
  registration.addEventListener("updatefound", () => {
    registration.installing?.addEventListener("statechange", announce);
  });
  announce();
}

/**
 * Whether a version of the page is kept, once that is known.
 *
 * @param {ServiceWorkerRegistration} registration
 */
async function isInstalled({ active, waiting, installing }) {
  if (active || waiting || !installing) {
    return Boolean(active || waiting);
  }
  return new Promise((resolve) => {
    installing.addEventListener("statechange", () => {
      if (installing.state !== "installing") {
        resolve(installing.state !== "redundant");
      }
    });
  });
}

/** How much is stored; undefined where the browser does not say. */
export async function storedBytes() {
  const estimate = await navigator.storage?.estimate?.().catch(() => undefined);
  return estimate?.usage;
}

/** Whether the browser has promised to keep what is stored. */
export async function isPersisted() {
  return (await navigator.storage?.persisted?.().catch(() => false)) ?? false;
}

/** Asks the browser to keep what is stored: it may ask the person. */
export async function persist() {
  return (await navigator.storage?.persist?.().catch(() => false)) ?? false;
}
