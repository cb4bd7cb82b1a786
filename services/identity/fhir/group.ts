// Group under /fhir (decision I15). Everybody signed in sees the catalogue; members and SU admins see the members of a
// group. SU admins create groups directly.

import type { SearchQuery } from '#fhir/search/parse/query.ts';
import type { SqlValues } from '#fhir/store/search/sql/sql-values.ts';
import type { Audit } from '#lib/audit/audit.ts';
import type { Database } from '#lib/db/database.ts';
import { notFound } from '#lib/errors.ts';
import { isGuid } from '#lib/guid.ts';
import type { Actor } from '../actor.ts';
import type { Groups } from '../groups/service.ts';
import type { SearchedTable } from './criteria-sql.ts';
import { readGroupForm } from './group-form.ts';
import type { DirectoryKind, DirectoryResource, FoundPage } from './kind.ts';
import { GROUP_TYPE_SYSTEM, groupResource } from './resources.ts';
import { searchTable } from './search-page.ts';
import * as store from './store.ts';

/** A search lists the members of groups up to this size. */
const MEMBERS_IN_LIST = 100;

export interface GroupKindDeps {
  readonly database: Database;
  readonly audit: Audit;
  readonly groups: Groups;
  readonly baseUrl: string;
}

export function createGroupKind(deps: GroupKindDeps): DirectoryKind {
  return {
    type: 'Group',
    read: (actor, id) => read(deps, actor, id),
    search: (actor, query) => search(deps, actor, query),
    create: (actor, resource) => create(deps, actor, resource),
  };
}

async function read({ database, audit }: GroupKindDeps, actor: Actor, id: string): Promise<DirectoryResource | null> {
  const row = isGuid(id) ? await store.readGroup(database, id, limitedTo(actor)) : null;
  if (row === null) return null;
  if (!row.sees_members) return { resource: groupResource(row, null) };
  const shown = (await store.listMembers(database, [id])).get(id) ?? [];
  await audit.recordRead({ action: 'R', event: 'group.read', entities: [`Group/${id}`], ...actor });
  return { resource: groupResource(row, { count: shown.length, shown }) };
}

async function search(deps: GroupKindDeps, actor: Actor, query: SearchQuery): Promise<FoundPage> {
  const { database, audit } = deps;
  const userGuid = limitedTo(actor);
  const { rows, ...page } = await searchTable<store.VisibleGroupRow>(database, query, {
    table: tableFor(userGuid),
    columns: (values) => store.groupColumns(store.seesMembers(userGuid, values)),
    idOfUrl: (url) => (url.startsWith(`${deps.baseUrl}/Practitioner/`) ? url.split('/').at(-1) : undefined),
  });
  const seen = rows.filter((row) => row.sees_members).map(({ id }) => id);
  const short = rows.filter((row) => row.sees_members && row.member_count <= MEMBERS_IN_LIST).map(({ id }) => id);
  const members = short.length === 0 ? new Map() : await store.listMembers(database, short);
  // A criterion on a member discloses the member, even when nothing matches.
  if (seen.length > 0 || query.criteria.some(({ kind }) => kind === 'reference')) {
    const entities = seen.length === 0 ? ['Group'] : seen.map((id) => `Group/${id}`);
    await audit.recordRead({ action: 'E', event: 'group.search', entities, ...actor });
  }
  const resources = rows.map((row): DirectoryResource => {
    if (!row.sees_members) return { resource: groupResource(row, null) };
    const shown = members.get(row.id) ?? null;
    const resource = groupResource(row, { count: shown?.length ?? row.member_count, shown });
    return shown === null ? { resource, isPartial: true } : { resource };
  });
  return { ...page, resources };
}

/** Null: the caller sees the members of every group. */
function limitedTo({ principal }: Actor): string | null {
  return principal.roles.has('admin') ? null : principal.id;
}

function tableFor(userGuid: string | null): SearchedTable {
  return {
    from: 'care_group r',
    key: 'r.group_guid',
    name: 'r.name',
    tokens: {
      code: { system: GROUP_TYPE_SYSTEM, code: 'r.group_type' },
      type: { system: 'http://hl7.org/fhir/group-type', code: "'practitioner'" },
    },
    references: (_parameter, ids, values: SqlValues) =>
      `(${store.seesMembers(userGuid, values)} AND ${store.hasMember(ids?.filter(isGuid) ?? null, values)})`,
  };
}

async function create(
  deps: GroupKindDeps,
  actor: Actor,
  resource: Readonly<Record<string, unknown>>,
): Promise<DirectoryResource> {
  const { group, members } = await readGroupForm(resource, deps);
  const created = await read(deps, actor, await deps.groups.createWithMembers(actor, group, members));
  if (created === null) throw notFound('Group');
  return created;
}
