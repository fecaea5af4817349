// Cuts out of functions what did not run at a page's start: an arm of an `if`, or the end of a block that something jumped
// over. Each such part becomes a function of its own, which scripts/split.mjs can put into the rest of the engine.
//
// It works on the text form of WebAssembly, read into lists of lists. A part gets the locals that it reads as parameters, and
// gives those back that it sets and somebody reads after it. Where it jumps out, it returns the number of the way that it took.

import { createHash } from 'node:crypto';

/** Parts with fewer operations stay where they are: to call them takes more. */
const WORTH = 20;
const MAX = { parameters: 14, results: 8, ways: 10 };

const TOKEN = /"(?:[^"\\]|\\.)*"|\$"(?:[^"\\]|\\.)*"|[()]|[^\s()"]+/g;

/** Reads one list. */
function parse(text) {
  const stack = [[]];
  for (const [token] of text.matchAll(TOKEN)) {
    if (token === '(') {
      stack.push([]);
    } else if (token === ')') {
      const done = stack.pop();
      stack.at(-1).push(done);
    } else {
      stack.at(-1).push(token);
    }
  }
  return stack[0][0];
}

/** A name without what the text form puts around it. */
export const plain = (name) =>
  (name.startsWith('$"') ? name.slice(2, -1) : name.slice(1)).replaceAll(/\\([0-9a-f]{2}|.)/g, (_, code) => (code.length === 2 ? String.fromCharCode(parseInt(code, 16)) : code));

const print = (node) => (typeof node === 'string' ? node : `(${node.map(print).join(' ')})`);
const isList = (node) => typeof node !== 'string';
const DECLARED = new Set(['type', 'param', 'result', 'local', 'export']);

/** The operations that stand in a list, one after the other: the list from `from` on. */
const operations = (node) => {
  let from = 1;
  while (from < node.length && (!isList(node[from]) || DECLARED.has(node[from][0]))) from += 1;
  return from;
};
const LISTS = new Set(['block', 'loop', 'then', 'else', 'func']);
const JUMPS = new Set(['br', 'br_if', 'br_table', 'return']);
const LEAVES = new Set(['br', 'br_table', 'return', 'unreachable']);

const count = (node) => (isList(node) ? node.reduce((sum, child) => sum + (isList(child) ? count(child) : 0), 1) : 0);
const jumps = (node) => isList(node) && (JUMPS.has(node[0]) || node.some(jumps));
const typeOf = (node, kind) => node.find((part) => isList(part) && part[0] === kind)?.slice(1) ?? [];

/** Every function of a module's text with what stands around it: texts and lists by turns. */
function functionsOf(text) {
  const parts = [];
  let at = 0;
  for (const { index } of text.matchAll(/\n \(func \$/g)) {
    const end = text.indexOf('\n )', index) + 3;
    parts.push(text.slice(at, index + 1), parse(text.slice(index + 1, end)));
    at = end;
  }
  parts.push(text.slice(at));
  return parts;
}

/** Where parts begin that may not run although the function does, as `{ list, at }` in the order in which they are met. */
function candidates(node, inValue = false, found = []) {
  const [head] = node;
  if (LISTS.has(head)) {
    const from = operations(node);
    const value = head === 'then' || head === 'else' ? inValue : typeOf(node, 'result').length > 0;
    node.value = value;
    if (head === 'then' || head === 'else') found.push({ list: node, at: from });
    for (let at = from; at < node.length; at += 1) {
      if (!isList(node[at])) continue;
      candidates(node[at], false, found);
      if (at + 1 < node.length && jumps(node[at])) found.push({ list: node, at: at + 1 });
    }
  } else {
    const value = head === 'if' && typeOf(node, 'result').length > 0;
    for (const child of node) if (isList(child)) candidates(child, value, found);
  }
  return found;
}

const shapeOf = (node) => {
  const heads = [];
  const walk = (list) => {
    heads.push(list[0]);
    list.forEach((child) => isList(child) && walk(child));
  };
  walk(node);
  return createHash('sha256').update(heads.join(' ')).digest('hex').slice(0, 8);
};

/** Says for each place in each list which locals are read after it, as bits: `list.live`, and `list.labels` for jumps. */
function liveness(body, bit) {
  const sequence = (list, after, labels) => {
    list.labels = labels;
    list.live = [];
    list.live[list.length] = after;
    for (let at = list.length - 1; at >= operations(list); at -= 1) list.live[at] = after = before(list[at], after, labels);
    return after;
  };
  const children = (node, from, after, labels) => {
    for (let at = node.length - 1; at >= from; at -= 1) if (isList(node[at])) after = before(node[at], after, labels);
    return after;
  };
  const inside = (labels, label, live) => Object.assign(Object.create(labels), { [label]: live });
  const before = (node, after, labels) => {
    const [head, name] = node;
    switch (head) {
      case 'local.get':
        return after | bit(name);
      case 'local.set':
      case 'local.tee':
        return children(node, 2, after & ~bit(name), labels);
      case 'unreachable':
        return 0n;
      case 'return':
        return children(node, 1, 0n, labels);
      case 'br':
        return children(node, 2, labels[name], labels);
      case 'br_if':
        return children(node, 2, after | labels[name], labels);
      case 'br_table':
        return children(node, 2, node.filter((part) => !isList(part)).slice(1).reduce((live, label) => live | labels[label], 0n), labels);
      case 'block':
        return sequence(node, after, inside(labels, name, after));
      case 'loop':
        for (let live = 0n; ; ) {
          const next = sequence(node, after, inside(labels, name, live));
          if (next === live) return live;
          live = next;
        }
      case 'if': {
        const at = node.findIndex((part) => isList(part) && part[0] === 'then');
        const then = sequence(node[at], after, labels);
        const otherwise = node[at + 1] ? sequence(node[at + 1], after, labels) : after;
        return children(node.slice(0, at), 1, then | otherwise, labels);
      }
      default:
        return children(node, 1, after, labels);
    }
  };
  sequence(body, 0n, {});
}

/** What a part does: the locals that it touches and sets, as bits, and the ways on which it leaves; `undefined` if one carries a value. */
function usesOf(nodes, bit) {
  const uses = { touched: 0n, set: 0n, ways: new Set() };
  const walk = (node, own) => {
    const [head, name] = node;
    if (head.startsWith('local.')) uses.touched |= bit(name);
    if (head === 'local.set' || head === 'local.tee') uses.set |= bit(name);
    if (head === 'return') uses.ways.add('return');
    if (head.startsWith('br')) {
      for (const label of node.filter((part) => !isList(part)).slice(1)) {
        if (own.has(label)) continue;
        uses.ways.add(label);
        if (node.length > (head === 'br' ? 2 : head === 'br_if' ? 3 : node.filter((part) => !isList(part)).length + 1)) uses.carries = true;
      }
    }
    const within = (head === 'block' || head === 'loop') && !isList(name) ? new Set(own).add(name) : own;
    for (const child of node) if (isList(child)) walk(child, within);
  };
  for (const node of nodes) walk(node, new Set());
  return uses.carries ? undefined : uses;
}

/** Cuts one function; gives the functions that its parts became. */
function cut(body, isCold) {
  const name = body[1];
  const types = new Map(body.filter((part) => isList(part) && (part[0] === 'param' || part[0] === 'local')).map(([, local, type]) => [local, type]));
  const locals = [...types.keys()];
  const bits = new Map(locals.map((local, at) => [local, 1n << BigInt(at)]));
  const bit = (local) => bits.get(local);
  const among = (live) => locals.filter((local) => live & bit(local));
  const result = typeOf(body, 'result')[0];
  liveness(body, bit);

  const made = [];
  const added = [];
  const RETURN = '$cold-return';
  const VALUE = '$cold-value';

  /** The part from `at` on as a function, and what stands in its place; `undefined` where that does not pay. */
  const outlined = (list, at) => {
    let end = list.length;
    const diverges = LEAVES.has(list.at(-1)[0]);
    if (list.value && !diverges) end -= 1;
    const nodes = list.slice(at, end);
    if (nodes.reduce((sum, node) => sum + count(node), 0) < WORTH) return undefined;
    const uses = usesOf(nodes, bit);
    if (!uses) return undefined;
    const ways = [...uses.ways];
    const read = ways.reduce((live, way) => live | (way === 'return' ? 0n : list.labels[way]), diverges ? 0n : list.live[end]);
    const given = among(list.live[at] & uses.touched);
    const back = among(read & uses.set);
    const returns = uses.ways.has('return') && result !== undefined;
    if (given.length > MAX.parameters || back.length + returns > MAX.results || ways.length > MAX.ways) return undefined;

    const chosen = ways.length + !diverges > 1; // which way it took is to be told
    const results = [...(chosen ? ['i32'] : []), ...back.map((local) => types.get(local)), ...(returns ? [result] : [])];
    const told = (way) => {
      const values = [...(chosen ? [['i32.const', String(way)]] : []), ...back.map((local) => ['local.get', local]), ...(returns ? [['local.get', VALUE]] : [])];
      return values.length > 1 ? [['tuple.make', String(values.length), ...values]] : values;
    };
    const leaving = (node) => {
      if (!isList(node)) return node;
      if (node[0] !== 'return') return node.map(leaving);
      return result === undefined ? ['br', RETURN] : ['block', ['local.set', VALUE, leaving(node[1])], ['br', RETURN]];
    };
    let inner = nodes.map(leaving);
    if (!diverges && ways.length > 0) inner.push(['return', ...told(ways.length)]);
    ways.forEach((way, number) => {
      inner = [['block', way === 'return' ? RETURN : way, ...inner]];
      inner.push(number + 1 < ways.length ? ['return', ...told(number)] : undefined);
    });
    inner = inner.filter(Boolean);
    if (ways.length > 0) inner.push(...told(ways.length - 1));
    else if (!diverges) inner.push(...told(0));
    const other = among(uses.touched).filter((local) => !given.includes(local));
    const coldName = `${name}.cold.${made.length}`;
    made.push([
      'func', coldName,
      ...given.map((local) => ['param', local, types.get(local)]),
      ...(results.length > 0 ? [['result', ...results]] : []),
      ...other.map((local) => ['local', local, types.get(local)]),
      ...(returns ? [['local', VALUE, result]] : []),
      ...inner,
    ]);

    // What calls it, puts back what it gives, and goes where it went.
    const place = [];
    const call = ['call', coldName, ...given.map((local) => ['local.get', local])];
    let get = () => call;
    if (results.length > 1 || (results.length === 1 && chosen && ways.length > 1)) {
      const local = `$cold-${added.length}`;
      added.push(['local', local, results.length > 1 ? ['tuple', ...results] : results[0]]);
      place.push(['local.set', local, call]);
      get = (which) => (results.length > 1 ? ['tuple.extract', String(results.length), String(which), ['local.get', local]] : ['local.get', local]);
    } else if (results.length === 0) {
      place.push(call);
    }
    back.forEach((local, which) => place.push(['local.set', local, get(which + chosen)]));
    ways.forEach((way, number) => {
      const go = way === 'return' ? ['return', ...(returns ? [get(results.length - 1)] : [])] : ['br', way];
      if (diverges && number + 1 === ways.length) place.push(go);
      else place.push(['if', ['i32.eq', get(0), ['i32.const', String(number)]], ['then', go]]);
    });
    if (diverges && ways.length === 0) place.push(['unreachable']);
    return { end, place };
  };

  const all = candidates(body);
  const cold = new Map();
  all.forEach(({ list, at }, number) => isCold(number) && cold.set(list, [...(cold.get(list) ?? []), at]));
  const visit = (node) => {
    for (const at of LISTS.has(node[0]) ? (cold.get(node) ?? []) : []) {
      const out = outlined(node, at);
      if (!out) continue;
      node.splice(at, out.end - at, ...out.place);
      break;
    }
    for (const child of node) if (isList(child)) visit(child);
  };
  visit(body);
  const from = operations(body);
  body.splice(from, 0, ...added);
  return made;
}

/** Puts a call of the import `mark` at the head of each function and of each part that may not run; gives what each number means. */
export function marked(text, mark) {
  const parts = functionsOf(text);
  const meanings = [];
  const marking = (meaning) => ['call', mark, ['i32.const', String(meanings.push(meaning) - 1)]];
  for (let at = 1; at < parts.length; at += 2) {
    const body = parts[at];
    const name = plain(body[1]);
    const shape = shapeOf(body);
    const inserted = candidates(body).map(({ list, at }, number) => ({ list, at, call: marking({ name, shape, part: number }) }));
    for (const { list, at, call } of inserted.sort((one, other) => other.at - one.at)) list.splice(at, 0, call);
    body.splice(operations(body), 0, marking({ name, shape }));
    parts[at] = print(body);
  }
  return { text: parts.join(''), meanings };
}

/**
 * Cuts the functions of a module's text. `coldOf` tells by a function's name and shape which of its parts are cold, as a
 * function of their numbers. Gives the new text, and by name the parts of each function that was cut.
 */
export function cold(text, coldOf) {
  const parts = functionsOf(text);
  const cuts = new Map();
  for (let at = 1; at < parts.length; at += 2) {
    const body = parts[at];
    const name = plain(body[1]);
    const isCold = body[1].startsWith('$"') ? undefined : coldOf(name, shapeOf(body));
    const made = isCold ? cut(body, isCold) : [];
    if (made.length > 0) cuts.set(name, { kept: numbersIn(body), moved: numbersIn(made) });
    parts[at] = [body, ...made].map(print).join('\n ');
  }
  return { text: parts.join(''), cuts };
}

/** The numbers that stand in code: constants, and offsets of addresses. */
function numbersIn(node, found = new Set()) {
  if (node[0] === 'i32.const') found.add(Number(node[1]) >>> 0);
  for (const part of node) {
    if (isList(part)) numbersIn(part, found);
    else if (part.startsWith('offset=')) found.add(Number(part.slice(7)));
  }
  return found;
}
