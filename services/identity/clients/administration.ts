import { HOUR_MS } from '#lib/clock.ts';
import type { Database, Queryable, Transaction } from '#lib/db/database.ts';
import { conflict, type Issue, notFound, validationError } from '#lib/errors.ts';
import type { WriteDependencies } from '#lib/write-dependencies.ts';
import type { Actor } from '../actor.ts';
import type { ListRange } from '../list-page.ts';
import type { Revocations } from '../revocations/service.ts';
import { registrationIssue } from '../shared/redirect-target.ts';
import {
  AUDIENCE_HINT,
  AUDIENCE_PATTERN,
  CLIENT_ID_HINT,
  CLIENT_ID_PATTERN,
  type Client,
  type ClientSettings,
  NAME_LENGTH,
  type NewClient,
} from './client.ts';
import { newSecret } from './secret.ts';
import * as store from './store.ts';

/** Text that cannot be an id counts as unknown (decision G1). */
const CLIENT_ID = new RegExp(CLIENT_ID_PATTERN);

/** Who makes a change: an SU admin, or an operator at the command line. */
export type Changer = Pick<Actor, 'principal'> & Partial<Actor>;

/** A client with its secret, which is shown only once; undefined for a public client. */
export interface CreatedClient {
  readonly client: Client;
  readonly secret: string | undefined;
}

/** The parts of a client that are validated together. */
export interface ClientParts {
  readonly kind?: NewClient['kind'];
  readonly isPublic?: boolean;
  readonly calls?: readonly string[];
  readonly redirects?: readonly string[];
}

export interface ClientAdministration {
  /** The clients of the configuration come first. */
  list(range: ListRange): Promise<Client[]>;
  count(): Promise<number>;
  /** @throws ServiceError `not_found` */
  read(clientId: string): Promise<Client>;
  /** @throws ServiceError `validation_error`, `conflict` for an id that is taken, in whatever case */
  create(changer: Changer, client: NewClient): Promise<CreatedClient>;
  /** @throws ServiceError `not_found`, `validation_error`, `conflict` for a client of the configuration */
  change(changer: Changer, clientId: string, settings: ClientSettings): Promise<Client>;
  /**
   * Creates a new secret; the previous one stays valid for so many hours.
   * @throws ServiceError `not_found`, `conflict`
   */
  rotate(changer: Changer, clientId: string, graceHours: number): Promise<CreatedClient>;
  /** Ends its sign-ins and revokes its tokens too. @throws ServiceError `not_found`, `conflict` */
  disable(changer: Changer, clientId: string): Promise<Client>;
  /** @throws ServiceError `not_found`, `conflict` */
  enable(changer: Changer, clientId: string): Promise<Client>;
  /** Ends its sign-ins and revokes its tokens too. @throws ServiceError `not_found`, `conflict` */
  remove(changer: Changer, clientId: string): Promise<void>;
  /** The issues of a client that its schema cannot find. */
  issuesOf(client: ClientParts): Issue[];
}

export interface AdministrationDeps extends WriteDependencies {
  readonly revocations: Revocations;
  /** The clients of the configuration: listed here, changed in the configuration alone. */
  readonly configured: readonly Client[];
  readonly channel: string;
  /** Makes committed changes effective on this node. */
  readonly takeEffect: () => Promise<unknown>;
}

export function createClientAdministration(deps: AdministrationDeps): ClientAdministration {
  const { database, clock, audit, revocations, configured, channel, takeEffect } = deps;
  const configuredOf = (clientId: string) =>
    configured.find((client) => client.clientId.toLowerCase() === clientId.toLowerCase());

  function requireFit(client: ClientParts, further: readonly Issue[] = []): void {
    const issues = [...further, ...issuesOf(client)];
    if (issues.length > 0) throw validationError(issues);
  }

  async function note(tx: Transaction, changer: Changer, what: { clientId: string; event: string; detail?: string }) {
    const { clientId, event, detail } = what;
    const action = event === 'create' ? 'C' : event === 'delete' ? 'D' : 'U';
    const details = detail === undefined ? {} : { detail };
    await audit.record(tx, {
      action,
      event: `client.${event}`,
      entities: [`client/${clientId}`],
      ...details,
      ...changer,
    });
    await store.notifyChange(tx, channel);
  }

  /** Changes a registered client while its row is locked. */
  async function change<T>(
    clientId: string,
    work: (tx: Transaction, client: store.StoredClient, now: Date) => Promise<T>,
  ): Promise<T> {
    if (!CLIENT_ID.test(clientId)) throw notFound('Client');
    const done = await database.transaction(async (tx) => {
      const client = await store.lockClient(tx, clientId);
      if (client === undefined) throw configuredOf(clientId) === undefined ? notFound('Client') : fixed();
      return work(tx, client, new Date(clock.now()));
    });
    await takeEffect();
    return done;
  }

  /** Revokes its codes and tokens with the change. */
  async function end(tx: Transaction, clientId: string): Promise<string> {
    await store.deleteSignIns(tx, clientId);
    return `${await revocations.revokeTokensOfClient(tx, clientId)} tokens ended`;
  }

  async function requireClient(db: Database | Transaction, clientId: string): Promise<Client> {
    if (!CLIENT_ID.test(clientId)) throw notFound('Client');
    const [ofConfiguration] = await withUses(
      db,
      configured.filter((client) => client.clientId === clientId),
    );
    const known = ofConfiguration ?? (await store.readClient(db, clientId));
    if (known === undefined) throw notFound('Client');
    return withoutHashes(known);
  }

  return {
    issuesOf,
    async list({ limit, offset }) {
      const slice = configured.slice(offset, limit === null ? undefined : offset + limit);
      const first = await withUses(database, slice);
      const left = limit === null ? null : limit - first.length;
      if (left === 0) return first;
      const range = { limit: left, offset: Math.max(0, offset - configured.length) };
      return [...first, ...(await store.listClients(database, range)).map(withoutHashes)];
    },
    count: async () => configured.length + (await store.countClients(database)),
    read: (clientId) => requireClient(database, clientId),

    async create(changer, client) {
      requireFit(client, formIssues(client));
      if (configuredOf(client.clientId) !== undefined) throw taken();
      const made = client.isPublic ? undefined : newSecret();
      const record = { secretHash: made?.hash ?? null, by: changer.principal.id, at: new Date(clock.now()) };
      const stored = await database.transaction(async (tx) => {
        if (!(await store.insertClient(tx, client, record))) throw taken();
        await note(tx, changer, { clientId: client.clientId, event: 'create', detail: client.kind });
        return requireClient(tx, client.clientId);
      });
      await takeEffect();
      return { client: stored, secret: made?.secret };
    },

    change: (changer, clientId, settings) =>
      change(clientId, async (tx, { kind, isPublic }, now) => {
        requireFit({ ...settings, kind, isPublic });
        await store.updateSettings(tx, clientId, settings, now);
        await note(tx, changer, { clientId, event: 'change' });
        return requireClient(tx, clientId);
      }),

    rotate: (changer, clientId, graceHours) =>
      change(clientId, async (tx, { isPublic }, now) => {
        if (isPublic) throw conflict('The client keeps no secret');
        const { secret, hash } = newSecret();
        const previousUntil = graceHours === 0 ? null : new Date(now.getTime() + graceHours * HOUR_MS);
        await store.replaceSecret(tx, clientId, { hash, previousUntil, at: now });
        await note(tx, changer, {
          clientId,
          event: 'rotate-secret',
          detail: `the one before holds ${graceHours} hours`,
        });
        return { client: await requireClient(tx, clientId), secret };
      }),

    disable: (changer, clientId) =>
      change(clientId, async (tx, { disabledAt }, now) => {
        if (disabledAt === null) {
          await store.setDisabled(tx, clientId, { disabledAt: now, at: now });
          await note(tx, changer, { clientId, event: 'disable', detail: await end(tx, clientId) });
        }
        return requireClient(tx, clientId);
      }),

    enable: (changer, clientId) =>
      change(clientId, async (tx, { disabledAt }, now) => {
        if (disabledAt !== null) {
          await store.setDisabled(tx, clientId, { disabledAt: null, at: now });
          await note(tx, changer, { clientId, event: 'enable' });
        }
        return requireClient(tx, clientId);
      }),

    remove: (changer, clientId) =>
      change(clientId, async (tx) => {
        await store.deleteClient(tx, clientId);
        await note(tx, changer, { clientId, event: 'delete', detail: await end(tx, clientId) });
      }),
  };
}

/** The clients of the configuration, with the time of their last use. */
async function withUses(db: Queryable, clients: readonly Client[]): Promise<Client[]> {
  if (clients.length === 0) return [];
  const uses = await store.readConfiguredUses(db);
  return clients.map((client) => ({ ...client, lastUsedAt: uses.get(client.clientId) ?? null }));
}

function issuesOf({ kind, isPublic = false, calls = [], redirects = [] }: ClientParts): Issue[] {
  const issues = redirects.flatMap((address, index): Issue[] => {
    const [field, issue] = [`redirects[${index}]`, registrationIssue(address)];
    return issue === undefined ? [] : [{ field, message: `'${field}' ${issue}` }];
  });
  if (kind === 'service') {
    if (isPublic) issues.push({ field: 'public', message: "'public' is for applications: a service has a secret" });
    if (redirects.length > 0) {
      issues.push({ field: 'redirects', message: "'redirects' must be empty: nobody signs in to a service" });
    }
    return issues;
  }
  const other = calls.findIndex((call) => call !== 'user:read');
  if (other !== -1) {
    const field = `calls[${other}]`;
    issues.push({ field, message: `'${field}' must be user:read: an application calls nothing else by itself` });
  }
  if (isPublic && calls.length > 0) {
    issues.push({
      field: 'calls',
      message: "'calls' must be empty: a client without a secret can prove itself at no call",
    });
  }
  return issues;
}

/** Checks that the endpoint's schema has made already, for the command line, which has no schema. */
function formIssues({ clientId, name, audience }: NewClient): Issue[] {
  const issues: Issue[] = [];
  if (!CLIENT_ID.test(clientId)) issues.push({ field: 'client_id', message: `'client_id' ${CLIENT_ID_HINT}` });
  if (!new RegExp(AUDIENCE_PATTERN).test(audience)) {
    issues.push({ field: 'audience', message: `'audience' ${AUDIENCE_HINT}` });
  }
  if (name.trim() === '' || name.length > NAME_LENGTH || /[\p{Cc}\p{Cs}]/u.test(name)) {
    issues.push({ field: 'name', message: `'name' must be 1 to ${NAME_LENGTH} visible characters` });
  }
  return issues;
}

function withoutHashes(client: Client | store.StoredClient): Client {
  const {
    secretHash: _hash,
    previousSecretHash: _previous,
    ...rest
  } = { secretHash: null, previousSecretHash: null, ...client };
  return rest;
}

function taken() {
  return conflict('A client of that id exists', 'client_id');
}

function fixed() {
  return conflict('The client is managed by configuration, and is changed there');
}
