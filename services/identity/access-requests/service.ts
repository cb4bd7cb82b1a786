// Access requests: a professional requests an account, an SU admin endorses, approves or rejects (contract: identity,
// Access request; decision I11). An approval creates the user, professional, organisation link and phase memberships in
// one transaction.

import { emailKey } from '#lib/auth/email.ts';
import type { PasswordHasher } from '#lib/auth/password-hasher.ts';
import type { Transaction } from '#lib/db/database.ts';
import { conflict, type Issue, notFound, validationError } from '#lib/errors.ts';
import { isGuid, newGuid } from '#lib/guid.ts';
import { passwordFieldIssues } from '#lib/passwords/policy.ts';
import { currentTenant } from '#lib/tenants/current-tenant.ts';
import type { WriteDependencies } from '#lib/write-dependencies.ts';
import type { Actor, Origin } from '../actor.ts';
import type { Groups } from '../groups/service.ts';
import type { ListRange } from '../list-page.ts';
import type { Organisations } from '../organisations/service.ts';
import type { DecisionMails } from '../shared/decisions/decision-mail.ts';
import type { PasswordRulesOf } from '../shared/password-rules.ts';
import type { Memberships } from '../tenants/service.ts';
import type { Users } from '../users/service.ts';
import { type AccessRequestDecision, ALLOWED_FROM } from './lifecycle.ts';
import * as store from './store.ts';

export type { OpenAccessRequest } from './store.ts';

export const MAX_PHASES = 20;

export interface AccessRequestForm extends store.AccessRequestEntry {
  readonly password: string;
}

/** The fields that need checks beyond their schema; a field of another type is left to the schema. */
export interface UnvalidatedAccessRequest {
  readonly email?: unknown;
  readonly password?: unknown;
  readonly first_name?: unknown;
  readonly last_name?: unknown;
  readonly organisation_guid?: unknown;
  readonly requested_phases?: unknown;
}

export interface AccessRequests {
  /** The least length of the password of a request. */
  readonly passwordLength: number;
  issuesOf(fields: UnvalidatedAccessRequest): Promise<Issue[]>;
  /** @throws ServiceError `validation_error`, `not_found` (organisation or leader), `conflict` (address) */
  submit(form: AccessRequestForm, origin: Origin): Promise<string>;
  /** Returns the guid of the user that an approval created. @throws ServiceError `not_found`, `conflict` */
  decide(actor: Actor, guid: string, decision: AccessRequestDecision, reason?: string): Promise<string | null>;
  /** Pending and endorsed requests. The read is recorded in the audit log. */
  open(actor: Actor, range: ListRange): Promise<store.OpenAccessRequest[]>;
  countOpen(): Promise<number>;
  /** Those of them that name the caller as their leader. The read is recorded in the audit log. */
  openOfLeader(actor: Actor, range: ListRange): Promise<store.OpenAccessRequest[]>;
  countOpenOfLeader(actor: Actor): Promise<number>;
}

export interface AccessRequestDeps extends WriteDependencies {
  readonly users: Users;
  readonly groups: Groups;
  readonly organisations: Organisations;
  readonly passwords: PasswordHasher;
  readonly passwordRules: PasswordRulesOf;
  readonly decisionMails: DecisionMails;
  readonly memberships: Pick<Memberships, 'join'>;
}

export function createAccessRequests(deps: AccessRequestDeps): AccessRequests {
  const { database, passwordRules } = deps;
  const { minLength } = passwordRules({ userType: 'professional', hasSecondFactor: false, owner: {} });
  return {
    passwordLength: minLength,
    issuesOf: (fields) => issuesOf(deps, fields),
    submit: (form, origin) => submit(deps, form, origin),
    decide: (actor, guid, decision, reason) => decide(deps, actor, { guid, decision, reason }),
    async open(actor, range) {
      await deps.audit.recordRead({ action: 'R', event: 'access-requests.list', ...actor });
      return store.listOpen(database, range, null);
    },
    countOpen: () => store.countOpen(database, null),
    async openOfLeader(actor, range) {
      await deps.audit.recordRead({ action: 'R', event: 'access-requests.list-own', ...actor });
      return store.listOpen(database, range, actor.principal.id);
    },
    countOpenOfLeader: (actor) => store.countOpen(database, actor.principal.id),
  };
}

async function issuesOf(deps: AccessRequestDeps, fields: UnvalidatedAccessRequest): Promise<Issue[]> {
  const { database, groups } = deps;
  const { password, requested_phases: phases } = fields;
  const issues = typeof password === 'string' ? await passwordIssuesOf(deps, password, fields) : [];
  const named: unknown[] = Array.isArray(phases) ? phases.slice(0, MAX_PHASES) : [];
  const names = named.filter((name) => typeof name === 'string').filter((name) => !name.includes('\u0000'));
  for (const name of await groups.unknownPhases(database, names)) {
    const message = `'requested_phases' names ${JSON.stringify(name)}, which is no phase`;
    issues.push({ field: 'requested_phases', message });
  }
  return issues;
}

async function passwordIssuesOf(
  { organisations, passwordRules }: AccessRequestDeps,
  password: string,
  { email, first_name: first, last_name: last, organisation_guid: guid }: UnvalidatedAccessRequest,
): Promise<Issue[]> {
  const organisation = typeof guid === 'string' ? await organisations.find(guid) : null;
  const owner = {
    email: typeof email === 'string' ? email : undefined,
    names: [first, last].filter((name) => typeof name === 'string'),
    organisations: organisation === null ? [] : [organisation.name],
  };
  const rules = passwordRules({ userType: 'professional', hasSecondFactor: false, owner });
  return passwordFieldIssues('password', password, rules);
}

async function check(deps: AccessRequestDeps, form: AccessRequestForm): Promise<void> {
  const { database, users, groups, organisations } = deps;
  const issues = await issuesOf(deps, toFields(form));
  if (issues.length > 0) throw validationError(issues);
  await organisations.require(database, form.organisationGuid);
  if (!(await groups.isLeader(database, form.leaderGuid))) throw notFound('Group leader');
  const isOpen = await store.hasOpenRequest(database, emailKey(form.email));
  if (isOpen || (await users.isEmailTaken(database, form.email))) throw addressTaken();
}

function toFields({ firstName, lastName, organisationGuid, phases, ...form }: AccessRequestForm) {
  return {
    ...form,
    first_name: firstName,
    last_name: lastName,
    organisation_guid: organisationGuid,
    requested_phases: phases,
  };
}

async function submit(deps: AccessRequestDeps, form: AccessRequestForm, origin: Origin): Promise<string> {
  const { database, clock, audit, users, groups } = deps;
  await check(deps, form);
  const passwordHash = await deps.passwords.hash(form.password);
  const guid = newGuid(clock.now());
  const names = { firstName: form.firstName.trim(), lastName: form.lastName.trim() };
  const created = {
    guid,
    emailKey: emailKey(form.email),
    passwordHash,
    createdAt: new Date(clock.now()),
    tenant: currentTenant() ?? null,
  };
  await database.transaction(async (tx) => {
    // The leader may have been deleted, or an account created, while the password was hashed.
    if (!(await groups.isLeader(tx, form.leaderGuid))) throw notFound('Group leader');
    if (!(await store.insertRequest(tx, { ...form, ...names, ...created }))) throw addressTaken();
    if (await users.isEmailTaken(tx, form.email)) throw addressTaken();
    const entities = [`access-request/${guid}`];
    await audit.record(tx, { action: 'C', event: 'access-request.submit', principal: undefined, entities, ...origin });
  });
  return guid;
}

async function decide(
  deps: AccessRequestDeps,
  actor: Actor,
  { guid, decision, reason }: { guid: string; decision: AccessRequestDecision; reason: string | undefined },
): Promise<string | null> {
  const { database, clock, audit, users } = deps;
  return database.transaction(async (tx) => {
    await users.lockActor(tx, actor);
    const request = isGuid(guid) ? await store.lockRequest(tx, guid) : undefined;
    if (request === undefined) throw notFound('Access request');
    if (!ALLOWED_FROM[decision].includes(request.status)) {
      throw conflict(`The access request is ${request.status}; it cannot be ${decision}`);
    }
    const made = { guid, by: actor.principal.id, at: new Date(clock.now()) };
    const tenant = await store.readTenant(tx, guid);
    const userGuid = decision === 'approved' ? await approve(deps, tx, { request, tenant, decidedBy: made.by }) : null;
    if (decision === 'endorsed') await store.saveEndorsement(tx, made);
    else await store.saveDecision(tx, { ...made, status: decision }, userGuid);
    const touched = { entities: [`access-request/${guid}`], subjectGuid: userGuid ?? undefined, detail: reason };
    await audit.record(tx, { action: 'U', event: `access-request.${decision}`, ...touched, ...actor });
    if (decision !== 'endorsed') {
      const { email, organisation_name: name } = request;
      const asked = { userGuid, tenant, email, name };
      await deps.decisionMails.queue(tx, { kind: 'access-request', status: decision, reason, ...asked });
    }
    return userGuid;
  });
}

/**
 * Creates the user, professional, organisation link and phase memberships. Who asked at a tenant's address becomes a
 * member of that tenant alone, as patients do who register there.
 */
async function approve(
  { users, groups, memberships }: AccessRequestDeps,
  tx: Transaction,
  { request, tenant, decidedBy }: { request: store.LockedAccessRequest; tenant: string | null; decidedBy: string },
): Promise<string> {
  const { userGuid } = await users.createProfessional(tx, {
    email: request.email,
    passwordHash: request.password_hash ?? '',
    firstName: request.first_name,
    lastName: request.last_name,
    role: request.professional_role,
    organisationGuids: [request.organisation_guid],
  });
  await memberships.join(tx, userGuid, tenant ?? undefined);
  await groups.joinPhases(tx, { userGuid, phases: request.requested_phases, decidedBy });
  return userGuid;
}

function addressTaken() {
  return conflict('The e-mail address is registered, or an open access request has it', 'email');
}
