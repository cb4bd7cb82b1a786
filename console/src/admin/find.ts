// What leaders and administrators find by the palette: users, by name, address or id, groups, providers, and the
// settings of the services. Identity decides who sees which: a leader finds no users.
import { identity, read } from '../api/clients.ts';
import { Problem } from '../api/problem.ts';
import { type Find, type Found, foundBy, idIn, MOST_FOUND } from '../palette/found.ts';
import { findProviders } from '../shared/find-providers.ts';
import { nameOf } from './person.ts';
import { findSettings } from './system/find-settings.ts';

const MOST_CHARACTERS = 200;

export const findAsAdministrator: Find = (text, signal, me) => {
  const search = text.slice(0, MOST_CHARACTERS);
  const id = idIn(text);
  if (id !== undefined) return foundBy([findUser(id, signal)]);
  const providers = findProviders(search, signal, (guid) => ({ to: `/admin/providers/${guid}` }));
  return foundBy([
    findUsers(search, signal),
    findGroups(search, signal),
    seen(providers).then((found) => found ?? []),
    ...(me.is_su_admin === true ? [findSettings(search, signal)] : []),
  ]);
};

async function findUsers(search: string, signal: AbortSignal): Promise<Found[]> {
  const query = { search, per_page: MOST_FOUND };
  const found = await seen(read(identity.GET('/api/admin/user-search', { params: { query }, signal })));
  return (found?.data ?? []).map((user) => toFound(user.user_guid, nameOf(user), user.email ?? ''));
}

async function findUser(id: string, signal: AbortSignal): Promise<Found[]> {
  const params = { path: { user_guid: id } };
  const user = await seen(read(identity.GET('/api/admin/users/{user_guid}', { params, signal })));
  return user === undefined ? [] : [toFound(id, nameOf(user), user.email ?? '')];
}

async function findGroups(search: string, signal: AbortSignal): Promise<Found[]> {
  const query = { search, per_page: MOST_FOUND };
  const { data } = await read(identity.GET('/api/groups/admin/groups', { params: { query }, signal }));
  return data.map(({ group_guid: id, name }) => ({ kind: 'group', id, label: name, to: `/admin/groups/${id}` }));
}

function toFound(id: string, label: string, detail: string): Found {
  return { kind: 'user', id, label, detail, to: '/admin/users', search: { user: id } };
}

/** Undefined for what one does not see, or what is not there. */
async function seen<Body>(body: Promise<Body>): Promise<Body | undefined> {
  return body.catch((error: unknown) => {
    if (error instanceof Problem && (error.status === 403 || error.status === 404)) return undefined;
    throw error;
  });
}
