
// ---- The rest of the engine; see scripts/split.mjs ----

let restCode;
let restIsHere = false;

/** Says what gives the code of the rest when it is called and is not there. */
export function restFrom(code) {
    restCode = code;
}

/** Puts the rest in its place. */
export function linkRest(code) {
    if (restIsHere) return;
    new WebAssembly.Instance(code, { first: wasm });
    restIsHere = true;
}

function need() {
    if (!restIsHere) linkRest(restCode());
}
