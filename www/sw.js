// Keeps the page for readers without a network. It answers for the files of this version and for nothing else in its folder:
// the page from the network as long as there is one, files whose names have a hash from the cache.

// Written by scripts/worker.mjs: the version, and the files beside the page, which has no name.
const VERSION = "";
const FILES = [];

const MINE = `hotkv-playground ${registration.scope} `; // other folders of this origin may hold other copies
const CACHE = MINE + VERSION;
const hashed = (name) => /-[0-9a-f]{10,16}/.test(name);

/** The file of ours that a request asks for. */
function nameOf({ method, mode, url }) {
  const [address] = url.split(/[?#]/, 1);
  const name = address.startsWith(registration.scope) ? address.slice(registration.scope.length) : undefined;
  const page = name === "" || name === "index.html";
  if (method !== "GET" || page !== (mode === "navigate")) return undefined;
  return page ? "" : FILES.includes(name) ? name : undefined;
}

/** One file that is what its name says. */
async function fetchFile(name) {
  // The browser's own cache may still have what names without a hash stood for before.
  const answer = await fetch(registration.scope + name, { cache: hashed(name) ? "default" : "reload" });
  const [, ending = "html"] = name.split(".");
  const type = answer.headers.get("content-type") ?? "";
  if (answer.status === 200 && !answer.redirected && type.includes(ending === "js" ? "javascript" : ending)) return answer;
  throw new Error(`${name}: ${answer.status} ${type}`);
}

/** Keeps all files, or none when one does not come. */
async function install() {
  try {
    const page = await fetchFile("");
    const text = await page.clone().text();
    // A page of another version names other files.
    const missing = FILES.filter((name) => hashed(name) && !text.includes(name));
    if (missing.length > 0) throw new Error(`the page does not name ${missing}`);
    const cache = await caches.open(CACHE);
    await cache.put(registration.scope, page);
    await Promise.all(FILES.map(async (name) => cache.put(registration.scope + name, await fetchFile(name))));
  } catch (error) {
    await caches.delete(CACHE);
    throw error;
  }
  await skipWaiting();
}

async function activate() {
  for (const name of await caches.keys()) if (name.startsWith(MINE) && name !== CACHE) await caches.delete(name);
  await clients.claim();
}

async function answer(name, request) {
  const kept = () => caches.match(registration.scope + name, { cacheName: CACHE });
  if (hashed(name)) return (await kept()) ?? fetch(request);
  try {
    const came = await fetch(request);
    return came.status < 500 ? came : (await kept()) ?? came;
  } catch (error) {
    const there = await kept();
    if (there) return there;
    throw error;
  }
}

addEventListener("install", (event) => event.waitUntil(install()));
addEventListener("activate", (event) => event.waitUntil(activate()));
addEventListener("fetch", (event) => {
  const name = nameOf(event.request);
  if (name !== undefined) event.respondWith(answer(name, event.request));
});
