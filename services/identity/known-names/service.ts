// Names as of a time, and the records of one person, for the access log of the engine (decision L4, docs/adr/0075).
import type { LinkedRecords } from '#lib/auth/principal.ts';
import type { Database } from '#lib/db/database.ts';
import { isGuid } from '#lib/guid.ts';
import { linkedRecordsOf } from '../shared/linked-records.ts';
import * as store from './store.ts';

export interface KnownPerson {
  readonly patientGuid: string;
  readonly linked: LinkedRecords;
  /** Of each record that is protected: the guids of those to whom it is shown (docs/adr/0090). */
  readonly shownTo: readonly (readonly string[])[];
}

export interface KnownNames {
  names(guids: readonly string[]): Promise<store.KnownNameRow[]>;
  /** The registered patient whose record it is, with all their records; undefined where it is nobody's or several'. */
  personOf(recordId: string): Promise<KnownPerson | undefined>;
}

export function createKnownNames({ database }: { readonly database: Database }): KnownNames {
  return {
    names: (guids) => store.findNames(database, [...new Set(guids)]),
    async personOf(recordId) {
      const persons = await store.findPersons(database, recordId, isGuid(recordId) ? recordId : null);
      const [first] = persons;
      if (first === undefined || (persons.length > 1 && first.patient_guid !== recordId)) return undefined;
      const { linked_records: linked = { engine: [], dispatch: [] } } = linkedRecordsOf(first.linked);
      return { patientGuid: first.patient_guid, linked, shownTo: first.shown_to ?? [] };
    },
  };
}
