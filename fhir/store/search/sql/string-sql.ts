// Searches for texts as SQL (hl7.org/fhir/R5/search.html#string; docs/adr/0053). An index entry holds the beginning of
// a text, and of what follows from each of its words. What is asked for beyond that is looked for in the whole text, of
// which only long ones have a copy.
import {
  indexedText,
  isSymbolsOnly,
  MAX_BEGINNING,
  MAX_INDEXED_TEXT,
  normaliseText,
} from '#fhir/search/extract/normalise.ts';
import type { Criterion } from '#fhir/search/parse/query.ts';
import { ofParameter } from './param-sql.ts';
import type { SqlValues } from './sql-values.ts';
import { allOf, anyOf, beginsWith } from './text-sql.ts';

type StringCriterion = Extract<Criterion, { kind: 'string' }>;

/** The text of a row `i`, all of it. */
const WHOLE = 'coalesce(i.whole, i.value)';

/** What must hold of a row `i` of the criterion's parameter. */
export function stringCondition(criterion: StringCriterion, values: SqlValues): string {
  return anyOf(criterion.values.map((value) => conditionOn(value, criterion, values)));
}

function conditionOn(asked: string, criterion: StringCriterion, values: SqlValues): string {
  const { match } = criterion;
  switch (match) {
    case 'exact':
      return `${isIndexedAs(normaliseText(asked), values)} AND i.exact = ${values.bind(asked, 'text')}`;
    case 'prefix':
      return criterion.derived === 'text' ? beginsAs(asked, values) : startsWithAtAnyWord(asked, criterion, values);
    case 'equal':
      return `${isIndexedAs(asked, values)} AND ${WHOLE} = ${values.bind(asked, 'text')} AND i.exact IS NOT NULL`;
    case 'begins':
      return `${beginsAs(asked, values)} AND i.exact IS NOT NULL`;
    case 'ends':
      return `${WHOLE} LIKE ${values.bind(`%${escaped(asked)}`, 'text')} AND i.exact IS NOT NULL`;
    case 'contains':
      return containing(asked, criterion, values);
    case 'words':
      return allOf(wordsOf(asked).map((word) => containing(word, criterion, values)));
    default:
      return match satisfies never;
  }
}

function isIndexedAs(normalised: string, values: SqlValues): string {
  return `i.value = ${values.bind(indexedText(normalised), 'text')}`;
}

/** The text itself begins so. */
function beginsAs(asked: string, values: SqlValues): string {
  if (asked.length <= MAX_INDEXED_TEXT) return beginsWith(asked, values);
  return `${isIndexedAs(asked, values)} AND starts_with(${WHOLE}, ${values.bind(asked, 'text')})`;
}

/** The text begins so, or what follows from one of its words. */
function startsWithAtAnyWord(asked: string, criterion: StringCriterion, values: SqlValues): string {
  if (asked.length <= MAX_BEGINNING) return beginsWith(asked, values);
  const ofLong = ofLongText(`strpos(' ' || l.whole, ${values.bind(` ${asked}`, 'text')}) > 0`, criterion, values);
  return asked.length > MAX_INDEXED_TEXT ? ofLong : anyOf([beginsWith(asked, values), ofLong]);
}

function containing(asked: string, criterion: StringCriterion, values: SqlValues): string {
  const like = values.bind(`%${escaped(asked)}%`, 'text');
  const alternatives = [`i.value LIKE ${like}`, ofLongText(`l.whole LIKE ${like}`, criterion, values)];
  // Signs are not among the words: they are looked for in what is written.
  if (isSymbolsOnly(asked)) alternatives.push(`strpos(i.exact, ${values.bind(asked, 'text')}) > 0`);
  return anyOf(alternatives);
}

/** The words of a normalised text, each once; a text of signs alone is one. */
function wordsOf(asked: string): string[] {
  return [...new Set(asked.split(' ').filter((word) => word !== ''))];
}

/**
 * Resources of which a long text fulfils the condition on `l`: there are few, and they are looked up once for all rows.
 */
function ofLongText(condition: string, { parameter, derived }: StringCriterion, values: SqlValues): string {
  return `i.rid IN (SELECT l.rid FROM fhir_string l WHERE ${ofParameter(parameter, 'l', { values, derived })}
    AND l.whole IS NOT NULL AND ${condition})`;
}

function escaped(text: string): string {
  return text.replace(/[\\%_]/g, '\\$&');
}
