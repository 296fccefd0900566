/**
 * The service worker: keeps the whole site but the models, so that the page opens offline. The
 * models are kept by the library, which can go on with a broken download.
 *
 * Every version of the site has a cache of its own, which is filled and checked against the
 * manifest before it takes the place of the one before. A page never sees files of two versions:
 * a new one waits until the person has the page reloaded, or has closed it.
 */

/* The site's version, written here when the site is built. */
const VERSION = "0000000000000000";
const CACHE_PREFIX = "csanmt-site-";
const CACHE = CACHE_PREFIX + VERSION;
/** Caches of this name were made by early versions. */
const EARLY_CACHE = /^csanmt-[0-9a-f]{16}$/;

/** The open cache of this version. @type {Promise<Cache> | undefined} */
let opened;

/** @type {ServiceWorkerGlobalScope} */
const worker = /** @type {any} */ (self);

worker.addEventListener("install", (event) => {
  event.waitUntil(install());
});

worker.addEventListener("activate", (event) => {
  event.waitUntil(activate());
});

worker.addEventListener("message", (event) => {
  if (event.data?.type === "activate") {
    worker.skipWaiting();
  }
});

worker.addEventListener("fetch", (event) => {
  const { method, url } = event.request;
  const isOurs = method === "GET" && url.startsWith(worker.registration.scope);
  if (isOurs && !event.request.headers.has("Range")) {
    event.respondWith(answer(event.request));
  }
});

async function install() {
  const manifestResponse = await fetch("manifest.json", { cache: "no-cache" });
  /** @type {{ version: string, files: Record<string, { bytes: number, sha256: string }> }} */
  const manifest = await manifestResponse.clone().json();
  if (manifest.version !== VERSION) {
    throw new Error(`the site is of version ${manifest.version}, this worker of ${VERSION}`);
  }
  const cache = await caches.open(CACHE);
  try {
    for (const [path, { sha256 }] of Object.entries(manifest.files)) {
      if (!path.startsWith("models/") && !(await cache.match(path))) {
        await cache.put(path, await fetchChecked(path, sha256));
      }
    }
    await cache.put("manifest.json", manifestResponse);
  } catch (error) {
    await caches.delete(CACHE);
    throw error;
  }
  if (!worker.registration.active) {
    await worker.skipWaiting();
  }
}

/**
 * Takes the file from the browser's cache, or from the network when that copy is not the right one.
 *
 * @param {string} path
 * @param {string} sha256
 */
async function fetchChecked(path, sha256) {
  for (const cache of /** @type {RequestCache[]} */ (["default", "reload"])) {
    const response = await fetch(path, { cache });
    const body = await response.arrayBuffer();
    if (response.ok && (await hex(body)) === sha256) {
      // The body is decoded: of the headers only the type still holds.
      const type = response.headers.get("Content-Type") ?? "application/octet-stream";
      return new Response(body, { headers: { "Content-Type": type } });
    }
  }
  throw new Error(`${path} is not what the manifest says`);
}

/** @param {ArrayBuffer} content */
async function hex(content) {
  const hash = new Uint8Array(await crypto.subtle.digest("SHA-256", content));
  return Array.from(hash, (byte) => byte.toString(16).padStart(2, "0")).join("");
}

async function activate() {
  const names = await caches.keys();
  const isOld = (/** @type {string} */ name) =>
    (name.startsWith(CACHE_PREFIX) && name !== CACHE) || EARLY_CACHE.test(name);
  await Promise.all(names.filter(isOld).map((name) => caches.delete(name)));
  await worker.clients.claim();
}

/** @param {Request} request */
async function answer(request) {
  // A cache that cannot be read is as good as none.
  return (await kept(request).catch(() => undefined)) ?? fetch(request);
}

/** @param {Request} request */
async function kept(request) {
  const cache = await (opened ??= caches.open(CACHE));
  const path = new URL(request.url).pathname;
  return cache.match(path.endsWith("/") ? `${path}index.html` : path);
}
