// The nodes of one service behind one address. A request that no node has processed is sent to another node, or waits
// until a node is back (docs/adr/0056). A request that may have been processed is repeated only where that is safe
// (./resend.ts).
import { Readable } from 'node:stream';
import { setTimeout as delay } from 'node:timers/promises';
import { type Dispatcher, Pool } from 'undici';
import { type Clock, elapsedOf, systemClock } from '../../clock.ts';
import { ServiceError } from '../../errors.ts';
import { lazyCopy } from './lazy-copy.ts';
import { chooseNode, newNode, setState, type UpstreamNode, waitUntil } from './node-state.ts';
import { failureOf, isDraining, isUnprocessed, mayRepeat } from './resend.ts';

export interface NodePoolOptions {
  /** For people: `engine`. */
  readonly name: string;
  /** Origins of the nodes, at least one. */
  readonly origins: readonly string[];
  /** How long a request waits for a node that has just gone down, in milliseconds. 5,000 when left out. */
  readonly patienceMs?: number;
  /** Timeout of the response headers, and between two chunks of the body, in milliseconds. 30,000 when left out. */
  readonly timeoutMs?: number;
  readonly clock?: Clock;
}

type Connections = Pick<Pool, 'request' | 'close' | 'destroy'>;
export type Node = UpstreamNode<Connections>;

export interface NodePool {
  readonly nodes: readonly Node[];
  /**
   * Sends a request; `path` includes the query.
   * @throws ServiceError `upstream_unavailable`; the connection's own error otherwise, such as a timeout
   */
  send<T = null>(request: Dispatcher.RequestOptions<T>): Promise<Dispatcher.ResponseData<T>>;
  /**
   * Sends a request to this node only. A node that says that it is stopping is left: its idle connections are closed
   * before it closes them.
   */
  ask<T = null>(node: Node, request: Dispatcher.RequestOptions<T>): Promise<Dispatcher.ResponseData<T>>;
  close(): Promise<void>;
}

/** The pause between two rounds in which every node refused. */
const ROUND_MS = 100;
/** Requests that may wait for a node. More are refused at once, because each holds its body. */
const MAX_WAITING = 1_000;

export function createNodePool(options: NodePoolOptions): NodePool {
  const { name, patienceMs = 5_000, timeoutMs = 30_000, clock = systemClock } = options;
  const settings = { connections: 128, pipelining: 1, headersTimeout: timeoutMs, bodyTimeout: timeoutMs };
  const connect = (origin: string): Connections => new Pool(origin, settings);
  const nodes: readonly Node[] = options.origins.map((origin) => newNode(origin, connect(origin)));
  /** Connections of stopping nodes on which requests are still running. */
  const ending = new Set<Connections>();
  let turn = 0;
  let waiting = 0;

  /** Waits for the next round; false when no node is expected back or too many requests wait already. */
  async function waitForNode(signal: Dispatcher.RequestOptions['signal']): Promise<boolean> {
    const left = waitUntil(nodes, patienceMs, elapsedOf(clock)) - elapsedOf(clock);
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
      if (outcome.kind === 'not-connected') setState(node, 'down', elapsedOf(clock));
      if (!mayTryNext(outcome.kind, request)) throw outcome.kind === 'cut-off' ? cutOff(name) : unreachable(name);
    }
  }

  /** Sends the request to one node. @throws errors that neither a repetition nor another node would solve */
  async function attempt<T>(node: Node, request: Dispatcher.RequestOptions<T>): Promise<Outcome<T>> {
    node.active += 1;
    try {
      const body = request.body instanceof Readable ? lazyCopy(request.body) : request.body;
      const answer = await ask(node, body === undefined ? request : { ...request, body });
      const isRefused = isUnprocessed(answer);
      // A response of a stopping process says nothing about its successor.
      if (!isDraining(answer) && (isRefused || node.state === 'down')) setState(node, 'reachable', elapsedOf(clock));
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
    // Other connections belong to the successor of the stopping process.
    if (isDraining(answer) && connections === node.connections) leave(node);
    return answer;
  }

  function leave(node: Node): void {
    setState(node, 'draining', elapsedOf(clock));
    const { connections } = node;
    node.connections = connect(node.origin);
    ending.add(connections);
    // Waits for running requests.
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

function mayTryNext(
  kind: Exclude<Outcome<unknown>['kind'], 'answered'>,
  request: Dispatcher.RequestOptions<unknown>,
): boolean {
  if (!isStillWhole(request.body)) return false;
  return kind !== 'cut-off' || mayRepeat(request);
}

/** A stream can be sent again as long as nothing has been read from it. */
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
