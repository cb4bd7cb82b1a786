// Which index rows are a parameter's: those under its key, and where it shares them with others (docs/adr/0018) those
// that have its bit.

import { type DerivedKey, derivedKey, rowsKey } from '#fhir/search/extract/derived-keys.ts';
import type { SearchParameter } from '#fhir/search/parameters/definitions.ts';
import type { SqlValues } from './sql-values.ts';

/** The rows `alias` of a parameter, or of what stands beside its values. */
export function ofParameter(
  parameter: SearchParameter,
  alias: string,
  { values, derived }: { readonly values: SqlValues; readonly derived?: DerivedKey | undefined },
): string {
  const key = derived === undefined ? rowsKey(parameter) : derivedKey(parameter, derived);
  const ofKey = `${alias}.param = ${values.key(key)}`;
  const bit = parameter.shared?.bit ?? 0;
  return bit === 0 ? ofKey : `${ofKey} AND (${alias}.mask & ${values.key(bit)}::smallint) <> 0`;
}
