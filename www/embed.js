// <hotkv-play>: a session of the HotKV Lock Playground inside a page of somebody else's. One script, no dependency, no
// global but the element. The element shows the playground that lies beside this file in a frame:
//
//   <hotkv-play scenario="plain-del"></hotkv-play>       a session of the gallery
//   <hotkv-play><pre>A> SET lock:x a NX</pre></hotkv-play>   a transcript; also right after a <pre>
//
// Until the frame is there, and whenever it cannot be, what the page itself has to show stays. README.md documents
// attributes, methods and events.
(() => {
  "use strict";
  if (customElements.get("hotkv-play")) return;

  // Where this file lies, so does the playground. A module knows no current script.
  const script = document.currentScript ?? document.querySelector('script[src*="embed"]');
  const base = new URL("./", script?.src || document.baseURI);

  const SAID = {
    en: { load: "Play this session", file: "The playground needs a web server; this page was opened as a file.", gone: "The playground did not load." },
    pt: { load: "Rodar esta sessão", file: "O playground precisa de um servidor web; esta página foi aberta como arquivo.", gone: "O playground não carregou." },
    es: { load: "Reproducir esta sesión", file: "El playground necesita un servidor web; esta página se abrió como archivo.", gone: "El playground no se cargó." },
  };

  // Made by script, so that no policy for styles stands against it.
  const sheet = new CSSStyleSheet();
  sheet.replaceSync(`
    :host { display: block !important; position: relative !important; margin-block: 1em }
    :host([hidden]) { display: none !important }
    iframe { display: block; width: 100%; max-width: 820px; border: 1px solid #858e96; border-radius: 3px; box-sizing: border-box }
    div:not(.live) iframe { position: absolute; inset: 0; opacity: 0; pointer-events: none }
    .live slot { display: none }
    button { font: inherit; padding: .5em 1em; cursor: pointer }
    p { margin: .5em 0; font-size: .875em }
  `);

  // Attributes that tell what is shown: a change opens it. Of those that tell how, a change is passed on.
  const SHOWN = ["scenario", "start-at", "seed"];
  const DRESS = ["lang", "theme", "view", "speed"];

  // The longest message that the playground reads, in characters of three bytes each.
  const LONGEST = 170_000;

  /** The text of a <pre>, with line breaks where it shows them, and without buttons. */
  function textOf(node) {
    if (node.nodeType === Node.TEXT_NODE) return node.data;
    if (node.nodeName === "BR") return "\n";
    return node.nodeName === "BUTTON" ? "" : Array.from(node.childNodes, textOf).join("");
  }

  /** Whether light text stands on dark ground there. */
  function isDark(element) {
    const { color } = getComputedStyle(element);
    const [a, b, c] = (color.match(/[\d.]+/g) ?? [0, 0, 0]).map(Number);
    if (/^(ok)?l/.test(color)) return a / (color[0] === "o" ? 1 : 100) > 0.5;
    return (3 * a + 6 * b + c) / (color.startsWith("rgb") ? 2550 : 10) > 0.5;
  }

  class HotkvPlay extends HTMLElement {
    static observedAttributes = [...SHOWN, ...DRESS];

    #box = document.createElement("div"); // all there is in the shadow; `live` once the playground is shown
    #slot = document.createElement("slot");
    #frame; // once loading has begun
    #stop; // ends all watching
    #beside; // what stood before the element and is shown by it now
    #anew = false; // whether the page in the frame was loaded again and is not open yet
    #calls = []; // messages for a playground that is not open yet
    #answers = new Map(); // by number, who waits for a reply
    #count = 0;
    #dress = "";
    #shown = ""; // the width and the panel that the height is for
    #why = ""; // why there is no playground, once that is known

    constructor() {
      super();
      const shadow = this.attachShadow({ mode: "open" });
      shadow.adoptedStyleSheets = [sheet];
      shadow.append(this.#box);
      this.#box.append(this.#slot);
    }

    get #isLive() { return this.#box.classList.contains("live"); }

    // ---- What a page may do with it ----

    play() { this.#call({ do: "play" }); }
    pause() { this.#call({ do: "pause" }); }
    reset() { this.#call({ do: "reset" }); }
    /** To a step, such as 3, or to an instant, such as "12s". */
    seek(at) { this.#call({ do: "seek", at: String(at) }); }
    /** So many steps on, or back. */
    step(by = 1) { this.#call({ do: "step", by: Math.trunc(by) }); }
    /** Sends a line as the console does; a promise of what it answers. */
    exec(line) {
      return new Promise((resolve, reject) => {
        if (this.#why) return reject(new Error(this.#why));
        const id = ++this.#count;
        this.#answers.set(id, { resolve, reject });
        this.#call({ do: "exec", id, line: String(line) });
      });
    }

    // ---- Its life in the page ----

    connectedCallback() {
      const { signal } = (this.#stop = new AbortController());
      this.#why = "";
      const begin = () => { if (this.isConnected && !signal.aborted) this.#begin(signal); };
      if (base.protocol !== "file:" && this.getAttribute("loading") !== "click") this.style.minHeight = `${this.#reserved()}px`;
      // While the page is parsed, what stands inside is not there yet.
      if (document.readyState === "loading") addEventListener("DOMContentLoaded", begin, { signal, once: true });
      else queueMicrotask(begin);
    }

    disconnectedCallback() {
      this.#close("the element is in no page");
    }

    attributeChangedCallback(name, before, now) {
      if (before === now) return;
      // What had failed may come now.
      if (this.#why && this.isConnected) this.connectedCallback();
      else if (this.#frame && SHOWN.includes(name)) this.#call(this.#opening());
      else if (this.#frame) this.#redress();
    }

    #begin(signal) {
      if (this.#frame) return; // whoever called a method right after putting it in did not wait
      this.#box.replaceChildren(this.#slot);
      if (base.protocol === "file:") return this.#fail(this.#said("file"));
      const load = () => this.#load(signal);
      const loading = this.getAttribute("loading");
      if (loading === "eager" || this.#calls.length > 0) return load();
      if (loading === "click") {
        const button = document.createElement("button");
        button.type = "button";
        button.part = "load";
        button.textContent = this.#said("load");
        button.addEventListener("click", load, { once: true });
        return this.#box.append(button);
      }
      const near = new IntersectionObserver((entries) => {
        if (!entries.some((entry) => entry.isIntersecting)) return;
        near.disconnect();
        load();
      }, { rootMargin: "400px" });
      near.observe(this);
      signal.addEventListener("abort", () => near.disconnect());
    }

    #load(signal) {
      if (this.#frame) return;
      const frame = (this.#frame = document.createElement("iframe"));
      const dress = this.#asked();
      this.#dress = JSON.stringify({ ...dress, speed: this.#speed() });
      const address = new URL("index.html", base);
      address.search = new URLSearchParams({ embed: "", ...dress });
      frame.src = address;
      frame.title = "HotKV Lock Playground";
      frame.allow = "clipboard-write";
      frame.referrerPolicy = "no-referrer";
      frame.setAttribute("scrolling", "no");
      frame.tabIndex = -1;
      frame.style.height = `${this.#reserved()}px`;
      // A greeting belongs to one load, and may come before it or after.
      let greeted = false;
      let late;
      addEventListener("message", ({ source, origin, data }) => {
        if (source !== frame.contentWindow || origin !== base.origin || typeof data !== "string") return;
        let told;
        try { told = JSON.parse(data); } catch { return; }
        if (told?.hotkv !== 1) return;
        if (told.event === "hello") {
          greeted = late === undefined;
          clearTimeout(late);
          late = undefined;
        }
        this.#hear(told);
      }, { signal });
      // A page that is not the playground, or none at all, loads without one.
      frame.addEventListener("load", () => {
        clearTimeout(late);
        late = greeted ? undefined : setTimeout(() => { if (!signal.aborted) this.#fail(this.#said("gone")); }, 2000);
        greeted = false;
      }, { signal });
      const seen = new MutationObserver(() => this.#redress());
      for (const root of [document.documentElement, document.body]) seen.observe(root, { attributes: true });
      const preference = matchMedia("(prefers-color-scheme: dark)");
      preference.addEventListener("change", () => this.#redress(), { signal });
      signal.addEventListener("abort", () => seen.disconnect());
      this.#box.replaceChildren(this.#slot, frame);
    }

    // ---- What is asked of the playground ----

    /** The transcript to show, and the block that it stands in when that is not inside the element. */
    #transcript() {
      if (this.hasAttribute("scenario")) return {}; // what stands inside is for those who see no frame
      const inside = this.querySelector("pre");
      if (inside) return { pre: inside };
      // Markdown may have wrapped the element into a paragraph of its own.
      const alone = this.parentElement?.nodeName === "P" && this.parentElement.childElementCount === 1;
      const block = (alone ? this.parentElement : this).previousElementSibling;
      const pres = block ? [...(block.matches("pre") ? [block] : []), ...block.querySelectorAll("pre")] : [];
      return pres.length === 1 ? { pre: pres[0], block } : {};
    }

    #opening() {
      const { pre } = this.#transcript();
      const get = (name) => this.getAttribute(name) ?? undefined;
      const still = matchMedia("(prefers-reduced-motion: reduce)").matches;
      return {
        do: "open",
        scenario: get("scenario") ?? (pre ? undefined : "scheduled-jobs"),
        transcript: pre && textOf(pre.querySelector("code") ?? pre),
        at: get("start-at"),
        speed: this.#speed(),
        seed: get("seed"),
        autoplay: this.hasAttribute("autoplay") && !still,
      };
    }

    /** What is no number is no speed either, and is told. */
    #speed() {
      return this.hasAttribute("speed") ? Number(this.getAttribute("speed")) || 0 : undefined;
    }

    /** Language, theme and view: by attribute, else as the page around has them. */
    #asked() {
      const lang = this.#lang();
      const theme = this.getAttribute("theme") ?? (isDark(this) ? "dark" : "light");
      return { lang: lang === "pt" ? "pt-BR" : lang, theme, view: this.getAttribute("view") ?? "steps" };
    }

    #lang() {
      const lang = this.closest("[lang]")?.lang.slice(0, 2).toLowerCase();
      return lang in SAID ? lang : "en";
    }

    #said(what) {
      return SAID[this.#lang()][what];
    }

    #redress() {
      const dress = { ...this.#asked(), speed: this.#speed() };
      if (JSON.stringify(dress) === this.#dress) return;
      this.#dress = JSON.stringify(dress);
      this.#call({ do: "dress", ...dress });
    }

    #call(message) {
      if (this.#isLive && !this.#anew) return this.#post(message);
      if (this.#why) return;
      this.#calls.push(message);
      // Whoever asks for something does not wait for the reader to scroll there.
      if (this.#stop && !this.#stop.signal.aborted && document.readyState !== "loading") this.#load(this.#stop.signal);
    }

    #post(message) {
      // Half a pair of code units is no text that JSON can carry.
      const text = JSON.stringify({ hotkv: 1, ...message }, (_, value) => (typeof value === "string" ? value.toWellFormed() : value));
      if (text.length <= LONGEST) return this.#frame.contentWindow.postMessage(text, base.origin);
      const why = "the text is too long";
      if (message.do === "open" && !this.#isLive) return this.#fail(why);
      this.#settle(message.id, ({ reject }) => reject(new Error(why)));
      this.#tell("error", { message: why });
    }

    // ---- What it tells ----

    #hear({ hotkv: _, event, ...told }) {
      if (event === "hello") this.#again();
      else if (event === "ready") this.#post(this.#opening());
      else if (event === "open") this.#open(told);
      else if (event === "size") this.#fit(told);
      // Once it is open, the playground says itself what became of it.
      else if (event === "failed" && !this.#isLive) this.#fail(told.message ?? this.#said("gone"));
      else if (event === "result") this.#settle(told.id, ({ resolve }) => resolve(told.reply));
      else if (["error", "failed"].includes(event)) {
        this.#settle(told.id, ({ reject }) => reject(new Error(told.message)));
        // What is shown is not what was asked for.
        if (event === "failed") this.#note(told.message);
        this.#tell("error", told);
      } else if (["step", "pause", "ended"].includes(event)) this.#tell(event, told);
    }

    /** Another page came in the place of the one that was open: what that was asked for, nobody answers any more. */
    #again() {
      if (!this.#isLive) return;
      this.#anew = true;
      for (const id of [...this.#answers.keys()]) this.#settle(id, ({ reject }) => reject(new Error("the playground was loaded anew")));
    }

    #open(told) {
      this.#note("");
      this.#anew = false;
      if (!this.#isLive) this.#live(true);
      this.#tell("ready", told);
      for (const message of this.#calls.splice(0)) this.#post(message);
    }

    #tell(name, detail) {
      this.dispatchEvent(new CustomEvent(`hotkv-${name}`, { detail, bubbles: true, composed: true }));
    }

    #settle(id, how) {
      const answer = this.#answers.get(id);
      this.#answers.delete(id);
      if (answer) how(answer);
    }

    /** Shows the frame instead of what the page has, or the other way round. */
    #live(live) {
      this.#box.classList.toggle("live", live);
      if (live) this.#beside = this.#transcript().block;
      this.#beside?.style.setProperty("display", live ? "none" : "");
      if (live) this.#frame.removeAttribute("tabindex");
      else this.style.minHeight = "";
    }

    /** Says something below what is shown, or nothing any more. */
    #note(why) {
      this.#box.querySelector("p")?.remove();
      if (!why) return;
      const note = document.createElement("p");
      note.part = "note";
      note.textContent = why;
      this.#box.append(note);
    }

    /** Ends all that goes on, and tells whoever waits why. */
    #close(why) {
      this.#why = why;
      this.#stop.abort();
      this.#frame?.remove();
      this.#frame = undefined;
      this.#shown = "";
      this.#anew = false;
      this.#live(false);
      for (const id of [...this.#answers.keys()]) this.#settle(id, ({ reject }) => reject(new Error(why)));
      this.#calls = [];
    }

    #fail(why) {
      this.#close(why);
      this.#box.replaceChildren(this.#slot);
      this.#note(why);
      this.#tell("error", { message: why });
    }

    // ---- Height: reserved by width and view, and more where more is shown; it shrinks only with the width, or with another panel ----

    #reserved() {
      const [stage, console, panel] = this.clientWidth > 480 ? [530, 840, 760] : [600, 930, 1220];
      return { stage, console }[this.getAttribute("view")] ?? panel;
    }

    #fit({ height, width, panel }) {
      // A height that belongs to another width will be followed by the one for this.
      if (!(height > 0) || !this.#isLive || Math.abs(width - this.#frame.clientWidth) > 1) return;
      const shown = `${width} ${panel}`;
      const least = this.#shown === shown ? this.#frame.offsetHeight : this.#shown === "" ? this.#reserved() : 0;
      this.#shown = shown;
      this.#frame.style.height = this.style.minHeight = `${Math.max(height + 2, least)}px`; // with its border
    }
  }

  customElements.define("hotkv-play", HotkvPlay);
})();
