// The user-defined search parameters in the memory of a node. They are loaded again when the version in the database
// has changed.

import type { CustomParameter } from '#fhir/search/parameters/custom-parameter.ts';
import { COMPUTED_TYPES, type SearchParameters } from '#fhir/search/parameters/definitions.ts';
import { createSearchOverlay, type OverlayContent, type SearchOverlay } from '#fhir/search/parameters/overlay.ts';
import type { Database, Queryable, Transaction } from '#lib/db/database.ts';

interface LoadedRow {
  readonly version: number;
  readonly extraction: number;
  readonly state: string | null;
  readonly definition: CustomParameter | null;
}

/** The NOTIFY channel that wakes the nodes of a schema. */
export function parameterChannel({ schema }: Database): string {
  return `fhir_parameters_${schema}`;
}

export interface ParameterOverlay {
  /** The official parameters and those of users, as last loaded. */
  readonly parameters: SearchParameters;
  /** The parameters of users, as last loaded. */
  content(): OverlayContent;
  /** Loads the definitions if the version has changed. */
  refresh(db: Queryable): Promise<void>;
  /** Loads the latest definitions, and blocks changes of them until the transaction ends. */
  hold(tx: Transaction): Promise<void>;
}

export function createParameterOverlay(official: SearchParameters): ParameterOverlay {
  const overlay: SearchOverlay = createSearchOverlay(official);
  const { parameters } = overlay;
  const load = async (db: Queryable, version: number) => {
    if (version !== parameters.version) overlay.replace(await readContent(db));
  };
  return {
    parameters,
    content: overlay.content,
    refresh: async (db) => load(db, await readVersion(db, '')),
    hold: async (tx) => load(tx, await readVersion(tx, 'FOR SHARE')),
  };
}

async function readVersion(db: Queryable, lock: '' | 'FOR SHARE'): Promise<number> {
  const { rows } = await db.query<{ version: number }>({
    name: `fhir_search_version${lock === '' ? '' : '_held'}`,
    text: `SELECT version FROM fhir_search_version ${lock}`,
  });
  return rows[0]?.version ?? 0;
}

async function readContent(db: Queryable) {
  const { rows } = await db.query<LoadedRow>(
    `SELECT v.version, v.extraction, p.state, p.definition FROM fhir_search_version v
     LEFT JOIN fhir_search_parameter p ON p.state <> 'removing'`,
  );
  const [{ version, extraction } = { version: 0, extraction: 0 }] = rows;
  const custom = rows.flatMap(({ definition, state }) =>
    // Those of before computed types were refused.
    definition === null || COMPUTED_TYPES.has(definition.resourceType)
      ? []
      : [{ ...definition, isSearchable: state === 'searchable' }],
  );
  return { version, extraction, custom };
}
