// The texts of a resource that full text search looks at (hl7.org/fhir/R5/search.html#content): what people read,
// without markup, names of elements, addresses and data.
import { foldMarks, recompose } from './letters.ts';

export interface ResourceWords {
  /** The narrative without its markup. */
  readonly narrative: string;
  /** All texts, the narrative's too. */
  readonly content: string;
}

/**
 * Stands between texts: a word that is skipped in both languages but counted, so that no phrase reaches from one text
 * into the next.
 */
const BETWEEN = ' i ';
/** A text is read so far; PostgreSQL keeps words of at most a megabyte. */
const MAX_TEXT = 200_000;
/** Members that hold no words: addresses, data, and what the server writes. */
const WORDLESS = new Set([
  'resourceType',
  'div',
  'reference',
  'system',
  'url',
  'uri',
  'data',
  'hash',
  'versionId',
  'lastUpdated',
  'source',
]);
const ADDRESS = /^(?:[a-z][a-z0-9+.-]*:\/\/|urn:|#)\S*$/i;
const MARKUP = /<[^<>]*>/g;
const ENTITY = /&(?:#(\d{1,7})|#x([0-9a-f]{1,6})|(\w{2,8}));/gi;
/** `&ouml;` and its like: the letter is enough, as accents are not compared. */
const ACCENTED = /^([a-z])(?:uml|acute|grave|circ|ring|tilde|cedil|slash|caron)$/i;
const NAMED: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'", nbsp: ' ' };

export function resourceWords(resource: Readonly<Record<string, unknown>>): ResourceWords {
  const narratives: string[] = [];
  const texts: string[] = [];
  gather(resource, narratives, texts);
  const narrative = foldText(narratives.join(BETWEEN));
  return { narrative, content: [narrative, foldText(texts.join(BETWEEN))].join(BETWEEN).slice(0, MAX_TEXT) };
}

/** Without accents, in small letters, so that both sides of a comparison are alike. */
export function foldText(text: string): string {
  // PostgreSQL has no such character.
  return recompose(foldMarks(text.slice(0, MAX_TEXT))).replaceAll('\0', ' ');
}

/** Contained resources are part of it; their narratives are texts of theirs. */
function gather(value: unknown, narratives: string[], texts: string[], isTop = true): void {
  if (typeof value === 'string') {
    if (!ADDRESS.test(value)) texts.push(value);
  } else if (Array.isArray(value)) {
    for (const item of value) gather(item, narratives, texts, false);
  } else if (typeof value === 'object' && value !== null) {
    for (const [name, item] of Object.entries(value)) {
      if (name === 'text' && isNarrative(item)) (isTop ? narratives : texts).push(withoutMarkup(item.div));
      else if (!WORDLESS.has(name)) gather(item, narratives, texts, false);
    }
  }
}

function isNarrative(value: unknown): value is { readonly div: string } {
  return typeof value === 'object' && value !== null && 'div' in value && typeof value.div === 'string';
}

function withoutMarkup(div: string): string {
  return div
    .slice(0, MAX_TEXT)
    .replace(MARKUP, ' ')
    .replace(ENTITY, (whole, decimal, hex, name) => {
      if (name !== undefined) return NAMED[String(name).toLowerCase()] ?? ACCENTED.exec(String(name))?.[1] ?? ' ';
      const code = decimal === undefined ? Number.parseInt(String(hex), 16) : Number(decimal);
      return code > 0 && code <= 0x10ffff ? String.fromCodePoint(code) : String(whole);
    });
}
