// Loads the caregivers and their contracts into the engine, their endpoints into dispatch, and the credentials of the
// provider that runs beside the demo.
import Type from 'typebox';
import { Value } from 'typebox/value';
import type { Api } from './api.ts';
import { LIBRARY } from './content/concepts.ts';
import { type DemoProvider, PROVIDERS } from './content/providers.ts';
import type { DemoReceiver } from './receiver.ts';
import { existsOrPut } from './records.ts';
import { forEachOf, type Progress } from './work.ts';

const BASE = '/api/v1';

const Provider = Type.Object({ provider_guid: Type.String(), name: Type.String() });
const Providers = Type.Object({ data: Type.Array(Provider) });
const Total = Type.Object({ total: Type.Number() });
const Endpoint = Type.Object({ url: Type.String() });
const NewEndpoint = Type.Object({ secret: Type.Optional(Type.String()) });
const Secret = Type.Object({ secret: Type.String() });
const ApiKey = Type.Object({ key: Type.String() });

export type ProviderGuids = ReadonlyMap<string, string>;

export interface ProviderOptions {
  readonly engine: Api;
  readonly dispatch: Api;
  readonly receiver: DemoReceiver;
  /** An address that never responds. */
  readonly deadUrl: string;
  readonly progress: Progress;
}

export async function loadProviders(options: ProviderOptions): Promise<ProviderGuids> {
  const known = await listProviders(options.engine);
  const load = async ([key, provider]: [string, DemoProvider]): Promise<[string, string]> => {
    const guid = known.get(provider.name) ?? (await create(options.engine, provider));
    await ensureContract(options.engine, guid, provider);
    // Without it, who says no to one provider would say no to all (docs/adr/0031).
    await existsOrPut(options.dispatch, { resourceType: 'Organization', id: guid, name: provider.name, active: true });
    await ensureReach(guid, provider, options);
    options.progress.step('providers');
    return [key, guid];
  };
  return new Map(await forEachOf(Object.entries<DemoProvider>(PROVIDERS), load));
}

/** Run at every start: the receiver must listen at the address known to dispatch, with the current secrets. */
export async function reconnectReceiver(
  options: Pick<ProviderOptions, 'engine' | 'dispatch' | 'receiver'>,
): Promise<void> {
  const guid = (await listProviders(options.engine)).get(PROVIDERS.nurses.name);
  if (guid !== undefined) await connectReceiver(guid, options);
}

async function listProviders(engine: Api): Promise<ReadonlyMap<string, string>> {
  const { data } = await engine.get(`${BASE}/providers?per_page=200`, Providers);
  return new Map(data.map((provider) => [provider.name, provider.provider_guid]));
}

async function create(engine: Api, { name, region }: DemoProvider): Promise<string> {
  return (await engine.post(`${BASE}/providers`, { name, region, status: 'active' }, Provider)).provider_guid;
}

async function ensureContract(engine: Api, providerGuid: string, { covers }: DemoProvider): Promise<void> {
  const query = new URLSearchParams({ provider_guid: providerGuid });
  if ((await engine.get(`${BASE}/contracts?${query}`, Total)).total > 0) return;
  const contract = {
    provider_guid: providerGuid,
    codes: covers.map((code) => ({ system: LIBRARY.url, code })),
    valid_from: '2026-01-01',
    valid_to: '2035-12-31',
    status: 'active',
  };
  await engine.post(`${BASE}/contracts`, contract, Type.Object({}));
}

async function ensureReach(guid: string, { reach }: DemoProvider, options: ProviderOptions): Promise<void> {
  switch (reach) {
    case 'hosted':
      await options.engine.put(`${BASE}/providers/${guid}/inbox`, { enabled: true }, Type.Object({}));
      return;
    case 'outside':
      return connectReceiver(guid, options);
    case 'dead':
      await setEndpoint(options.dispatch, guid, options.deadUrl);
      return;
    case 'feed':
      return;
    default:
      return reach satisfies never;
  }
}

async function connectReceiver(
  guid: string,
  { engine, dispatch, receiver }: Pick<ProviderOptions, 'engine' | 'dispatch' | 'receiver'>,
): Promise<void> {
  const held = receiver.credentials();
  const known = held?.providerGuid === guid ? held : undefined;
  const { isChanged, secret: fresh } = await setEndpoint(dispatch, guid, receiver.url);
  if (known !== undefined && !isChanged) return;
  const secret = fresh ?? known?.secret ?? (await rotate(dispatch, guid));
  const apiKey = known?.apiKey ?? (await makeKey(engine, guid));
  await receiver.keep({ providerGuid: guid, secret, apiKey });
}

/** Returns `secret` when the endpoint is new. */
async function setEndpoint(
  dispatch: Api,
  guid: string,
  url: string,
): Promise<{ readonly isChanged: boolean; readonly secret?: string }> {
  const path = `${BASE}/providers/${guid}/endpoint`;
  const { status, body } = await dispatch.reply('GET', path);
  if (status === 200 && Value.Check(Endpoint, body) && body.url === url) return { isChanged: false };
  const { secret } = await dispatch.put(path, { url, enabled: true }, NewEndpoint);
  return { isChanged: true, ...(secret === undefined ? {} : { secret }) };
}

async function rotate(dispatch: Api, guid: string): Promise<string> {
  const path = `${BASE}/providers/${guid}/endpoint/rotate-secret`;
  return (await dispatch.post(path, { grace_hours: 0 }, Secret)).secret;
}

async function makeKey(engine: Api, guid: string): Promise<string> {
  const input = { name: PROVIDERS.nurses.name, provider_guid: guid, scopes: [] };
  return (await engine.post(`${BASE}/api-keys`, input, ApiKey)).key;
}
