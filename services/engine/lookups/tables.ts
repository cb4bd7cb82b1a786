// The four lookup tables as data: their columns, schemas, unique names, and the records that use their entries.
import type { TSchema } from 'typebox';
import type { Issue } from '#lib/errors.ts';
import type { UserKind } from '../shared/references.ts';
import {
  CanonicalLib,
  CanonicalLibInput,
  ConceptType,
  ConceptTypeInput,
  ResponseType,
  ResponseTypeInput,
  Unit,
  UnitInput,
} from './schema.ts';
import type { UcumCheck } from './ucum.ts';

/** An entry as it is returned, or the part of it that a caller writes. */
export type LookupFields = Readonly<Record<string, unknown>>;

export interface LookupTable {
  readonly table: string;
  /** What messages call an entry. */
  readonly what: string;
  readonly path: string;
  /** The fields that a caller writes, which are also the columns. */
  readonly fields: readonly string[];
  readonly input: TSchema;
  readonly output: TSchema;
  /** The unique constraint of names, and the message of its violation. */
  readonly unique: { readonly constraint: string; readonly message: (fields: LookupFields) => string };
  /** The records that may use an entry. Left out for tables whose entries cannot be deleted. */
  readonly users?: readonly UserKind[];
  /** Whether its entries decide the type of values. A unit needs a quantity. */
  readonly isValueType?: boolean;
  /** Returns issues that the schema does not find. The fields may have any type. */
  readonly check?: (fields: LookupFields) => Promise<readonly Issue[]>;
}

const sameName = (what: string) => (fields: LookupFields) => `There is a ${what} called '${String(fields['name'])}'`;

export function lookupTables(checkUcum: UcumCheck): readonly LookupTable[] {
  return [
    {
      table: 'canonical_lib',
      what: 'canonical library',
      path: '/canonical-libs',
      fields: ['name', 'url', 'version', 'publisher', 'description'],
      input: CanonicalLibInput,
      output: CanonicalLib,
      unique: {
        constraint: 'canonical_lib_url_version',
        message: ({ url, version }) =>
          `There is a canonical library with the url ${String(url)} and ${version == null ? 'no version' : `version ${String(version)}`}`,
      },
      users: [{ kind: 'concept', names: 'SELECT concept_name AS name FROM concept WHERE canonical_lib = $1' }],
    },
    {
      table: 'concept_type',
      what: 'concept type',
      path: '/concept-types',
      fields: ['name', 'description'],
      input: ConceptTypeInput,
      output: ConceptType,
      unique: { constraint: 'concept_type_name', message: sameName('concept type') },
    },
    {
      table: 'response_type',
      what: 'response type',
      path: '/response-types',
      fields: ['name', 'fhir_type', 'description'],
      input: ResponseTypeInput,
      output: ResponseType,
      unique: { constraint: 'response_type_name', message: sameName('response type') },
      isValueType: true,
    },
    {
      table: 'unit',
      what: 'unit',
      path: '/units',
      fields: ['name', 'ucum_code', 'description'],
      input: UnitInput,
      output: Unit,
      unique: { constraint: 'unit_name', message: sameName('unit') },
      check: async ({ ucum_code: code }) => {
        const message = typeof code === 'string' && code !== '' ? await checkUcum(code) : undefined;
        return message === undefined ? [] : [{ field: 'ucum_code', message, code: 'code-invalid' }];
      },
    },
  ];
}
