// Requests per second of identity's addresses beside the bare route of the same body, and sign-ins beside nothing but
// argon2. The rounds alternate, so that other load on the machine affects both.
import { type LoadResult, requestText } from '../load/load.ts';
import { medianOf } from '../report.ts';
import { AS_TEXT } from './bare-process.ts';
import { emailOf, PASSWORD } from './people.ts';
import { type BenchSite, SERVICE_HEADERS } from './site.ts';

const CONNECTIONS = 64;
const CLIENTS = 1_000;
const SIGN_INS = 2_000;

export interface Rounds {
  readonly count: number;
  readonly milliseconds: number;
}

export interface Rate {
  readonly name: string;
  /** Per second: medians of the rounds. */
  readonly ours: number;
  readonly bare: number;
  /** The median of the rounds' ratios. */
  readonly ratio: number;
  /** The same beside a route that sends text which was made beforehand. */
  readonly ofText?: number;
}

interface Address {
  readonly name: string;
  readonly target: string;
  readonly headers: readonly Readonly<Record<string, string>>[];
}

/**
 * The addresses that are measured; each token's user is a caller, and catalogues are asked for by a thousand clients.
 */
function addressesOf(tokens: readonly string[]): Address[] {
  const callers = tokens.map((token) => ({ authorization: `Bearer ${token}` }));
  // Behind a trusted proxy, so that no client reaches the limit: each is counted, as in production.
  const clients = Array.from({ length: CLIENTS }, (_, index) => ({
    'x-forwarded-for': `10.1.${index >> 8}.${index & 255}`,
  }));
  return [
    { name: 'GET /api/auth/me', target: '/api/auth/me', headers: callers },
    {
      name: 'GET /api/auth/me/service',
      target: '/api/auth/me/service',
      headers: callers.map((caller) => ({ ...caller, ...SERVICE_HEADERS })),
    },
    ...['organisations', 'groups', 'group-leaders'].map((list) => {
      const target = `/api/public/${list}`;
      return { name: `GET ${target}`, target, headers: clients };
    }),
  ];
}

export async function measureAddresses(site: BenchSite, tokens: readonly string[], rounds: Rounds): Promise<Rate[]> {
  const addresses = addressesOf(tokens);
  const bodies: Record<string, string> = {};
  for (const { target, headers } of addresses) {
    bodies[target] = await (await fetch(`${site.origin}${target}`, { headers: headers[0] ?? {} })).text();
  }
  const barePort = await site.bare({ kind: 'serve', bodies });
  const rates: Rate[] = [];
  for (const address of addresses) rates.push(await measureAddress(site, { address, barePort, rounds }));
  return rates;
}

async function measureAddress(
  site: BenchSite,
  { address, barePort, rounds }: { address: Address; barePort: number; rounds: Rounds },
): Promise<Rate> {
  const { name, target, headers } = address;
  const run = async (port: number, prefix: string, milliseconds: number) => {
    const requests = headers.map((each) => requestText({ target: `${prefix}${target}`, headers: each }));
    return allAnswered(name, await site.load.run({ port, connections: CONNECTIONS, milliseconds, requests }));
  };
  const variants = [
    { port: site.port, prefix: '' },
    { port: barePort, prefix: '' },
    { port: barePort, prefix: AS_TEXT },
  ];
  // The first requests are for the compiler.
  for (const { port, prefix } of variants) await run(port, prefix, rounds.milliseconds / 2);
  const found: number[][] = [];
  for (let round = 0; round < rounds.count; round += 1) {
    const speeds: number[] = [];
    for (const { port, prefix } of variants) speeds.push(await run(port, prefix, rounds.milliseconds));
    found.push(speeds);
  }
  return {
    name,
    ours: medianOf(found.map(([ours = 0]) => ours)),
    bare: medianOf(found.map(([, bare = 0]) => bare)),
    ratio: medianOf(found.map(([ours = 0, bare = 0]) => ours / bare)),
    ofText: medianOf(found.map(([ours = 0, , text = 0]) => ours / text)),
  };
}

/** Sign-ins of users spread over the first `users`. */
export async function measureSignIns(site: BenchSite, users: number, rounds: Rounds): Promise<Rate> {
  const name = 'POST /api/auth/login';
  const step = Math.max(1, Math.floor(users / SIGN_INS));
  const requests = Array.from({ length: Math.min(SIGN_INS, users) }, (_, index) =>
    requestText({
      target: '/api/auth/login',
      text: JSON.stringify({ email: emailOf(1 + index * step), password: PASSWORD }),
    }),
  );
  const { count, milliseconds } = rounds;
  const signIn = async () =>
    allAnswered(name, await site.load.run({ port: site.port, connections: CONNECTIONS, milliseconds, requests }));
  await signIn();
  const found: Array<readonly [number, number]> = [];
  for (let round = 0; round < count; round += 1) {
    found.push([await signIn(), await site.bare({ kind: 'argon2', milliseconds })]);
  }
  return {
    name,
    ours: medianOf(found.map(([ours]) => ours)),
    bare: medianOf(found.map(([, bare]) => bare)),
    ratio: medianOf(found.map(([ours, bare]) => ours / bare)),
  };
}

function allAnswered(name: string, { statuses, perSecond }: LoadResult): number {
  if (Object.keys(statuses).join() !== '200') throw new Error(`${name} answered ${JSON.stringify(statuses)}`);
  return perSecond;
}
