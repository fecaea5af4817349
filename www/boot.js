// Fetches the engine, starts the page in the reader's language and with the session of its link, speaks with the page
// around a frame, says in plain words why when something does not come, and starts the engine anew when it fails. It needs nothing. Beside it the page has
// guard.js, which stands before it, and the engine's own script.
(() => {
  "use strict";

  if (document.documentElement.hasAttribute("data-old")) return; // see guard.js

  /** A reason that the reader is told: one of the sentences in #banner. */
  class Failure extends Error {
    constructor(kind, cause) {
      super(kind, { cause });
      this.kind = kind;
    }
  }

  const byId = (id) => document.getElementById(id);
  const [CLOSE, RETRY] = ["banner-close", "retry"];

  /** What the address asks for: `embed`, `lang`, `theme`, `view`. */
  const query = new URLSearchParams(location.search);
  const root = document.documentElement;
  // Before anything is seen.
  if (query.has("embed")) root.dataset.embed = "";
  if (query.get("view") === "stage") root.dataset.bare = "";
  else if (/^(console|explorer|snippets|why)$/.test(query.get("view"))) root.dataset.panel = query.get("view");
  if (["light", "dark"].includes(query.get("theme"))) root.dataset.theme = query.get("theme");

  /** Shows one of the sentences in #banner, and these of its buttons. What helps up a fallen engine is not written over. */
  function say(kind, ...buttons) {
    const banner = byId("banner");
    if (fault !== undefined && buttons[0] === CLOSE) return;
    for (const sentence of banner.querySelectorAll("[data-failure]")) sentence.hidden = sentence.dataset.failure !== kind;
    for (const button of banner.querySelectorAll("button")) button.hidden = !buttons.includes(button.id);
    byId("fault").textContent = kind === "panic" ? fault : "";
    banner.dataset.kind = kind;
    banner.hidden = false;
    if (buttons[0] === RETRY) tell({ event: "failed", message: document.querySelector(`[data-failure="${kind}"]`)?.textContent });
  }

  // ---- The page around a frame ----

  const framed = query.has("embed") && parent !== self;

  /** Tells the host page, whoever that is: nothing that it may not know. */
  function tell(message) {
    if (framed) parent.postMessage(JSON.stringify({ hotkv: 1, ...message }), "*");
  }

  /** What the frame must have to show all of it. */
  const tellSize = () =>
    tell({ event: "size", height: Math.ceil(document.body.getBoundingClientRect().height), width: root.clientWidth, panel: root.dataset.panel });

  function listenToHost() {
    addEventListener("message", ({ source, data }) => {
      if (source !== parent || typeof data !== "string" || !data.startsWith('{"hotkv":')) return;
      // The language is the page's business, all else the engine's, errors too; see src/app/host.rs.
      let lang, id;
      try { ({ lang, id } = JSON.parse(data)); } catch { /* as said */ }
      const wanted = typeof lang === "string" ? fitting(lang) : undefined;
      if (wanted !== undefined && wanted !== language.wanted) speak(wanted);
      ask("host", data);
      if (!engine) tell({ event: "error", id, message: fault });
      requestAnimationFrame(tellSize);
    });
    new ResizeObserver(tellSize).observe(document.body);
    tell({ event: "ready" });
  }

  // ---- Links: see src/app/share.rs ----

  const MAX_LINK = 64 * 1024; // characters
  const MAX_TEXT = 128 * 1024; // bytes that may come out of it

  /** A text, deflated and as base64url. */
  async function pack(text) {
    const stream = new Blob([text]).stream().pipeThrough(new CompressionStream("deflate-raw"));
    const bytes = new Uint8Array(await new Response(stream).arrayBuffer());
    return btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join("")).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
  }

  /** The text again. A small link can hold a huge one: reading ends where it is longer than any session. */
  async function unpack(packed) {
    const bytes = Uint8Array.from(atob(packed.replaceAll("-", "+").replaceAll("_", "/")), (char) => char.charCodeAt(0));
    const reader = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate-raw")).getReader();
    const parts = [];
    for (let length = 0; ;) {
      const { done, value } = await reader.read();
      if (done) return new Blob(parts).text();
      length += value.length;
      if (length > MAX_TEXT) {
        reader.cancel().catch(() => {});
        throw new Failure("link-long");
      }
      parts.push(value);
    }
  }

  /** What follows the `#` of the address, and the text in it. One that cannot be read is said, and goes for nothing. */
  async function readLink() {
    const link = location.hash.slice(1);
    const packed = new URLSearchParams(link).get("z");
    try {
      if (packed === null) return { link };
      if (link.length > MAX_LINK) throw new Failure("link-long");
      return { link, text: await unpack(packed) };
    } catch (error) {
      return { link: "", refused: error.kind ?? "link-damaged" };
    }
  }

  // ---- The engine ----

  // Hosts of single-page apps answer with a page where a file is missing.
  const PAGE = "text/html";
  const typeOf = (response) => (response.headers.get("content-type") ?? "").split(";")[0].trim();

  /** The engine's bytes, as a response that can be compiled while it arrives. */
  async function fetchEngine(url) {
    const response = await fetch(url).catch((cause) => { throw new Failure("download", cause); });
    if (!response.ok) throw new Failure("download", new Error(`${url}: status ${response.status}`));
    const type = typeOf(response);
    if (type === PAGE) throw new Failure("page", new Error(`${url} came as ${type}`));
    if (type === "application/wasm") return response;
    const bytes = await response.arrayBuffer().catch((cause) => { throw new Failure("download", cause); });
    const start = String.fromCharCode(...new Uint8Array(bytes, 0, Math.min(4, bytes.byteLength)));
    if (start !== "\0asm") throw new Failure(start.startsWith("<") ? "page" : "broken", new Error(`${url} came as ${type}`));
    // Browsers compile while it arrives only under the right type; whoever runs the server should know.
    say("mime", CLOSE);
    return bytes;
  }

  /** The engine's JavaScript. A browser does not say why a module did not come; so it is asked for once more when it fails. */
  async function importEngine(url) {
    try {
      return await import(url);
    } catch (cause) {
      const response = await fetch(url).catch(() => undefined);
      throw new Failure(response?.ok && typeOf(response) === PAGE ? "page" : "download", cause);
    }
  }

  let compiled; // the engine's code, a promise; once it is there, another engine needs no network for it
  let instances = 0;

  /** An engine of its own: its script is the same file each time, but every address of it has a memory of its own. */
  async function loadEngine() {
    if (typeof WebAssembly !== "object") throw new Failure("no-wasm");
    const { href, dataset } = byId("engine");
    compiled ??= fetchEngine(new URL(dataset.wasm, document.baseURI)).then((came) =>
      came instanceof Response ? WebAssembly.compileStreaming(came) : WebAssembly.compile(came));
    try {
      const script = importEngine(instances ? `${href}#${instances}` : href);
      instances += 1;
      const [module, code] = await Promise.all([script, compiled]);
      module.restFrom?.(restAtOnce);
      await module.default({ module_or_path: code });
      if (isKept()) await fetchRest();
      if (rest) module.linkRest(rest);
      return module;
    } catch (cause) {
      const broken = cause instanceof WebAssembly.CompileError || cause instanceof WebAssembly.LinkError;
      throw cause instanceof Failure ? cause : new Failure(broken ? "broken" : "download", cause);
    }
  }

  // A release has its engine in two files: what the first commands need comes first; see scripts/split.mjs.

  const AFTER_START_MS = 3000; // how long the page stands before it gets the other one by itself
  let rest; // the code of that one, once it is there
  let coming; // a promise of it
  let missing = false; // whether the engine fell for want of it
  const restAddress = () => new URL(byId("engine").dataset.rest, document.baseURI);

  /** Whether a service worker has all files. Browsers do not ask it for what must be there at once, so that is got before. */
  function isKept() {
    try { return Boolean(navigator.serviceWorker?.controller); } catch { return false; } // a sandbox
  }

  /** The engine called something of the rest, and waits: it is fetched while everything else waits too. */
  function restAtOnce() {
    for (let tries = 2; !rest; ) {
      try {
        const request = new XMLHttpRequest();
        request.open("GET", restAddress(), false);
        request.overrideMimeType("text/plain; charset=x-user-defined"); // a byte a character
        request.send();
        rest = new WebAssembly.Module(Uint8Array.from(request.response, (char) => char.charCodeAt(0)));
        byId("engine").dataset.whole = "";
      } catch (error) {
        tries -= 1;
        if (tries > 0) continue;
        missing = true;
        throw new WebAssembly.RuntimeError(`the rest of the engine did not come: ${error.message}`);
      }
    }
    return rest;
  }

  /** Gets it before it is called. Answers whether it is there. */
  const fetchRest = () => coming ??= getRest().then((there) => {
    if (!there) coming = undefined;
    return there;
  });

  async function getRest() {
    if (rest || !("rest" in byId("engine").dataset)) return true;
    const response = await fetch(restAddress()).catch(() => undefined);
    if (!response?.ok) return false;
    // It is read to its end even when a call fetched it meanwhile: else the request would stand for ever.
    const there = await response.arrayBuffer().then(WebAssembly.compile).catch(() => undefined);
    rest ??= there;
    if (!rest) return false;
    engine?.linkRest(rest);
    byId("engine").dataset.whole = "";
    return true;
  }

  /** What does without it; so do keys, and lines that are sent. */
  const AT_ONCE = ".transport, #scrubber, .pin, #steps, .panel-tabs, #zoom-fit, #console-clear, #console-form, #client, #add-worker, #language";

  /** What a control does waits for it, rather than everything: nobody knows how long it takes, or whether it comes at all. */
  const patient = (call) => (event) => {
    const { type, target } = event;
    const control = type === "click" ? target.closest?.("button") : type === "change" && target;
    // Words that are offered while somebody types do not ask for it, but wait when it is on its way.
    const later = control ? !control.closest(AT_ONCE) : coming && target.id !== "scrubber" && /^(input|keyup|click)$/.test(type);
    if (rest || !later || !("rest" in byId("engine").dataset)) return call(event);
    const { value, checked } = target;
    if (control) control.ariaBusy = "true";
    fetchRest().finally(() => {
      if (control) control.ariaBusy = null;
      // What is drawn meanwhile shows what was chosen before.
      if (type === "change") Object.assign(target, { value, checked });
      call(event);
    });
  };

  // ---- The life of an engine, and the end of it ----

  let engine; // while one runs
  let life; // its AbortController: by what it is lent alone the browser calls it, and that ends with it
  let fault; // what the last one died of
  let stood = false; // whether it came to show its session
  let waits; // what is disabled as long as none runs
  let kept = {}; // the session as it was shown last, outside of the engine

  /** What is thrown out of the engine but for its own errors: a panic as a text, traps, no more stack. */
  const isFault = (error) =>
    typeof error === "string" || error instanceof WebAssembly.RuntimeError || /^(RangeError|InternalError)$/.test(error?.name);

  /** The engine has failed: it is left alone from now on, and the reader may take the session along, or go on with it. */
  function fall(error) {
    console.error(error);
    life.abort();
    engine = undefined;
    for (const control of waits) control.disabled = true;
    fault = error.message ?? error;
    say(missing ? "download" : "panic", ...ways());
    const told = missing ? document.querySelector("[data-failure=download]").textContent : fault;
    tell({ event: stood ? "error" : "failed", message: told });
  }

  /** How to go on: from where it stood, or elsewhere where the session is what kills it. */
  const ways = () => [...(kept.transcript === undefined ? [] : ["copy-transcript"]), stood || missing ? "restart" : "restart-first"];

  /** Asks the engine for something. */
  function ask(what, ...words) {
    try {
      return engine?.[what](...words);
    } catch (error) {
      if (!isFault(error)) throw error;
      fall(error);
    }
  }

  /** What an engine is lent; see src/web/dom.rs. */
  function lend({ signal }) {
    const guarded = (call) => (value) => {
      if (signal.aborted) return;
      try {
        call(value);
      } catch (error) {
        if (!signal.aborted) fall(error);
      }
    };
    return {
      listen: (target, name, call) => target.addEventListener(name, patient(guarded(call)), { signal }),
      frame: (call) => requestAnimationFrame(guarded(call)),
      when: (promise, done, failed) => promise.then(guarded(done), guarded(failed)),
      pack,
      keep: (place, link, text, transcript) => {
        if (signal.aborted) return; // a call that another one failed within
        stood = true;
        unread = undefined; // from here on this one counts
        kept = link === undefined ? { ...kept, place } : { place, link, text, transcript };
      },
    };
  }

  /** Lets the browser do something else. A tab that nobody sees would be kept waiting for long. */
  const pause = () => document.hidden ? undefined : new Promise((done) => { setTimeout(done); });

  /** Puts a session into the page, by an engine that was loaded for it. */
  async function begin(module, { link, place = "", text, own = false, refused }) {
    await pause();
    // Until it is shown: so much can be copied at least.
    kept = { link, place, text, transcript: kept.transcript ?? text };
    life?.abort(); // of two that were asked for the last one counts
    const mine = life = new AbortController();
    [engine, fault, stood] = [module, undefined, false];
    const [theme, view] = ["theme", "view"].map((name) => query.get(name) ?? undefined);
    const unknown = ask("mount", link + place, text, own, theme, view, framed, lend(life));
    if (language.texts !== undefined) ask("speak", language.texts);
    do await pause(); while (mine === life && ask("build"));
    if (mine === life && (refused ?? unknown)) say(refused ?? unknown, CLOSE);
  }

  /** Another engine in place of the one that failed, without a new page. */
  async function restart(session) {
    byId("banner").hidden = true;
    if (missing && !(await fetchRest())) return say("download", ...ways());
    missing = false;
    try {
      await begin(await loadEngine(), session);
      byId("stage").focus();
    } catch (error) {
      give(error, ...ways());
    }
  }

  /** Says why there is no engine. */
  function give(error, ...buttons) {
    console.error(error.cause ?? error);
    root.dataset.waits = "";
    say(error.kind ?? "broken", RETRY, ...buttons);
  }

  // ---- What a tab comes back to when it is loaded anew, or by Back: the session as it was left ----

  const LEFT = "hotkv.left";

  let unread; // what was left and has not been shown yet

  function leave() {
    ask("keep");
    if (query.has("embed")) return; // a page around this one says itself what is shown
    if (!(stood || missing)) {
      // Left again before it came to that. What the engine fell of is not met again.
      try { if (unread !== undefined && fault === undefined) sessionStorage.setItem(LEFT, unread); } catch { /* as said */ }
      return;
    }
    const { transcript, ...session } = kept;
    // Storage may be denied or full; then the page opens as its address says.
    try { sessionStorage.setItem(LEFT, JSON.stringify({ at: location.href, session })); } catch { /* as said */ }
  }

  /** Nothing when the address was opened anew. What fails at the start is not met again. */
  function comeBack() {
    try {
      const text = sessionStorage.getItem(LEFT);
      const left = JSON.parse(text);
      sessionStorage.removeItem(LEFT);
      const [{ type }] = performance.getEntriesByType("navigation");
      if (query.has("embed") || left.at !== location.href || !/reload|back/.test(type)) return;
      unread = text;
      return { ...left.session, own: true };
    } catch { /* nothing was left, or may be */ }
  }

  // ---- The language: from the address, then the reader's choice, then the browser ----

  const KEPT = "hotkv.language";
  const WRITTEN_IN = "en"; // the language of the page's own text, which is built into the engine too
  const PATIENCE_MS = 3000; // how long the page waits for the texts of a language before it opens without them

  /** The texts of a language stand where attributes like these name them. */
  const PLACES = {
    text: { put: (element, text) => { element.textContent = text; }, get: (element) => element.textContent },
    head: { put: (element, text) => { element.textContent = text.split("\n")[0]; } },
    body: { put: (element, text) => { element.textContent = text.split("\n").at(-1); } },
    label: { put: (element, text) => element.setAttribute("aria-label", text), get: (element) => element.getAttribute("aria-label") },
    title: { put: (element, text) => { element.title = text; }, get: (element) => element.title },
    placeholder: { put: (element, text) => { element.placeholder = text; }, get: (element) => element.placeholder },
    content: { put: (element, text) => { element.content = text; }, get: (element) => element.content },
  };

  const language = {
    /** The one that was asked for last. */
    wanted: WRITTEN_IN,
    /** What the engine has not been told yet. */
    texts: undefined,
    /** The page's own words, by name: what a file leaves out is said in these. They are gathered when others come. */
    own: undefined,
  };

  /** The language of ours that fits a tag such as `pt` or `es-MX`. */
  function fitting(tag) {
    const ours = Array.from(byId("language").options, (option) => option.value);
    const plain = (name) => name.trim().replaceAll("_", "-").toLowerCase();
    const main = (name) => plain(name).split("-")[0];
    return ours.find((name) => plain(name) === plain(tag)) ?? ours.find((name) => main(name) === main(tag));
  }

  /** What is asked for in the address. */
  const asked = () => new URLSearchParams(location.search).getAll("lang").filter((tag) => tag.trim() !== "");

  /** The languages that the reader would have, the first one first. */
  function wishes() {
    let kept;
    try { kept = localStorage.getItem(KEPT); } catch { /* storage is denied */ }
    return [...asked(), kept, ...(navigator.languages ?? [])].filter(Boolean);
  }

  const chosenLanguage = () => wishes().map(fitting).find(Boolean) ?? WRITTEN_IN;

  /** The texts of a language, as JSON; none but the page's own for the language that it is written in. */
  async function fetchTexts(name) {
    if (name === WRITTEN_IN) return "{}";
    const response = await fetch(new URL(`locales/${name}.json`, document.baseURI));
    if (!response.ok) throw new Error(`${response.url}: status ${response.status}`);
    return response.text();
  }

  /** Everything in the page and its templates that has a text: calls back with the element, its place and the name. */
  function each(visit) {
    const roots = [document, ...Array.from(document.querySelectorAll("template"), (template) => template.content)];
    for (const root of roots) {
      for (const [kind, place] of Object.entries(PLACES)) {
        for (const element of root.querySelectorAll(`[data-${kind}]`)) visit(element, place, element.getAttribute(`data-${kind}`));
      }
    }
  }

  /** Puts the texts of a language into the page; what is not there stays, or comes back, in the page's own words. */
  function show(name, known) {
    if (language.own === undefined) {
      language.own = {};
      each((element, place, key) => { if (place.get) language.own[key] = place.get(element); });
    }
    each((element, place, key) => {
      const text = known[key] ?? language.own[key];
      if (text !== undefined) place.put(element, text);
    });
    document.documentElement.lang = name;
  }

  /** Tells the engine, and then the page, so that they never speak two languages. */
  function apply(name, texts) {
    const known = JSON.parse(texts);
    const whole = Object(known) === known && !Array.isArray(known) && Object.values(known).every((text) => typeof text === "string" && text.isWellFormed());
    if (!whole) throw new Error(`the texts of ${name} are no flat object of texts`);
    ask("speak", known);
    language.texts = known;
    show(name, known);
  }

  /** Changes the language. What was asked for later counts; on failure the page stays as it is. */
  async function speak(name) {
    language.wanted = name;
    byId("language").value = name;
    if (name === WRITTEN_IN && language.own === undefined) return true; // it stands there
    try {
      const texts = await fetchTexts(name);
      if (language.wanted !== name) return false;
      apply(name, texts);
      if (byId("banner").dataset.kind === "language") byId("banner").hidden = true;
      return true;
    } catch (error) {
      console.error(error);
      if (language.wanted === name) refuse();
      return false;
    }
  }

  function refuse() {
    language.wanted = document.documentElement.lang;
    byId("language").value = language.wanted;
    say("language", CLOSE);
  }

  /** Keeps what the reader chose. */
  function keep(name) {
    // Storage may be denied; then the choice holds for this visit.
    try { localStorage.setItem(KEPT, name); } catch { /* as said */ }
    if (asked().length === 0) return;
    const address = new URL(location.href);
    address.searchParams.set("lang", name);
    history.replaceState(history.state, "", address);
  }

  // ---- Without a network ----

  /** Keeps the page for when there is none; only a release has the worker. A page around this one has not asked for it. */
  async function keepPage() {
    if (!("worker" in byId("engine").dataset) || top !== window) return;
    try {
      const source = () => new URL("sw.js", document.baseURI).href;
      const address = window.trustedTypes?.createPolicy("hotkv-worker", { createScriptURL: source }).createScriptURL("") ?? source();
      await navigator.serviceWorker?.register(address, { updateViaCache: "none" });
    } catch {
      // Denied, or the files did not all come: the page needs a network then, as any page does.
    }
  }

  // ---- The start ----

  const UNSEEN_MS = 500; // how long the page waits for being seen: a frame out of sight may never be

  /** Once the page is seen as it came, which is worth more early than what the engine makes of it. */
  const seen = () => new Promise((done) => {
    if (document.hidden) return done();
    requestAnimationFrame(() => setTimeout(done));
    setTimeout(done, UNSEEN_MS);
  });

  /** Goes to the session of a link that is followed in the open page. */
  async function follow({ oldURL } = {}) {
    const session = await readLink();
    // Back from a link to where there was none: to the session that an address without one has.
    if (isLink(oldURL) && !location.hash) session.link = `v=1&s=${document.querySelector("[selected]").value}`;
    if (!engine) return restart(session);
    const failed = session.refused ?? ask("open", session.link, session.text);
    if (failed) say(failed, CLOSE);
    else if (byId("banner").dataset.kind?.startsWith("link-")) byId("banner").hidden = true;
  }

  /** Whether an address names a session, as far as can be told before the engine is there. */
  const isLink = (address) => /#(.*&)?[vsz]=/.test(address);

  // The page stands there in its own language, with its first session. What is to become another is not shown before, so that
  // nothing moves from where somebody reads it.
  const SOON_MS = 1000; // how long the page waits for its texts unseen
  const left = comeBack();
  const next = left || isLink(location) ? "session" : "";
  root.dataset.waits = /^en\b/i.test(wishes()[0] ?? WRITTEN_IN) ? next : "texts";

  async function start() {
    waits = document.querySelectorAll("main [disabled], header [disabled]");
    byId("language").addEventListener("change", ({ currentTarget: { value } }) => {
      speak(value).then((spoken) => { if (spoken) keep(value); });
    });
    if (asked().length > 0 && asked().every((tag) => fitting(tag) === undefined)) say("no-language", CLOSE);
    const texts = speak(chosenLanguage());
    const reveal = () => { if (root.dataset.waits === "texts") root.dataset.waits = next; };
    texts.then(reveal);
    setTimeout(reveal, SOON_MS);
    addEventListener("pagehide", leave);
    document.addEventListener("visibilitychange", () => { if (document.hidden) leave(); });
    const { hash } = location;
    const session = left ?? readLink();
    const [loading, shown] = [loadEngine(), seen()];
    // What a page around this one asks for, a link or a panel needs it first.
    const needed = framed || hash.length > 1 || query.has("view");
    if (needed) fetchRest();
    // Texts that come in time are there when the page opens; others come to the open page.
    await Promise.allSettled([loading, Promise.race([texts, new Promise((late) => setTimeout(late, PATIENCE_MS))])]);
    const module = await loading;
    await shown;
    const first = await session;
    if (needed || first.own) await fetchRest(); // a session that was edited needs more
    await begin(module, first);
    root.dataset.waits = "";
    byId("skip").hidden = false;
    addEventListener("hashchange", follow);
    if (location.hash !== hash) await follow(); // somebody was faster
    // Who takes hold of something may need the rest of the engine, and the programs are in it; else it comes by itself.
    for (const name of ["pointerover", "pointerdown"]) {
      addEventListener(name, ({ target }) => { if (target.closest?.("button, select, summary, a") && !target.closest("#console")) fetchRest(); }, { passive: true });
    }
    setTimeout(fetchRest, AFTER_START_MS);
    new IntersectionObserver(async ([{ isIntersecting, target }], observer) => {
      if (!isIntersecting || !(await fetchRest())) return;
      observer.disconnect();
      target.dataset.seen = "";
      dispatchEvent(new Event("resize")); // a frame
    }, { rootMargin: "200px" }).observe(byId("snippets"));
    if (framed) listenToHost();
  }

  addEventListener("DOMContentLoaded", () => {
    tell({ event: "hello" });
    byId(RETRY).addEventListener("click", () => location.reload());
    byId(CLOSE).addEventListener("click", () => { byId("banner").hidden = true; });
    byId("restart").addEventListener("click", () => restart({ ...kept, own: true }));
    byId("restart-first").addEventListener("click", () => {
      // Nor does loading the page again lead back to it.
      history.replaceState(history.state, "", location.pathname + location.search);
      restart({ link: "" });
    });
    byId("copy-transcript").addEventListener("click", () => {
      // Without a secure address there is no clipboard; then the text is shown, to be copied by hand.
      Promise.resolve(navigator.clipboard?.writeText(kept.transcript) ?? Promise.reject()).catch(() => {
        const text = byId("by-hand-text");
        text.value = kept.transcript;
        byId("by-hand").showModal();
        text.select();
      });
    });
    start().then(keepPage, (error) => give(error));
  });
})();
