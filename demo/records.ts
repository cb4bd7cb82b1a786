// FHIR resources that the loader writes under fixed ids, so that a second run finds them.
import Type from 'typebox';
import type { Api } from './api.ts';

const BASE = '/api/v1';

export interface Identified {
  readonly resourceType: string;
  readonly id: string;
  readonly [element: string]: unknown;
}

/** Writes the resource unless its id exists, so that changes by users stay. */
export async function existsOrPut(api: Api, resource: Identified): Promise<void> {
  if (await exists(api, resource)) return;
  await api.put(`${BASE}/${resource.resourceType}/${resource.id}`, resource, Type.Object({}));
}

export async function exists(api: Api, { resourceType, id }: Identified): Promise<boolean> {
  return (await api.reply('GET', `${BASE}/${resourceType}/${id}`)).status === 200;
}
