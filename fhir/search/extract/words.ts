// Collects the texts of a resource for full text search (hl7.org/fhir/R5/search.html#content): human-readable text
// without markup, element names, addresses and data.
import { foldMarks, recompose } from './letters.ts';

export interface ResourceWords {
  /** The narrative without its markup. */
  readonly narrative: string;
  /** All texts, the narrative included. */
  readonly content: string;
}

/**
 * The separator of texts: a stop word of both languages, which is counted but not indexed, so that no phrase spans two
 * texts.
 */
const BETWEEN = ' i ';
/** The most characters that are read of a text; PostgreSQL indexes at most a megabyte of words. */
const MAX_TEXT = 200_000;
/** Members without words: addresses, data, and members that the server writes. */
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
/** Entities such as `&ouml;`: the base letter is enough, as accents are not compared. */
const ACCENTED = /^([a-z])(?:uml|acute|grave|circ|ring|tilde|cedil|slash|caron)$/i;
const NAMED: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'", nbsp: ' ' };

export function resourceWords(resource: Readonly<Record<string, unknown>>): ResourceWords {
  const narratives: string[] = [];
  const texts: string[] = [];
  collectTexts(resource, narratives, texts);
  const narrative = foldText(narratives.join(BETWEEN));
  return { narrative, content: [narrative, foldText(texts.join(BETWEEN))].join(BETWEEN).slice(0, MAX_TEXT) };
}

/** The text without accents and in lower case, for both sides of a comparison. */
export function foldText(text: string): string {
  // PostgreSQL cannot store this character.
  return recompose(foldMarks(text.slice(0, MAX_TEXT))).replaceAll('\0', ' ');
}

/** Contained resources belong to the resource; their narratives count as other texts. */
function collectTexts(value: unknown, narratives: string[], texts: string[], isTop = true): void {
  if (typeof value === 'string') {
    if (!ADDRESS.test(value)) texts.push(value);
  } else if (Array.isArray(value)) {
    for (const item of value) collectTexts(item, narratives, texts, false);
  } else if (typeof value === 'object' && value !== null) {
    for (const [name, item] of Object.entries(value)) {
      if (name === 'text' && isNarrative(item)) (isTop ? narratives : texts).push(withoutMarkup(item.div));
      else if (!WORDLESS.has(name)) collectTexts(item, narratives, texts, false);
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
