// An SU admin changes a user: name, e-mail address, organisations, professional role and phases. What is given replaces
// what was there; the rest stays.

import { emailKey } from '#lib/auth/email.ts';
import type { Transaction } from '#lib/db/database.ts';
import { type Issue, notFound, ServiceError, validationError } from '#lib/errors.ts';
import { isGuid, newGuid } from '#lib/guid.ts';
import type { WriteDependencies } from '#lib/write-dependencies.ts';
import type { Actor } from '../actor.ts';
import type { ProfessionalRole } from '../professional-role.ts';
import type { Revocations } from '../revocations/service.ts';
import { addressTaken, readAddress, setEmail, setNames } from '../shared/account-store.ts';
import type { AccountMails } from '../shared/mails/account-mails.ts';
import type { Users } from '../users/service.ts';
import * as store from './change-store.ts';
import { lockSuAdmins, lockUser, type Target } from './store.ts';

export interface UserChange {
  readonly email?: string;
  readonly firstName?: string;
  readonly lastName?: string;
  readonly role?: ProfessionalRole;
  readonly organisationGuids?: readonly string[];
  readonly phases?: readonly string[];
  readonly isPrivacyOfficer?: boolean;
}

export interface UserChanges {
  /** @throws ServiceError `not_found` (user or organisation), `validation_error`, `conflict` (address) */
  change(actor: Actor, userGuid: string, change: UserChange): Promise<void>;
}

export interface UserChangeDeps extends WriteDependencies {
  readonly users: Pick<Users, 'isEmailTaken'>;
  readonly accountMails: Pick<AccountMails, 'emailChanged'>;
  readonly revocations: Pick<Revocations, 'userChanged'>;
  readonly takeEffect: () => Promise<void>;
}

export function createUserChanges(deps: UserChangeDeps): UserChanges {
  const { database, audit, revocations, takeEffect } = deps;
  return {
    async change(actor, userGuid, change) {
      await database.transaction(async (tx) => {
        // As every change of administrators: two who change each other wait, and one may be blocked meanwhile.
        if (!(await lockSuAdmins(tx)).includes(actor.principal.id))
          throw new ServiceError('unauthorized', 'Your account is gone');
        const user = isGuid(userGuid) ? await lockUser(tx, userGuid) : null;
        if (user === null) throw notFound('User');
        const issues = [...issuesOf(user, change), ...(await unknownPhases(tx, change))];
        if (issues.length > 0) throw validationError(issues);
        await apply(deps, tx, { actor, userGuid, user, change });
        const detail = Object.keys(change).toSorted().join(', ');
        const patient = user.patientGuid === null ? {} : { patientGuid: user.patientGuid };
        await audit.record(tx, {
          action: 'U',
          event: 'user.change',
          subjectGuid: userGuid,
          detail,
          ...patient,
          ...actor,
        });
        await revocations.userChanged(tx, userGuid);
      });
      await takeEffect();
    },
  };
}

function issuesOf({ userType }: Target, { role, phases, organisationGuids, isPrivacyOfficer }: UserChange): Issue[] {
  if (userType === 'professional') return [];
  const issue = (field: string, message: string) => ({ field, message: `'${field}' ${message}` });
  return [
    ...(role === undefined ? [] : [issue('professional_role', 'is for professionals')]),
    ...(phases === undefined ? [] : [issue('phases', 'is for professionals')]),
    ...(isPrivacyOfficer === undefined ? [] : [issue('is_privacy_officer', 'is for professionals')]),
    ...(organisationGuids === undefined || organisationGuids.length === 1
      ? []
      : [issue('organisation_guids', 'must name the one organisation of a patient')]),
  ];
}

async function unknownPhases(tx: Transaction, { phases = [] }: UserChange): Promise<Issue[]> {
  const known = await store.findPhases(tx, phases);
  return phases
    .filter((phase) => !known.has(phase))
    .map((phase) => ({ field: 'phases', message: `'phases' names ${JSON.stringify(phase)}, which is no phase` }));
}

async function apply(
  { clock, users, accountMails }: UserChangeDeps,
  tx: Transaction,
  of: { readonly actor: Actor; readonly userGuid: string; readonly user: Target; readonly change: UserChange },
): Promise<void> {
  const { userGuid, user } = of;
  const { email, firstName, lastName, role, organisationGuids, phases, isPrivacyOfficer } = of.change;
  if (email !== undefined) {
    const key = emailKey(email);
    const isOther = (await store.readEmailKey(tx, userGuid)) !== key;
    if (isOther && (await users.isEmailTaken(tx, email))) throw addressTaken('email');
    const former = isOther ? await readAddress(tx, userGuid) : undefined;
    await setEmail(tx, userGuid, { email, emailKey: key }, 'email');
    if (former !== undefined) await accountMails.emailChanged(tx, former, 'administrator');
  }
  await setNames(tx, userGuid, { first: firstName?.trim(), last: lastName?.trim() });
  if (role !== undefined) await store.setRole(tx, userGuid, role);
  if (isPrivacyOfficer !== undefined) await store.setPrivacyOfficer(tx, userGuid, isPrivacyOfficer);
  if (organisationGuids !== undefined) {
    const guids = [...new Set(organisationGuids)];
    if (!guids.every(isGuid) || !(await store.areOrganisations(tx, guids))) throw notFound('Organisation');
    if (user.userType === 'patient') await store.setPatientOrganisation(tx, userGuid, guids[0] ?? '');
    else await store.setOrganisations(tx, userGuid, guids);
  }
  if (phases === undefined) return;
  const now = clock.now();
  const memberships = phases.map((name) => ({ name, guid: newGuid(now) }));
  await store.setPhases(tx, userGuid, { memberships, decidedBy: of.actor.principal.id, at: new Date(now) });
}
