// The codes of a code list that match what is typed, best first, as the engine expands it. For staff: forms that
// patients and providers get list their codes.
import type { Coding, ValueSet } from 'fhir/r5';
import { getJson } from '../api/fhir.ts';

interface Asked {
  readonly signal: AbortSignal;
  /** Codes. */
  readonly most: number;
}

/** @param source the canonical address of the ValueSet @throws Problem, UnreachableError */
export async function codesOf(source: string, text: string, { signal, most }: Asked): Promise<Coding[]> {
  const [url = '', version] = source.split('|', 2);
  const query = new URLSearchParams({
    url,
    count: String(most),
    ...(version === undefined ? {} : { valueSetVersion: version }),
    ...(text === '' ? {} : { filter: text }),
  });
  const { expansion } = (await getJson(`/engine/api/v1/ValueSet/$expand?${query}`, signal)) as ValueSet;
  return (expansion?.contains ?? []).flatMap(({ system, version: ofSystem, code, display, abstract, inactive }) =>
    code === undefined || abstract === true || inactive === true
      ? []
      : [
          {
            code,
            ...(system === undefined ? {} : { system }),
            ...(ofSystem === undefined ? {} : { version: ofSystem }),
            ...(display === undefined ? {} : { display }),
          },
        ],
  );
}
