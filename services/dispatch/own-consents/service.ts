// A patient's own consents (decision L3, docs/adr/0073): given and ended by the person alone, in FHIR and in a plain
// form. Staff neither change nor end them, and the patient does not change what staff recorded.

import { isObject, parseObject } from '#fhir/json/objects.ts';
import type { Calendar } from '#fhir/primitives/calendar.ts';
import { type ResourceText, readResourceText } from '#fhir/resources/resource-text.ts';
import type { Placed, PlannedWrite, WriteSteps } from '#fhir/rest/options.ts';
import type { StoredVersion } from '#fhir/store/read/stored-version.ts';
import type { FhirStore } from '#fhir/store/store.ts';
import type { Principal } from '#lib/auth/principal.ts';
import type { Queryable, Transaction } from '#lib/db/database.ts';
import { type Issue, notFound, ServiceError, unprocessable, validationError } from '#lib/errors.ts';
import { newGuid } from '#lib/guid.ts';
import type { Logger } from '#lib/log/logger.ts';
import type { WriteDependencies } from '#lib/write-dependencies.ts';
import type { Persons } from '../persons/service.ts';
import { type Actor, auditedBy } from '../shared/actor.ts';
import type { Records } from '../shared/records.ts';
import { completeOwn, consentOf, type Decision, type ReadDecision, readDecision, requireNoOwnTag } from './content.ts';
import * as store from './store.ts';

/** More that are in force at once would make every question to the gate slow. */
const MOST_ACTIVE = 100;
const MOST = 1000;

export interface OwnConsent extends ReadDecision {
  readonly id: string;
  readonly updatedAt: Date;
}

export interface OwnConsents {
  /** @throws ServiceError `validation_error`, `unprocessable` */
  give(actor: Actor, decision: Decision): Promise<OwnConsent>;
  /** Again changes nothing. @throws ServiceError `not_found` */
  end(actor: Actor, id: string): Promise<OwnConsent>;
  list(
    actor: Actor,
    page: { readonly limit: number; readonly offset: number },
  ): Promise<{ consents: OwnConsent[]; total: number }>;
  /** A patient's Consent with what the server sets, and the organisation that it belongs to. @throws ServiceError */
  complete(db: Queryable, principal: Principal, source: ResourceText): Promise<Placed>;
  /** The steps of a FHIR write of a Consent by a patient. */
  ownSteps(principal: Principal): Promise<WriteSteps>;
  /** What others may not write. @throws ServiceError `unprocessable`; its step throws `forbidden` */
  othersSteps(write: PlannedWrite): Required<Pick<WriteSteps, 'after'>>;
}

export interface OwnConsentsOptions extends WriteDependencies {
  readonly calendar: Calendar;
  readonly log: Logger;
  readonly store: Pick<FhirStore, 'check'>;
  readonly records: Records;
  readonly persons: Pick<Persons, 'follow' | 'ownerOf'>;
}

export function createOwnConsents(options: OwnConsentsOptions): OwnConsents {
  const { database, clock, calendar, log, audit, records, persons } = options;

  /** So that a record that was linked just now is among those that the decision counts for. */
  async function followLinks(): Promise<void> {
    // The decision is stored also while identity is away: the background loop follows later.
    await persons.follow().catch((error: unknown) => log.warn({ event: 'person-records.later', err: error }));
  }

  async function give({ principal, ...origin }: Actor, decision: Decision): Promise<OwnConsent> {
    requirePeriod(decision, calendar.dayOf(clock.now()));
    const given = readResourceText(JSON.stringify(consentOf(decision)));
    const source = completeOwn(given, principal, { calendar, now: clock.now() });
    await options.store.check(source);
    await followLinks();
    const organisation = await persons.ownerOf(database, recordsOf(principal));
    return database.transaction(async (tx) => {
      await store.lockPerson(tx, ownGuid(principal));
      const placement = { id: newGuid(clock.now()), organisation };
      const version = await records.create(tx, source.text, placement, { principal, ...origin });
      await noteOwn(tx, principal, version);
      await record(tx, { principal, ...origin }, { action: 'C', event: 'own-consent.give', id: version.id });
      return toOwn({ id: version.id, content: version.content, updatedAt: version.lastUpdated });
    });
  }

  async function end(actor: Actor, id: string): Promise<OwnConsent> {
    return database.transaction(async (tx) => {
      await store.lockPerson(tx, ownGuid(actor.principal));
      const found = await store.lockOwn(tx, recordsOf(actor.principal), id);
      if (found === undefined) throw notFound('Consent');
      const own = toOwn(found);
      if (!own.isActive) return own;
      const ended = { ...parseObject(found.content), status: 'inactive', date: calendar.dayOf(clock.now()) };
      const address = { resourceType: 'Consent', id: found.id };
      const version = await records.replace(tx, JSON.stringify(ended), address, actor);
      await store.updateOwn(tx, found.id, false);
      await record(tx, actor, { action: 'U', event: 'own-consent.end', id: found.id });
      return toOwn({ id: found.id, content: version.content, updatedAt: version.lastUpdated });
    });
  }

  async function record(tx: Transaction, actor: Actor, act: { action: 'C' | 'U'; event: string; id: string }) {
    const { action, event, id } = act;
    const entry = { action, event, patientGuid: ownGuid(actor.principal), entities: [`Consent/${id}`] };
    await audit.record(tx, auditedBy(actor, entry));
  }

  return {
    give,
    end,
    async list(actor, page) {
      const patientGuid = ownGuid(actor.principal);
      const [{ all }, found] = await Promise.all([
        store.countOwn(database, recordsOf(actor.principal)),
        store.listOwn(database, recordsOf(actor.principal), page),
      ]);
      const entities = found.map(({ id }) => `Consent/${id}`);
      await audit.recordRead(auditedBy(actor, { action: 'E', event: 'own-consent.list', patientGuid, entities }));
      return { consents: found.map(toOwn), total: all };
    },
    complete: async (db, principal, source) => ({
      source: completeOwn(source, principal, { calendar, now: clock.now() }),
      organisation: await persons.ownerOf(db, recordsOf(principal)),
    }),
    async ownSteps(principal) {
      await followLinks();
      return {
        before: (tx) => store.lockPerson(tx, ownGuid(principal)),
        after: (tx, version) => noteOwn(tx, principal, version),
      };
    },
    othersSteps({ resource, interaction }) {
      if (resource !== undefined) requireNoOwnTag(resource);
      return {
        async after(tx, { id, version }) {
          if (interaction === 'create' || version === 1) return;
          if ((await store.findDecider(tx, id)) === undefined) return;
          throw new ServiceError('forbidden', 'The patient decided this; nobody but the patient changes or ends it');
        },
      };
    },
  };
}

/** Notes whose decision the version is. @throws ServiceError `forbidden` for what others wrote, `unprocessable` */
async function noteOwn(tx: Transaction, principal: Principal, { id, version, content }: StoredVersion): Promise<void> {
  const patientGuid = ownGuid(principal);
  const { isActive } = readDecision(parseObject(content));
  if (version === 1) await store.insertOwn(tx, { id, patientGuid, isActive });
  else {
    if (!isDecider(principal, await store.findDecider(tx, id))) {
      const message = 'Others recorded this consent. Give a denial of your own: it stands above every permission';
      throw new ServiceError('forbidden', message);
    }
    await store.updateOwn(tx, id, isActive);
  }
  const { all, active } = await store.countOwn(tx, recordsOf(principal));
  if (active <= MOST_ACTIVE && all <= MOST) return;
  const message =
    active > MOST_ACTIVE
      ? `A patient has at most ${MOST_ACTIVE} consents in force: end one first`
      : `A patient has at most ${MOST} consents: change one of them`;
  throw unprocessable(message, 'Consent');
}

/** Whether the caller decided, at the own account or at one that was merged into it. */
export function isDecider(principal: Principal, decider: string | undefined): boolean {
  return decider !== undefined && recordsOf(principal).includes(decider);
}

/** The ids under which the caller may be on record here, the own guid first. */
export function recordsOf({ patientGuid, linkedRecords }: Principal): readonly string[] {
  return [...(patientGuid === undefined ? [] : [patientGuid]), ...(linkedRecords?.dispatch ?? [])];
}

function ownGuid({ patientGuid }: Principal): string {
  if (patientGuid === undefined) throw new ServiceError('forbidden', 'Only a patient decides about their own data');
  return patientGuid;
}

function toOwn({ id, content, updatedAt }: store.OwnConsent): OwnConsent {
  const consent: unknown = JSON.parse(content);
  return { id, updatedAt, ...readDecision(isObject(consent) ? consent : {}) };
}

/** `today` is `YYYY-MM-DD`. @throws ServiceError `validation_error` */
export function requirePeriod({ startsOn, endsOn }: Pick<Decision, 'startsOn' | 'endsOn'>, today: string): void {
  if (endsOn === undefined) return;
  const issues: Issue[] = [];
  const issue = (message: string) => issues.push({ field: 'ends_on', message });
  if (startsOn !== undefined && startsOn > endsOn) issue("'ends_on' must not be before 'starts_on'");
  if (endsOn < today) issue(`'ends_on' must not have passed: today is ${today}`);
  if (issues.length > 0) throw validationError(issues);
}
