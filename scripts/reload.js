// Loads the page anew when `trunk serve` has built it again. Only pages that trunk serves have it; see reload.sh.
(() => {
  "use strict";

  const RETRY_MS = 2000; // between the looks for a server that went away

  /** Listens to trunk. One that comes back after it was gone has built everything anew. */
  function listen(returned) {
    const socket = new WebSocket(new URL("./.well-known/trunk/ws", document.baseURI.replace(/^http/, "ws")));
    socket.addEventListener("open", () => { if (returned) location.reload(); });
    socket.addEventListener("message", ({ data }) => {
      const { type, data: what } = JSON.parse(data);
      if (type === "reload") location.reload();
      if (type === "buildFailure") console.error(`The build failed: ${what.reason}`);
    });
    socket.addEventListener("close", () => setTimeout(listen, RETRY_MS, true));
  }

  listen(false);
})();
