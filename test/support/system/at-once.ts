// Many calls at the same time, as races need them, on a machine that may be busy with other tests: who is turned away
// because the database had no connection in time comes again, as a client does (decision G2: 503 with Retry-After).

const FIFTY = 50;
const MOST_ROUNDS = 10;

interface StatusResponse {
  readonly headers: Readonly<Record<string, unknown>>;
}
/** What any of the tests' helpers answers, of which the one calls it `status` and the other `statusCode`. */
type AnyResponse = StatusResponse & ({ readonly status: number } | { readonly statusCode: number });

/**
 * Fifty calls at once, answered in the order of their indexes. Those that got 503 with Retry-After are repeated
 * when all others have their response, together and at most nine times. A 503 after that is the result. Every other
 * response, a 500 too, is the result as it came. A call that had an effect in spite of its 503 has it twice,
 * which the test sees.
 */
export function fifty<A extends AnyResponse>(call: (index: number) => Promise<A>): Promise<A[]> {
  return atOnce(Array.from({ length: FIFTY }, (_, index) => () => call(index)));
}

/** The same for calls of the test's own choosing. */
export async function atOnce<A extends AnyResponse>(calls: readonly (() => Promise<A>)[]): Promise<A[]> {
  const answers = await Promise.all(calls.map((call) => call()));
  for (let round = 1; round < MOST_ROUNDS && answers.some(isTurnedAway); round += 1) {
    const again = answers.map((answer, index) => (isTurnedAway(answer) ? calls[index]?.() : undefined) ?? answer);
    answers.splice(0, answers.length, ...(await Promise.all(again)));
  }
  return answers;
}

/** Refused for a while only, as a busy machine refuses: 503 with Retry-After. */
export function isTurnedAway(answer: AnyResponse): boolean {
  const status = 'status' in answer ? answer.status : answer.statusCode;
  return status === 503 && answer.headers['retry-after'] !== undefined;
}
