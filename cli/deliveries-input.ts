// The arguments of `kedja deliveries`, parsed and checked before anything is opened.
import { parseArgs } from 'node:util';
import { isGuid } from '#lib/guid.ts';
import { WEBHOOK_TYPES } from '#services/dispatch/deliveries/envelope.ts';
import { DELIVERY_STATUSES } from '#services/dispatch/deliveries/lifecycle.ts';
import type { DeliveryFilter, ReplayFilter } from '#services/dispatch/deliveries/service.ts';
import { printable } from './printable.ts';

export const USAGE = `usage: kedja deliveries list [FILTER]... [--status STATUS] [--created-since TIME] [--created-until TIME] [--limit N] [--json]
       kedja deliveries show DELIVERY_GUID [--json]
       kedja deliveries replay DELIVERY_GUID... [--json]
       kedja deliveries replay --all | FILTER... [--dry-run] [--json]

list: the newest first, 50 unless --limit says otherwise (at most 1000). STATUS is one of ${DELIVERY_STATUSES.join(', ')}.
show: one delivery with its attempts.
replay: sends dead letters again, under the same webhook-id: those named, those that the filters find, or all. --dry-run only counts them.
FILTER: --provider GUID, --request GUID, --type TYPE, --since TIME, --until TIME. TYPE is one of ${WEBHOOK_TYPES.join(', ')}.
TIME, such as 2026-05-31T12:00Z, is when a delivery died: --since that moment or later, --until before it. It asks for dead ones alone.
With --created-since and --created-until it is when the delivery was made.
--json: one JSON document on standard output, with the names of the HTTP API.`;

const OPTIONS_OF_COMMAND = {
  status: { type: 'string' },
  provider: { type: 'string' },
  request: { type: 'string' },
  type: { type: 'string' },
  since: { type: 'string' },
  until: { type: 'string' },
  'created-since': { type: 'string' },
  'created-until': { type: 'string' },
  limit: { type: 'string' },
  all: { type: 'boolean' },
  json: { type: 'boolean' },
  'dry-run': { type: 'boolean' },
} as const;

/** The options that filter dead letters. */
const FILTERS = ['provider', 'request', 'type', 'since', 'until'];
const DEFAULT_LIMIT = 50;
const MOST_LISTED = 1000;

export type DeliveriesOptions = ReturnType<typeof parse>['values'];

export type Command =
  | { readonly kind: 'list'; readonly given: DeliveriesOptions }
  | { readonly kind: 'show'; readonly guid: string; readonly given: DeliveriesOptions }
  | { readonly kind: 'replay'; readonly guids: readonly string[]; readonly given: DeliveriesOptions }
  | { readonly kind: 'replay-many'; readonly given: DeliveriesOptions };

function parse(args: readonly string[]) {
  return parseArgs({ args: [...args], options: OPTIONS_OF_COMMAND, allowPositionals: true });
}

/** Undefined for an invalid combination of arguments. @throws Error of `parseArgs` */
export function readCommand([name, ...rest]: readonly string[]): Command | undefined {
  const { values, positionals } = parse(rest);
  return commandOf(name, values, positionals);
}

function commandOf(name: string | undefined, given: DeliveriesOptions, guids: readonly string[]): Command | undefined {
  const named = Object.keys(given).filter((option) => option !== 'json');
  const only = (...names: readonly string[]) => named.every((option) => names.includes(option));
  const [guid] = guids;
  if (name === 'list') {
    const isList = guids.length === 0 && !named.includes('all') && !named.includes('dry-run');
    return isList ? { kind: 'list', given } : undefined;
  }
  if (name === 'show') {
    return guids.length === 1 && guid !== undefined && only() ? { kind: 'show', guid, given } : undefined;
  }
  if (name !== 'replay') return undefined;
  if (guids.length > 0) return only() ? { kind: 'replay', guids, given } : undefined;
  // Only an explicit `--all` replays everything.
  const filters = named.filter((option) => FILTERS.includes(option));
  const isSaid = given.all === true ? filters.length === 0 : filters.length > 0;
  return isSaid && only('all', 'dry-run', ...FILTERS) ? { kind: 'replay-many', given } : undefined;
}

/** Reports invalid values before anything is opened. @throws Error */
export function checkCommand({ kind, given }: Command): void {
  if (kind === 'list') limitOf(given);
  filterOf(given);
}

/** @throws Error with a message for an operator */
export function filterOf(given: DeliveriesOptions): DeliveryFilter {
  const status = oneOf('status', DELIVERY_STATUSES, given.status);
  const replay = replayFilterOf(given);
  const isTimed = replay.since !== undefined || replay.until !== undefined;
  if (isTimed && status !== undefined && status !== 'dead') {
    throw new Error('--since and --until are when a delivery died: only with --status dead, or without --status');
  }
  const createdSince = momentOf('created-since', given['created-since']);
  const createdUntil = momentOf('created-until', given['created-until']);
  return {
    ...(status === undefined ? {} : { status }),
    ...(isTimed ? { status: 'dead' } : {}),
    ...replay,
    ...(createdSince === undefined ? {} : { createdSince }),
    ...(createdUntil === undefined ? {} : { createdUntil }),
  };
}

/** @throws Error with a message for an operator */
export function replayFilterOf(given: DeliveriesOptions): ReplayFilter {
  const type = oneOf('type', WEBHOOK_TYPES, given.type);
  if (given.request !== undefined && !isGuid(given.request)) throw new Error('--request is the guid of a request');
  const [since, until] = [momentOf('since', given.since), momentOf('until', given.until)];
  return {
    ...(given.provider === undefined ? {} : { providerGuid: given.provider }),
    ...(given.request === undefined ? {} : { requestGuid: given.request }),
    ...(type === undefined ? {} : { type }),
    ...(since === undefined ? {} : { since }),
    ...(until === undefined ? {} : { until }),
  };
}

/** @throws Error */
function oneOf<T extends string>(option: string, known: readonly T[], text: string | undefined): T | undefined {
  const found = known.find((each) => each === text);
  if (text === undefined || found !== undefined) return found;
  throw new Error(`There is no ${option} "${printable(text)}"; there are ${known.join(', ')}`);
}

/** @throws Error */
function momentOf(option: string, text: string | undefined): Date | undefined {
  if (text === undefined) return undefined;
  const moment = new Date(text);
  if (/^\d{4}-\d\d-\d\d/.test(text) && !Number.isNaN(moment.getTime())) return moment;
  throw new Error(`--${option} "${printable(text)}" is no time; write it as 2026-05-31T12:00Z`);
}

/** @throws Error */
export function limitOf({ limit = String(DEFAULT_LIMIT) }: DeliveriesOptions): number {
  const number = Number(limit);
  if (/^\d+$/.test(limit) && number >= 1 && number <= MOST_LISTED) return number;
  throw new Error(`--limit is a number from 1 to ${MOST_LISTED}`);
}
