// Exports all users as CSV text (contract: identity, Admin; decision I13), in chunks, so that memory stays flat. The
// read of each patient is recorded before the chunk is sent (decision G9).
import type { AuditEntry } from '#lib/audit/audit-event.ts';
import { writeRecord } from '#lib/csv/csv-writer.ts';
import { readerNames } from '../shared/protected-patients.ts';
import { COLUMNS } from './columns.ts';
import { writeGroup, writeNames } from './lists.ts';
import * as store from './store.ts';
import type { BatchDeps, Requester } from './write-users.ts';

const PIECE = 500;

export interface ExportChunk {
  readonly text: string;
  /** The number of users in the chunk. */
  readonly users: number;
}

/**
 * The document in chunks. The header and the first users are one chunk, so that a failure shows before anything is
 * sent.
 */
export async function* exportUsers(
  deps: BatchDeps,
  requester: Omit<Requester, 'decidedBy'>,
): AsyncGenerator<ExportChunk> {
  const { database, audit } = deps;
  await audit.recordRead({ action: 'E', event: 'users.export', ...requester });
  const reader = readerNames(requester.principal);
  const shared = new Set(await store.readSharedPhases(database));
  let after: string | null = null;
  for (;;) {
    const users: store.ExportedUser[] = await store.readUsers(database, { after, limit: PIECE }, reader);
    const reads = users.flatMap(({ patient_guid: patientGuid, user_guid: subjectGuid }): AuditEntry[] =>
      patientGuid === null ? [] : [{ action: 'R', event: 'patient.export', patientGuid, subjectGuid, ...requester }],
    );
    if (reads.length > 0) await audit.recordRead(...reads);
    const lines = users.map((user) => writeRecord(toCells(deps, user, shared)));
    yield { text: (after === null ? writeRecord(COLUMNS) : '') + lines.join(''), users: users.length };
    if (users.length < PIECE) return;
    after = users.at(-1)?.user_guid ?? null;
  }
}

function toCells({ cipher }: BatchDeps, user: store.ExportedUser, shared: ReadonlySet<string>): string[] {
  const { patient_guid: patientGuid, personnummer_sealed: sealed } = user;
  const groups = user.groups.map(({ group_guid: guid, group_type: groupType, name, is_admin: isAdmin }) =>
    writeGroup({ name, groupType, isAdmin, isShared: shared.has(guid) }),
  );
  return [
    user.email ?? '',
    user.user_type,
    user.first_name ?? '',
    user.last_name ?? '',
    user.professional_role ?? '',
    patientGuid === null || sealed === null ? '' : cipher.open(sealed, patientGuid),
    writeNames(user.organisations),
    groups.join(';'),
    String(user.is_su_admin),
  ];
}
