// Organization under /fhir (decision I15): everybody signed in sees the catalogue, SU admins add to it.

import type { Database } from '#lib/db/database.ts';
import { notFound } from '#lib/errors.ts';
import { isGuid } from '#lib/guid.ts';
import type { Organisations } from '../organisations/service.ts';
import { nameText } from '../text.ts';
import type { SearchedTable } from './criteria-sql.ts';
import { createFormCheck } from './form-check.ts';
import type { DirectoryKind, DirectoryResource } from './kind.ts';
import { type OrganisationRow, organizationResource } from './resources.ts';
import { searchTable } from './search-page.ts';
import * as store from './store.ts';
import { readSubmission } from './submission.ts';

const TABLE: SearchedTable = {
  from: 'organisation r',
  key: 'r.organisation_guid',
  name: 'r.name',
  tokens: { active: { system: '', code: "'true'" } },
  lastUpdated: 'r.created_at',
};

const checkForm = createFormCheck({ name: nameText(200) });

export interface OrganizationKindDeps {
  readonly database: Database;
  readonly organisations: Organisations;
}

export function createOrganizationKind(deps: OrganizationKindDeps): DirectoryKind {
  const { database, organisations } = deps;
  const read = async (id: string) => {
    const row = isGuid(id) ? await store.readOrganisation(database, id) : null;
    return row && toResource(row);
  };
  return {
    type: 'Organization',
    read: (_actor, id) => read(id),
    async search(_actor, query) {
      const columns = () => 'r.organisation_guid AS id, r.name, r.created_at';
      const search = { table: TABLE, columns, idOfUrl: () => undefined };
      const { rows, ...page } = await searchTable<OrganisationRow>(database, query, search);
      return { ...page, resources: rows.map(toResource) };
    },
    async create(actor, resource) {
      const submission = readSubmission(resource, 'Organization');
      const name = submission.takeText('name');
      checkForm(submission, { name }, { name: 'name' });
      submission.check();
      const made = await organisations.create(actor, name ?? '');
      const created = await read(made.organisationGuid);
      if (created === null) throw notFound('Organisation');
      return created;
    },
  };
}

function toResource(row: OrganisationRow): DirectoryResource {
  return { resource: organizationResource(row), lastUpdated: row.created_at };
}
