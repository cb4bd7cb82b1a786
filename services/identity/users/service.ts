// The directory of users: accounts, the access blob, and the first SU admin.
import type { AccessBlob } from '#lib/auth/access-blob.ts';
import { emailKey } from '#lib/auth/email.ts';
import type { PasswordHasher } from '#lib/auth/password-hasher.ts';
import type { Clock } from '#lib/clock.ts';
import type { Database, Queryable, Transaction } from '#lib/db/database.ts';
import { conflict, ServiceError } from '#lib/errors.ts';
import { newGuid } from '#lib/guid.ts';
import type { Actor } from '../actor.ts';
import type { ProfessionalRole } from '../professional-role.ts';
import { liveBounds, type SessionLimits } from '../session-limits.ts';
import type { NumberCipher } from '../shared/ciphers.ts';
import type { Credentials, PasswordProof } from '../shared/credentials.ts';
import { linkedRecordsOf } from '../shared/linked-records.ts';
import type { PasswordHolder } from '../shared/password-rules.ts';
import type { AccountPassword } from '../temporary-password.ts';
import { proxyGrantsOf } from './proxy-grants.ts';
import * as store from './store.ts';

/** Which users must have a second factor. */
export type SecondFactorRule = 'optional' | 'su-admins';

export interface NewProfessional extends AccountPassword {
  readonly email: string;
  readonly firstName: string;
  readonly lastName: string;
  readonly role: ProfessionalRole;
  readonly organisationGuids?: readonly string[];
  readonly isSuAdmin?: boolean;
}

export interface NewPatientUser extends AccountPassword {
  /** Null for a child without an account of its own, which nobody signs in to. */
  readonly email: string | null;
  readonly firstName?: string | null;
  readonly lastName?: string | null;
}

export interface Users {
  readCredentials(userGuid: string): Promise<Credentials | null>;
  /**
   * Undefined when the user is deleted or blocked. Also when the token, if one is named, is revoked or of a browser
   * session that has exceeded a limit. Read from the database, never from a cache.
   */
  readAccessBlob(db: Queryable, userGuid: string, tokenId: string | null): Promise<AccessBlob | undefined>;
  /** The same for services, with the name of any professional. */
  readNamedAccess(db: Queryable, userGuid: string): Promise<AccessBlob | undefined>;
  /** Whether only those named may know where the patient receives care (docs/adr/0090). */
  hidesOrganisation(userGuid: string): Promise<boolean>;
  /** The password rules of the user; undefined when there is no such user. */
  readPasswordHolder(userGuid: string): Promise<PasswordHolder | undefined>;
  isEmailTaken(db: Queryable, email: string): Promise<boolean>;
  /** Those of the addresses, as given, that belong to an account. */
  emailsTakenAmong(emails: readonly string[]): Promise<string[]>;
  /**
   * Locks the user against deletion until the transaction ends; false when there is none. The lock order is users,
   * groups, requests, and the feed of revocations last. Deletions lock in the same order, so there is no deadlock.
   */
  lock(tx: Transaction, userGuid: string): Promise<boolean>;
  /** Locks the caller as `lock` does. @throws ServiceError `unauthorized` when the account was deleted meanwhile */
  lockActor(tx: Transaction, actor: Actor): Promise<void>;
  /** @throws ServiceError `conflict` when the address is taken */
  createProfessional(
    tx: Transaction,
    professional: NewProfessional,
  ): Promise<{ userGuid: string; professionalGuid: string }>;
  /** Creates the user of a patient. @throws ServiceError `conflict` when the address is taken */
  createPatientUser(tx: Transaction, patient: NewPatientUser): Promise<{ userGuid: string }>;
  /** False when the password or the second factor is no longer as it was verified. */
  recordPassword(tx: Transaction, proof: PasswordProof): Promise<boolean>;
  /** Requires the user to choose a new password; false when the password is no longer the verified one. */
  requireNewPassword(tx: Transaction, account: { userGuid: string; verifiedHash: string }): Promise<boolean>;
  /** Records the sign-in of a user who proved the second factor. */
  recordSignIn(tx: Transaction, userGuid: string): Promise<void>;
  /** False when the password is no longer the verified one. */
  replacePassword(
    tx: Transaction,
    change: { userGuid: string; verifiedHash: string; newHash: string },
  ): Promise<boolean>;
  /**
   * Creates the SU admin of the configuration when there is none; when several nodes start, one does it. Returns
   * whether this one did.
   */
  ensureSuAdmin(administrator: { email: string; password: string }): Promise<boolean>;
}

export interface UsersDeps {
  readonly database: Database;
  readonly clock: Clock;
  readonly passwords: PasswordHasher;
  readonly secondFactorRule: SecondFactorRule;
  readonly sessionLimits: SessionLimits;
  /** The cipher of the personnummer. */
  readonly personnummer: Pick<NumberCipher, 'open'>;
}

export function createUsers(deps: UsersDeps): Users {
  const { database, clock, passwords, secondFactorRule } = deps;

  async function createUser(
    tx: Transaction,
    user: Omit<store.NewUser, 'userGuid' | 'emailKey' | 'createdAt'>,
  ): Promise<string> {
    const now = clock.now();
    const userGuid = newGuid(now);
    const isNew = await store.insertUser(tx, {
      ...user,
      userGuid,
      emailKey: user.email === null ? null : emailKey(user.email),
      createdAt: new Date(now),
    });
    if (!isNew) throw conflict('The e-mail address is already registered', 'email');
    return userGuid;
  }

  async function createProfessional(tx: Transaction, professional: NewProfessional) {
    const { role, organisationGuids = [], isSuAdmin = false, ...account } = professional;
    const userGuid = await createUser(tx, { ...account, userType: 'professional', isSuAdmin });
    const professionalGuid = newGuid(clock.now());
    await store.insertProfessional(tx, { userGuid, professionalGuid, role });
    for (const guid of organisationGuids) await store.linkOrganisation(tx, userGuid, guid);
    return { userGuid, professionalGuid };
  }

  return {
    readCredentials: (userGuid) => store.readCredentials(database, userGuid),
    readAccessBlob: async (db, userGuid, tokenId) =>
      toBlob(
        await store.readBlobRow(db, {
          userGuid,
          tokenId,
          live: liveBounds(deps.sessionLimits, clock.now()),
          now: new Date(clock.now()),
        }),
        secondFactorRule,
      ),
    async readNamedAccess(db, userGuid) {
      const now = clock.now();
      const live = liveBounds(deps.sessionLimits, now);
      const row = await store.readBlobRow(db, { userGuid, tokenId: null, live, now: new Date(now) });
      const blob = toBlob(row, secondFactorRule);
      return blob?.user_type === 'professional' && row !== null ? { ...blob, name: row.name } : blob;
    },
    hidesOrganisation: (userGuid) => store.hidesOrganisation(database, userGuid),
    async readPasswordHolder(userGuid) {
      const row = await store.readPasswordHolder(database, userGuid);
      return row === null ? undefined : toPasswordHolder(row, deps.personnummer);
    },
    isEmailTaken: (db, email) => store.isEmailTaken(db, emailKey(email)),
    async emailsTakenAmong(emails) {
      const taken = await store.findTakenKeys(database, emails.map(emailKey));
      return emails.filter((email) => taken.has(emailKey(email)));
    },
    lock: store.lockUser,
    async lockActor(tx, actor) {
      if (!(await store.lockUser(tx, actor.principal.id)))
        throw new ServiceError('unauthorized', 'Your account is gone');
    },
    createProfessional,
    async createPatientUser(tx, { firstName = null, lastName = null, ...account }) {
      const user = { ...account, firstName, lastName, userType: 'patient', isSuAdmin: false } as const;
      return { userGuid: await createUser(tx, user) };
    },
    recordPassword: (tx, proof) => store.recordPassword(tx, { ...proof, at: new Date(clock.now()) }),
    requireNewPassword: store.requireNewPassword,
    recordSignIn: (tx, userGuid) => store.recordSignIn(tx, userGuid, new Date(clock.now())),
    replacePassword: store.replacePassword,
    ensureSuAdmin: (administrator) => ensureSuAdmin({ database, passwords, createProfessional }, administrator),
  };
}

function toPasswordHolder(row: store.PasswordHolderRow, cipher: Pick<NumberCipher, 'open'>): PasswordHolder {
  const { user_type: userType, has_second_factor: hasSecondFactor, email, organisations } = row;
  const { patient_guid: patientGuid, personnummer_sealed: sealed } = row;
  const personnummer = patientGuid === null || sealed === null ? undefined : cipher.open(sealed, patientGuid);
  return {
    userType,
    hasSecondFactor,
    owner: { email: email ?? undefined, names: [row.first_name, row.last_name], organisations, personnummer },
  };
}

async function ensureSuAdmin(
  deps: Pick<Users, 'createProfessional'> & { database: Database; passwords: PasswordHasher },
  { email, password }: { email: string; password: string },
): Promise<boolean> {
  const { database, passwords, createProfessional } = deps;
  if (await store.hasSuAdmin(database)) return false;
  const passwordHash = await passwords.hash(password);
  return database.transaction(async (tx) => {
    await store.lockUsers(tx);
    if (await store.hasSuAdmin(tx)) return false;
    const key = emailKey(email);
    if (await store.promoteByEmail(tx, key)) return true;
    if (await store.isEmailTaken(tx, key)) throw new Error('The first administrator’s address belongs to a patient');
    const names = { firstName: 'System', lastName: 'Administrator' };
    await createProfessional(tx, { email, passwordHash, ...names, role: 'other', isSuAdmin: true });
    return true;
  });
}

/**
 * The access blob exactly as in the contract. Members about what the user must do first (decision I13) are present only
 * when it must be done.
 */
function toBlob(row: store.BlobRow | null, rule: SecondFactorRule): AccessBlob | undefined {
  if (row === null) return undefined;
  const mustSetUp = rule === 'su-admins' && row.is_su_admin && !row.has_second_factor;
  const common = {
    user_guid: row.user_guid,
    // Of a child without an account: services that ask about it get no address.
    email: row.email ?? '',
    is_su_admin: row.is_su_admin,
    ...(row.must_change_password ? { must_change_password: true } : {}),
    ...(mustSetUp ? { must_set_up_second_factor: true } : {}),
  };
  if (row.patient_guid !== null) {
    const registries = row.registries ?? [];
    return {
      ...common,
      user_type: 'patient',
      fhir_resource_type: 'Patient',
      patient_guid: row.patient_guid,
      organisation_guid: row.organisation_guid ?? '',
      in_registry: registries.length > 0,
      registries,
      ...linkedRecordsOf(row.linked),
      ...proxyGrantsOf(row.proxy_for),
    };
  }
  const isSeenPhase = (group: { group_type: string; status: string }) =>
    group.group_type === 'phase' && group.status === 'approved';
  const phases = row.groups.filter(isSeenPhase).map((group) => group.group_name);
  return {
    ...common,
    user_type: 'professional',
    fhir_resource_type: 'Practitioner',
    professional_guid: row.professional_guid ?? '',
    professional_role: row.professional_role ?? 'other',
    organization_ids: row.organization_ids,
    groups: row.groups,
    effective_phases: phases,
    ...staffMembers(row, phases),
    ...(row.is_privacy_officer === true ? { is_privacy_officer: true } : {}),
  };
}

/** The phase whose members are the staff of their organisation's provider. */
const STAFF_PHASE = 'execution';

/**
 * Who is a provider's staff (decision L7). That is the professionals of its organisation who take part in the phase of
 * the work, and SU admins who work there. Left out for all others.
 */
function staffMembers({ provider_staff, is_su_admin, name }: store.BlobRow, phases: readonly string[]) {
  if (provider_staff === null || !(is_su_admin || phases.includes(STAFF_PHASE))) return {};
  return { name, provider_staff };
}
