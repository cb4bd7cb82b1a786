// API keys (decisions E8, G8): shown once, kept as a hash, revocable at once, rotated with a grace period.

import type { AuditAction } from '#lib/audit/audit-event.ts';
import { principalOfKey } from '#lib/auth/api-key-principal.ts';
import type { ApiKeySource } from '#lib/auth/authenticator.ts';
import type { Principal } from '#lib/auth/principal.ts';
import { HOUR_MS } from '#lib/clock.ts';
import type { Transaction } from '#lib/db/database.ts';
import { conflict, type Issue, notFound, validationError } from '#lib/errors.ts';
import { newGuid } from '#lib/guid.ts';
import type { BodyFields } from '#lib/http/body-check.ts';
import type { Page, PageRequest } from '#lib/http/response/page.ts';
import type { WriteDependencies } from '#lib/write-dependencies.ts';
import type { Actor } from '../shared/actor.ts';
import { lockReferences, providerReference, unknownReferences } from '../shared/references.ts';
import { requireGuid } from '../shared/sql.ts';
import type {
  ApiKey,
  ApiKeyInput,
  ApiKeyQuery,
  ApiKeyUpdate,
  ApiKeyWithSecret,
  IntrospectInput,
  Introspection,
  RotateInput,
} from './schema.ts';
import { newSecret, readSecret } from './secret.ts';
import {
  type ApiKeyRow,
  deleteKey,
  findKey,
  findLiveKey,
  findLiveKeyOf,
  insertKey,
  type LiveKey,
  listKeys,
  lockKey,
  rotateKey,
  updateKey,
} from './store.ts';

export interface ApiKeyService {
  /** Returns the issues of a new or changed key that its schema does not find. The fields may have any type. */
  issuesOfNew(fields: BodyFields): Promise<Issue[]>;
  issuesOfChange(fields: BodyFields): Issue[];
  list(query: ApiKeyQuery & PageRequest): Promise<Page<ApiKey>>;
  get(id: string): Promise<ApiKey>;
  create(input: ApiKeyInput, actor: Actor): Promise<ApiKeyWithSecret>;
  replace(id: string, input: ApiKeyUpdate, actor: Actor): Promise<ApiKey>;
  rotate(id: string, input: RotateInput, actor: Actor): Promise<ApiKeyWithSecret>;
  remove(id: string, actor: Actor): Promise<void>;
  /** Returns what another service may know of a key. */
  introspect(asked: IntrospectInput): Promise<Introspection>;
  /** Returns the current principal of a key; undefined for a key that is no longer active. */
  principalOf(guid: string): Promise<Principal | undefined>;
  /** Reads keys for the engine's own authenticator. */
  readonly source: ApiKeySource;
  /** Empties this node's cache. Call it after the commit of a change on which keys depend. */
  clearCache(): void;
}

/** How long a cached key is used after another node has changed it. */
const CACHE_MS = 1_000;

export interface ApiKeyDependencies extends WriteDependencies {
  /** Resource types that a scope may name. */
  readonly resourceTypes: ReadonlySet<string>;
}

export function createApiKeyService(deps: ApiKeyDependencies): ApiKeyService {
  const { database, clock, audit, resourceTypes } = deps;
  const now = () => new Date(clock.now());
  const listeners: (() => void)[] = [];
  const clearCache = (): void => {
    for (const listener of listeners) listener();
  };

  function toApiKey({ is_revoked: isRevoked, previous_key_until: until, ...row }: ApiKeyRow): ApiKey {
    const isOver = (instant: string | null) => instant !== null && Date.parse(instant) <= clock.now();
    const status = isRevoked ? 'revoked' : isOver(row.expires_at) ? 'expired' : 'active';
    return { ...row, previous_key_until: status !== 'active' || isOver(until) ? null : until, status };
  }

  /** Changes one key under its lock, records the change, and returns the changed key. */
  async function change(
    id: string,
    change: { readonly action: AuditAction; readonly event: string; readonly actor: Actor },
    run: (tx: Transaction, key: ApiKeyRow) => Promise<void>,
  ): Promise<ApiKey> {
    const guid = requireGuid(id, 'API key');
    return database.transaction(async (tx) => {
      const key = await lockKey(tx, guid);
      if (key === undefined) throw notFound('API key');
      await run(tx, key);
      await record(tx, guid, change);
      tx.afterCommit(clearCache);
      return toApiKey((await findKey(tx, guid)) ?? key);
    });
  }

  function record(
    tx: Transaction,
    guid: string,
    { action, event, actor }: { action: AuditAction; event: string; actor: Actor },
  ): Promise<void> {
    return audit.record(tx, { action, event, ...actor, entities: [`api-key:${guid}`] });
  }

  async function create(input: ApiKeyInput, actor: Actor): Promise<ApiKeyWithSecret> {
    const scopes = input.scopes ?? [];
    const secret = newSecret();
    const guid = newGuid(clock.now());
    const created = await database.transaction(async (tx) => {
      await lockReferences(tx, [providerReference(input)], senseOfNew(input));
      const fields = { name: input.name, scopes, expires_at: input.expires_at ?? null };
      await insertKey(
        tx,
        guid,
        {
          ...fields,
          provider_guid: input.provider_guid ?? null,
          organisation_guid: input.organisation_guid ?? null,
          secret,
        },
        now(),
      );
      await record(tx, guid, { action: 'C', event: 'api-key.create', actor });
      return findKey(tx, guid);
    });
    if (created === undefined) throw notFound('API key');
    return withSecret(toApiKey(created), secret.key);
  }

  /** Returns the issues of a new key. Its fields may have any type. */
  const senseOfNew = (fields: BodyFields): Issue[] => [
    ...scopeIssues(fields, resourceTypes),
    ...providerlessIssues(fields, fields['provider_guid'] ?? null),
    ...actorIssues(fields),
    ...endIssues(fields, clock.now()),
  ];

  async function readLive(key: string) {
    const hash = readSecret(key);
    return hash && findLiveKey(database, hash, now());
  }

  return {
    issuesOfNew: async (fields) => [
      ...senseOfNew(fields),
      ...(await unknownReferences(database, [providerReference(fields)])),
    ],
    issuesOfChange: (fields) => scopeIssues(fields, resourceTypes),
    async principalOf(guid) {
      const live = await findLiveKeyOf(database, guid, now());
      return live && principalOfLive(live);
    },
    async list(query) {
      const page = await listKeys(database, query);
      return { ...page, data: page.data.map(toApiKey) };
    },
    async get(id) {
      const key = await findKey(database, requireGuid(id, 'API key'));
      if (key === undefined) throw notFound('API key');
      return toApiKey(key);
    },
    create,
    replace: (id, input, actor) =>
      change(id, { action: 'U', event: 'api-key.update', actor }, async (tx, key) => {
        const isRevoked = input.status === 'revoked';
        if (key.is_revoked && !isRevoked) throw conflict('The key is revoked, and that cannot be taken back');
        const scopes = input.scopes ?? [];
        requireValid([...scopeIssues(input, resourceTypes), ...providerlessIssues(input, key.provider_guid)]);
        const fields = { name: input.name, scopes, expires_at: input.expires_at ?? null, isRevoked };
        await updateKey(tx, key.key_guid, fields, now());
      }),
    async rotate(id, input, actor) {
      const secret = newSecret();
      const graceEnds = new Date(clock.now() + (input.grace_hours ?? 0) * HOUR_MS);
      const rotated = await change(id, { action: 'U', event: 'api-key.rotate', actor }, async (tx, key) => {
        const { status } = toApiKey(key);
        if (status !== 'active') throw conflict(`The key is ${status}; only an active one can be rotated`);
        await rotateKey(tx, key.key_guid, { secret, graceEnds }, now());
      });
      return withSecret(rotated, secret.key);
    },
    async remove(id, actor) {
      await change(id, { action: 'D', event: 'api-key.delete', actor }, (tx, key) => deleteKey(tx, key.key_guid));
    },
    async introspect({ key, key_guid: guid = '' }) {
      const live = await (key === undefined ? findLiveKeyOf(database, guid, now()) : readLive(key));
      if (live === undefined) return { active: false };
      const { key_guid, scopes, provider_guid, organisation_guid } = live;
      return {
        active: true,
        key_guid,
        scopes,
        ...(provider_guid === null ? {} : { provider_guid }),
        ...(organisation_guid === null ? {} : { organisation_guid }),
      };
    },
    source: {
      async read(key) {
        const live = await readLive(key);
        return live && principalOfLive(live);
      },
      cacheMs: CACHE_MS,
      onChanged: (listener) => {
        listeners.push(listener);
      },
    },
    clearCache,
  };
}

/** @throws ServiceError `validation_error` */
function requireValid(issues: readonly Issue[]): void {
  if (issues.length > 0) throw validationError(issues);
}

/** Returns scopes that name an unknown resource type. The schema reports a text that is not a scope. */
function scopeIssues({ scopes }: BodyFields, resourceTypes: ReadonlySet<string>): Issue[] {
  if (!Array.isArray(scopes)) return [];
  return scopes.flatMap((scope: unknown, index): Issue[] => {
    if (typeof scope !== 'string') return [];
    const type = /^system\/(.+)\./.exec(scope)?.[1] ?? '';
    const field = `scopes[${index}]`;
    const isKnown = type === '*' || resourceTypes.has(type);
    return isKnown ? [] : [{ field, message: `'${field}': '${type}' is no FHIR R5 resource type` }];
  });
}

function providerlessIssues({ scopes = [] }: BodyFields, provider: unknown): Issue[] {
  if (!Array.isArray(scopes) || scopes.length > 0 || provider !== null) return [];
  return [{ field: 'scopes', message: "'scopes': a key that acts for no provider needs at least one" }];
}

/** A new key must not have expired. An existing key may get an expiry in the past. */
function endIssues({ expires_at: end }: BodyFields, now: number): Issue[] {
  if (typeof end !== 'string' || Number.isNaN(Date.parse(end)) || Date.parse(end) > now) return [];
  return [{ field: 'expires_at', message: "'expires_at' must be in the future" }];
}

function principalOfLive({ key_guid: keyGuid, scopes, ...live }: LiveKey): Principal {
  const { provider_guid: providerGuid, organisation_guid: organisationGuid } = live;
  return principalOfKey({
    keyGuid,
    scopes,
    providerGuid: providerGuid ?? undefined,
    organisationGuid: organisationGuid ?? undefined,
  });
}

/** A key acts for a provider, for an organisation, or for the engine itself. */
function actorIssues({ provider_guid: provider, organisation_guid: organisation }: BodyFields): Issue[] {
  if ((provider ?? null) === null || (organisation ?? null) === null) return [];
  const message = "'organisation_guid': a key acts for a provider or for an organisation, not for both";
  return [{ field: 'organisation_guid', message }];
}

function withSecret(key: ApiKey, text: string): ApiKeyWithSecret {
  return { ...key, key: text, reads: readsOf(key) };
}

function readsOf({ provider_guid: provider, organisation_guid: organisation, scopes }: ApiKey): string {
  const within = `by its scopes: ${scopes.join(' ')}`;
  if (organisation !== null) return `What the staff of the organisation ${organisation} read, ${within}`;
  if (provider === null) return `Only records of the engine's own keys and users, ${within}`;
  const requests = `What was sent to the provider ${provider}`;
  return scopes.length === 0 ? requests : `${requests}, and the provider's own records, ${within}`;
}
