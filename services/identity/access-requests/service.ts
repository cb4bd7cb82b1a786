// Professionals ask for an account, an SU admin endorses, approves or rejects (contract: identity, Access request; decision I11).
// An approval makes user, professional, organisation link and phase memberships in one transaction.
import type { Audit } from '#lib/audit/audit.ts';
import type { PasswordHasher } from '#lib/auth/password-hasher.ts';
import type { Clock } from '#lib/clock.ts';
import { passwordFaults } from '#lib/config/password-policy.ts';
import type { Database, Queryable, Transaction } from '#lib/db/database.ts';
import { conflict, type Fault, notFound, validationError } from '#lib/errors.ts';
import { isGuid, newGuid } from '#lib/guid.ts';
import type { Actor, Origin } from '../actor.ts';
import { emailKey } from '../email.ts';
import type { Groups } from '../groups/service.ts';
import type { ListRange } from '../list-page.ts';
import type { Organisations } from '../organisations/service.ts';
import type { ProfessionalRole } from '../professional-role.ts';
import type { Users } from '../users/service.ts';
import { type AccessRequestDecision, ALLOWED_FROM } from './lifecycle.ts';
import * as store from './store.ts';

export interface AccessRequestForm {
  readonly email: string;
  readonly password: string;
  readonly firstName: string;
  readonly lastName: string;
  readonly role: ProfessionalRole;
  readonly organisationGuid: string;
  readonly phases: readonly string[];
  readonly leaderGuid: string;
}

export interface AccessRequests {
  /** @throws ServiceError `validation_error`, `not_found` (organisation or leader), `conflict` (address) */
  submit(form: AccessRequestForm, origin: Origin): Promise<string>;
  /** The guid of the user that an approval made. @throws ServiceError `not_found`, `conflict` */
  decide(actor: Actor, guid: string, decision: AccessRequestDecision): Promise<string | null>;
  open(range: ListRange): Promise<store.OpenAccessRequest[]>;
  countOpen(): Promise<number>;
}

export interface AccessRequestDeps {
  readonly database: Database;
  readonly clock: Clock;
  readonly audit: Audit;
  readonly users: Users;
  readonly groups: Groups;
  readonly organisations: Organisations;
  readonly passwords: PasswordHasher;
}

export function createAccessRequests(deps: AccessRequestDeps): AccessRequests {
  const { database, clock, audit, users, groups, organisations } = deps;

  async function check(db: Queryable, form: AccessRequestForm): Promise<void> {
    const faults: Fault[] = passwordFaults(form.password).map((fault) => ({
      field: 'password',
      message: `'password' ${fault}`,
    }));
    for (const name of await groups.unknownPhases(db, form.phases)) {
      faults.push({
        field: 'requested_phases',
        message: `'requested_phases' names ${JSON.stringify(name)}, which is no phase`,
      });
    }
    if (faults.length > 0) throw validationError(faults);
    await organisations.require(db, form.organisationGuid);
    if (!(await groups.isLeader(db, form.leaderGuid))) throw notFound('Group leader');
    const isTaken =
      (await users.isEmailTaken(db, form.email)) || (await store.hasOpenRequest(db, emailKey(form.email)));
    if (isTaken) throw addressTaken();
  }

  async function submit(form: AccessRequestForm, origin: Origin): Promise<string> {
    await check(database, form);
    const passwordHash = await deps.passwords.hash(form.password);
    const guid = newGuid(clock.now());
    const names = { firstName: form.firstName.trim(), lastName: form.lastName.trim() };
    const created = { guid, emailKey: emailKey(form.email), passwordHash, createdAt: new Date(clock.now()) };
    await database.transaction(async (tx) => {
      // The leader may have gone, or an account been made, while the password was hashed.
      if (!(await groups.isLeader(tx, form.leaderGuid))) throw notFound('Group leader');
      if (!(await store.insertRequest(tx, { ...form, ...names, ...created }))) throw addressTaken();
      if (await users.isEmailTaken(tx, form.email)) throw addressTaken();
      await audit.record(tx, { action: 'C', event: 'access-request.submit', principal: undefined, ...origin });
    });
    return guid;
  }

  async function approve(tx: Transaction, actor: Actor, request: store.LockedAccessRequest): Promise<string> {
    const { userGuid } = await users.createProfessional(tx, {
      email: request.email,
      passwordHash: request.password_hash ?? '',
      firstName: request.first_name,
      lastName: request.last_name,
      role: request.professional_role,
      organisationGuid: request.organisation_guid,
    });
    await groups.joinPhases(tx, { userGuid, phases: request.requested_phases, decidedBy: actor.principal.id });
    return userGuid;
  }

  async function decide(actor: Actor, guid: string, decision: AccessRequestDecision): Promise<string | null> {
    return database.transaction(async (tx) => {
      const request = isGuid(guid) ? await store.lockRequest(tx, guid) : null;
      if (request === null) throw notFound('Access request');
      if (!ALLOWED_FROM[decision].includes(request.status)) {
        throw conflict(`The access request is ${request.status}; it cannot be ${decision}`);
      }
      const at = new Date(clock.now());
      const by = actor.principal.id;
      const userGuid = decision === 'approved' ? await approve(tx, actor, request) : null;
      if (decision === 'endorsed') await store.saveEndorsement(tx, { guid, by, at });
      else await store.saveDecision(tx, { guid, status: decision, by, at, userGuid });
      await audit.record(tx, {
        action: 'U',
        event: `access-request.${decision}`,
        detail: `access request ${guid}`,
        ...actor,
      });
      return userGuid;
    });
  }

  return {
    submit,
    decide,
    open: (range) => store.listOpen(database, range),
    countOpen: () => store.countOpen(database),
  };
}

function addressTaken() {
  return conflict('The e-mail address is registered, or an open access request has it');
}
