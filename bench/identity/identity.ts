// `npm run bench identity`: the figures of issue 3, each beside its bare limit in the same run
// (docs/reference/performance/identity.md).
import { type Figure, printTable, progress } from '../report.ts';
import { addMemberships, addUsers, emailOf, GROUPS, makeCatalogues, PASSWORD, settle } from './people.ts';
import { measureAddresses, measureSignIns, type Rate, type Rounds } from './rates.ts';
import { type BenchSite, signIn, startBenchSite } from './site.ts';
import { measureRefusals } from './timing.ts';
import { measureUserList } from './user-list.ts';

const FEW = 1_250;
const MANY = 100_000;
const TOKENS = 64;
const KEPT = 0.8;
const MUST: Readonly<Record<string, number>> = {
  'GET /api/auth/me': 0.6,
  'GET /api/auth/me/service': 0.6,
  'POST /api/auth/login': 0.85,
  'GET /api/public/organisations': 0.5,
  'GET /api/public/groups': 0.5,
  'GET /api/public/group-leaders': 0.5,
};

/** How long each part measures. */
interface Plan {
  readonly addresses: Rounds;
  readonly signIns: Rounds;
  readonly refusals: number;
}

const FULL: Plan = {
  addresses: { count: 5, milliseconds: 800 },
  signIns: { count: 5, milliseconds: 1_600 },
  refusals: 150,
};
const QUICK: Plan = {
  addresses: { count: 3, milliseconds: 300 },
  signIns: { count: 2, milliseconds: 800 },
  refusals: 40,
};

/** Answers whether every must is met. */
export async function benchIdentity({ isQuick }: { isQuick: boolean }): Promise<boolean> {
  const plan = isQuick ? QUICK : FULL;
  const site = await startBenchSite();
  try {
    const few = await measureFew(site, plan);
    progress('100 000 users …');
    await grow(site);
    const many = await measureRates(site, few.tokens, { plan, users: MANY });
    progress('the list of users …');
    const users = await measureUserList(site, MANY);
    progress('refused sign-ins …');
    const refusals = await measureRefusals(site, plan.refusals);
    progress('');
    const kept = many.map((rate, index) => keptFigure(rate, few.rates[index]));
    return printTable([...few.rates.map(rateFigure), ...kept, ...users, ...refusals]);
  } finally {
    await site.stop();
  }
}

/** 1 000 organisations, 1 000 groups with an admin each, and few people beside. */
async function measureFew(site: BenchSite, plan: Plan): Promise<{ rates: Rate[]; tokens: string[] }> {
  progress('1 000 organisations and groups …');
  await makeCatalogues(site.database);
  await addUsers(site.database, { from: 1, to: FEW, onProgress: () => undefined });
  await addMemberships(site.database, { from: 1, to: FEW, perUser: 1, asAdmin: true });
  await settle(site.database);
  const tokens: string[] = [];
  for (let number = 1; number <= TOKENS; number += 1) {
    tokens.push(await signIn(site, { email: emailOf(number), password: PASSWORD }));
  }
  return { rates: await measureRates(site, tokens, { plan, users: FEW }), tokens };
}

/** The other users and 200 000 memberships; what is listed for everybody stays as long as it was. */
async function grow(site: BenchSite): Promise<void> {
  const range = { from: FEW + 1, to: MANY };
  await addUsers(site.database, { ...range, onProgress: (done) => progress(`${done} users …`) });
  progress('200 000 memberships …');
  const professionals = (MANY * 4) / 5;
  await addMemberships(site.database, { ...range, perUser: Math.ceil(200_000 / professionals), asAdmin: false });
  await settle(site.database);
}

async function measureRates(
  site: BenchSite,
  tokens: readonly string[],
  { plan, users }: { plan: Plan; users: number },
): Promise<Rate[]> {
  progress(`requests per second with ${users} users and ${GROUPS} groups …`);
  const addresses = await measureAddresses(site, tokens, plan.addresses);
  progress(`sign-ins per second with ${users} users …`);
  return [...addresses, await measureSignIns(site, users, plan.signIns)];
}

function rateFigure({ name, ours, bare, ratio, ofText }: Rate): Figure {
  const must = MUST[name] ?? 0;
  return {
    name: ofText === undefined ? name : `${name} (${percent(ofText)} of fixed text)`,
    value: `${ours.toFixed(0)}/s`,
    bare: `${bare.toFixed(0)}/s`,
    ratio: percent(ratio),
    must: `≥ ${percent(must)}`,
    isMet: ratio >= must,
  };
}

/** Both sizes beside the bare limit of their own minutes, so that the machine's mood does not count. */
function keptFigure({ name, ours, ratio }: Rate, few: Rate | undefined): Figure {
  const kept = ratio / (few?.ratio ?? Number.NaN);
  return {
    name: `${name}, 100 000 users`,
    value: `${ours.toFixed(0)}/s`,
    bare: `${few?.ours.toFixed(0)}/s`,
    ratio: percent(kept),
    must: `≥ ${percent(KEPT)}`,
    isMet: kept >= KEPT,
  };
}

function percent(share: number): string {
  return `${(share * 100).toFixed(0)} %`;
}
