// Fetches the engine, starts the page, and says in plain words why when the engine does not come. It needs nothing, and
// is the only script of the page beside the engine's own.
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
    byId("banner").hidden = false;
  }

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

  async function start() {
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
    module.mount();
  }

  addEventListener("DOMContentLoaded", () => {
    byId("retry").addEventListener("click", () => location.reload());
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
