// The state of the services behind the gateway, as their nodes report it at /readyz. A service is ready when one of its
// nodes is.
import type { Clock } from '#lib/clock.ts';
import type { ReadinessCheck } from '#lib/http/operations.ts';
import type { Node } from '#lib/http/upstream/node-pool.ts';
import { isDraining } from '#lib/http/upstream/resend.ts';
import type { Upstream } from '#lib/http/upstream/upstream.ts';

export interface ServiceStatus {
  readonly name: string;
  readonly state: 'ready' | 'not-ready' | 'unreachable';
  /** Nodes that are ready, of `nodes`. */
  readonly readyNodes: number;
  readonly nodes: number;
  /** What the nodes report that are not ready, such as `database: it cannot be reached`; each reason once. */
  readonly reasons: readonly string[];
}

export interface ServiceStatuses {
  /** At most {@link MAX_AGE_MS} old. It does not throw. */
  read(): Promise<readonly ServiceStatus[]>;
  /**
   * One for each service; fails when none of its nodes is ready, and none was in the last {@link GRACE_MS}. A shorter
   * interruption, such as the restart of an only node, loses no request: they wait for the node.
   */
  readonly readiness: readonly ReadinessCheck[];
}

/** All callers of this time share one question to each node, because anyone may ask. */
const MAX_AGE_MS = 1_000;
const TIMEOUT_MS = 2_000;
/** As long as a request waits for a node (lib/http/upstream/node-pool.ts). */
const GRACE_MS = 5_000;
const MAX_REASONS = 10;

export function createServiceStatuses(upstreams: Readonly<Record<string, Upstream>>, clock: Clock): ServiceStatuses {
  let latest: { readonly at: number; readonly statuses: Promise<readonly ServiceStatus[]> } | undefined;

  function read(): Promise<readonly ServiceStatus[]> {
    const now = clock.now();
    if (latest === undefined || Math.abs(now - latest.at) >= MAX_AGE_MS) {
      const statuses = Promise.all(Object.entries(upstreams).map(([name, upstream]) => askService(name, upstream)));
      latest = { at: now, statuses };
    }
    return latest.statuses;
  }

  /** Begins with the process: nothing is known before. */
  const readyAt = new Map<string, number>();
  const readiness = Object.keys(upstreams).map((name) => ({
    name,
    check: async () => {
      const status = (await read()).find((each) => each.name === name);
      if (status === undefined) return undefined;
      const now = clock.now();
      if (status.state === 'ready') readyAt.set(name, now);
      const wasReady = readyAt.get(name);
      return wasReady !== undefined && now - wasReady < GRACE_MS ? undefined : describeFailure(status);
    },
  }));
  return { read, readiness };
}

function describeFailure({ state, reasons }: ServiceStatus): string {
  if (state === 'unreachable') return 'it cannot be reached';
  return reasons.join('; ') || 'it is not ready';
}

async function askService(name: string, { pool, prefix }: Upstream): Promise<ServiceStatus> {
  const answers = await Promise.all(pool.nodes.map((node) => askNode(pool, node, `${prefix}/readyz`)));
  const reached = answers.filter((answer) => answer !== undefined);
  const readyNodes = reached.filter(({ isReady }) => isReady).length;
  return {
    name,
    state: readyNodes > 0 ? 'ready' : reached.length > 0 ? 'not-ready' : 'unreachable',
    readyNodes,
    nodes: answers.length,
    reasons: [...new Set(reached.flatMap(({ reasons }) => reasons))].slice(0, MAX_REASONS),
  };
}

interface NodeStatus {
  readonly isReady: boolean;
  readonly reasons: readonly string[];
}

/** Undefined when the node cannot be reached or does not respond in time. */
async function askNode({ ask }: Upstream['pool'], node: Node, path: string): Promise<NodeStatus | undefined> {
  try {
    const answer = await ask(node, {
      method: 'GET',
      path,
      headersTimeout: TIMEOUT_MS,
      bodyTimeout: TIMEOUT_MS,
      signal: AbortSignal.timeout(TIMEOUT_MS),
    });
    if (answer.statusCode === 200 && !isDraining(answer)) {
      await answer.body.dump();
      return { isReady: true, reasons: [] };
    }
    return { isReady: false, reasons: reasonsOf(await answer.body.json()) };
  } catch {
    return undefined;
  }
}

/** A node may be of another release: what has another form is left out. */
function reasonsOf(body: unknown): readonly string[] {
  const reasons = typeof body === 'object' && body !== null && 'reasons' in body ? body.reasons : undefined;
  return Array.isArray(reasons) ? reasons.filter((reason) => typeof reason === 'string') : [];
}
