// Providers by their names, as the palette finds them for several faces.
import { engine, read } from '../api/clients.ts';
import { type Found, MOST_FOUND } from '../palette/found.ts';

type Address = Pick<Found, 'to' | 'search'>;

/** @param addressOf what shows the provider with that guid. @throws Problem, UnreachableError */
export async function findProviders(
  text: string,
  signal: AbortSignal,
  addressOf: (guid: string) => Address,
): Promise<Found[]> {
  const query = { search: text.slice(0, MOST_CHARACTERS), per_page: MOST_FOUND };
  const { data } = await read(engine.GET('/api/v1/providers', { params: { query }, signal }));
  return data.map(({ provider_guid: guid, name, region }) => ({
    kind: 'provider',
    id: guid,
    label: name,
    detail: region,
    ...addressOf(guid),
  }));
}

const MOST_CHARACTERS = 200;
