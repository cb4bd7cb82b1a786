// The list of external servers (decision E11): those of KEDJA_SERVERS_FILE, which the API cannot change, and those that
// administrators register, with sealed secrets.

import { DEFAULT_SORT_LANGUAGE } from '#fhir/search/extract/sort-text.ts';
import type { Transaction } from '#lib/db/database.ts';
import { conflict, type Issue, notFound, validationError } from '#lib/errors.ts';
import { type BodyFields, isFields } from '#lib/http/body-check.ts';
import { limitOf, makePage, type Page, type PageRequest } from '#lib/http/response/page.ts';
import { type AddressGuard, AddressRefused } from '#lib/net/address-guard.ts';
import type { KeySet } from '#lib/secrets/key-set.ts';
import { createSealer, type Sealer } from '#lib/secrets/sealer.ts';
import type { WriteDependencies } from '#lib/write-dependencies.ts';
import { type Actor, auditedBy } from '../shared/actor.ts';
import type { ServerDefinition } from '../shared/upstream/server-definition.ts';
import { issuesOfInput, partsOf, toAuth, withoutSlash } from './definition.ts';
import type { ServerChange, ServerInput, ServerQuery, ServerView } from './schema.ts';
import {
  deleteServer,
  findServer,
  insertServer,
  listServers,
  lockServer,
  type NewServer,
  type ServerRow,
  updateServer,
} from './store.ts';

export interface ServerService {
  list(query: ServerQuery & PageRequest): Promise<Page<ServerView>>;
  /** @throws ServiceError `not_found` */
  get(name: string): Promise<ServerView>;
  /** @throws ServiceError `validation_error`, `conflict` when the name is taken */
  create(input: ServerInput, actor: Actor): Promise<ServerView>;
  /** @throws ServiceError `not_found`, `validation_error`, `conflict` for a server of the file */
  replace(name: string, input: ServerChange, actor: Actor): Promise<ServerView>;
  /** @throws ServiceError `not_found`, `conflict` for a server of the file */
  remove(name: string, actor: Actor): Promise<void>;
  /** Returns the definitions of all servers, as needed for calls. */
  definitions(): Promise<ServerDefinition[]>;
  /** Returns the definition of a server, as needed for calls. @throws ServiceError `not_found` */
  definition(name: string): Promise<ServerDefinition>;
  /**
   * Returns the issues of an input for an existing or a new server that its schema does not find. The fields may have
   * any type.
   */
  issuesOf(fields: BodyFields, name?: string): Promise<Issue[]>;
  /** Returns the definition of an input that is not stored. @throws ServiceError `validation_error` */
  draft(input: ServerChange): Promise<ServerDefinition>;
}

export interface ServerDependencies extends WriteDependencies {
  readonly guard: AddressGuard;
  readonly sealingKeys: KeySet;
  /** The servers of KEDJA_SERVERS_FILE. */
  readonly fileServers: readonly ServerDefinition[];
  /** The language of the list's sort order. */
  readonly sortLanguage?: string | undefined;
}

const DEFAULT_TIMEOUT_MS = 10_000;
/** The first segments of paths below /servers. No server may have such a name. */
const RESERVED = new Set(['status', 'test', 'test-all']);

/** Creates the sealer of the servers' secrets. */
export function serverSealer(keys: KeySet): Sealer {
  return createSealer({ keys, purpose: 'external-server', place: 'external_server.secret' });
}

export function createServerService(deps: ServerDependencies): ServerService {
  const { database, clock, audit, guard } = deps;
  const sealer = serverSealer(deps.sealingKeys);
  const fromFile = new Map(deps.fileServers.map((server) => [server.name, server]));
  const record = (tx: Transaction, actor: Actor, action: 'C' | 'U' | 'D', name: string) => {
    const event = { C: 'server.create', U: 'server.update', D: 'server.delete' }[action];
    return audit.record(tx, auditedBy(actor, { action, event, entities: [`server/${name}`] }));
  };
  const definitionOf = (row: ServerRow) => toDefinition(row, sealer);
  const byName = new Intl.Collator(deps.sortLanguage ?? DEFAULT_SORT_LANGUAGE);

  async function all(): Promise<ServerView[]> {
    const rows = await listServers(database);
    const views = [
      ...[...fromFile.values()].map(viewOfFile),
      ...rows.filter(({ name }) => !fromFile.has(name)).map(toView),
    ];
    return views.sort((a, b) => byName.compare(a.name, b.name));
  }

  return {
    async list(query) {
      const found = (await all()).filter(({ kind }) => query.kind === undefined || kind === query.kind);
      const { limit, offset } = limitOf(query);
      return makePage(found.slice(offset, offset + limit), found.length, query);
    },
    async get(name) {
      const file = fromFile.get(name);
      if (file !== undefined) return viewOfFile(file);
      return toView(found(await findServer(database, name)));
    },
    async create(input, actor) {
      await requireValid(input, { guard, hasSecret: false, issues: nameIssues(input) });
      return database.transaction(async (tx) => {
        const made = fromFile.has(input.name)
          ? undefined
          : await insertServer(tx, toRow(input.name, input, sealer), new Date(clock.now()));
        if (made === undefined) throw conflict(`There is a server '${input.name}' already`, 'name');
        await record(tx, actor, 'C', input.name);
        return toView(made);
      });
    },
    async replace(name, input, actor) {
      requireRegistered(name, fromFile);
      const before = found(await findServer(database, name));
      const keepsSecret = mayKeepSecret(before, input);
      await requireValid(input, { guard, hasSecret: keepsSecret, issues: sameNameIssues(name, input) });
      return database.transaction(async (tx) => {
        const current = found(await lockServer(tx, name));
        // Another request has changed the server since the input was checked.
        if (current.updated_at.getTime() !== before.updated_at.getTime()) throw conflict('The server is being changed');
        const row = toRow(name, input, sealer);
        const secret = row.secret ?? (keepsSecret ? current.secret : null);
        // A later time than the stored one, because the revision must change.
        const at = new Date(Math.max(clock.now(), current.updated_at.getTime() + 1));
        const changed = found(await updateServer(tx, { ...row, secret }, at));
        await record(tx, actor, 'U', name);
        return toView(changed);
      });
    },
    async remove(name, actor) {
      requireRegistered(name, fromFile);
      await database.transaction(async (tx) => {
        if (!(await deleteServer(tx, name))) throw notFound('Server');
        await record(tx, actor, 'D', name);
      });
    },
    async definitions() {
      const rows = await listServers(database);
      const all = [...fromFile.values(), ...rows.filter(({ name }) => !fromFile.has(name)).map(definitionOf)];
      return all.sort((a, b) => byName.compare(a.name, b.name));
    },
    definition: async (name) => fromFile.get(name) ?? definitionOf(found(await findServer(database, name))),
    async issuesOf(fields, name) {
      if (name === undefined) return allIssues(fields, { guard, hasSecret: false, issues: nameIssues(fields) });
      const before = fromFile.has(name) ? undefined : await findServer(database, name);
      // For a server that cannot be changed, that error is returned instead.
      if (before === undefined) return [];
      const hasSecret = mayKeepSecret(before, fields);
      return allIssues(fields, { guard, hasSecret, issues: sameNameIssues(name, fields) });
    },
    async draft(input) {
      await requireValid(input, { guard, hasSecret: false, issues: [] });
      const { open, secret } = partsOf(input);
      const { url, kind = 'fhir', timeout_ms: timeoutMs = DEFAULT_TIMEOUT_MS, name = withoutSlash(url) } = input;
      return { name, url: withoutSlash(url), kind, auth: toAuth(open, secret), timeoutMs, revision: 'draft' };
    },
  };
}

function found(row: ServerRow | undefined): ServerRow {
  if (row === undefined) throw notFound('Server');
  return row;
}

function requireRegistered(name: string, fromFile: ReadonlyMap<string, unknown>): void {
  if (fromFile.has(name)) throw conflict(`The server '${name}' stands in KEDJA_SERVERS_FILE and is changed there`);
}

function nameIssues({ name }: BodyFields): Issue[] {
  return typeof name === 'string' && RESERVED.has(name)
    ? [{ field: 'name', message: `'name' must not be '${name}'` }]
    : [];
}

function sameNameIssues(name: string, input: BodyFields): Issue[] {
  if (input['name'] === undefined || input['name'] === name) return [];
  return [{ field: 'name', message: "'name' must be that of the address: a server keeps its name" }];
}

/**
 * A stored secret stays bound to the server's origin and to its kind, user, client and token URL. A change of any of
 * these must send the secret again.
 */
function mayKeepSecret(before: ServerRow, { auth, url }: BodyFields): boolean {
  if (before.secret === null || !isFields(auth) || typeof url !== 'string') return false;
  const isSameAuth = (['type', 'username', 'token_url', 'client_id'] as const).every(
    (field) => auth[field] === before.auth[field],
  );
  return isSameAuth && URL.parse(url)?.origin === new URL(before.url).origin;
}

interface CheckOptions {
  readonly guard: AddressGuard;
  readonly hasSecret: boolean;
  readonly issues: readonly Issue[];
}

/** @throws ServiceError `validation_error` naming every error */
async function requireValid(input: ServerChange, judgement: CheckOptions): Promise<void> {
  const all = await allIssues(input, judgement);
  if (all.length > 0) throw validationError(all);
}

async function allIssues(input: BodyFields, { guard, hasSecret, issues }: CheckOptions): Promise<Issue[]> {
  const all = [...issues, ...issuesOfInput(input, hasSecret)];
  const hasIssue = (field: string) => all.some((issue) => issue.field === field);
  const { url, auth } = input;
  const addresses = { url, 'auth.token_url': isFields(auth) ? auth['token_url'] : undefined };
  for (const [field, address] of Object.entries(addresses)) {
    if (typeof address !== 'string' || hasIssue(field)) continue;
    const refusal = await refusalOf(guard, address);
    if (refusal !== undefined) all.push({ field, message: `'${field}' is refused: ${refusal}` });
  }
  return all;
}

async function refusalOf(guard: AddressGuard, url: string): Promise<string | undefined> {
  try {
    await guard.checkUrl(url);
    return undefined;
  } catch (error) {
    if (error instanceof AddressRefused) return error.message;
    throw error;
  }
}

function toRow(name: string, input: ServerChange, sealer: Sealer): NewServer {
  const { open, secret } = partsOf(input);
  return {
    name,
    url: withoutSlash(input.url),
    kind: input.kind ?? 'fhir',
    auth: open,
    secret: secret === undefined ? null : sealer.seal(secret, name),
    timeout_ms: input.timeout_ms ?? DEFAULT_TIMEOUT_MS,
  };
}

function toDefinition(row: ServerRow, sealer: Sealer): ServerDefinition {
  const secret = row.secret === null ? undefined : sealer.open(row.secret, row.name);
  const { name, url, kind, timeout_ms: timeoutMs, updated_at: at } = row;
  return { name, url, kind, auth: toAuth(row.auth, secret), timeoutMs, revision: at.toISOString() };
}

function toView(row: ServerRow): ServerView {
  const { name, url, kind, auth, timeout_ms } = row;
  const times = { created_at: row.created_at.toISOString(), updated_at: row.updated_at.toISOString() };
  return { name, url, kind, auth, timeout_ms, source: 'api', ...times };
}

function viewOfFile({ name, url, kind, auth, timeoutMs }: ServerDefinition): ServerView {
  const shown = {
    type: auth.type,
    ...(auth.type === 'basic' ? { username: auth.username } : {}),
    ...(auth.type === 'client_credentials' ? { token_url: auth.tokenUrl, client_id: auth.clientId } : {}),
    ...(auth.type === 'client_credentials' && auth.scope !== undefined ? { scope: auth.scope } : {}),
  };
  return { name, url, kind, auth: shown, timeout_ms: timeoutMs, source: 'file', created_at: null, updated_at: null };
}
