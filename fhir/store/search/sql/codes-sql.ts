// Tokens compared with many codes at once, and media types with their kinds (hl7.org/fhir/R5/search.html#modifierin,
// #modifierbelow).
import { systemKey } from '#fhir/search/extract/keys.ts';
import { exactText } from '#fhir/search/extract/normalise.ts';
import type { Criterion } from '#fhir/search/parse/query.ts';
import type { CodesOfSystem } from '#fhir/terminology/code-selection.ts';
import type { IndexRows } from '../../access.ts';
import { ofParameter } from './param-sql.ts';
import type { SqlValues } from './sql-values.ts';
import { anyOf, beginsWith } from './text-sql.ts';

/** The index rows whose code is one of the selection. */
export function selectionIndexRows(
  { parameter, selection }: Pick<Extract<Criterion, { kind: 'selection' }>, 'parameter' | 'selection'>,
  values: SqlValues,
): IndexRows {
  const alternatives = [...selection].map(([system, codes]) => codesCondition(system, codes, values));
  // Elements of type code name no system: theirs is said by the definition, and is not always one.
  if (parameter.branches.some(([type]) => type === 'code')) {
    const codes = [...selection.values()].flatMap((each) => (each.isAllBut ? [] : [...each.codes]));
    if (codes.length > 0) alternatives.push(codesCondition('', { isAllBut: false, codes: new Set(codes) }, values));
  }
  return { table: 'fhir_token', condition: `${ofParameter(parameter, 'i', { values })} AND ${anyOf(alternatives)}` };
}

function codesCondition(system: string, { isAllBut, codes }: CodesOfSystem, values: SqlValues): string {
  const ofSystem = `i.system = ${values.bind(systemKey(system), 'bigint')}`;
  if (isAllBut && codes.size === 0) return ofSystem;
  const listed = `i.code = ANY(${values.bind([...codes].map(exactText), 'text[]')})`;
  return `${isAllBut ? `NOT ${listed}` : listed} AND ${ofSystem}`;
}

/** `image` is above `image/png`, and `text/html` above `text/html; charset=utf-8`. */
export function mediaTypeIndexRows(
  { parameter, relation, values: asked }: Extract<Criterion, { kind: 'mediaType' }>,
  values: SqlValues,
): IndexRows {
  const alternatives = asked.map(({ code = '' }) => {
    const type = code.replace(/\/$/, '');
    if (relation === 'above') return `i.code = ANY(${values.bind(typesAbove(type), 'text[]')})`;
    const isWhole = type.includes('/');
    const begun = (isWhole ? [`${type};`, `${type} `] : [`${type}/`]).map((each) => beginsWith(each, values, 'i.code'));
    return anyOf([`i.code = ${values.bind(type, 'text')}`, ...begun]);
  });
  return { table: 'fhir_token', condition: `${ofParameter(parameter, 'i', { values })} AND ${anyOf(alternatives)}` };
}

function typesAbove(type: string): string[] {
  const whole = type.split(';')[0]?.trim() ?? type;
  return [...new Set([type, whole, whole.split('/')[0] ?? whole])];
}
