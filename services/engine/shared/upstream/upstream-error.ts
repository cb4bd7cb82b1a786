// The error of a failed call to an external server (decision E11): 502 `upstream_error`, with the reason and the
// server's own outcome.
import { ServiceError } from '#lib/errors.ts';
import type { NetworkFailure } from '#lib/net/failure-class.ts';

export type UpstreamReason =
  | NetworkFailure
  | 'circuit_open'
  | 'sign_in_failed'
  | 'redirect'
  | 'too_large'
  | 'not_fhir'
  | 'refused'
  | 'failed';

const WORDS: Readonly<Record<UpstreamReason, string>> = {
  address_refused: 'leads to an address that calls must not go to',
  name_not_resolved: 'has a name that cannot be resolved',
  connection_refused: 'refuses connections',
  connection_lost: 'broke the connection off',
  tls_failed: 'offers no TLS connection that can be trusted',
  timeout: 'did not answer in time',
  network_error: 'cannot be reached',
  circuit_open: 'failed several times in a row and is left alone for a while',
  sign_in_failed: 'cannot be signed in to',
  redirect: 'answered with a redirect, which is not followed',
  too_large: 'answered more than is read',
  not_fhir: 'answered something else than the FHIR JSON that was asked for',
  refused: 'refused',
  failed: 'failed',
};

export interface UpstreamProblem {
  readonly reason: UpstreamReason;
  /** The status of the server's response, if there was one. */
  readonly status?: number;
  /** The OperationOutcome of the server's response. */
  readonly outcome?: object;
  /** What is wrong with the response, in words that repeat nothing of it. */
  readonly detail?: string;
  readonly retryAfterSeconds?: number;
}

export class UpstreamError extends ServiceError {
  readonly problem: UpstreamProblem;

  constructor(name: string, problem: UpstreamProblem) {
    super('upstream_error', messageOf(name, problem), {
      details: { upstream: viewOf(problem) },
      ...(problem.retryAfterSeconds === undefined ? {} : { retryAfterSeconds: problem.retryAfterSeconds }),
    });
    this.problem = problem;
  }
}

function messageOf(name: string, { reason, status, detail }: UpstreamProblem): string {
  const words = [`The server '${name}' ${WORDS[reason]}`];
  if (status !== undefined) words.push(` (it answered ${status})`);
  if (detail !== undefined) words.push(`: ${detail}`);
  return words.join('');
}

function viewOf({ reason, status, outcome }: UpstreamProblem): object {
  return { reason, ...(status === undefined ? {} : { status }), ...(outcome === undefined ? {} : { outcome }) };
}
