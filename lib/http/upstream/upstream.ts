// A service as other processes reach it: the addresses of its nodes, which share one path.
import { createNodePool, type NodePool, type NodePoolOptions } from './node-pool.ts';

export interface Upstream {
  /** The first of its addresses, without a slash at its end. */
  readonly url: string;
  /** The path that precedes every path of the service; empty for most. */
  readonly prefix: string;
  readonly pool: NodePool;
}

/** `urls` holds one address for each node, at least one; the paths of all are the first one's. */
export function createUpstream(
  name: string,
  urls: readonly string[],
  options: Pick<NodePoolOptions, 'patienceMs' | 'timeoutMs'> = {},
): Upstream {
  const [url] = urls;
  if (url === undefined) throw new Error(`${name} has no address`);
  const { pathname } = new URL(url);
  return {
    url,
    prefix: pathname === '/' ? '' : pathname,
    pool: createNodePool({ ...options, name, origins: urls.map((each) => new URL(each).origin) }),
  };
}
