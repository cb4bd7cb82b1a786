// Reads the patients of a Group for its export.

import { parseReference } from '#fhir/resources/references.ts';
import type { FhirStore } from '#fhir/store/store.ts';
import type { Database } from '#lib/db/database.ts';
import { parseInSlices } from '#lib/jobs/sliced-json.ts';
import { createSlices, mapInSlices } from '#lib/jobs/slices.ts';
import { accessOf } from '../shared/policies.ts';
import type { Caller } from './service.ts';

interface Member {
  readonly entity?: { readonly reference?: string };
  readonly inactive?: boolean;
}

/** @throws ServiceError `not_found`, `deleted` */
export function groupReader({ database, store }: { readonly database: Database; readonly store: FhirStore }) {
  return async ({ principal }: Caller, id: string): Promise<readonly string[]> => {
    const version = await store.read(database, { resourceType: 'Group', id }, accessOf(principal));
    const slices = createSlices();
    const { member = [] } = (await parseInSlices(version.content, { slices })) as { member?: readonly Member[] };
    const found = await mapInSlices(
      member,
      ({ entity, inactive }) => {
        const target = parseReference(entity?.reference ?? '', store.parameters.baseUrl);
        return target?.kind === 'relative' && target.type === 'Patient' && inactive !== true ? [target.id] : [];
      },
      slices,
    );
    return found.flat();
  };
}
