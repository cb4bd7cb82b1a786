// Sends a request of the proxy library to one of a service's nodes. A small body is buffered, so that it can be sent to
// another node.
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { callbackify } from 'node:util';
import type { Dispatcher } from 'undici';
import type { NodePool } from '#lib/http/upstream/node-pool.ts';
import { requestTime } from '#lib/jobs/request-time.ts';

/** Larger bodies are streamed. They go to another node only while nothing of them has been read. */
const SMALL_BODY_BYTES = 256 * 1024;

/** The `undici` option of `@fastify/reply-from`: an object with undici's `request`. */
export function requestableOf({ send }: Pick<NodePool, 'send'>): Pick<Dispatcher, 'request'> {
  function request<T = null>(options: Dispatcher.RequestOptions<T>, done: Done<T>): void;
  function request<T = null>(options: Dispatcher.RequestOptions<T>): Promise<Dispatcher.ResponseData<T>>;
  function request<T>(options: Dispatcher.RequestOptions<T>, done?: Done<T>) {
    return done === undefined ? forward(options) : callbackify(forward<T>)(options, done);
  }
  /** When the client disconnects, the forwarded request ends too, and with it the service's work. */
  const forward = async <T>(options: Dispatcher.RequestOptions<T>) => {
    const end = new AbortController();
    const goOn = requestTime()?.onOver((why) => end.abort(why));
    try {
      const answer = await send({ ...(await withSmallBody(options)), signal: end.signal });
      // The library destroys the body of a response whose client has disconnected, and listens to no error of it. An
      // error without a listener would end the process.
      answer.body.on('error', () => undefined);
      return answer;
    } finally {
      goOn?.();
    }
  };
  return { request };
}

type Done<T> = (error: Error | null, answer: Dispatcher.ResponseData<T>) => void;

async function withSmallBody<T>(request: Dispatcher.RequestOptions<T>): Promise<Dispatcher.RequestOptions<T>> {
  const { body, headers } = request;
  return body instanceof Readable && isSmall(headers) ? { ...request, body: await buffer(body) } : request;
}

function isSmall(headers: Dispatcher.RequestOptions['headers']): boolean {
  if (typeof headers !== 'object' || headers === null || !('content-length' in headers)) return false;
  return Number(headers['content-length']) <= SMALL_BODY_BYTES;
}
