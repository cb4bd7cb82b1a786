// Identifiers of SNOMED CT: their check digit (Verhoeff), their partition, and a table from concepts to places.
// SNOMED CT release file specification, section 5 (docs.snomed.org).
import { numberIn } from './buckets.ts';

const MULTIPLY = [
  '0123456789',
  '1234067895',
  '2340178956',
  '3401289567',
  '4012395678',
  '5987604321',
  '6598710432',
  '7659821043',
  '8765932104',
  '9876543210',
].map((row) => Array.from(row, Number));

/** The permutation of the digits, once more for each position from the right; it has a period of eight. */
const PERMUTE = permutations('1576283094');

function permutations(first: string): readonly (readonly number[])[] {
  const once = Array.from(first, Number);
  const found = [Array.from({ length: 10 }, (_, digit) => digit)];
  for (let at = 1; at < 8; at += 1) found.push((found[at - 1] ?? []).map((digit) => once[digit] ?? 0));
  return found;
}

const FORM = /^[1-9]\d{5,17}$/;
const ZERO = 48;

/** Whether the text is in the form of an identifier, whatever its check digit. */
export function isFormOfSctid(text: string): boolean {
  return FORM.test(text);
}

/** Whether the text is an identifier with the right check digit. */
export function isSctid(text: string): boolean {
  return FORM.test(text) && checksum(text) === 0;
}

function checksum(text: string): number {
  let sum = 0;
  for (let at = 0; at < text.length; at += 1) {
    const digit = text.charCodeAt(text.length - 1 - at) - ZERO;
    sum = MULTIPLY[sum]?.[PERMUTE[at & 7]?.[digit] ?? 0] ?? 0;
  }
  return sum;
}

/** The identifier that begins with the digits, with its check digit. */
export function withCheckDigit(digits: string): string {
  for (let digit = 0; digit < 10; digit += 1) if (checksum(`${digits}${digit}`) === 0) return `${digits}${digit}`;
  return digits;
}

export type Component = 'concept' | 'description' | 'relationship';

const COMPONENTS: Readonly<Record<string, Component>> = { 0: 'concept', 1: 'description', 2: 'relationship' };

/** What the identifier is of, by its partition; undefined for anything else. */
export function componentOf(id: string): Component | undefined {
  return COMPONENTS[id.charAt(id.length - 2)];
}

const HALF_DIGITS = 9;
const FIRST_SLOTS = 1 << 10;

/** Places by identifier: 16 to 24 bytes each, as numbers in halves of nine digits. */
export class SctidTable {
  #highs = new Int32Array(FIRST_SLOTS / 2);
  #lows = new Int32Array(FIRST_SLOTS / 2);
  #slots = new Int32Array(FIRST_SLOTS);
  #size = 0;

  get size(): number {
    return this.#size;
  }

  /** The place, or -1. */
  find(id: string): number {
    return (this.#slots[this.#slotOf(highOf(id), lowOf(id))] ?? 0) - 1;
  }

  /** The place of an identifier whose digits are bytes, or -1. */
  findIn(bytes: Uint8Array, start: number, end: number): number {
    return (this.#slots[this.#slotOf(highIn(bytes, start, end), lowIn(bytes, start, end))] ?? 0) - 1;
  }

  /** Adds an identifier that is not in the table; answers its place. */
  add(id: string): number {
    return this.#add(highOf(id), lowOf(id));
  }

  /** The same for an identifier whose digits are bytes. */
  addIn(bytes: Uint8Array, start: number, end: number): number {
    return this.#add(highIn(bytes, start, end), lowIn(bytes, start, end));
  }

  #add(high: number, low: number): number {
    if (this.#size * 2 >= this.#slots.length) this.#widen();
    const place = this.#size;
    this.#highs[place] = high;
    this.#lows[place] = low;
    this.#slots[this.#slotOf(high, low)] = place + 1;
    this.#size += 1;
    return place;
  }

  textAt(place: number): string {
    const [high, low] = [this.#highs[place] ?? 0, this.#lows[place] ?? 0];
    return high === 0 ? String(low) : `${high}${String(low).padStart(HALF_DIGITS, '0')}`;
  }

  #slotOf(high: number, low: number): number {
    const mask = this.#slots.length - 1;
    for (let slot = hashOf(high, low) & mask; ; slot = (slot + 1) & mask) {
      const place = (this.#slots[slot] ?? 0) - 1;
      if (place === -1 || (this.#lows[place] === low && this.#highs[place] === high)) return slot;
    }
  }

  #widen(): void {
    const length = this.#slots.length * 2;
    this.#slots = new Int32Array(length);
    this.#highs = widened(this.#highs, length / 2);
    this.#lows = widened(this.#lows, length / 2);
    for (let place = 0; place < this.#size; place += 1)
      this.#slots[this.#slotOf(this.#highs[place] ?? 0, this.#lows[place] ?? 0)] = place + 1;
  }
}

function widened(items: Int32Array, length: number): Int32Array<ArrayBuffer> {
  const wider = new Int32Array(length);
  wider.set(items);
  return wider;
}

function highOf(id: string): number {
  return id.length <= HALF_DIGITS ? 0 : Number(id.slice(0, -HALF_DIGITS));
}

function lowOf(id: string): number {
  return Number(id.slice(-HALF_DIGITS));
}

function highIn(bytes: Uint8Array, start: number, end: number): number {
  return numberIn(bytes, start, end - HALF_DIGITS);
}

function lowIn(bytes: Uint8Array, start: number, end: number): number {
  return numberIn(bytes, Math.max(start, end - HALF_DIGITS), end);
}

/** A hash of an identifier over all 32 bits. */
export function hashOfSctid(id: string): number {
  return hashOf(highOf(id), lowOf(id));
}

function hashOf(high: number, low: number): number {
  let hash = Math.imul(high ^ Math.imul(low, 0x9e_37_79_b1), 0x85_eb_ca_6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2_b2_ae_35);
  return hash ^ (hash >>> 16);
}
