// Fetches the engine, starts the page in the reader's language, and says in plain words why when something does not
// come. It needs nothing, and is the only script of the page beside the engine's own.
(() => {
  "use strict";

  /** A reason that the reader is told: one of the sentences in #banner. */
  class Failure extends Error {
    constructor(kind, cause) {
      super(kind, { cause });
      this.kind = kind;
    }
  }

  const byId = (id) => document.getElementById(id);

  /** Shows one of the sentences in #banner; loading again helps when the engine does not run. */
  function say(kind, runs) {
    for (const sentence of document.querySelectorAll("[data-failure]")) {
      sentence.hidden = sentence.dataset.failure !== kind;
    }
    byId("retry").hidden = runs;
    byId("banner-close").hidden = !runs;
    byId("banner").hidden = false;
  }

  // ---- The engine ----

  /** The engine's bytes, as a response that can be compiled while it arrives. */
  async function fetchEngine(url) {
    const response = await fetch(url).catch((cause) => { throw new Failure("download", cause); });
    if (!response.ok) throw new Failure("download", new Error(`${url}: status ${response.status}`));
    const type = (response.headers.get("content-type") ?? "").split(";")[0].trim();
    // Hosts of single-page apps answer with a page where a file is missing.
    if (type === "text/html") throw new Failure("mime", new Error(`${url} came as ${type}`));
    if (type === "application/wasm") return response;
    // Browsers compile while it arrives only under the right type; whoever runs the server should know.
    say("mime", true);
    return response.arrayBuffer().catch((cause) => { throw new Failure("download", cause); });
  }

  async function loadEngine() {
    if (typeof WebAssembly !== "object") throw new Failure("no-wasm");
    const engine = byId("engine");
    const [module, bytes] = await Promise.all([
      import(engine.href).catch((cause) => { throw new Failure("download", cause); }),
      fetchEngine(new URL(engine.dataset.wasm, document.baseURI)),
    ]);
    await module.default({ module_or_path: bytes }).catch((cause) => {
      const broken = cause instanceof WebAssembly.CompileError || cause instanceof WebAssembly.LinkError;
      throw new Failure(broken ? "broken" : "download", cause);
    });
    return module;
  }

  // ---- The language: from the address, then the reader's choice, then the browser ----

  const KEPT = "hotkv.language";
  const HTML_LANGUAGE = "en"; // the language in which the page is written

  /** The texts of a language stand in attributes like these: what they name, and where the text goes. */
  const PLACES = {
    text: (element, text) => { element.textContent = text; },
    label: (element, text) => element.setAttribute("aria-label", text),
    title: (element, text) => { element.title = text; },
    placeholder: (element, text) => { element.placeholder = text; },
    content: (element, text) => { element.content = text; },
  };

  /** The language of ours that fits a tag such as `pt` or `es-MX`. */
  function fitting(tag) {
    const ours = Array.from(byId("language").options, (option) => option.value);
    const main = (name) => name.toLowerCase().split("-")[0];
    return ours.find((name) => name.toLowerCase() === tag.toLowerCase()) ?? ours.find((name) => main(name) === main(tag));
  }

  /** What was asked for in the address, if anything. */
  const asked = () => new URLSearchParams(location.search).get("lang");

  function chosenLanguage() {
    let kept;
    try { kept = localStorage.getItem(KEPT); } catch { /* storage is denied */ }
    return [asked(), kept, ...(navigator.languages ?? [])].filter(Boolean).map(fitting).find(Boolean) ?? HTML_LANGUAGE;
  }

  /** The texts of a language, as they came; nothing of the one that the page has already. */
  async function fetchTexts(language) {
    if (language === document.documentElement.lang) return undefined;
    const response = await fetch(new URL(`locales/${language}.json`, document.baseURI));
    if (!response.ok) throw new Error(`${response.url}: status ${response.status}`);
    return response.text();
  }

  /** Puts the texts of a language into the page and its templates. */
  function show(language, texts) {
    const known = JSON.parse(texts);
    const whole = Object(known) === known && !Array.isArray(known) && Object.values(known).every((text) => typeof text === "string");
    if (!whole) throw new Error(`the texts of ${language} are no flat object of texts`);
    const roots = [document, ...Array.from(document.querySelectorAll("template"), (template) => template.content)];
    for (const root of roots) {
      for (const [place, put] of Object.entries(PLACES)) {
        for (const element of root.querySelectorAll(`[data-${place}]`)) {
          const text = known[element.getAttribute(`data-${place}`)];
          if (text !== undefined) put(element, text);
        }
      }
    }
    document.documentElement.lang = language;
  }

  /** Changes the language; the texts, when there is something to tell the engine. The page stays as it is on failure. */
  async function speak(language) {
    try {
      const texts = await fetchTexts(language);
      // Another one may have been chosen meanwhile.
      if (texts === undefined || byId("language").value !== language) return undefined;
      show(language, texts);
      return texts;
    } catch (error) {
      console.error(error);
      byId("language").value = document.documentElement.lang;
      say("language", true);
      return undefined;
    }
  }

  function choose(language) {
    // Storage may be denied; then the choice holds for this visit.
    try { localStorage.setItem(KEPT, language); } catch { /* as said */ }
    if (asked() === null) return;
    const address = new URL(location.href);
    address.searchParams.set("lang", language);
    history.replaceState(history.state, "", address);
  }

  // ---- The start ----

  async function start() {
    const language = chosenLanguage();
    byId("language").value = language;
    const said = asked();
    if (said !== null && fitting(said) === undefined) say("no-language", true);
    // The texts come first where a failure is to be told.
    const texts = speak(language);
    const engine = loadEngine();
    await Promise.allSettled([texts, engine]);
    const module = await engine;
    module.mount(await texts);
    byId("language").addEventListener("change", ({ currentTarget: { value } }) => {
      choose(value);
      speak(value).then((texts) => texts === undefined || module.speak(texts));
    });
  }

  addEventListener("DOMContentLoaded", () => {
    byId("retry").addEventListener("click", () => location.reload());
    byId("banner-close").addEventListener("click", () => { byId("banner").hidden = true; });
    // The transcript is put there by the engine when it fails; see src/web/page.rs.
    byId("copy-transcript").addEventListener("click", ({ currentTarget: button }) => {
      // Without a secure address there is no clipboard; then the text is shown, to be copied by hand.
      Promise.resolve(navigator.clipboard?.writeText(button.value) ?? Promise.reject()).catch(() => {
        const text = document.createElement("textarea");
        text.value = button.value;
        text.readOnly = true;
        button.replaceWith(text);
        text.select();
      });
    });
    start().catch((error) => {
      console.error(error.cause ?? error);
      say(error.kind ?? "broken", false);
    });
  });
})();
