// Provider endpoints (decision D9): the address of a provider's webhooks, and the secret that signs them. A disabled
// endpoint holds its deliveries. A provider without endpoint reads the feed.

import { HOUR_MS } from '#lib/clock.ts';
import type { Transaction } from '#lib/db/database.ts';
import { conflict, type Issue, notFound, ServiceError, validationError } from '#lib/errors.ts';
import { type AddressGuard, AddressRefused } from '#lib/net/address-guard.ts';
import { newWebhookSecret } from '#lib/webhook/signature.ts';
import type { WriteDependencies } from '#lib/write-dependencies.ts';
import type { Outbox } from '../deliveries/outbox-service.ts';
import type { Actor } from '../shared/actor.ts';
import type { KeyRing } from '../shared/key-ring.ts';
import { auditedFor, requireActsFor } from '../shared/providers/access.ts';
import {
  deleteEndpoint,
  type Endpoint,
  findEndpoint,
  insertEndpoint,
  lockEndpoint,
  markHosted,
  updateEndpoint,
  wasHosted,
} from './store.ts';

export type { Endpoint } from './store.ts';

export interface EndpointService {
  /** @throws ServiceError `not_found`, also for another provider's */
  read(actor: Actor, providerGuid: string): Promise<Endpoint>;
  /**
   * Creates or changes the endpoint. Returns the secret of a new endpoint.
   * @throws ServiceError `validation_error`, `forbidden`
   */
  put(actor: Actor, input: EndpointInput): Promise<{ endpoint: Endpoint; secret: string | undefined }>;
  /** The issues of an address for webhooks; host names are resolved. */
  urlIssues(url: string): Promise<Issue[]>;
  /** @throws ServiceError `not_found` */
  remove(actor: Actor, providerGuid: string): Promise<void>;
  /** @throws ServiceError `not_found`, `forbidden`, `conflict` for a provider that the engine hosts */
  rotate(actor: Actor, providerGuid: string, graceHours: number): Promise<{ endpoint: Endpoint; secret: string }>;
  /** Queues a ping; returns the delivery's guid. @throws ServiceError `not_found`, `conflict` */
  ping(actor: Actor, providerGuid: string): Promise<string>;
  /** Whether the endpoint is the engine's inbox now. */
  isInbox(endpoint: Pick<Endpoint, 'url'>): boolean;
  /** Whether the engine hosts the provider or hosted it before: its endpoint is or was the engine's inbox. */
  isHosted(providerGuid: string): Promise<boolean>;
}

export interface EndpointInput {
  readonly providerGuid: string;
  readonly url: string;
  readonly enabled: boolean;
}

export interface EndpointServiceOptions extends WriteDependencies {
  readonly keys: KeyRing;
  readonly guard: AddressGuard;
  readonly outbox: Outbox;
  /** The engine's origin: the inbox of the providers that it hosts. */
  readonly trustedOrigins?: readonly string[];
}

export function createEndpointService(options: EndpointServiceOptions): EndpointService {
  const { database, clock, audit, keys, guard, outbox, trustedOrigins = [] } = options;
  const urlIssues = (url: string) => issuesOfUrl(guard, url);
  const isAtEngine = (url: string) => isAtOneOf(trustedOrigins, url);
  const isInboxOfEngine = (url: string) => isAtEngine(url) && new URL(url).pathname.endsWith(INBOX_PATH);

  async function record(transaction: Transaction, actor: Actor, event: string, providerGuid: string): Promise<void> {
    const entry = { action: 'U' as const, event: `endpoint.${event}`, entities: [`provider/${providerGuid}`] };
    await audit.record(transaction, auditedFor(actor, providerGuid, entry));
  }

  async function requireLocked(transaction: Transaction, providerGuid: string): Promise<Endpoint> {
    const endpoint = await lockEndpoint(transaction, providerGuid);
    if (endpoint === undefined) throw notFound('Endpoint');
    return endpoint;
  }

  async function change(transaction: Transaction, current: Endpoint, input: EndpointInput): Promise<Endpoint> {
    const now = new Date(clock.now());
    const { url, enabled, providerGuid } = input;
    if (isAtEngine(current.url)) await markHosted(transaction, providerGuid, now);
    const disabledReason = enabled ? undefined : (current.disabledReason ?? 'administrator');
    const changed = await updateEndpoint(transaction, { ...current, url, enabled, disabledReason }, now);
    if (enabled && !current.enabled) await outbox.release(transaction, providerGuid);
    if (!enabled && current.enabled) await outbox.hold(transaction, providerGuid);
    return changed;
  }

  return {
    urlIssues,
    async read(actor, providerGuid) {
      requireActsFor(actor.principal, providerGuid, 'Endpoint');
      const endpoint = await findEndpoint(database, providerGuid);
      if (endpoint === undefined) throw notFound('Endpoint');
      return endpoint;
    },
    async put(actor, input) {
      requireHosted(actor, input.url, trustedOrigins);
      const issues = await urlIssues(input.url);
      if (issues.length > 0) throw validationError(issues);
      const secret = newWebhookSecret();
      return database.transaction(async (transaction) => {
        const sealed = keys.seal(secret, input.providerGuid);
        for (;;) {
          const made = await insertEndpoint(transaction, { ...input, secret: sealed }, new Date(clock.now()));
          const current = made ?? (await lockEndpoint(transaction, input.providerGuid));
          // The endpoint that made the insert fail may be removed before it is locked.
          if (current === undefined) continue;
          if (isAtEngine(input.url)) await markHosted(transaction, input.providerGuid, new Date(clock.now()));
          await record(transaction, actor, made === undefined ? 'update' : 'create', input.providerGuid);
          if (made !== undefined) return { endpoint: made, secret };
          return { endpoint: await change(transaction, current, input), secret: undefined };
        }
      });
    },
    remove: (actor, providerGuid) =>
      database.transaction(async (transaction) => {
        const { url } = await requireLocked(transaction, providerGuid);
        if (isAtEngine(url)) await markHosted(transaction, providerGuid, new Date(clock.now()));
        await outbox.abandon(transaction, providerGuid);
        await deleteEndpoint(transaction, providerGuid);
        await record(transaction, actor, 'delete', providerGuid);
      }),
    rotate: (actor, providerGuid, graceHours) =>
      database.transaction(async (transaction) => {
        const now = clock.now();
        requireOwn(actor, providerGuid);
        const current = await requireLocked(transaction, providerGuid);
        requireHosted(actor, current.url, trustedOrigins);
        // The engine would not know the secret, and refuse every webhook.
        if (isInboxOfEngine(current.url) && actor.principal.kind !== 'service') throw conflict(HOSTED);
        const secret = newWebhookSecret();
        const grace =
          graceHours === 0
            ? { previousSecret: undefined, previousSecretUntil: undefined }
            : { previousSecret: current.secret, previousSecretUntil: new Date(now + graceHours * HOUR_MS) };
        const rotated = { ...current, ...grace, secret: keys.seal(secret, providerGuid) };
        const endpoint = await updateEndpoint(transaction, rotated, new Date(now));
        await record(transaction, actor, 'rotate-secret', providerGuid);
        return { endpoint, secret };
      }),
    ping: (actor, providerGuid) =>
      database.transaction(async (transaction) => {
        requireOwn(actor, providerGuid);
        const { enabled } = await requireLocked(transaction, providerGuid);
        if (!enabled) throw conflict('The endpoint is disabled');
        const delivery = await outbox.ping(transaction, providerGuid);
        if (delivery === undefined) throw notFound('Endpoint');
        await record(transaction, actor, 'ping', providerGuid);
        return delivery;
      }),
    isInbox: ({ url }) => isAtEngine(url),
    async isHosted(providerGuid) {
      const endpoint = await findEndpoint(database, providerGuid);
      return (endpoint !== undefined && isAtEngine(endpoint.url)) || wasHosted(database, providerGuid);
    },
  };
}

/** The path of the engine's inbox of providers without a system (services/engine/provider-tasks/inbox). */
const INBOX_PATH = '/provider-tasks/inbox';

const HOSTED =
  'The engine receives for this provider and has its secret. An administrator renews it there: PUT /providers/{id}/inbox ' +
  'with {"enabled": true, "renew_secret": true}';

/** The engine is let through: `requireHosted` limits it. @throws ServiceError `not_found` */
function requireOwn({ principal }: Actor, providerGuid: string): void {
  if (principal.kind !== 'service') requireActsFor(principal, providerGuid, 'Endpoint');
}

function isAtOneOf(origins: readonly string[], url: string): boolean {
  const target = URL.parse(url)?.origin;
  return origins.some((origin) => new URL(origin).origin === target);
}

/**
 * The engine is the endpoint of the providers that it hosts. It may set no other address and read no other secret.
 * @throws ServiceError `forbidden`
 */
function requireHosted({ principal }: Actor, url: string, origins: readonly string[]): void {
  if (principal.kind !== 'service' || isAtOneOf(origins, url)) return;
  const message = 'The engine sets its own inbox alone (KEDJA_ENGINE_URL must be the same for dispatch and engine)';
  throw new ServiceError('forbidden', message);
}

async function issuesOfUrl(guard: AddressGuard, url: string): Promise<Issue[]> {
  try {
    await guard.checkUrl(url);
    return [];
  } catch (error) {
    if (!(error instanceof AddressRefused)) throw error;
    return [{ field: 'url', message: `'url' is refused: ${error.message}` }];
  }
}
