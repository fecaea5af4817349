// Hands what becomes of loading the engine to boot.js, which knows the words for it.

/** Whether the browser tells that the engine came with another type than it should; some do not tell. */
function cameWithWrongType() {
  return performance.getEntriesByType("resource").some((entry) =>
    entry.name.endsWith(".wasm") && entry.contentType && entry.contentType !== "application/wasm");
}

export default () => ({
  onSuccess() {
    // The engine runs all the same, only slower to start; whoever runs the server should know.
    if (cameWithWrongType()) console.warn("Serve .wasm files as application/wasm: the page starts sooner then.");
  },
  onFailure(error) {
    dispatchEvent(new CustomEvent("hotkv-failure", { detail: error }));
  },
});
