// The engine's users (contract: engine, "Authentication, users, API keys"; decision E8): registration, administration,
// reset of passwords.

import { emailKey } from '#lib/auth/email.ts';
import type { PasswordHasher } from '#lib/auth/password-hasher.ts';
import type { Principal } from '#lib/auth/principal.ts';
import { DAY_MS } from '#lib/clock.ts';
import type { Database, Transaction } from '#lib/db/database.ts';
import { isUniqueViolation } from '#lib/db/failure.ts';
import { conflict, type Issue, notFound, ServiceError, validationError } from '#lib/errors.ts';
import { newGuid } from '#lib/guid.ts';
import type { BodyFields } from '#lib/http/body-check.ts';
import type { Page, PageRequest } from '#lib/http/response/page.ts';
import type { WriteDependencies } from '#lib/write-dependencies.ts';
import type { Actor, Origin } from '../shared/actor.ts';
import { lockReferences, providerReference, unknownReferences } from '../shared/references.ts';
import { requireGuid } from '../shared/sql.ts';
import type { AddressClaims } from './address-claims.ts';
import { type LiveSessions, principalOfUser } from './live-sessions.ts';
import { newCode } from './one-time-code.ts';
import {
  type Me,
  type Registration,
  type ResetCode,
  USER_ROLES,
  type User,
  type UserInput,
  type UserQuery,
} from './schema.ts';
import { deleteSessionsOf } from './session-store.ts';
import { userEntity } from './user-entity.ts';
import {
  deleteUser,
  findUser,
  hasAdmin,
  insertFirstAdmin,
  insertUser,
  listUsers,
  lockUser,
  startReset,
  updateUser,
} from './user-store.ts';

const RESET_MS = DAY_MS;

export interface UserService {
  /**
   * Returns the issues of a user that the schema does not find. The fields may have any type. Issues of providers are
   * returned to administrators only.
   */
  issuesOf(fields: BodyFields, principal: Principal): Promise<Issue[]>;
  list(query: UserQuery & PageRequest): Promise<Page<User>>;
  /** @throws ServiceError `forbidden` for another's account, `not_found` */
  get(id: string, principal: Principal): Promise<User>;
  /** Returns the caller. @throws ServiceError `forbidden` for an API key, `unauthorized` */
  me(principal: Principal): Promise<Me>;
  /** @throws ServiceError `forbidden` where registration is closed, `conflict` for an address that is taken */
  register(input: Registration, origin: Origin): Promise<User>;
  /**
   * Changes a user. An administrator changes everything, and other users only their own name.
   * @throws ServiceError `forbidden`, `not_found`, `conflict`
   */
  replace(id: string, input: UserInput, actor: Actor): Promise<User>;
  /** @throws ServiceError `conflict` for oneself and for the last administrator */
  remove(id: string, actor: Actor): Promise<void>;
  /**
   * Ends the user's sessions and password. Returns a code for one sign-in.
   * @throws ServiceError `conflict` for a user who is not active
   */
  reset(id: string, actor: Actor): Promise<ResetCode>;
  /** Returns the current principal of a user; undefined for a user who is deleted or not active. */
  principalOf(guid: string): Promise<Principal | undefined>;
  /**
   * Creates the first administrator when there is none and the address is not identity's; returns whether it did.
   * @throws ServiceError `upstream_unavailable`
   */
  ensureAdmin(administrator: { readonly email: string; readonly password: string }): Promise<boolean>;
}

export interface UserDependencies extends WriteDependencies {
  readonly passwords: PasswordHasher;
  readonly live: LiveSessions;
  readonly claims: AddressClaims;
  /** Whether people may register themselves, at once or after approval. */
  readonly registration: 'open' | 'approval' | 'closed';
}

export function createUserService(deps: UserDependencies): UserService {
  const { database, clock, passwords } = deps;
  const newUser = async ({ email, password }: { email: string; password: string }) => ({
    guid: newGuid(clock.now()),
    email,
    emailKey: emailKey(email),
    passwordHash: await passwords.hash(password),
    at: new Date(clock.now()),
  });
  return {
    issuesOf: async (fields, principal) => [
      ...roleIssues(fields),
      ...(principal.roles.has('admin') ? await unknownReferences(database, [providerReference(fields)]) : []),
    ],
    list: (query) => listUsers(database, query),
    async get(id, principal) {
      if (!principal.roles.has('admin') && !isSelf(principal, id)) {
        throw new ServiceError('forbidden', 'Only administrators see the accounts of others');
      }
      return readUser(database, requireGuid(id, 'User'));
    },
    async me(principal) {
      if (principal.kind === 'identity_user') return meOfIdentity(principal);
      if (principal.kind !== 'engine_user') throw new ServiceError('forbidden', 'This caller is no user');
      const user = await findUser(database, principal.id);
      if (user === undefined) throw new ServiceError('unauthorized', 'The account is gone');
      const { last_login_at: _, updated_at: __, ...shown } = user;
      return { ...shown, issuer: 'engine', must_change_password: principal.mustChangePassword };
    },
    async principalOf(guid) {
      const user = await findUser(database, guid);
      return user?.status === 'active' ? principalOfUser(user) : undefined;
    },
    async register(input, origin) {
      const { registration, audit } = deps;
      if (registration === 'closed') throw new ServiceError('forbidden', 'Registration is closed');
      const user = await newUser(input);
      // The response and the work are the same, whichever service has the address.
      if (await deps.claims.isTaken(input.email)) throw addressTaken();
      const status = registration === 'open' ? 'active' : 'pending';
      return whereAddressIsFree(() =>
        database.transaction(async (tx) => {
          await insertUser(tx, user, { name: input.name, role: 'reader', status });
          const entities = [userEntity(user.guid)];
          await audit.record(tx, {
            action: 'C',
            event: 'engine-user.register',
            principal: undefined,
            entities,
            ...origin,
          });
          return readUser(tx, user.guid);
        }),
      );
    },
    ...createAdministration(deps),
    async ensureAdmin(administrator) {
      if ((await hasAdmin(database)) || (await deps.claims.isTaken(administrator.email))) return false;
      return insertFirstAdmin(database, await newUser(administrator));
    },
  };
}

/** The part of the service that changes accounts. */
function createAdministration({
  database,
  clock,
  audit,
  live,
  claims,
}: UserDependencies): Pick<UserService, 'replace' | 'remove' | 'reset'> {
  /** Changes one user under its lock, and records the change. */
  async function change<T>(
    id: string,
    change: { readonly action: 'U' | 'D'; readonly event: string; readonly actor: Actor },
    run: (tx: Transaction, user: User, isLastAdmin: boolean) => Promise<T>,
  ): Promise<T> {
    const guid = requireGuid(id, 'User');
    const { actor, ...what } = change;
    const result = await database.transaction(async (tx) => {
      const locked = await lockUser(tx, guid);
      if (locked === undefined) throw notFound('User');
      const done = await run(tx, locked.user, locked.isLastAdmin);
      await audit.record(tx, { ...what, ...actor, entities: [userEntity(guid)] });
      return done;
    });
    live.clearCache();
    return result;
  }

  /** @throws ServiceError `conflict` when the user would sign in here with an address of identity's */
  async function requireOwnAddress(id: string, { email, status }: UserInput): Promise<void> {
    if (status === 'disabled') return;
    const known = await findUser(database, requireGuid(id, 'User'));
    const isAsBefore = known?.status === status && known.email === email;
    if (isAsBefore || !(await claims.isTaken(email))) return;
    throw conflict('The e-mail address belongs to an account of identity, which signs in there', 'email');
  }

  return {
    async replace(id, input, actor) {
      requireRight(id, actor.principal);
      const issues = roleIssues(input);
      if (issues.length > 0) throw validationError(issues);
      if (actor.principal.roles.has('admin')) await requireOwnAddress(id, input);
      return whereAddressIsFree(() =>
        change(id, { action: 'U', event: 'engine-user.update', actor }, async (tx, user, isLastAdmin) => {
          if (!actor.principal.roles.has('admin')) requireOwnFields(user, input);
          requireStatus(user, input);
          const staysAdmin = input.role === 'admin' && input.status === 'active';
          if (isLastAdmin && !staysAdmin) throw conflict('This is the last administrator of the engine');
          await lockReferences(tx, [providerReference(input)]);
          await updateUser(tx, user.user_guid, { ...input, emailKey: emailKey(input.email) }, new Date(clock.now()));
          if (changesRights(user, input)) await deleteSessionsOf(tx, user.user_guid);
          return readUser(tx, user.user_guid);
        }),
      );
    },
    remove: (id, actor) =>
      change(id, { action: 'D', event: 'engine-user.delete', actor }, async (tx, user, isLastAdmin) => {
        if (isSelf(actor.principal, user.user_guid)) throw conflict('Nobody deletes the own account');
        if (isLastAdmin) throw conflict('This is the last administrator of the engine');
        await deleteUser(tx, user.user_guid);
      }),
    reset: (id, actor) =>
      change(id, { action: 'U', event: 'engine-user.reset-password', actor }, async (tx, user) => {
        if (user.status !== 'active') throw conflict(`The user is ${user.status}; only an active one signs in`);
        const { code, hash } = newCode();
        const until = new Date(clock.now() + RESET_MS);
        await startReset(tx, user.user_guid, { hash, until }, new Date(clock.now()));
        await deleteSessionsOf(tx, user.user_guid);
        return { user_guid: user.user_guid, reset_code: code, expires_at: until.toISOString() };
      }),
  };
}

async function readUser(db: Transaction | Database, guid: string): Promise<User> {
  const user = await findUser(db, guid);
  if (user === undefined) throw notFound('User');
  return user;
}

async function whereAddressIsFree<T>(run: () => Promise<T>): Promise<T> {
  try {
    return await run();
  } catch (error) {
    if (!isUniqueViolation(error, 'engine_user_email')) throw error;
    throw addressTaken();
  }
}

function addressTaken(): ServiceError {
  return conflict('There is a user with this e-mail address', 'email');
}

function isSelf({ kind, id }: Principal, userGuid: string): boolean {
  return kind === 'engine_user' && id === userGuid;
}

function requireRight(id: string, principal: Principal): void {
  if (principal.roles.has('admin') || isSelf(principal, id)) return;
  throw new ServiceError('forbidden', 'Only administrators change the accounts of others');
}

/** Returns the issues of the provider for a role. An unknown role has none here, because the schema reports it. */
function roleIssues({ role, provider_guid: provider }: BodyFields): Issue[] {
  const field = 'provider_guid';
  if (!USER_ROLES.some((each) => each === role)) return [];
  if (role === 'provider' && provider == null) {
    return [{ field, message: `'${field}' is required for the role provider` }];
  }
  if (role !== 'provider' && provider != null) {
    return [{ field, message: `'${field}' belongs to the role provider alone` }];
  }
  return [];
}

/** @throws ServiceError `forbidden` that names the fields that the caller may not change */
function requireOwnFields(user: User, input: UserInput): void {
  const given = { ...input, provider_guid: input.provider_guid ?? null };
  const fields = (['email', 'role', 'status', 'provider_guid'] as const).filter((name) => given[name] !== user[name]);
  if (fields.length > 0) throw new ServiceError('forbidden', `Only an administrator changes ${fields.join(', ')}`);
}

/** @throws ServiceError `conflict` */
function requireStatus(user: User, { status }: UserInput): void {
  if (status !== 'pending' || user.status === 'pending') return;
  throw conflict(`The user is ${user.status} and does not become pending again`);
}

function changesRights(user: User, { role, status, provider_guid: provider = null }: UserInput): boolean {
  return role !== user.role || status !== user.status || provider !== user.provider_guid;
}

function meOfIdentity({ id, roles, mustChangePassword }: Principal): Me {
  const role = roles.has('admin') ? 'admin' : roles.has('patient') ? 'patient' : 'clinician';
  const unknown = { email: null, name: null, provider_guid: null, created_at: null };
  return {
    ...unknown,
    user_guid: id,
    issuer: 'identity',
    role,
    status: 'active',
    must_change_password: mustChangePassword,
  };
}
