// `kedja deliveries`: looks at webhooks and their attempts, and sends dead letters again (decision D9), straight in dispatch's database, whether
// dispatch runs or not. Operators' page: docs/operations/deliveries.md.
import { parseArgs } from 'node:util';
import { createAudit } from '#lib/audit/audit.ts';
import { systemClock } from '#lib/clock.ts';
import { ServiceError } from '#lib/errors.ts';
import { isGuid } from '#lib/guid.ts';
import { DELIVERY_STATUSES } from '#services/dispatch/deliveries/lifecycle.ts';
import {
  type Attempt,
  createDeliveryService,
  type Delivery,
  type DeliveryFilter,
  type DeliveryService,
} from '#services/dispatch/deliveries/service.ts';
import { migrations } from '#services/dispatch/migrations.ts';
import { operator } from './operator.ts';
import { printable } from './printable.ts';
import type { CommandSite } from './site.ts';
import { runOnSite } from './site-command.ts';

const USAGE = `usage: kedja deliveries list [--status STATUS] [--provider GUID] [--request GUID] [--since TIME] [--until TIME] [--limit N]
       kedja deliveries show DELIVERY_GUID
       kedja deliveries replay DELIVERY_GUID...
       kedja deliveries replay --all | [--provider GUID] [--since TIME] [--until TIME]

list: the newest first, 50 unless --limit says otherwise (at most 1000). STATUS is one of ${DELIVERY_STATUSES.join(', ')}.
show: one delivery with its attempts.
replay: sends dead letters again, under the same webhook-id: those named, those of a provider or a time, or all.
TIME, such as 2026-05-31T12:00Z, is when a delivery died: --since that moment or later, --until before it. It asks for dead ones alone.`;

const WHAT_CAN_BE_ASKED = {
  status: { type: 'string' },
  provider: { type: 'string' },
  request: { type: 'string' },
  since: { type: 'string' },
  until: { type: 'string' },
  limit: { type: 'string' },
  all: { type: 'boolean' },
} as const;

const DEFAULT_LIMIT = 50;
const MOST_LISTED = 1000;

type Given = ReturnType<typeof parse>['values'];

type Command =
  | { readonly kind: 'list'; readonly given: Given }
  | { readonly kind: 'show'; readonly guid: string }
  | { readonly kind: 'replay'; readonly guids: readonly string[] }
  | { readonly kind: 'replay-many'; readonly given: Given };

/** Returns the exit code: 0 when everything that was asked for was done. */
export function runDeliveries(args: readonly string[]): Promise<number> {
  return runOnSite(args, { usage: USAGE, parse: readCommand, check: checkCommand, run });
}

function parse(args: readonly string[]) {
  return parseArgs({ args: [...args], options: WHAT_CAN_BE_ASKED, allowPositionals: true });
}

function readCommand([name, ...rest]: readonly string[]): Command | undefined {
  try {
    const { values, positionals } = parse(rest);
    return commandOf(name, values, positionals);
  } catch {
    return undefined;
  }
}

function commandOf(name: string | undefined, given: Given, guids: readonly string[]): Command | undefined {
  const named = new Set(Object.keys(given));
  const only = (...names: readonly string[]) => [...named].every((option) => names.includes(option));
  const [guid] = guids;
  if (name === 'list') return guids.length === 0 && !named.has('all') ? { kind: 'list', given } : undefined;
  if (name === 'show') return guids.length === 1 && guid !== undefined && only() ? { kind: 'show', guid } : undefined;
  if (name !== 'replay') return undefined;
  if (guids.length > 0) return only() ? { kind: 'replay', guids } : undefined;
  // Everything is replayed by those alone who say so.
  const isAll = named.has('all') ? named.size === 1 : named.size > 0;
  return isAll && only('all', 'provider', 'since', 'until') ? { kind: 'replay-many', given } : undefined;
}

/** What is wrong is told before anything is opened. @throws Error */
function checkCommand(command: Command): void {
  if (command.kind === 'list') limitOf(command.given);
  if ('given' in command) filterOf(command.given);
}

/** @throws Error in words for an operator */
function filterOf(given: Given): DeliveryFilter {
  const status = DELIVERY_STATUSES.find((known) => known === given.status);
  if (given.status !== undefined && status === undefined) {
    throw new Error(`There is no status "${printable(given.status)}"; there are ${DELIVERY_STATUSES.join(', ')}`);
  }
  if (given.request !== undefined && !isGuid(given.request)) throw new Error('--request is the guid of a request');
  const [since, until] = [momentOf('since', given.since), momentOf('until', given.until)];
  const isTimed = since !== undefined || until !== undefined;
  if (isTimed && status !== undefined && status !== 'dead') {
    throw new Error('--since and --until are when a delivery died: only with --status dead, or without --status');
  }
  return {
    ...(status === undefined ? {} : { status }),
    ...(isTimed ? { status: 'dead' } : {}),
    ...(given.provider === undefined ? {} : { providerGuid: given.provider }),
    ...(given.request === undefined ? {} : { requestGuid: given.request }),
    ...(since === undefined ? {} : { since }),
    ...(until === undefined ? {} : { until }),
  };
}

/** @throws Error */
function momentOf(option: string, text: string | undefined): Date | undefined {
  if (text === undefined) return undefined;
  const moment = new Date(text);
  if (/^\d{4}-\d\d-\d\d/.test(text) && !Number.isNaN(moment.getTime())) return moment;
  throw new Error(`--${option} "${printable(text)}" is no time; write it as 2026-05-31T12:00Z`);
}

/** @throws Error */
function limitOf({ limit = String(DEFAULT_LIMIT) }: Given): number {
  const number = Number(limit);
  if (/^\d+$/.test(limit) && number >= 1 && number <= MOST_LISTED) return number;
  throw new Error(`--limit is a number from 1 to ${MOST_LISTED}`);
}

async function run(site: CommandSite, command: Command): Promise<number> {
  const database = await site.database('dispatch', migrations);
  const clock = systemClock;
  const audit = createAudit({ database, clock, service: 'dispatch' });
  const deliveries = createDeliveryService({ database, clock, audit });
  switch (command.kind) {
    case 'list':
      return list(deliveries, command.given);
    case 'show':
      return show(deliveries, command.guid);
    case 'replay':
      return replay(deliveries, command.guids);
    case 'replay-many': {
      const { status: _, requestGuid: __, ...filter } = filterOf(command.given);
      console.log(`Queued again: ${await deliveries.replayAll(actor(), filter)}`);
      return 0;
    }
    default:
      return command satisfies never;
  }
}

async function list(deliveries: DeliveryService, given: Given): Promise<number> {
  const found = await deliveries.list(filterOf(given), { limit: limitOf(given), offset: 0 });
  console.log(table([LIST_HEAD, ...found.deliveries.map(rowOf)]));
  console.log(`${found.deliveries.length} of ${found.total}`);
  return 0;
}

async function show(deliveries: DeliveryService, guid: string): Promise<number> {
  const { delivery, attempts } = await deliveries.read(guid);
  const facts = [
    ['delivery', delivery.deliveryGuid],
    ['type', delivery.type],
    ['provider', delivery.providerGuid],
    ['request', delivery.requestGuid],
    ['status', delivery.status],
    ['reason', delivery.cancelledReason],
    ['created', momentText(delivery.createdAt)],
    ['next attempt', momentText(delivery.nextAt)],
    ['delivered', momentText(delivery.deliveredAt)],
    ['died', momentText(delivery.deadAt)],
    ['last error', delivery.lastError],
  ];
  console.log(table(facts.flatMap(([name = '', value]) => (value === undefined ? [] : [[name, value]]))));
  if (attempts.length > 0) console.log(`\n${table([ATTEMPT_HEAD, ...attempts.map(attemptRow)])}`);
  return 0;
}

/** Each by itself: one that cannot be replayed keeps none of the others back. */
async function replay(deliveries: DeliveryService, guids: readonly string[]): Promise<number> {
  let exitCode = 0;
  for (const guid of guids) {
    try {
      console.log(`${guid}  ${await deliveries.replay(actor(), guid)}`);
    } catch (error) {
      if (!(error instanceof ServiceError)) throw error;
      console.error(`${printable(guid)}: ${error.message}`);
      exitCode = 1;
    }
  }
  return exitCode;
}

function actor() {
  return { principal: operator(), address: undefined, requestId: undefined };
}

const LIST_HEAD = ['DELIVERY', 'STATUS', 'TYPE', 'PROVIDER', 'CREATED', 'ATTEMPTS', 'LAST ERROR'];
const ATTEMPT_HEAD = ['ATTEMPT', 'STARTED', 'TOOK', 'ANSWER', 'OUTCOME'];

function rowOf(delivery: Delivery): string[] {
  const { deliveryGuid, status, type, providerGuid, createdAt, attempt, lastError } = delivery;
  return [
    deliveryGuid,
    status,
    type,
    providerGuid,
    createdAt.toISOString(),
    String(attempt),
    (status === 'delivered' ? undefined : lastError) ?? '-',
  ];
}

function attemptRow({ attempt, startedAt, durationMs, httpStatus, outcome }: Attempt): string[] {
  const took = durationMs === undefined ? '-' : `${durationMs} ms`;
  return [String(attempt), startedAt.toISOString(), took, String(httpStatus ?? '-'), outcome ?? 'under way'];
}

function momentText(moment: Date | undefined): string | undefined {
  return moment?.toISOString();
}

/** In columns; what others have written must not steer the terminal. */
function table(rows: readonly (readonly string[])[]): string {
  const shown = rows.map((row) => row.map(printable));
  const widths = (shown[0] ?? []).map((_, column) => Math.max(...shown.map((row) => row[column]?.length ?? 0)));
  return shown
    .map((row) =>
      row
        .map((cell, column) => cell.padEnd(widths[column] ?? 0))
        .join('  ')
        .trimEnd(),
    )
    .join('\n');
}
