// The nodes of one service as one upstream: a request that no node has processed goes to another node, or waits until
// one is back (docs/adr/0056). What may have been processed is sent again only where twice does no harm (./resend.ts).
import { Readable } from 'node:stream';
import { setTimeout as delay } from 'node:timers/promises';
import { type Dispatcher, Pool } from 'undici';
import { type Clock, systemClock } from '../../clock.ts';
import { ServiceError } from '../../errors.ts';
import { lazyCopy } from './lazy-copy.ts';
import { chooseNode, newNode, noteState, type UpstreamNode, waitUntil } from './node-state.ts';
import { failureOf, isDraining, isUnprocessed, mayRepeat } from './resend.ts';

export interface NodePoolOptions {
  /** For people: `engine`. */
  readonly name: string;
  /** Origins of the nodes, at least one. */
  readonly origins: readonly string[];
  /** How long a request waits for a node that has just gone away, in milliseconds. 5,000 when left out. */
  readonly patienceMs?: number;
  /** For the headers of an answer, and between two parts of its body, in milliseconds. 30,000 when left out. */
  readonly timeoutMs?: number;
  readonly clock?: Clock;
}

type Connections = Pick<Pool, 'request' | 'close' | 'destroy'>;
export type Node = UpstreamNode<Connections>;

export interface NodePool {
  readonly nodes: readonly Node[];
  /**
   * `path` holds the query.
   * @throws ServiceError `upstream_unavailable`; what the connection says otherwise, such as a time-out
   */
  send<T = null>(request: Dispatcher.RequestOptions<T>): Promise<Dispatcher.ResponseData<T>>;
  /**
   * Asks this node alone. When it says that it is stopping, it is left, and its idle connections are closed before it
   * closes them.
   */
  ask<T = null>(node: Node, request: Dispatcher.RequestOptions<T>): Promise<Dispatcher.ResponseData<T>>;
  close(): Promise<void>;
}

/** Between two rounds in which every node refused. */
const ROUND_MS = 100;
/** Requests that may wait for a node: more are refused at once, as each holds its body. */
const MAX_WAITING = 1_000;

export function createNodePool(options: NodePoolOptions): NodePool {
  const { name, patienceMs = 5_000, timeoutMs = 30_000, clock = systemClock } = options;
  const settings = { connections: 128, pipelining: 1, headersTimeout: timeoutMs, bodyTimeout: timeoutMs };
  const connect = (origin: string): Connections => new Pool(origin, settings);
  const nodes: readonly Node[] = options.origins.map((origin) => newNode(origin, connect(origin)));
  /** Connections of nodes that are stopping, on which requests are under way. */
  const ending = new Set<Connections>();
  let turn = 0;
  let waiting = 0;

  /** Waits for the next round; false when no node is expected back or too many wait already. */
  async function waitForNode(signal: Dispatcher.RequestOptions['signal']): Promise<boolean> {
    const left = waitUntil(nodes, patienceMs, clock.now()) - clock.now();
    if (left <= 0 || waiting >= MAX_WAITING) return false;
    waiting += 1;
    try {
      await delay(Math.min(ROUND_MS, left), undefined, signal instanceof AbortSignal ? { signal } : {});
    } finally {
      waiting -= 1;
    }
    return true;
  }

  async function send<T>(request: Dispatcher.RequestOptions<T>): Promise<Dispatcher.ResponseData<T>> {
    turn += 1;
    let tried = new Set<Node>();
    for (;;) {
      const node = chooseNode(nodes, tried, turn);
      if (node === undefined) {
        if (!(await waitForNode(request.signal))) throw unreachable(name);
        tried = new Set();
        continue;
      }
      tried.add(node);
      const outcome = await attempt(node, request);
      if (outcome.kind === 'answered') return outcome.answer;
      if (outcome.kind === 'not-connected') noteState(node, 'down', clock.now());
      if (!mayGoOn(outcome.kind, request)) throw outcome.kind === 'cut-off' ? cutOff(name) : unreachable(name);
    }
  }

  /** One try at one node. @throws what neither another try nor another node would mend */
  async function attempt<T>(node: Node, request: Dispatcher.RequestOptions<T>): Promise<Outcome<T>> {
    node.active += 1;
    try {
      const body = request.body instanceof Readable ? lazyCopy(request.body) : request.body;
      const answer = await ask(node, body === undefined ? request : { ...request, body });
      const isRefused = isUnprocessed(answer);
      // What a process answers that is stopping says nothing of the one that follows.
      if (!isDraining(answer) && (isRefused || node.state === 'down')) noteState(node, 'reachable', clock.now());
      if (!isRefused) return { kind: 'answered', answer };
      await answer.body.dump();
      return { kind: 'unprocessed' };
    } catch (error) {
      const failure = failureOf(error);
      if (failure === 'other') throw error;
      return { kind: failure };
    } finally {
      node.active -= 1;
    }
  }

  async function ask<T>(node: Node, request: Dispatcher.RequestOptions<T>): Promise<Dispatcher.ResponseData<T>> {
    const { connections } = node;
    const answer = await connections.request(request);
    // Other connections are those of the process that followed, or will follow.
    if (isDraining(answer) && connections === node.connections) leave(node);
    return answer;
  }

  function leave(node: Node): void {
    noteState(node, 'draining', clock.now());
    const { connections } = node;
    node.connections = connect(node.origin);
    ending.add(connections);
    // Requests under way are waited for.
    void connections.close().then(
      () => ending.delete(connections),
      () => ending.delete(connections),
    );
  }

  return {
    nodes,
    send,
    ask,
    close: async () => {
      const all = [...nodes.map(({ connections }) => connections), ...ending];
      await Promise.all(all.map((connections) => connections.destroy()));
    },
  };
}

type Outcome<T> =
  | { readonly kind: 'answered'; readonly answer: Dispatcher.ResponseData<T> }
  | { readonly kind: 'unprocessed' | 'not-connected' | 'cut-off' };

function mayGoOn(
  kind: Exclude<Outcome<unknown>['kind'], 'answered'>,
  request: Dispatcher.RequestOptions<unknown>,
): boolean {
  if (!isStillWhole(request.body)) return false;
  return kind !== 'cut-off' || mayRepeat(request);
}

/** A body that is a stream can be sent as long as nothing has been taken from it. */
function isStillWhole(body: Dispatcher.RequestOptions['body']): boolean {
  return !(body instanceof Readable) || (!body.readableDidRead && !body.destroyed);
}

function unreachable(name: string): ServiceError {
  return new ServiceError('upstream_unavailable', `The ${name} service cannot be reached`);
}

function cutOff(name: string): ServiceError {
  return new ServiceError(
    'upstream_unavailable',
    `The ${name} service was lost before it answered; whether it carried out the request is not known`,
  );
}
