// Which index rows are a parameter's: those under its key, and where it shares them with others (docs/adr/0018) those
// that have its bit.

import { type DerivedKey, derivedKey, rowsKey } from '#fhir/search/extract/derived-keys.ts';
import { sharedMasks } from '#fhir/search/extract/shared-rows.ts';
import type { SearchParameter } from '#fhir/search/parameters/definitions.ts';
import type { SqlValues } from './sql-values.ts';

interface Rows {
  readonly values: SqlValues;
  readonly derived?: DerivedKey | undefined;
}

/** The rows `alias` of a parameter, or of what is beside its values. */
export function ofParameter(parameter: SearchParameter, alias: string, rows: Rows): string {
  const ofKey = keyCondition(parameter, alias, rows);
  const bit = parameter.shared?.bit ?? 0;
  return bit === 0 ? ofKey : `${ofKey} AND (${alias}.mask & ${rows.values.key(bit)}::smallint) <> 0`;
}

/**
 * The same rows of `fhir_string`, as its index `fhir_string_text` has them: one range for each mask, in which the texts
 * follow each other (docs/adr/0128).
 */
export function textsOfParameter(parameter: SearchParameter, alias: string, rows: Rows): string {
  const [only = 0, ...others] = sharedMasks(parameter.shared).map((mask) => rows.values.key(mask));
  const masks = others.length === 0 ? `= ${only}::smallint` : `= ANY('{${[only, ...others].join(',')}}'::smallint[])`;
  return `${keyCondition(parameter, alias, rows)} AND ${alias}.mask ${masks}`;
}

function keyCondition(parameter: SearchParameter, alias: string, { values, derived }: Rows): string {
  const key = derived === undefined ? rowsKey(parameter) : derivedKey(parameter, derived);
  return `${alias}.param = ${values.key(key)}`;
}
