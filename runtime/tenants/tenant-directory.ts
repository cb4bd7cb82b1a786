// The services of the tenants in this process, one for each tenant (docs/adr/0138, 0147). They are opened one after the
// other after the start, or by a request. A tenant without requests is quiet: its background work runs in rounds. After
// some minutes it is closed, and opened from time to time for a round.
import { AsyncLocalStorage } from 'node:async_hooks';
import { setTimeout as delay } from 'node:timers/promises';
import { ServiceError } from '#lib/errors.ts';
import type { TenantHandlers } from '#lib/http/tenants/tenant-handlers.ts';
import type { TenantDirectory } from '#lib/http/tenants/tenant-requests.ts';
import { createPace, type Pace, runAtPace } from '#lib/jobs/pace.ts';
import type { Logger } from '#lib/log/logger.ts';
import type { Tenant } from '#lib/tenants/tenant.ts';
import type { TenantSource } from './tenant-source.ts';

export interface OpenedTenant {
  readonly handlers: TenantHandlers;
  /** Its statements go to the place of this tenant from now on. */
  moveTo(tenant: Tenant): void;
  /** Ends its background work and closes its connections. */
  close(): Promise<void>;
}

export interface TenantDirectoryOptions {
  readonly source: TenantSource;
  /** Opens the service of a tenant. @throws when it cannot be */
  readonly open: (tenant: Tenant) => Promise<OpenedTenant>;
  readonly log: Logger;
  /** The times that differ in tests. */
  readonly times?: Partial<typeof TIMES>;
}

interface Entry {
  tenant: Tenant;
  readonly pace: Pace;
  readonly opening: Promise<OpenedTenant>;
  opened: OpenedTenant | undefined;
  usedAt: number;
  /** The period of its last round, or of its opening. */
  period: number;
  /** Whether a whole round has run since its last request. */
  isDone: boolean;
  running: number;
  /** The round that runs. */
  round: Promise<void> | undefined;
}

const TIMES = {
  /** After so long without a request a tenant is closed. */
  closeAfterMs: 300_000,
  /** A closed tenant is opened for a round of its background work so often. */
  closedMs: 300_000,
  /** After so long without a request a tenant is quiet. */
  quietAfterMs: 10_000,
};
/** With more tenants awake than this, each rests sooner, and its loops pause longer. */
const AWAKE_AT_FULL_PACE = 8;
/** The shortest time until a tenant is quiet. */
const QUIET_AT_LEAST_MS = 1_000;
/** A quiet tenant's background work runs so often. */
const ROUND_MS = 60_000;
const CHECK_MS = 1_000;
/** The others wait no longer for the round of a tenant. */
const TURN_MS = 500;
/** A service that could not be opened is not tried again within this time by requests. */
const RETRY_MS = 2_000;
/** A tenant that is no more gives its running requests so long. */
const LEAVE_MS = 10_000;

export interface ManagedDirectory extends TenantDirectory {
  /** Opens the tenants one after the other, and keeps their background work going. */
  start(): void;
  stop(): Promise<void>;
}

export function createTenantDirectory({ source, open, log, times }: TenantDirectoryOptions): ManagedDirectory {
  const { closeAfterMs, closedMs, quietAfterMs } = { ...TIMES, ...times };
  const entries = new Map<string, Entry>();
  /** What tenants became whose place has changed. */
  const successors = new WeakMap<Tenant, Tenant>();
  /** The periods in which tenants without requests were closed. */
  const closedIn = new WeakMap<Tenant, number>();
  const failures = new Map<string, { readonly at: number; readonly error: unknown }>();
  const leaving = new Set<Promise<void>>();
  // What a request opens belongs to no request.
  const outsideOfRequests = AsyncLocalStorage.snapshot();
  let isStopping = false;
  let isServing: Promise<unknown> | undefined;
  const stopping = new AbortController();
  let awake = 0;
  /** A hundred tenants in use at once would otherwise do nothing but look for work. */
  const stretch = (): number => Math.max(1, awake / AWAKE_AT_FULL_PACE);

  function begin(tenant: Tenant, options: { readonly isQuiet?: boolean } = {}): Entry {
    const failed = failures.get(tenant.name);
    if (failed !== undefined && performance.now() - failed.at < RETRY_MS) throw failed.error;
    const entry = create(tenant, options);
    entries.set(tenant.name, entry);
    return entry;
  }

  function create(tenant: Tenant, { isQuiet = false }: { readonly isQuiet?: boolean }): Entry {
    const pace = createPace({ stretch });
    // A hundred tenants that open one after the other do not all work from then on.
    if (isQuiet) pace.rest();
    const now = performance.now();
    const opening = outsideOfRequests(() => runAtPace(pace, () => open(tenant)));
    const entry: Entry = {
      tenant,
      pace,
      opening,
      opened: undefined,
      usedAt: now,
      period: periodOf(tenant, ROUND_MS),
      isDone: false,
      running: 0,
      round: undefined,
    };
    opening.then(
      (opened) => {
        entry.opened = opened;
        failures.delete(tenant.name);
      },
      (error: unknown) => {
        if (entries.get(tenant.name) === entry) entries.delete(tenant.name);
        if (!failures.has(tenant.name)) log.error({ event: 'tenant.not-opened', tenant: tenant.name, err: error });
        failures.set(tenant.name, { at: performance.now(), error });
      },
    );
    return entry;
  }

  function use(entry: Entry): void {
    entry.usedAt = performance.now();
    entry.isDone = false;
  }

  /** The tenant as the file has it now, wherever it is. */
  function latest(tenant: Tenant): Tenant {
    const next = successors.get(tenant);
    return next === undefined ? tenant : latest(next);
  }

  /** The entry of exactly this tenant: not of another of its name that the file had before. */
  function entryOf(tenant: Tenant): Entry | undefined {
    const entry = entries.get(tenant.name);
    return entry?.tenant === latest(tenant) ? entry : undefined;
  }

  async function openNow(named: Tenant): Promise<TenantHandlers> {
    const tenant = latest(named);
    if (isStopping || source.byName(tenant.name) !== tenant) throw away(undefined);
    try {
      const entry = entryOf(tenant) ?? begin(tenant);
      use(entry);
      const { handlers } = await entry.opening;
      await entry.pace.wake();
      return handlers;
    } catch (error) {
      throw error instanceof ServiceError && error.status === 503 ? error : away(error);
    }
  }

  function leave(entry: Entry): void {
    if (entries.get(entry.tenant.name) === entry) entries.delete(entry.tenant.name);
    const closed = outsideOfRequests(() => close(entry));
    leaving.add(closed);
    void closed.finally(() => leaving.delete(closed));
  }

  async function close(entry: Entry): Promise<void> {
    const until = performance.now() + LEAVE_MS;
    while (entry.running > 0 && performance.now() < until && !isStopping) await delay(50);
    try {
      await (await entry.opening).close();
    } catch (error) {
      log.warn({ event: 'tenant.not-closed', tenant: entry.tenant.name, err: error });
    }
  }

  /** What the file names no more, or names otherwise, is closed. */
  function follow(): void {
    failures.clear();
    for (const entry of entries.values()) {
      const now = source.byName(entry.tenant.name);
      if (now === entry.tenant) continue;
      if (now !== undefined && entry.opened !== undefined && differInPlace(entry.tenant, now))
        void outsideOfRequests(() => replace(entry, entry.opened as OpenedTenant, now));
      else leave(entry);
    }
  }

  /**
   * A tenant has moved. Its requests go on with the services that are open, at the new place, until those are open that
   * have read everything there.
   */
  async function replace(entry: Entry, opened: OpenedTenant, now: Tenant): Promise<void> {
    successors.set(entry.tenant, now);
    entry.tenant = now;
    opened.moveTo(now);
    const next = create(now, {});
    next.usedAt = entry.usedAt;
    await next.opening.catch(() => undefined);
    const isCurrent = entries.get(now.name) === entry && entry.tenant === now && !isStopping;
    if (!isCurrent) return leave(next);
    // Where it cannot be opened, requests try again, and say so.
    leave(entry);
    if (next.opened !== undefined) entries.set(now.name, next);
  }

  async function serve(): Promise<void> {
    while (!isStopping) {
      for (const tenant of source.all()) {
        if (isStopping) return;
        const entry = entryOf(tenant);
        if (entry !== undefined) await care(entry);
        else if (closedIn.get(tenant) !== periodOf(tenant, closedMs)) await openQuietly(tenant);
      }
      await pause();
    }
  }

  /** Beside the rounds, which may take long. Tenants that are awake take each other's connections. */
  async function restUnused(): Promise<void> {
    while (!isStopping) {
      for (const entry of entries.values()) if (isUnused(entry)) entry.pace.rest();
      awake = [...entries.values()].filter(({ pace }) => !pace.isQuiet()).length;
      await pause();
    }
  }

  async function pause(): Promise<void> {
    await delay(CHECK_MS, undefined, { signal: stopping.signal }).catch(() => undefined);
  }

  function isUnused({ opened, running, usedAt }: Entry): boolean {
    const afterMs = Math.max(quietAfterMs / stretch(), QUIET_AT_LEAST_MS);
    return opened !== undefined && running === 0 && performance.now() - usedAt >= afterMs;
  }

  async function openQuietly(tenant: Tenant): Promise<void> {
    try {
      const entry = begin(tenant, { isQuiet: true });
      const { usedAt } = entry;
      await entry.opening;
      // Unless a request has used it meanwhile.
      if (entry.usedAt !== usedAt) return;
      entry.usedAt = Number.NEGATIVE_INFINITY;
      // At once, over the connection that its opening has left. Then it is closed, unless it has more to do.
      await care(entry);
      if (entry.round === undefined) await care(entry);
    } catch {
      // It is logged, and tried again.
    }
  }

  async function care(entry: Entry): Promise<void> {
    if (!isUnused(entry)) return;
    entry.pace.rest();
    if (entry.round !== undefined) return;
    const unusedMs = performance.now() - entry.usedAt;
    if (entry.isDone && unusedMs >= closeAfterMs) {
      closedIn.set(entry.tenant, periodOf(entry.tenant, closedMs));
      return leave(entry);
    }
    // The first step of each loop of a tenant that was opened for a round may still run.
    const isFirst = unusedMs >= closeAfterMs;
    const period = periodOf(entry.tenant, ROUND_MS);
    if (!isFirst && period === entry.period) return;
    entry.period = period;
    entry.isDone = true;
    entry.round = entry.pace.round().finally(() => {
      entry.round = undefined;
    });
    // A tenant with much to do holds up no other.
    await Promise.race([entry.round, delay(TURN_MS)]);
  }

  source.onChanged(follow);
  return {
    byName: source.byName,
    byHost: source.byHost,
    findOpen(tenant) {
      const entry = entryOf(tenant);
      if (entry?.opened === undefined || entry.pace.isQuiet()) return undefined;
      use(entry);
      return entry.opened.handlers;
    },
    open: openNow,
    begin(tenant) {
      const entry = entryOf(tenant);
      if (entry === undefined) return () => undefined;
      entry.running += 1;
      return () => {
        entry.running -= 1;
        use(entry);
      };
    },
    start() {
      isServing ??= outsideOfRequests(() => Promise.all([serve(), restUnused()]));
    },
    async stop() {
      isStopping = true;
      stopping.abort();
      for (const entry of entries.values()) leave(entry);
      await isServing;
      await Promise.all(leaving);
    },
  };
}

/**
 * The number of the period of this length that runs now. A tenant's periods begin at a moment of its own. It is the
 * same for all services of the process, so that a round of one finds the connection of the other.
 */
function periodOf({ name }: Tenant, lengthMs: number): number {
  let hash = 0;
  for (const character of name) hash = (Math.imul(hash, 31) + (character.codePointAt(0) ?? 0)) >>> 0;
  return Math.floor(performance.now() / lengthMs + (Math.imul(hash, 0x9e3779b1) >>> 0) / 2 ** 32);
}

function away(cause: unknown): ServiceError {
  return new ServiceError('unavailable', 'The tenant cannot be served now', { cause, retryAfterSeconds: 2 });
}

function differInPlace(one: Tenant, other: Tenant): boolean {
  const { name, schema, hosts } = one;
  return name === other.name && schema === other.schema && hosts.join() === other.hosts.join();
}
