// Brings audit events of earlier releases, which are resources, into their compact form while the system serves
// (docs/adr/0145). A step is a transaction: what searches and access logs find is the same before and after it.
import type { SearchParameters } from '#fhir/search/parameters/definitions.ts';
import type { Transaction } from '#lib/db/database.ts';
import { createThrottledLoop, type ThrottledLoop } from '#lib/jobs/throttled-loop.ts';
import type { WorkDependencies } from '#lib/work-dependencies.ts';
import { type LoggedEvent, readLoggedEvent } from '../shared/logged-event.ts';
import { type CompactEvent, type Compacting, createCompacting, renderCompact } from './compact-event.ts';
import { createCompactStore } from './compact-store.ts';
import {
  addMonths,
  delayConversion,
  endConversionRun,
  lockConversion,
  lockEvents,
  moveConversion,
  type NeededMonth,
  readTexts,
  removeEvents,
  type StoredEvent,
  unknownMonths,
} from './conversion-store.ts';
import { monthOfGuid } from './month.ts';

const STEP = 200;
const INTERVAL_MS = 60_000;
/** Until when nodes of the release before may bring events as resources. */
const UPGRADE_MS = 60 * 60 * 1000;
/** Until every node has read the list of months again (./event-parts.ts), many times over. */
const KNOWN_MS = 5_000;

export interface ConversionDeps extends WorkDependencies {
  readonly parameters: SearchParameters;
}

/** An event in both forms. */
interface Convertible {
  readonly stored: StoredEvent;
  readonly compact: CompactEvent;
  readonly logged: LoggedEvent;
}

export function createEventConversion({ database, clock, log, parameters }: ConversionDeps): ThrottledLoop {
  const compacting = createCompacting(parameters);
  const compacted = createCompactStore();

  function step(): Promise<boolean> {
    return database.transaction(async (tx) => {
      const now = clock.now();
      const state = await lockConversion(tx);
      if (state === undefined || state.startsAt.getTime() > now) return false;
      const events = await lockEvents(tx, state.after, STEP);
      const found = events.flatMap((stored) => convertible(stored, compacting) ?? []);
      const months = await unknownMonths(tx, monthsOf(found));
      if (months.length > 0) {
        await addMonths(tx, months);
        await delayConversion(tx, new Date(now + KNOWN_MS));
        return false;
      }
      await convert(tx, found);
      const last = events.at(-1);
      if (last !== undefined) await moveConversion(tx, last.guid, found.length);
      if (events.length === STEP) return true;
      await endConversionRun(tx, { run: state.run, startsAt: new Date(now + UPGRADE_MS), at: new Date(now) });
      if (state.run > 1) log.info({ event: 'audit_events.converted', events: state.converted + found.length });
      return false;
    });
  }

  /** The resource goes first: an event that is there in one form is not stored in the other. */
  async function convert(tx: Transaction, found: readonly Convertible[]): Promise<void> {
    if (found.length === 0) return;
    await removeEvents(
      tx,
      found.map(({ logged }) => logged),
    );
    for (const [at, some] of Map.groupBy(found, ({ stored }) => stored.storedAt.getTime()))
      await compacted.insert(
        tx,
        some.map(({ compact }) => compact),
        new Date(at),
      );
    // Evidence: nothing of it may be lost, whatever the rules above say.
    const guids = found.map(({ stored }) => stored.guid);
    const texts = await readTexts(tx, guids);
    const wrong = found.find(({ stored }) => texts.get(stored.guid) !== stored.content);
    if (wrong !== undefined) throw new Error(`The audit event ${wrong.stored.guid} would have been changed`);
  }

  return createThrottledLoop({ name: 'audit-event-conversion', intervalMs: INTERVAL_MS, log, step });
}

/** Undefined for an event whose text or index rows would be others: it stays a resource. */
function convertible(stored: StoredEvent, { compact }: Compacting): Convertible | undefined {
  const { meta, ...event } = JSON.parse(stored.content) as Readonly<Record<string, unknown>>;
  const compacted = compact(event);
  const logged = readLoggedEvent(event);
  if (compacted === undefined || logged === undefined || meta === undefined) return undefined;
  const whole = renderCompact(compacted).replace(/^(\{"resourceType":"AuditEvent","id":"[^"]+")/, (head) => {
    return `${head},"meta":{"versionId":"1","lastUpdated":"${stored.storedAt.toISOString()}"}`;
  });
  return whole === stored.content ? { stored, compact: compacted, logged } : undefined;
}

function monthsOf(found: readonly Convertible[]): NeededMonth[] {
  const earliest = new Map<number, number>();
  for (const { compact } of found) {
    const { from } = monthOfGuid(compact.guid);
    earliest.set(from, Math.min(compact.recorded, earliest.get(from) ?? Number.POSITIVE_INFINITY));
  }
  return [...earliest].map(([month, time]) => ({ month, earliest: time }));
}
