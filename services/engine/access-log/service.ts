// A patient's access log (decision L4, docs/adr/0075): who has read or changed the data, of all services, newest first.
// Patients read their own; administrators and privacy officers that of any patient. Each access to it is recorded
// itself.
import type { IdentityNames } from '#clients/identity-names.ts';
import { unprotectedFor } from '#fhir/store/protected-identity.ts';
import type { Audit } from '#lib/audit/audit.ts';
import { LOCAL_ORGANISATION } from '#lib/auth/data-scope.ts';
import type { LinkedRecords, Principal } from '#lib/auth/principal.ts';
import type { Database } from '#lib/db/database.ts';
import { ServiceError, validationError } from '#lib/errors.ts';
import type { Language } from '#lib/html/html.ts';
import type { TimePosition } from '#lib/http/response/time-position.ts';
import { type Actor, auditedBy } from '../shared/actor.ts';
import { type LoggedEvent, readLoggedEvent } from '../shared/logged-event.ts';
import { createPartyNames, type PartyNames } from './names.ts';
import type { LogRow } from './schema.ts';
import * as store from './store.ts';
import { actionOf, describe, phrase, reasonOf, roleText } from './words.ts';

export interface LogQuestion {
  /** Whose log; undefined for the caller's own. */
  readonly patient: string | undefined;
  readonly since: Date | null;
  readonly until: Date | null;
  /** A part of a name, or a guid. */
  readonly unit: string | undefined;
  readonly person: string | undefined;
  readonly language: Language;
}

export interface AccessLogReader {
  /** @throws ServiceError `forbidden`, `validation_error`, `upstream_unavailable` */
  page(
    actor: Actor,
    question: LogQuestion,
    page: { readonly before: TimePosition | null; readonly limit: number },
  ): Promise<{ rows: LogRow[]; next: TimePosition | null }>;
  /**
   * The whole log, in pieces.
   * @throws ServiceError as `page`, and `unprocessable` where it has more than `maxRows` rows
   */
  all(actor: Actor, question: LogQuestion, maxRows: number): Promise<WholeLog>;
}

export interface WholeLog {
  readonly patient: string;
  readonly hidesNames: boolean;
  readonly rows: AsyncIterable<LogRow[]>;
}

export interface AccessLogDeps {
  readonly database: Database;
  readonly audit: Audit;
  /** Identity; without it there are no names of its users, and no linked records of others than the caller. */
  readonly identityNames?: IdentityNames | undefined;
  /** Whether patients are shown the names of individuals. */
  readonly showsNames: boolean;
}

/** The log of one person for one reader. */
interface Log {
  readonly patient: string;
  readonly keys: readonly store.PatientKey[];
  readonly filter: store.LogFilter;
  readonly names: PartyNames;
  readonly hidesNames: boolean;
  /** Of a protected identity: where the person is treated (docs/adr/0076). */
  readonly hidesUnits: boolean;
  readonly language: Language;
}

/** Rows of one statement of an export. */
const PIECE = 500;
/** So many units and persons of one log are searched by name. */
const MAX_PARTIES = 5_000;
const PERSON = /^(?:user|engine-user|api-key)\//;
const UNIT = /^(?:organisation|provider)\//;
const NONE: LinkedRecords = { engine: [], dispatch: [] };

export function createAccessLogReader(deps: AccessLogDeps): AccessLogReader {
  const { database, audit } = deps;

  async function open(actor: Actor, question: LogQuestion, event: string): Promise<Log> {
    const { patient, linked, shownTo } = await subjectOf(deps, actor, question, event);
    const hidesNames = !deps.showsNames && !mayReadAll(actor.principal);
    if (hidesNames && question.person !== undefined) {
      const message = "'person' cannot be asked for: this system does not show the names of individuals";
      throw validationError([{ field: 'person', message }]);
    }
    const keys = keysOf(patient, linked);
    const hidesUnits =
      isHiddenElsewhere(shownTo, actor.principal) || (await isHiddenFrom(database, keys, actor.principal));
    if (hidesUnits && question.unit !== undefined) {
      const message = "'unit' cannot be asked for: the identity of this person is protected";
      throw validationError([{ field: 'unit', message }]);
    }
    const names = createPartyNames(database, deps.identityNames);
    const filter = await filterOf(database, { keys, names, question });
    return { patient, keys, filter, names, hidesNames, hidesUnits, language: question.language };
  }

  function record(actor: Actor, { patient }: Log, event: string): Promise<void> {
    return audit.recordRead(auditedBy(actor, { action: 'R', event, patientGuid: patient, entities: ['AuditEvent'] }));
  }

  return {
    async page(actor, question, { before, limit }) {
      const event = 'access-log.read';
      const log = await open(actor, question, event);
      const read = await readRows(database, log, { before, limit });
      await record(actor, log, event);
      return read;
    },
    async all(actor, question, maxRows) {
      const event = 'access-log.export';
      const log = await open(actor, question, event);
      if (await hasMore(database, log, maxRows)) {
        const message = `The log has more than ${maxRows} rows: choose a shorter period with 'since' and 'until'`;
        throw new ServiceError('unprocessable', message);
      }
      await record(actor, log, event);
      return { patient: log.patient, hidesNames: log.hidesNames, rows: piecesOf(database, log) };
    },
  };
}

async function hasMore(database: Database, { keys, filter }: Log, maxRows: number): Promise<boolean> {
  return (await store.countEntries(database, keys, filter, maxRows + 1)) > maxRows;
}

async function* piecesOf(database: Database, log: Log): AsyncGenerator<LogRow[]> {
  let before: TimePosition | null = null;
  do {
    const piece: Awaited<ReturnType<typeof readRows>> = await readRows(database, log, { before, limit: PIECE });
    if (piece.rows.length > 0) yield piece.rows;
    before = piece.next;
  } while (before !== null);
}

/** Whether the person's identity is protected, and the caller not named; the person always sees their own. */
async function isHiddenFrom(
  database: Database,
  keys: readonly store.PatientKey[],
  principal: Principal,
): Promise<boolean> {
  if (principal.patientGuid !== undefined) return false;
  const ids = [...new Set(keys.map(({ id }) => id))];
  return store.hasHiddenPatient(database, ids, unprotectedFor(principal));
}

/** The same by what identity knows of all services (docs/adr/0090). */
function isHiddenElsewhere(shownTo: Subject['shownTo'], { id, organisationGuids, patientGuid }: Principal): boolean {
  if (patientGuid !== undefined) return false;
  return !shownTo.every((guids) => [id, ...organisationGuids].some((guid) => guids.includes(guid)));
}

/** Administrators and privacy officers read everybody's log. */
function mayReadAll({ roles }: Principal): boolean {
  return roles.has('admin') || roles.has('privacy_officer');
}

interface Subject {
  readonly patient: string;
  readonly linked: LinkedRecords;
  /** Of each record whose identity is protected: the guids of those to whom it is shown. */
  readonly shownTo: readonly (readonly string[])[];
}

/** Whose log it is, with their further records. @throws ServiceError `forbidden`, `validation_error` */
async function subjectOf(
  { audit, identityNames }: AccessLogDeps,
  actor: Actor,
  { patient }: LogQuestion,
  event: string,
): Promise<Subject> {
  const { principal } = actor;
  const { patientGuid: own, linkedRecords = NONE } = principal;
  if (own !== undefined) {
    const ids = [own, ...linkedRecords.engine, ...linkedRecords.dispatch];
    if (patient === undefined || ids.includes(patient)) return { patient: own, linked: linkedRecords, shownTo: [] };
    const refused = { action: 'R', event, patientGuid: patient, outcome: 'failure' } as const;
    await audit.recordRead(auditedBy(actor, { ...refused, detail: 'refused: not for this caller' }));
    throw new ServiceError('forbidden', 'You may read your own log');
  }
  if (patient === undefined) {
    throw validationError([{ field: 'patient', message: "'patient' is required: whose log do you want to read?" }]);
  }
  const person = await identityNames?.personOf(patient);
  if (person === undefined) return { patient, linked: NONE, shownTo: [] };
  return { patient: person.patientGuid, linked: person.linked, shownTo: person.shownTo };
}

/** What a service has recorded of one of its own records, or identity of any. */
function keysOf(patient: string, linked: LinkedRecords): store.PatientKey[] {
  const others = [...new Set([...linked.engine, ...linked.dispatch])].filter((id) => id !== patient);
  return [
    { id: patient, service: null },
    ...linked.engine.filter((id) => id !== patient).map((id) => ({ id, service: 'engine' })),
    ...linked.dispatch.filter((id) => id !== patient).map((id) => ({ id, service: 'dispatch' })),
    ...others.map((id) => ({ id, service: 'identity' })),
  ];
}

async function filterOf(
  database: Database,
  { keys, names, question }: { keys: readonly store.PatientKey[]; names: PartyNames; question: LogQuestion },
): Promise<store.LogFilter> {
  const { since, until, unit, person } = question;
  if (unit === undefined && person === undefined) return { since, until, units: null, persons: null };
  const parties = await store.findParties(database, keys, MAX_PARTIES);
  const found = async (text: string | undefined, kind: RegExp): Promise<string[] | null> => {
    if (text === undefined) return null;
    const ofKind = parties.filter((party) => kind.test(party));
    await names.read(ofKind);
    return names.matching(ofKind, text);
  };
  return { since, until, units: await found(unit, UNIT), persons: await found(person, PERSON) };
}

async function readRows(
  database: Database,
  log: Log,
  { before, limit }: { readonly before: TimePosition | null; readonly limit: number },
): Promise<{ rows: LogRow[]; next: TimePosition | null }> {
  const found = await store.findEntries(database, log.keys, log.filter, { before, limit: limit + 1 });
  const shown = found.slice(0, limit);
  const texts = await store.readEvents(
    database,
    shown.map(({ event_guid: guid }) => guid),
  );
  const events = shown.flatMap(({ event_guid: guid }) => {
    const text = texts.get(guid);
    return (text === undefined ? undefined : readLoggedEvent(JSON.parse(text))) ?? [];
  });
  await log.names.read(events.flatMap(partiesOf));
  const last = shown.at(-1);
  const next =
    found.length > limit && last !== undefined ? { recordedAt: last.recorded_at, eventGuid: last.event_guid } : null;
  return { rows: events.map((event) => toRow(event, log)), next };
}

function partiesOf({ person, forPatient, units }: LoggedEvent): string[] {
  return [person, forPatient === undefined ? undefined : proxiedParty(forPatient), ...units].filter(
    (party) => party !== undefined,
  );
}

/** Identity knows a user by the guid of the Patient, too. */
function proxiedParty(patientGuid: string): string {
  return `user/${patientGuid}`;
}

function toRow(event: LoggedEvent, { names, hidesNames, hidesUnits, language }: Log): LogRow {
  const { person, forPatient, units, recordedAt } = event;
  const known = person === undefined ? undefined : names.at(person, recordedAt);
  const isGone = person !== undefined && PERSON.test(person) && known === undefined;
  const name = isGone
    ? phrase('gone', language)
    : (known?.name ?? (forPatient === undefined ? null : (known?.proxyName ?? null)));
  return {
    event_guid: event.eventGuid,
    at: recordedAt.toISOString(),
    who: {
      name: hidesNames ? null : name,
      role: roleText(event, known?.role ?? null, language),
      unit:
        hidesUnits || units.length === 0
          ? null
          : units.map((unit) => unitName(unit, event, { names, language })).join(', '),
      ...(forPatient === undefined
        ? {}
        : { for: names.at(proxiedParty(forPatient), recordedAt)?.name ?? phrase('the-patient', language) }),
    },
    action: actionOf(event),
    what: describe(event, language),
    why: reasonOf(event),
    outcome: event.isRefused ? 'refused' : 'success',
  };
}

function unitName(
  unit: string,
  { recordedAt }: LoggedEvent,
  { names, language }: { readonly names: PartyNames; readonly language: Language },
): string {
  if (unit === `organisation/${LOCAL_ORGANISATION}`) return phrase('engine', language);
  return names.at(unit, recordedAt)?.name ?? phrase('unit-gone', language);
}
