// Says so where a browser is too old for the page, instead of a page that does not answer. It is written for browsers of any
// age (ECMAScript 5), stands before boot.js, and marks the page when that must not start. See "Browsers" in README.md.
(function () {
  "use strict";

  function has(path) {
    var value = window;
    var names = path.split(".");
    for (var i = 0; i < names.length; i += 1) {
      if (value === undefined || value === null) return false;
      value = value[names[i]];
    }
    return value !== undefined;
  }

  // The newest that the page cannot do without: in scripts, and in styles.
  var names = ["Array.prototype.at", "DecompressionStream", "HTMLDialogElement", "Promise.allSettled", "ResizeObserver", "String.prototype.replaceAll"];
  var styles = [["color", "light-dark(red, red)"], ["container-type", "inline-size"], ["color", "color-mix(in srgb, red, red)"]];
  var able = has("CSS.supports");
  for (var i = 0; i < names.length; i += 1) able = able && has(names[i]);
  for (var k = 0; k < styles.length; k += 1) able = able && CSS.supports(styles[k][0], styles[k][1]);
  if (able) return;

  document.documentElement.setAttribute("data-old", "");

  /** Puts the sentence of another language in the place of the English one. */
  function translate(sentence) {
    var tag = /[?&]lang=([a-z]{2})/i.exec(location.search);
    var wanted = String(tag ? tag[1] : navigator.language).slice(0, 2).toLowerCase();
    var name = wanted === "pt" ? "pt-BR" : wanted;
    if (name !== "pt-BR" && name !== "es") return;
    var request = new XMLHttpRequest();
    request.onload = function () {
      if (request.status !== 200) return;
      sentence.textContent = JSON.parse(request.responseText)["failure.old"];
      sentence.lang = name;
    };
    request.open("GET", "locales/" + name + ".json");
    request.send();
  }

  document.addEventListener("DOMContentLoaded", function () {
    var banner = document.getElementById("banner");
    var sentence = banner.querySelector("[data-failure=old]");
    sentence.removeAttribute("hidden");
    banner.removeAttribute("hidden");
    document.getElementById("retry").setAttribute("hidden", "");
    translate(sentence);
  });
})();
