// Starts the page once the engine is there, and says in plain words why when it is not. Runs before anything else,
// needs nothing, and is the only script that the page has beside the engine's own.
(() => {
  "use strict";

  /** Shows the sentence for one kind of failure; the first one stands, since later ones follow from it. */
  function fail(kind) {
    const banner = document.getElementById("banner");
    if (!banner.hidden) return;
    for (const sentence of banner.querySelectorAll("[data-failure]")) {
      sentence.hidden = sentence.dataset.failure !== kind;
    }
    const retry = document.getElementById("retry");
    retry.disabled = false;
    retry.addEventListener("click", () => location.reload());
    banner.hidden = false;
  }

  /** What an error of loading says about its cause. */
  function kindOf(error) {
    if (typeof WebAssembly !== "object") return "no-wasm";
    const text = String(error);
    // The bytes of "<!do" or "<htm": a page was sent where the engine was asked for.
    if (/magic word/.test(text) && /found 3c/.test(text)) return "mime";
    if (error instanceof WebAssembly.CompileError || error instanceof WebAssembly.LinkError) return "broken";
    return "download";
  }

  addEventListener("hotkv-failure", (event) => fail(kindOf(event.detail)));
  // A script or preload that does not arrive tells only its own element; capturing sees it.
  document.addEventListener("error", (event) => {
    if (event.target instanceof HTMLScriptElement || event.target instanceof HTMLLinkElement) fail(kindOf());
  }, true);
  addEventListener("DOMContentLoaded", () => {
    if (typeof WebAssembly !== "object") fail("no-wasm");
  });
  addEventListener("TrunkApplicationStarted", () => {
    try {
      window.wasmBindings.mount();
    } catch (error) {
      console.error(error);
      fail("broken");
    }
  });
})();
