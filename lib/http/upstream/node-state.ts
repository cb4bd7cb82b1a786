// What is known of each node of a service, and which of them a request goes to: a node that is ready before one that
// answers at all, one that answers before one that is stopping, and that one before one that refuses connections; among
// equals the one with the fewest requests under way.

export type NodeState = 'ready' | 'reachable' | 'draining' | 'down';

export interface UpstreamNode<C> {
  readonly origin: string;
  /** Others when the node begins to drain. */
  connections: C;
  state: NodeState;
  /** Milliseconds of the clock since when it has refused connections; undefined while it does not. */
  downSince: number | undefined;
  /** Requests that wait for its answer. */
  active: number;
}

const RANKS: Readonly<Record<NodeState, number>> = { ready: 0, reachable: 1, draining: 2, down: 3 };

/** A node that nothing is known of yet: it may be asked. */
export function newNode<C>(origin: string, connections: C): UpstreamNode<C> {
  return { origin, connections, state: 'reachable', downSince: undefined, active: 0 };
}

/**
 * The best node that has not been tried yet; undefined when each of them has been. Nodes that are equally good take
 * turns. `turn` counts requests.
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

/** Notes what a node has shown of itself. */
export function noteState(node: UpstreamNode<unknown>, state: NodeState, now: number): void {
  node.state = state;
  node.downSince = state === 'down' ? (node.downSince ?? now) : undefined;
}

/** Until when it is worth waiting for a node: those that have been away for `patienceMs` are not expected back. */
export function waitUntil(nodes: readonly UpstreamNode<unknown>[], patienceMs: number, now: number): number {
  const newest = Math.max(...nodes.map(({ downSince }) => downSince ?? now));
  return newest + patienceMs;
}
