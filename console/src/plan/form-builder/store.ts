// Forms at the engine: read, listed, stored. A form that is sent twice is stored once, as its id is made here.
import { useQuery } from '@tanstack/react-query';
import type { Questionnaire } from 'fhir/r5';
import { getJson, putJson, searchFhir } from '../../api/fhir.ts';
import { Problem } from '../../api/problem.ts';
import { searchValue } from '../../api/search-value.ts';
import { isSameJson } from '../../shared/difference/same-json.ts';
import type { Kept } from './use-draft.ts';

/** The most forms of a list. */
export const MOST_FORMS = 100;

const ADDRESS = '/engine/api/v1/Questionnaire';

/** By title, those whose title has the text. */
export function useForms(text: string) {
  return useQuery({
    queryKey: ['forms-of-library', text],
    queryFn: ({ signal }) => {
      const query = { _sort: 'title', _count: String(MOST_FORMS), _elements: 'title,status,version,date,name' };
      const parameters = text === '' ? query : { ...query, 'title:contains': searchValue(text) };
      return searchFhir<Questionnaire>('engine', 'Questionnaire', parameters, signal);
    },
    placeholderData: (before) => before,
  });
}

/** @throws Problem, UnreachableError */
export async function readForm(id: string): Promise<Kept> {
  const { meta, ...form } = (await getJson(`${ADDRESS}/${encodeURIComponent(id)}`)) as Questionnaire;
  return { form, version: meta?.versionId };
}

/**
 * Stores it as the next version of the one that it was made from.
 * @throws Problem (412 where somebody else has stored another one meanwhile), UnreachableError
 */
export async function storeForm({ form, version }: Kept): Promise<Kept> {
  const { id = '' } = form;
  try {
    const stored = await putJson<Questionnaire>(`${ADDRESS}/${encodeURIComponent(id)}`, form, version);
    return { form, version: stored.meta?.versionId };
  } catch (error) {
    // The response to the same may have been lost before.
    const there = error instanceof Problem && error.status === 412 ? await readForm(id) : undefined;
    if (there !== undefined && isSameJson(there.form, form)) return there;
    throw error;
  }
}
