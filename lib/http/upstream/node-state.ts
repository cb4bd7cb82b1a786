// The state of each node of a service, and the choice of a node for a request. A ready node comes before one that only
// responds, then one that is stopping, then one that refuses connections. Among equals the node with the fewest running
// requests is chosen.

export type NodeState = 'ready' | 'reachable' | 'draining' | 'down';

export interface UpstreamNode<C> {
  readonly origin: string;
  /** Replaced when the node begins to drain. */
  connections: C;
  state: NodeState;
  /** When it began to refuse connections, in milliseconds of the clock; undefined while it accepts them. */
  downSince: number | undefined;
  /** Running requests. */
  active: number;
}

const RANKS: Readonly<Record<NodeState, number>> = { ready: 0, reachable: 1, draining: 2, down: 3 };

/** A node in its initial state, which may get requests. */
export function newNode<C>(origin: string, connections: C): UpstreamNode<C> {
  return { origin, connections, state: 'reachable', downSince: undefined, active: 0 };
}

/**
 * The best node that has not been tried; undefined when all have been. Equally good nodes take turns; `turn` counts
 * requests.
 */
export function chooseNode<C>(
  nodes: readonly UpstreamNode<C>[],
  tried: ReadonlySet<UpstreamNode<C>>,
  turn: number,
): UpstreamNode<C> | undefined {
  let best: UpstreamNode<C> | undefined;
  for (let offset = 0; offset < nodes.length; offset += 1) {
    const node = nodes[(turn + offset) % nodes.length];
    if (node === undefined || tried.has(node)) continue;
    if (best === undefined || isBetter(node, best)) best = node;
  }
  return best;
}

function isBetter(node: UpstreamNode<unknown>, than: UpstreamNode<unknown>): boolean {
  const difference = RANKS[node.state] - RANKS[than.state];
  return difference < 0 || (difference === 0 && node.active < than.active);
}

/** Sets the state of a node. */
export function setState(node: UpstreamNode<unknown>, state: NodeState, now: number): void {
  node.state = state;
  node.downSince = state === 'down' ? (node.downSince ?? now) : undefined;
}

/** Until when to wait for a node. A node that has been down for `patienceMs` is not expected back. */
export function waitUntil(nodes: readonly UpstreamNode<unknown>[], patienceMs: number, now: number): number {
  const newest = Math.max(...nodes.map(({ downSince }) => downSince ?? now));
  return newest + patienceMs;
}
