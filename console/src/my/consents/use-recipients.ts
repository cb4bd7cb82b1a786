// The organisations and caregivers that a decision may be about: by name for a new one, and the names of those that
// earlier ones are about.
import { useQuery } from '@tanstack/react-query';
import { engine, read } from '../../api/clients.ts';
import { useCarers, useOrganisations } from '../queries.ts';
import { type Recipient, recipientsOf } from './recipients.ts';

/** More than are shown, so that few organisations are offered beside a caregiver of the same name. */
const MOST_FOUND = 200;
/** In one call (docs/reference/engine/providers.md). */
const MOST_NAMED = 100;

function useKnown() {
  const { data: organisations } = useOrganisations();
  const { data: carers } = useCarers();
  return {
    organisations: organisations ?? new Map<string, string>(),
    carers: new Map((carers ?? []).map(({ providerGuid, provider }) => [providerGuid, provider])),
  };
}

/** Finds those that match what is typed, whether something was sent to them or not. */
export function useFindRecipients(): (text: string, signal: AbortSignal) => Promise<Recipient[]> {
  const known = useKnown();
  return async (text, signal) => {
    const query = { ...(text === '' ? {} : { search: text.slice(0, 200) }), per_page: MOST_FOUND };
    const { data } = await read(engine.GET('/api/v1/provider-directory', { params: { query }, signal }));
    const found = data.map(({ provider_guid: guid, name, region, organisation_guid: part }) => {
      const organisation = part === null ? undefined : known.organisations.get(part);
      const places = organisation === undefined || organisation === name ? [region] : [organisation, region];
      return { guid, name, place: places.join(', '), partOf: part ?? undefined };
    });
    return recipientsOf(text, { ...known, found });
  };
}

/** The names of those with these guids. */
export function useNames(guids: readonly string[]): ReadonlyMap<string, string> {
  const { organisations, carers } = useKnown();
  const unknown = [...new Set(guids)].filter((guid) => !organisations.has(guid) && !carers.has(guid)).sort();
  const { data: others } = useQuery({
    queryKey: ['provider-names', unknown],
    queryFn: ({ signal }) => readNames(unknown, signal),
    enabled: unknown.length > 0,
  });
  return new Map([...organisations, ...carers, ...(others ?? [])]);
}

async function readNames(guids: readonly string[], signal: AbortSignal): Promise<[string, string][]> {
  const calls = Array.from({ length: Math.ceil(guids.length / MOST_NAMED) }, (_, index) => {
    const named = guids.slice(index * MOST_NAMED, (index + 1) * MOST_NAMED);
    const query = { provider_guid: named, per_page: MOST_NAMED };
    return read(engine.GET('/api/v1/provider-directory', { params: { query }, signal }));
  });
  return (await Promise.all(calls)).flatMap(({ data }) => data.map(({ provider_guid: guid, name }) => [guid, name]));
}
