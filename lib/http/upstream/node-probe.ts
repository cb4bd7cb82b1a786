// Health checks of the nodes of a service: twice a second each node is asked whether it is ready. Requests then go to
// ready nodes, and leave a node that is being replaced before it closes its connections. The outcome of requests counts
// as well (./node-pool.ts).
import { type Clock, elapsedOf, systemClock } from '../../clock.ts';
import { createPeriodicLoop, type WorkerLoop } from '../../jobs/worker-loop.ts';
import type { Logger } from '../../log/logger.ts';
import type { Node, NodePool } from './node-pool.ts';
import { type NodeState, setState } from './node-state.ts';
import { failureOf, isDraining } from './resend.ts';

const INTERVAL_MS = 500;
const TIMEOUT_MS = 2_000;

export function createNodeProbe(
  pool: Pick<NodePool, 'nodes' | 'ask'>,
  { name, log, clock = systemClock }: { readonly name: string; readonly log: Logger; readonly clock?: Clock },
): WorkerLoop {
  const logged = new Map<Node, NodeState>();
  return createPeriodicLoop({
    name: `${name}-nodes`,
    intervalMs: INTERVAL_MS,
    log,
    run: () => Promise.all(pool.nodes.map(async (node) => setAndLog(node, await probe(pool, node)))),
  });

  function setAndLog(node: Node, state: NodeState): void {
    if (logged.get(node) !== state) log.info({ event: 'upstream.node', upstream: name, node: node.origin, state });
    logged.set(node, state);
    setState(node, state, elapsedOf(clock));
  }
}

async function probe({ ask }: Pick<NodePool, 'ask'>, node: Node): Promise<NodeState> {
  try {
    const { statusCode, headers, body } = await ask(node, {
      method: 'GET',
      path: '/readyz',
      headersTimeout: TIMEOUT_MS,
      bodyTimeout: TIMEOUT_MS,
    });
    await body.dump();
    if (isDraining({ headers })) return 'draining';
    return statusCode === 200 ? 'ready' : 'reachable';
  } catch (error) {
    return failureOf(error) === 'not-connected' ? 'down' : 'reachable';
  }
}
