// `kedja deliveries`: lists webhooks and their attempts, and replays dead letters (decision D9). It works on dispatch's
// database, whether dispatch runs or not. Operators' page: docs/operations/deliveries.md.
import { createAudit } from '#lib/audit/audit.ts';
import { systemClock } from '#lib/clock.ts';
import { ServiceError } from '#lib/errors.ts';
import {
  type Attempt,
  createDeliveryService,
  type Delivery,
  type DeliveryService,
} from '#services/dispatch/deliveries/service.ts';
import { toAttemptView, toView } from '#services/dispatch/deliveries/view.ts';
import { migrations } from '#services/dispatch/migrations.ts';
import {
  type Command,
  checkCommand,
  type DeliveriesOptions,
  filterOf,
  limitOf,
  readCommand,
  replayFilterOf,
  USAGE,
} from './deliveries-input.ts';
import { operator } from './operator.ts';
import { printable } from './printable.ts';
import type { CommandSite } from './site.ts';
import { runOnSite } from './site-command.ts';
import { tableOf } from './table.ts';

/** Returns the exit code: 0 when everything requested was done. */
export function runDeliveries(args: readonly string[]): Promise<number> {
  return runOnSite(args, { usage: USAGE, parse: readCommand, check: checkCommand, run });
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
      return show(deliveries, command.guid, command.given);
    case 'replay':
      return replay(deliveries, command.guids, command.given);
    case 'replay-many':
      return replayMany(deliveries, command.given);
    default:
      return command satisfies never;
  }
}

async function list(deliveries: DeliveryService, given: DeliveriesOptions): Promise<number> {
  const found = await deliveries.list(filterOf(given), { limit: limitOf(given), offset: 0 });
  if (given.json === true) return printJson({ data: found.deliveries.map(toView), total: found.total });
  console.log(tableOf([LIST_HEAD, ...found.deliveries.map(rowOf)]));
  console.log(`${found.deliveries.length} of ${found.total}`);
  return 0;
}

async function show(deliveries: DeliveryService, guid: string, given: DeliveriesOptions): Promise<number> {
  const { delivery, attempts } = await deliveries.read(guid);
  if (given.json === true) return printJson({ ...toView(delivery), attempts: attempts.map(toAttemptView) });
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
  console.log(tableOf(facts.flatMap(([name = '', value]) => (value === undefined ? [] : [[name, value]]))));
  if (attempts.length > 0) console.log(`\n${tableOf([ATTEMPT_HEAD, ...attempts.map(attemptRow)])}`);
  return 0;
}

/** Replays each by itself, so that an error at one does not stop the others. */
async function replay(
  deliveries: DeliveryService,
  guids: readonly string[],
  { json }: DeliveriesOptions,
): Promise<number> {
  const replayed: { delivery_guid: string; status: string }[] = [];
  const refused: { delivery_guid: string; message: string }[] = [];
  for (const guid of guids) {
    try {
      const status = await deliveries.replay(actor(), guid);
      replayed.push({ delivery_guid: guid, status });
      if (json !== true) console.log(`${guid}  ${status}`);
    } catch (error) {
      if (!(error instanceof ServiceError)) throw error;
      refused.push({ delivery_guid: guid, message: error.message });
      if (json !== true) console.error(`${printable(guid)}: ${error.message}`);
    }
  }
  if (json === true) printJson({ replayed, refused });
  return refused.length === 0 ? 0 : 1;
}

async function replayMany(deliveries: DeliveryService, given: DeliveriesOptions): Promise<number> {
  const filter = replayFilterOf(given);
  const isDry = given['dry-run'] === true;
  const count = isDry ? await deliveries.countReplayable(filter) : await deliveries.replayAll(actor(), filter);
  if (given.json === true) return printJson({ [isDry ? 'would_replay' : 'replayed']: count });
  console.log(`${isDry ? 'Would be queued again' : 'Queued again'}: ${count}`);
  return 0;
}

/** Prints JSON for programs, in which the texts of others are escaped. */
function printJson(answer: object): number {
  console.log(JSON.stringify(answer, null, 2));
  return 0;
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
