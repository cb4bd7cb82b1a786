// The other services over the network, each with its nodes. Nodes are probed for readiness, unless the service also
// runs in this process.
import { createNodeProbe } from '#lib/http/upstream/node-probe.ts';
import { createUpstream, type Upstream } from '#lib/http/upstream/upstream.ts';
import type { WorkerLoop } from '#lib/jobs/worker-loop.ts';
import type { Logger } from '#lib/log/logger.ts';
import type { Addresses } from '../config.ts';

export type PeerName = 'identity' | 'dispatch' | 'engine';

export interface Upstreams {
  readonly of: Readonly<Record<PeerName, Upstream>>;
  /** Stops the probes and closes the connections. */
  close(): Promise<void>;
}

export function createUpstreams(
  { nodes }: Pick<Addresses, 'nodes'>,
  {
    local,
    log,
    timeoutMs,
  }: {
    readonly local: ReadonlySet<PeerName>;
    readonly log: Logger;
    /** The time limit of a response: longer than a service may work on it. */
    readonly timeoutMs: number;
  },
): Upstreams {
  const probes: WorkerLoop[] = [];
  const made = (name: PeerName): Upstream => {
    const upstream = createUpstream(name, nodes[name], { timeoutMs });
    if (!local.has(name)) probes.push(createNodeProbe(upstream.pool, { name, log }));
    return upstream;
  };
  const of = { identity: made('identity'), dispatch: made('dispatch'), engine: made('engine') };
  for (const probe of probes) probe.start();
  return {
    of,
    close: async () => {
      await Promise.all(probes.map((probe) => probe.stop()));
      await Promise.all(Object.values(of).map(({ pool }) => pool.close()));
    },
  };
}
