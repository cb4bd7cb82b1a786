// Runs many concurrent calls for tests of races, on a machine that may be busy with other tests. A call that gets no
// database connection in time is repeated, as a client repeats it (decision G2: 503 with Retry-After).

const FIFTY = 50;
const MOST_ROUNDS = 10;

interface StatusResponse {
  readonly headers: Readonly<Record<string, unknown>>;
}
/** A response of any test helper: some name the status `status`, others `statusCode`. */
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

/** How many answers have each status: `{ 200: 49, 409: 1 }`. */
export function countedByStatus(answers: readonly AnyResponse[]): Readonly<Record<number, number>> {
  return Object.fromEntries([...Map.groupBy(answers, statusOf)].map(([status, of]) => [status, of.length]));
}

/** A temporary refusal of a busy machine: 503 with Retry-After. */
export function isTurnedAway(answer: AnyResponse): boolean {
  return statusOf(answer) === 503 && answer.headers['retry-after'] !== undefined;
}

function statusOf(answer: AnyResponse): number {
  return 'status' in answer ? answer.status : answer.statusCode;
}
