// The three services, typed by their own OpenAPI documents: a renamed field is a compile error.
import createClient from 'openapi-fetch';
import { REQUEST_ORIGIN } from '../place.ts';
import type { paths as DispatchPaths } from './generated/dispatch.ts';
import type { paths as EnginePaths } from './generated/engine.ts';
import type { paths as IdentityPaths } from './generated/identity.ts';
import { Problem } from './problem.ts';
import { sessionFetch } from './session.ts';

export const identity = createClient<IdentityPaths>({ baseUrl: `${REQUEST_ORIGIN}/identity`, fetch: sessionFetch });
export const dispatch = createClient<DispatchPaths>({ baseUrl: `${REQUEST_ORIGIN}/dispatch`, fetch: sessionFetch });
export const engine = createClient<EnginePaths>({ baseUrl: `${REQUEST_ORIGIN}/engine`, fetch: sessionFetch });

interface Result<T> {
  readonly data?: T | undefined;
  readonly error?: unknown;
  readonly response: Response;
}

/** The body of a response that succeeded. @throws Problem */
export async function read<T>(call: Promise<Result<T>>): Promise<T> {
  const { data, error, response } = await call;
  if (!response.ok) throw new Problem(response, error);
  return data as T;
}
