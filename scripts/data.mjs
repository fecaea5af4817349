// Says which data of the engine which of its functions needs, and what other data that data refers to. The linker knows: it
// leaves its symbols and relocations in the file (`--emit-relocs`, .cargo/config.toml). Nothing is guessed: a number in the
// code that merely looks like an address is none, and data without a symbol belongs to everybody.
//
// `node scripts/data.mjs FILE` takes out of a file what wasm-bindgen left of that, which fits nothing any more.

import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/** Reads the linker's file. */
class Reader {
  constructor(bytes, at = 0, end = bytes.length) {
    Object.assign(this, { bytes, at, end });
  }
  byte() {
    return this.bytes[this.at++];
  }
  unsigned() {
    let value = 0;
    for (let scale = 1, byte = 128; byte & 128; scale *= 128) value += ((byte = this.byte()) & 127) * scale;
    return value;
  }
  signed() {
    let value = 0n;
    let shift = 0n;
    let byte;
    do {
      byte = this.byte();
      value |= BigInt(byte & 127) << shift;
      shift += 7n;
    } while (byte & 128);
    return Number(BigInt.asIntN(Number(shift), value));
  }
  text() {
    const length = this.unsigned();
    this.at += length;
    return this.bytes.subarray(this.at - length, this.at).toString();
  }
  /** The next `length` bytes, to be read by themselves. */
  part(length) {
    this.at += length;
    return new Reader(this.bytes, this.at - length, this.at);
  }
  get more() {
    return this.at < this.end;
  }
}

// What the linker's conventions number: https://github.com/WebAssembly/tool-conventions/blob/main/Linking.md
const SYMBOLS = 8;
const [DATA, SECTION] = [1, 3];
const [UNDEFINED, NAMED] = [0x10, 0x40];
const [ADDRESS_LEB, ADDRESS_SLEB, ADDRESS_I32, FUNCTION_OFFSET, SECTION_OFFSET] = [3, 4, 5, 8, 9];

function symbols(part) {
  const all = [];
  for (let count = part.unsigned(); count > 0; count -= 1) {
    const kind = part.byte();
    const flags = part.unsigned();
    if (kind === DATA) {
      const symbol = { name: part.text() };
      if (!(flags & UNDEFINED)) Object.assign(symbol, { segment: part.unsigned(), offset: part.unsigned(), size: part.unsigned() });
      all.push(symbol);
    } else if (kind === SECTION) {
      all.push({ section: part.unsigned() });
    } else {
      all.push({ index: part.unsigned() });
      if (!(flags & UNDEFINED) || flags & NAMED) part.text();
    }
  }
  return all;
}

/** The relocations of one section that stand for addresses of data. */
function addresses(part) {
  const all = [];
  for (let count = part.unsigned(); count > 0; count -= 1) {
    const type = part.byte();
    const [at, symbol] = [part.unsigned(), part.unsigned()];
    const isAddress = [ADDRESS_LEB, ADDRESS_SLEB, ADDRESS_I32].includes(type);
    const addend = isAddress || type === FUNCTION_OFFSET || type === SECTION_OFFSET ? part.signed() : 0;
    if (isAddress) all.push({ type, at, symbol, addend });
  }
  return all;
}

/** What stands in the file: the names and places of functions, the segments of data, the linker's symbols and relocations. */
function sections(bytes) {
  const found = { relocations: new Map(), names: new Map(), imported: 0 };
  const reader = new Reader(bytes, 8);
  for (let section = 0; reader.more; section += 1) {
    const id = reader.byte();
    const part = reader.part(reader.unsigned());
    const begin = part.at;
    if (id === 2) {
      for (let count = part.unsigned(); count > 0; count -= 1) {
        part.text();
        part.text();
        const kind = part.byte();
        if (kind !== 0) throw new Error('the linker was expected to import functions alone');
        part.unsigned();
        found.imported += 1;
      }
    } else if (id === 10) {
      found.code = { section, begin, bodies: [] };
      for (let count = part.unsigned(); count > 0; count -= 1) {
        const body = part.part(part.unsigned());
        found.code.bodies.push([body.at - begin, body.end - begin]);
      }
    } else if (id === 11) {
      found.data = { section, begin, segments: [] };
      for (let count = part.unsigned(); count > 0; count -= 1) {
        if (part.unsigned() !== 0 || part.byte() !== 0x41) throw new Error('a segment of data at a fixed address was expected');
        const address = part.signed();
        part.byte(); // the end of what reckons the address
        const { at, end } = part.part(part.unsigned());
        found.data.segments.push({ address, from: at - begin, to: end - begin });
      }
    } else if (id === 0) {
      const name = part.text();
      if (name === 'linking') {
        part.unsigned(); // its version
        while (part.more) {
          const kind = part.byte();
          const inner = part.part(part.unsigned());
          if (kind === SYMBOLS) found.symbols = symbols(inner);
        }
      } else if (name.startsWith('reloc.')) {
        found.relocations.set(part.unsigned(), addresses(part));
      } else if (name === 'name') {
        while (part.more) {
          const kind = part.byte();
          const inner = part.part(part.unsigned());
          if (kind !== 1) continue;
          for (let count = inner.unsigned(); count > 0; count -= 1) found.names.set(inner.unsigned(), inner.text());
        }
      }
    }
  }
  if (!found.symbols || !found.relocations.has(found.code.section)) throw new Error('the linker left no relocations: see .cargo/config.toml');
  return found;
}

/**
 * Reads the file that the linker made. `pieces` are stretches of data, each one symbol or several that overlap, as
 * `{ begin, end, uses }` with the pieces that it refers to; `functions` gives for each function by name which numbers in its
 * code are addresses, and in which pieces.
 */
export function dataOf(bytes) {
  const { code, data, symbols: all, relocations, names, imported } = sections(bytes);
  const addressOf = ({ segment, offset }) => data.segments[segment].address + offset;

  const pieces = [];
  for (const { begin, end } of all
    .filter(({ size }) => size > 0)
    .map((symbol) => ({ begin: addressOf(symbol), end: addressOf(symbol) + symbol.size }))
    .sort((one, other) => one.begin - other.begin)) {
    const last = pieces.at(-1);
    if (last && begin < last.end) last.end = Math.max(last.end, end);
    else pieces.push({ begin, end, uses: new Set() });
  }
  const pieceAt = (address) => {
    let [low, high] = [0, pieces.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (pieces[middle].end <= address) low = middle + 1;
      else high = middle;
    }
    return pieces[low]?.begin <= address ? pieces[low] : undefined;
  };

  /** Where a relocation points, which is checked against what stands there. */
  const target = ({ type, at, symbol, addend }, section) => {
    const { segment, size, ...rest } = all[symbol];
    const place = new Reader(bytes, section.begin + at);
    const value = type === ADDRESS_I32 ? bytes.readUInt32LE(place.at) : (type === ADDRESS_LEB ? place.unsigned() : place.signed()) >>> 0;
    if (segment === undefined) return { value };
    const begin = addressOf({ segment, ...rest });
    if (value !== (begin + addend) >>> 0) throw new Error(`a relocation of ${rest.name} does not fit what stands there`);
    return { value, piece: size > 0 ? pieceAt(begin) : undefined };
  };

  const functions = new Map();
  let at = 0;
  for (const relocation of relocations.get(code.section).sort((one, other) => one.at - other.at)) {
    while (code.bodies[at][1] <= relocation.at) at += 1;
    const name = names.get(imported + at);
    const { value, piece } = target(relocation, code);
    if (!piece) continue;
    if (!functions.has(name)) functions.set(name, new Map());
    const known = functions.get(name);
    if (!known.has(value)) known.set(value, new Set());
    known.get(value).add(piece);
  }
  for (const relocation of relocations.get(data.section) ?? []) {
    const segment = data.segments.find(({ from, to }) => from <= relocation.at && relocation.at < to);
    const user = pieceAt(segment.address + relocation.at - segment.from);
    const { piece } = target(relocation, data);
    if (!piece) continue;
    if (!user) throw new Error('data without a symbol refers to other data');
    user.uses.add(piece);
  }
  return { pieces, functions };
}

/** A file without what only describes it, but for the names of its functions. */
export function bare(bytes) {
  const kept = [bytes.subarray(0, 8)];
  const reader = new Reader(bytes, 8);
  while (reader.more) {
    const begin = reader.at;
    const custom = reader.byte() === 0;
    const part = reader.part(reader.unsigned());
    if (!custom || part.text() === 'name') kept.push(bytes.subarray(begin, reader.at));
  }
  return Buffer.concat(kept);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const [file] = process.argv.slice(2);
  writeFileSync(file, bare(readFileSync(file)));
}
