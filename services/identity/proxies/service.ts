// Proxies, whom a patient names and who accept, and guardians of children, whom an administrator sets (decision L5,
// docs/adr/0074). Their rights are in the access blob; every change is in the feed of revocations.

import { CHILD_UNTIL, endOfDay, startOfAge } from '#lib/age.ts';
import { emailKey } from '#lib/auth/email.ts';
import { DAY_MS } from '#lib/clock.ts';
import type { Transaction } from '#lib/db/database.ts';
import { conflict, type Issue, notFound, ServiceError, validationError } from '#lib/errors.ts';
import { isGuid, newGuid } from '#lib/guid.ts';
import { parsePersonnummer } from '#lib/personnummer.ts';
import { currentTenant } from '#lib/tenants/current-tenant.ts';
import type { WriteDependencies } from '#lib/write-dependencies.ts';
import type { Actor } from '../actor.ts';
import type { Revocations } from '../revocations/service.ts';
import type { NumberCipher } from '../shared/ciphers.ts';
import { numberIndex, readGenerations } from '../shared/number-index.ts';
import type { Users } from '../users/service.ts';
import type { InvitationMails } from './invitation-mail.ts';
import * as store from './store.ts';

export type { PatientProxy } from './store.ts';

const ADULT = 18;
const MOST_OPEN = 20;
const LISTED = 100;
const LONGEST_MS = 2 * 366 * DAY_MS;

export interface Naming {
  /** A personnummer or an e-mail address. */
  readonly whom: { readonly personnummer: string } | { readonly email: string };
  readonly may: store.Right;
  /** The last day, `YYYY-MM-DD`. */
  readonly until: string;
}

export interface Proxies {
  /**
   * Names a proxy. Whether there is such a person is not disclosed: the invitation is the same.
   * @throws ServiceError `validation_error`, `conflict` for too many
   */
  invite(actor: Actor, naming: Naming): Promise<store.PatientProxy>;
  /** By the one who was named. @throws ServiceError `not_found`, `expired`, `conflict` */
  accept(actor: Actor, proxyGuid: string): Promise<store.PatientProxy>;
  /** By either side; again changes nothing. @throws ServiceError `not_found` */
  end(actor: Actor, proxyGuid: string): Promise<store.PatientProxy>;
  /** Those whom the caller has named, and those who have named the caller; the latest hundred of each. */
  list(actor: Actor): Promise<{ given: store.PatientProxy[]; received: store.PatientProxy[] }>;
  /** Again changes nothing. @throws ServiceError `not_found`, `unprocessable` for one who is no child, or no adult */
  setGuardian(actor: Actor, childGuid: string, guardianGuid: string): Promise<store.PatientProxy>;
  /** @throws ServiceError `not_found` */
  endGuardian(actor: Actor, childGuid: string, proxyGuid: string): Promise<store.PatientProxy>;
  /** @throws ServiceError `not_found` */
  listGuardians(actor: Actor, childGuid: string): Promise<{ child: string; guardians: store.PatientProxy[] }>;
  /** Whose proxy the user is, was or is asked to be: the latest hundred, for services. Nothing is recorded here. */
  relationsOf(userGuid: string): ReturnType<typeof store.listRelations>;
  /** Whether its end has come. */
  isPast(proxy: store.PatientProxy): boolean;
}

export interface ProxyDeps extends WriteDependencies {
  readonly users: Pick<Users, 'lockActor'>;
  readonly cipher: NumberCipher;
  readonly invitationMails: Pick<InvitationMails, 'hasMail' | 'wake' | 'cancel'>;
  readonly revocations: Pick<Revocations, 'usersChanged'>;
  readonly takeEffect: () => Promise<void>;
}

export function createProxies(deps: ProxyDeps): Proxies {
  const { database, clock, audit } = deps;
  const now = () => new Date(clock.now());
  const hasAge = (person: store.Person, years: number) => startOfAge(numberOf(deps, person), years) <= clock.now();

  /** Records what was done for both sides, and publishes it to the delegate's sessions. */
  async function record(tx: Transaction, actor: Actor, event: string, proxy: store.PatientProxy): Promise<void> {
    const { patientGuid, delegateUser, proxyGuid, may, kind } = proxy;
    const action = event.endsWith('.end') ? 'D' : event.endsWith('.accept') ? 'U' : 'C';
    const subject = delegateUser === undefined ? {} : { subjectGuid: delegateUser };
    const detail = `${kind}, ${may}, until ${proxy.endsAt.toISOString()}`;
    await audit.record(tx, {
      action,
      event,
      patientGuid,
      entities: [`proxy/${proxyGuid}`],
      detail,
      ...subject,
      ...actor,
    });
    // What was never in force changes nothing for the delegate. The request must not differ by whether there is one.
    const wasInForce = event === 'proxy.accept' || proxy.acceptedAt !== undefined;
    if (wasInForce && delegateUser !== undefined) await deps.revocations.usersChanged(tx, [delegateUser]);
  }

  async function make(
    tx: Transaction,
    actor: Actor,
    given: Omit<store.NewProxy, 'proxyGuid' | 'now' | 'isMailDue' | 'tenant'>,
  ) {
    const proxyGuid = newGuid(clock.now());
    // The same for everybody: a worker finds out who is to get a mail.
    const mail = { isMailDue: deps.invitationMails.hasMail, tenant: currentTenant() };
    await store.insertProxy(tx, { ...given, ...mail, proxyGuid, now: now() });
    await deps.invitationMails.wake(tx);
    const made = await requireProxy(tx, proxyGuid);
    await record(tx, actor, `${given.kind}.${given.kind === 'guardian' ? 'set' : 'invite'}`, made);
    return made;
  }

  /** Changes a locked proxy for those whom `side` finds to be concerned. @throws ServiceError `not_found` */
  async function change(
    proxyGuid: string,
    apply: (tx: Transaction, proxy: store.PatientProxy) => Promise<void>,
  ): Promise<store.PatientProxy> {
    const changed = await database.transaction(async (tx) => {
      await apply(tx, await requireProxy(tx, proxyGuid));
      return requireProxy(tx, proxyGuid);
    });
    await deps.takeEffect();
    return changed;
  }

  async function finish(tx: Transaction, actor: Actor, proxy: store.PatientProxy, by: store.Side): Promise<void> {
    // Of an invitation that was declined the patient knows nothing: it ends as one that nobody has received.
    const isDeclined = by === 'patient' && proxy.endedBy === 'delegate' && proxy.acceptedAt === undefined;
    if (proxy.status === 'ended' && !isDeclined) return;
    const isUnmailed = await deps.invitationMails.cancel(tx, proxy);
    await store.markEnded(tx, proxy.proxyGuid, { by, now: now(), isUnmailed });
    await record(tx, actor, `${proxy.kind}.end`, proxy);
  }

  return {
    async invite(actor, naming) {
      const own = ownGuid(actor);
      const issues = untilIssues(naming.until, clock.now());
      const whom = await findNamed(deps, naming.whom);
      if (whom.person?.patientGuid === own) issues.push({ field: whom.field, message: 'You cannot name yourself' });
      issues.push(...whom.issues);
      if (issues.length > 0) throw validationError(issues);
      const delegate = whom.person !== undefined && hasAge(whom.person, ADULT) ? whom.person : undefined;
      return database.transaction(async (tx) => {
        await deps.users.lockActor(tx, actor);
        await store.lockPatient(tx, own);
        const patient = await store.findPerson(tx, own);
        if (patient === undefined) throw notFound('Patient');
        if (!hasAge(patient, CHILD_UNTIL))
          throw new ServiceError('forbidden', 'A child names no proxy: an administrator sets the guardians');
        if ((await store.countOpen(tx, own, now())) >= MOST_OPEN)
          throw conflict(`You have named ${MOST_OPEN} proxies already: end one first`);
        const { named } = whom;
        const endsAt = new Date(endOfDay(naming.until));
        const given = { kind: 'proxy', patientGuid: own, named, may: naming.may, status: 'invited', endsAt } as const;
        return make(tx, actor, { ...given, delegateGuid: delegate?.patientGuid });
      });
    },
    accept: (actor, proxyGuid) =>
      change(proxyGuid, async (tx, proxy) => {
        if (proxy.delegateGuid !== ownGuid(actor)) throw notFound('Proxy');
        if (proxy.status === 'active') return;
        if (proxy.status === 'ended') throw conflict('The invitation has been withdrawn');
        if (proxy.endsAt <= now()) throw new ServiceError('expired', 'The invitation is past its end');
        await deps.users.lockActor(tx, actor);
        await deps.invitationMails.cancel(tx, proxy);
        await store.markAccepted(tx, proxyGuid, now());
        await record(tx, actor, 'proxy.accept', proxy);
      }),
    end: (actor, proxyGuid) =>
      change(proxyGuid, async (tx, proxy) => {
        const own = ownGuid(actor);
        const isPatient = proxy.personGuid === own && proxy.kind === 'proxy';
        if (!isPatient && proxy.delegateGuid !== own) throw notFound('Proxy');
        await finish(tx, actor, proxy, isPatient ? 'patient' : 'delegate');
      }),
    async list(actor) {
      const patientGuid = ownGuid(actor);
      const sideOf = (side: 'patient' | 'delegate') =>
        store.listProxies(database, side, { patientGuid, limit: LISTED });
      const [given, received] = await Promise.all([sideOf('patient'), sideOf('delegate')]);
      await audit.recordRead({ action: 'R', event: 'proxy.list', patientGuid, ...actor });
      return { given, received };
    },
    async setGuardian(actor, childGuid, guardianGuid) {
      const made = await database.transaction(async (tx) => {
        const child = await requirePerson(tx, childGuid, 'Patient');
        const guardian = await requirePerson(tx, guardianGuid, 'Guardian');
        await store.lockPatient(tx, childGuid);
        const endsAt = startOfAge(numberOf(deps, child), CHILD_UNTIL);
        if (endsAt <= clock.now()) throw unfit('patient_guid', `A guardian is for a child under ${CHILD_UNTIL}`);
        if (!hasAge(guardian, ADULT)) throw unfit('guardian_patient_guid', 'A guardian is of age');
        const known = await store.findGuardianship(tx, { childGuid, guardianGuid, now: now() });
        if (known !== undefined) return requireProxy(tx, known);
        if ((await store.countOpen(tx, childGuid, now())) >= MOST_OPEN)
          throw conflict('The child has guardians enough');
        const given = { kind: 'guardian', patientGuid: childGuid, delegateGuid: guardianGuid, may: 'act' } as const;
        const right = { ...given, named: 'by an administrator', status: 'active', endsAt: new Date(endsAt) } as const;
        return make(tx, actor, right);
      });
      await deps.takeEffect();
      return made;
    },
    endGuardian: (actor, childGuid, proxyGuid) =>
      change(proxyGuid, async (tx, proxy) => {
        if (proxy.patientGuid !== childGuid || proxy.kind !== 'guardian') throw notFound('Guardian');
        await finish(tx, actor, proxy, 'administrator');
      }),
    async listGuardians(actor, childGuid) {
      const { name: child } = await requirePerson(database, childGuid, 'Patient');
      const all = await store.listProxies(database, 'patient', { patientGuid: childGuid, limit: LISTED });
      await audit.recordRead({ action: 'R', event: 'guardian.list', patientGuid: childGuid, ...actor });
      return { child, guardians: all.filter(({ kind }) => kind === 'guardian') };
    },
    relationsOf: (userGuid) => store.listRelations(database, { userGuid, now: now(), limit: LISTED }),
    isPast: ({ endsAt }) => endsAt <= now(),
  };
}

async function requireProxy(tx: Transaction, proxyGuid: string): Promise<store.PatientProxy> {
  const proxy = isGuid(proxyGuid) ? await store.lockProxy(tx, proxyGuid) : undefined;
  if (proxy === undefined) throw notFound('Proxy');
  return proxy;
}

async function requirePerson(db: Parameters<typeof store.findPerson>[0], guid: string, what: string) {
  const person = isGuid(guid) ? await store.findPerson(db, guid) : undefined;
  if (person === undefined) throw notFound(what);
  return person;
}

function numberOf({ cipher }: Pick<ProxyDeps, 'cipher'>, { personnummerSealed, patientGuid }: store.Person): string {
  return cipher.open(personnummerSealed, patientGuid);
}

interface Named {
  readonly field: 'personnummer' | 'email';
  readonly person: store.Person | undefined;
  /** As it is shown to the patient. */
  readonly named: string;
  readonly issues: readonly Issue[];
}

async function findNamed({ database, clock, cipher }: ProxyDeps, whom: Naming['whom']): Promise<Named> {
  if ('email' in whom) {
    const person = await store.findByEmail(database, emailKey(whom.email));
    return { field: 'email', person, named: whom.email, issues: [] };
  }
  const field = 'personnummer';
  const number = parsePersonnummer(whom.personnummer, clock.now());
  if (number === undefined) {
    const message = "'personnummer' must be a valid personal or coordination number of 10 or 12 digits";
    return { field, person: undefined, named: '', issues: [{ field, message }] };
  }
  const { index, next } = numberIndex(cipher, await readGenerations(database), number);
  const person = await store.findByNumber(database, next === null ? [index] : [index, next]);
  return { field, person, named: `${number.slice(0, 8)}-****`, issues: [] };
}

function untilIssues(until: string, now: number): Issue[] {
  const end = endOfDay(until);
  if (end <= now) return [{ field: 'until', message: "'until' must not be past" }];
  return end > now + LONGEST_MS ? [{ field: 'until', message: "'until' must be within two years" }] : [];
}

function unfit(field: string, message: string): ServiceError {
  return new ServiceError('unprocessable', message, { issues: [{ field, message }] });
}

function ownGuid({ principal: { patientGuid } }: Actor): string {
  if (patientGuid === undefined) throw new ServiceError('forbidden', 'Only patients have proxies');
  return patientGuid;
}
