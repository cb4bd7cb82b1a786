// The rules of concepts (decision E6): references exist, codes are unique in their library, and a concept in use is not
// deleted.
import type { Clock } from '#lib/clock.ts';
import type { Database, Transaction } from '#lib/db/database.ts';
import { isUniqueViolation } from '#lib/db/failure.ts';
import { conflict, type Issue, notFound } from '#lib/errors.ts';
import { newGuid } from '#lib/guid.ts';
import { type BodyFields, isFields } from '#lib/http/body-check.ts';
import type { PageRequest } from '#lib/http/response/page.ts';
import { deleteOwner, recordOwner, requireOpenToAdd, requireOwner } from '../shared/library-owners.ts';
import type { LibraryService } from '../shared/owned-records.ts';
import { requireReplaced, requireVersion } from '../shared/record-versions.ts';
import {
  lockReferences,
  type Reference,
  refuseWhenUnitsAreLeft,
  refuseWhenUsed,
  type UserKind,
  unknownReferences,
} from '../shared/references.ts';
import { deleteRecord, requireGuid } from '../shared/sql.ts';
import { createConceptList } from './list-store.ts';
import type { Concept, ConceptInput, ConceptQuery } from './schema.ts';
import { findConcept, insertConcept, lockConcept, updateConcept } from './store.ts';

/** `replace` throws `conflict` naming transactions whose unit would be left without a quantity. */
export type ConceptService = LibraryService<Concept, ConceptInput, ConceptQuery & PageRequest>;

const USERS: readonly UserKind[] = [
  { kind: 'activity', names: 'SELECT name FROM activity WHERE concept = $1' },
  { kind: 'transaction', names: 'SELECT name FROM activity_transaction WHERE concept = $1' },
  { kind: 'goal', names: 'SELECT name FROM goal WHERE concept = $1' },
];

export function createConceptService(deps: { database: Database; clock: Clock }): ConceptService {
  const { database, clock } = deps;

  async function write(guid: string, input: ConceptInput, run: (tx: Transaction, at: Date) => Promise<boolean>) {
    try {
      return await database.transaction(async (tx) => {
        await lockReferences(tx, referencesOf(input), repeatedValues(input));
        const isThere = await run(tx, new Date(clock.now()));
        const concept = isThere ? await findConcept(tx, guid) : undefined;
        if (concept === undefined) throw notFound('Concept');
        return concept;
      });
    } catch (error) {
      if (!isUniqueViolation(error, 'concept_code_in_lib')) throw error;
      throw conflict(`The canonical library has a concept with the code '${input.concept_code ?? guid}' already`);
    }
  }

  return {
    issuesOf: async (fields) => [
      ...repeatedValues(fields),
      ...(await unknownReferences(database, referencesOf(fields))),
    ],
    list: createConceptList(database),
    async get(id) {
      const concept = await findConcept(database, requireGuid(id, 'Concept'));
      if (concept === undefined) throw notFound('Concept');
      return concept;
    },
    create(input, principal) {
      const guid = newGuid(clock.now());
      return write(guid, input, async (tx, at) => {
        await requireOpenToAdd(tx, input.canonical_lib, principal);
        await insertConcept(tx, guid, input, at);
        await recordOwner(tx, guid, principal);
        return true;
      });
    },
    async replace(id, input, { principal, ifMatch }) {
      const guid = requireGuid(id, 'Concept');
      return write(guid, input, async (tx, at) => {
        const version = await updateConcept(tx, guid, input, at);
        if (version === undefined) return false;
        await requireOwner(tx, guid, principal);
        requireReplaced(ifMatch, version);
        await requireOpenToAdd(tx, input.canonical_lib, principal);
        await refuseWhenUnitsAreLeft(tx, 'concept', guid);
        return true;
      });
    },
    async remove(id, { principal, ifMatch }) {
      const guid = requireGuid(id, 'Concept');
      await database.transaction(async (tx) => {
        if (!(await lockConcept(tx, guid))) throw notFound('Concept');
        await requireOwner(tx, guid, principal);
        await refuseWhenUsed(tx, 'concept', guid, USERS);
        const version = await deleteRecord(tx, { table: 'concept' }, guid);
        if (version === undefined) throw notFound('Concept');
        requireVersion(ifMatch, version);
        await deleteOwner(tx, guid);
      });
    },
  };
}

function referencesOf(fields: BodyFields): Reference[] {
  const tables = ['canonical_lib', 'concept_type', 'response_type'] as const;
  return tables.map((table) => ({ field: table, table, guid: fields[table] }));
}

function repeatedValues({ values }: BodyFields): Issue[] {
  const codes = Array.isArray(values)
    ? values.map((value: unknown) => (isFields(value) ? value['code'] : undefined))
    : [];
  return codes.flatMap((code, index) => {
    const isRepeated = typeof code === 'string' && codes.indexOf(code) < index;
    const field = `values[${index}].code`;
    return isRepeated ? [{ field, message: `'${field}': the value '${code}' is given twice` }] : [];
  });
}
