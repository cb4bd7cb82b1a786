// The feed of whose records are one person's (docs/adr/0073). Dispatch follows it, because its consent gate must know
// the person of a record when it cannot be asked. That is while identity is away, and when the person has not signed in
// for long.
import type { RecordService } from '#lib/auth/principal.ts';
import type { Database } from '#lib/db/database.ts';
import { readLastChange } from '../shared/change-counter.ts';
import { linkedRecordsOf } from '../shared/linked-records.ts';
import { readChangedPatients } from './feed-store.ts';

const PAGE = 500;

export interface LinkPage {
  readonly patients: readonly { readonly patientGuid: string; readonly records: readonly string[] }[];
  /** Where to read on. */
  readonly sequence: number;
  readonly hasMore: boolean;
}

export interface LinkFeed {
  /**
   * The patients whose links may have changed after that number, each with all records at the service now. A reader who
   * is ahead (the database was restored) begins again.
   */
  readAfter(service: RecordService, after: number): Promise<LinkPage>;
}

export function createLinkFeed({ database }: { readonly database: Database }): LinkFeed {
  return {
    async readAfter(service, given) {
      const last = await readLastChange(database);
      const after = given > last ? 0 : given;
      const rows = await readChangedPatients(database, { after, upTo: last, limit: PAGE });
      const hasMore = rows.length === PAGE;
      return {
        patients: rows.map(({ patient_guid: patientGuid, linked }) => {
          return { patientGuid, records: linkedRecordsOf(linked).linked_records?.[service] ?? [] };
        }),
        sequence: hasMore ? (rows.at(-1)?.sequence ?? last) : last,
        hasMore,
      };
    },
  };
}
