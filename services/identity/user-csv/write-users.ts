// Writes the accepted rows of a batch: the user, the professional or patient, workplaces, approved memberships, and an
// audit event each (decisions G9 and I13).

import type { AuditEntry } from '#lib/audit/audit-event.ts';
import type { Transaction } from '#lib/db/database.ts';
import { newGuid } from '#lib/guid.ts';
import type { WriteDependencies } from '#lib/write-dependencies.ts';
import type { PatientLinks } from '../patient-records/link-service.ts';
import type { NumberCipher } from '../shared/ciphers.ts';
import { lockNumbers, numberIndex, shareLockGenerations } from '../shared/number-index.ts';
import { type Created, createMissing, type Directory, findDirectory, isNothing, missingFrom } from './directory.ts';
import * as store from './insert-store.ts';
import type { Row } from './row.ts';

export interface BatchDeps extends WriteDependencies {
  readonly cipher: NumberCipher;
  readonly links: PatientLinks;
}

/** The requester for the audit record; `decidedBy` is the user who approves the memberships, null for an operator. */
export interface Requester extends Pick<AuditEntry, 'principal' | 'address' | 'requestId'> {
  readonly decidedBy: string | null;
}

export interface WriteOptions {
  readonly rows: readonly Row[];
  readonly directory: Directory;
  readonly password: Omit<store.TemporaryPassword, 'createdAt'>;
  readonly requester: Requester;
}

export interface WriteCounts {
  readonly created: number;
  readonly organisationsMade: number;
  readonly groupsMade: number;
}

interface Person {
  readonly row: Row;
  readonly userGuid: string;
  /** `professional_guid` or `patient_guid`. */
  readonly personGuid: string;
}

/** Returns how many users were created: fewer than rows when an address was taken meanwhile. */
export async function writeUsers(deps: BatchDeps, tx: Transaction, writing: WriteOptions): Promise<WriteCounts> {
  const { rows, password } = writing;
  if (rows.length === 0) return { created: 0, organisationsMade: 0, groupsMade: 0 };
  const now = deps.clock.now();
  const missing = missingFrom(writing.directory, rows);
  const made = await createMissing(tx, missing, deps.clock);
  const directory = isNothing(missing) ? writing.directory : await findDirectory(tx, rows);
  const people = rows.map((row) => ({ row, userGuid: newGuid(now), personGuid: newGuid(now) }));
  const users = people.map(({ row: { emailKey = '', ...row }, userGuid }) => ({ ...row, emailKey, userGuid }));
  const guids = await store.insertUsers(tx, users, { ...password, createdAt: new Date(now) });
  const created = people.filter((person) => guids.has(person.userGuid));
  await writeProfessionals(tx, { people: created, directory, decidedBy: writing.requester.decidedBy, now });
  await writePatients(deps, tx, created, { directory, requester: writing.requester });
  await deps.audit.record(tx, ...auditEntries(created, made, writing.requester));
  return { created: created.length, organisationsMade: made.organisations.length, groupsMade: made.groups.length };
}

async function writeProfessionals(
  tx: Transaction,
  writing: { people: readonly Person[]; directory: Directory; decidedBy: string | null; now: number },
): Promise<void> {
  const { directory, decidedBy, now } = writing;
  const people = writing.people.filter(({ row }) => row.userType === 'professional');
  if (people.length === 0) return;
  const professionals = people.map(({ row, userGuid, personGuid }) => {
    return { userGuid, professionalGuid: personGuid, role: row.role ?? 'other' };
  });
  await store.insertProfessionals(tx, professionals);
  const workplaces = people.flatMap(({ row, userGuid }) => {
    const guids = new Set(row.organisations.map((name) => onlyOne(directory.organisations, name)));
    return [...guids].map((organisationGuid) => ({ userGuid, organisationGuid }));
  });
  await store.insertWorkplaces(tx, workplaces);
  const memberships = people.flatMap((person) => membershipsOf(person, directory, now));
  await store.insertMemberships(tx, memberships, { decidedBy, at: new Date(now) });
}

/** A group that is named twice counts once, as admin when one of the two says so. */
function membershipsOf({ row, userGuid }: Person, directory: Directory, now: number): store.NewMembership[] {
  const isAdminOf = new Map<string, boolean>();
  for (const { text, isAdmin } of row.groups) {
    const guid = onlyOne(directory.groups, text);
    isAdminOf.set(guid, isAdmin || isAdminOf.get(guid) === true);
  }
  return [...isAdminOf].map(([groupGuid, isAdmin]) => ({ membershipGuid: newGuid(now), userGuid, groupGuid, isAdmin }));
}

async function writePatients(
  { cipher, links }: BatchDeps,
  tx: Transaction,
  people: readonly Person[],
  { directory, requester: { decidedBy: _, ...by } }: { readonly directory: Directory; readonly requester: Requester },
): Promise<void> {
  const generations = await shareLockGenerations(tx);
  const patients = people.flatMap(({ row, userGuid, personGuid: patientGuid }) => {
    const { personnummer, organisations } = row;
    if (row.userType !== 'patient' || personnummer === null) return [];
    const organisationGuid = onlyOne(directory.organisations, organisations[0] ?? '');
    const sealed = cipher.seal(personnummer, patientGuid);
    return [{ userGuid, patientGuid, organisationGuid, sealed, index: numberIndex(cipher, generations, personnummer) }];
  });
  if (patients.length === 0) return;
  await lockNumbers(
    tx,
    patients.map(({ index }) => index),
  );
  await store.insertPatients(tx, patients);
  await links.linkPatients(
    tx,
    patients.map(({ patientGuid }) => patientGuid),
    by,
  );
}

function auditEntries(
  people: readonly Person[],
  made: Created,
  { decidedBy: _, ...requester }: Requester,
): AuditEntry[] {
  const create = { action: 'C', ...requester } as const;
  return [
    ...made.organisations.map(
      (guid): AuditEntry => ({ ...create, event: 'organisation.create', entities: [`Organization/${guid}`] }),
    ),
    ...made.groups.map((guid): AuditEntry => ({ ...create, event: 'group.create', entities: [`Group/${guid}`] })),
    ...people.map(({ row, userGuid, personGuid }): AuditEntry => {
      const entry = { ...create, event: 'user.import', subjectGuid: userGuid };
      return row.userType === 'patient' ? { ...entry, patientGuid: personGuid } : entry;
    }),
  ];
}

/** @throws Error when an accepted row cannot be resolved, which would be a defect */
function onlyOne(guids: ReadonlyMap<string, readonly string[]>, text: string): string {
  const [guid] = guids.get(text) ?? [];
  if (guid === undefined) throw new Error('An accepted row names what does not exist');
  return guid;
}
