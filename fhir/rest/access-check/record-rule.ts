// Whether the access filter of a caller shows a record. The store decides, by the SQL of every read; the kind of the
// filter only words the reason (docs/adr/0105).
import { isJsonObject } from '#fhir/patch/json-tree.ts';
import type { Access, AccessFilter } from '#fhir/store/access.ts';
import { isProtected } from '#fhir/store/protected-identity.ts';
import { findVisible } from '#fhir/store/read/find-visible.ts';
import type { StoredVersion } from '#fhir/store/read/stored-version.ts';
import type { FhirStore } from '#fhir/store/store.ts';
import type { Queryable } from '#lib/db/database.ts';
import { parseInSlices } from '#lib/jobs/sliced-json.ts';
import type { Reason } from './reasons.ts';
import { ruleOf } from './rules.ts';
import type { DecidingRule } from './schema.ts';

interface Records {
  readonly store: Pick<FhirStore, 'read'>;
  readonly database: Queryable;
}

/** Whether the access shows the record as it is now. */
export async function recordRule(
  { store, database }: Records,
  record: StoredVersion,
  access: Access,
): Promise<DecidingRule> {
  const filter = access(record.resourceType);
  const isShown = (await findVisible(store, database, record, access)) !== undefined;
  return ruleOf('record', isShown, await reasonFor(filter, record, isShown), factsOf(filter, record));
}

async function reasonFor(filter: AccessFilter, record: StoredVersion, isShown: boolean): Promise<Reason> {
  switch (filter.kind) {
    case 'all':
      return 'all_records';
    case 'none':
      return 'no_records';
    case 'organisations':
      if (isShown) return 'own_organisation';
      return filter.mayReadOthers === true ? 'owner_only' : 'other_organisation';
    case 'unprotected':
      if (!isShown) return 'protected_identity';
      return (await isOfProtected(record)) ? 'record_shown' : 'not_protected';
    case 'patient':
      return isShown ? 'own_record' : 'not_own_record';
    case 'reported':
      return isShown ? 'own_report' : 'not_own_report';
    case 'provided':
    case 'any':
    case 'secured':
      return isShown ? 'record_shown' : 'record_hidden';
    default:
      return filter satisfies never;
  }
}

async function isOfProtected({ content }: StoredVersion): Promise<boolean> {
  const patient = await parseInSlices(content);
  return isJsonObject(patient) && isProtected(patient);
}

function factsOf(filter: AccessFilter, { organisation }: StoredVersion) {
  const needed = organisation === null ? [] : [organisation];
  if (filter.kind === 'organisations') return { needed, given: filter.guids };
  return filter.kind === 'unprotected' ? { needed, given: filter.organisations } : {};
}

/** What a search of the type shows at most. */
export function searchRule(filter: AccessFilter): DecidingRule {
  switch (filter.kind) {
    case 'none':
      return ruleOf('record', false, 'no_records');
    case 'all':
      return ruleOf('record', true, 'all_records');
    case 'organisations':
      return ruleOf('record', true, 'organisations_only', { given: filter.guids });
    case 'unprotected':
      return ruleOf('record', true, 'unprotected_only');
    case 'patient':
    case 'reported':
      return ruleOf('record', true, 'own_records_only');
    case 'provided':
    case 'any':
    case 'secured':
      return ruleOf('record', true, 'record_shown');
    default:
      return filter satisfies never;
  }
}
