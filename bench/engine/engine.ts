// `npm run bench engine`: the FHIR core over HTTP, with authentication, access rules, validation, indexing and audit, beside bare
// statements of the same run (issue "The engine's FHIR core"; docs/reference/performance.md).
import { type LoadResult, requestText, type SentRequest } from '../load/load.ts';
import { residentMegabytes } from '../load/processes.ts';
import { type Figure, medianOf, printTable, progress } from '../report.ts';
import { codeOf, familyOf, guidOf, identifierOf, LOCATIONS, OBSERVATIONS_PER_PATIENT, patientOf } from './people.ts';
import { type EngineSite, startEngineSite } from './site.ts';

const CONNECTIONS = 64;
const BASE = '/api/v1';

interface Case {
  readonly name: string;
  readonly must: number;
  readonly ours: readonly SentRequest[];
  readonly bare: readonly SentRequest[];
  /** Which server the bare requests go to: the one of bare limits, or the service itself, whose works are then compared. */
  readonly beside?: 'bare' | 'service';
  /** For the interactions with a single resource: how many times the bare limit's p99 theirs may be. */
  readonly p99?: number;
  /** Resources in each request, where they are counted instead of requests. */
  readonly each?: number;
}

/** Prints the table; whether every must is met. */
export async function benchEngine({ isQuick, only }: { isQuick: boolean; only: string }): Promise<boolean> {
  const patients = isQuick ? 5_000 : 100_000;
  const rounds = isQuick ? { count: 2, milliseconds: 2_000 } : { count: 3, milliseconds: 5_000 };
  const site = await startEngineSite(patients);
  try {
    const figures: Figure[] = [];
    const isWanted = ({ name }: Case) => only.split(',').some((word) => name.includes(word));
    for (const each of casesOf(site, patients).filter(isWanted)) {
      progress(each.name);
      figures.push(...(await measure(site, each, rounds)));
    }
    figures.push(await memoryOf(site));
    progress('');
    console.log(
      `engine, ${patients} patients and ${patients * OBSERVATIONS_PER_PATIENT} observations, ${CONNECTIONS} connections`,
    );
    return printTable(figures);
  } finally {
    await site.stop();
  }
}

const MANY = 2_000;

function casesOf({ headers }: EngineSite, patients: number): Case[] {
  const numbers = Array.from({ length: MANY }, (_, index) => Math.floor((index * patients) / MANY));
  const bareNumbers = numbers.map((number) => number % Math.min(patients, 20_000));
  const get = (target: string): SentRequest => ({ target: BASE + target, headers });
  const bareRead = bareNumbers.map((number) => ({ target: `/read/${guidOf('patient', number)}` }));
  const pages = bareNumbers.map((number) => {
    const ids = Array.from({ length: 20 }, (_, offset) =>
      guidOf('patient', (number + offset * 7) % Math.min(patients, 20_000)),
    );
    return { target: `/page?ids=${ids.join(',')}` };
  });
  const fhir = { 'content-type': 'application/fhir+json' };
  const texts = numbers.map((number) => JSON.stringify(patientOf(number)));
  const updates = Array.from({ length: Math.min(patients, 40_000) }, (_, number) => number);
  const bundle = JSON.stringify({
    resourceType: 'Bundle',
    type: 'transaction',
    entry: numbers
      .slice(0, 20)
      .map((number) => ({ resource: patientOf(number), request: { method: 'POST', url: 'Patient' } })),
  });
  return [
    {
      // What the audit record costs: places are nobody's data, so that looks at them are not recorded.
      name: 'read, recorded beside not recorded',
      must: 0.85,
      beside: 'service',
      ours: numbers.map((n) => get(`/Patient/${guidOf('patient', n)}`)),
      bare: Array.from({ length: LOCATIONS }, (_, index) => get(`/Location/${guidOf('location', index)}`)),
    },
    {
      name: 'read',
      must: 0.6,
      p99: 8,
      ours: numbers.map((n) => get(`/Patient/${guidOf('patient', n)}`)),
      bare: bareRead,
    },
    {
      name: 'vread',
      must: 0.6,
      p99: 8,
      ours: numbers.map((n) => get(`/Patient/${guidOf('patient', n)}/_history/1`)),
      bare: bareRead,
    },
    {
      name: 'search by identifier',
      must: 0.45,
      ours: numbers.map((n) => get(`/Patient?identifier=https://example.org/mrn|${identifierOf(n)}`)),
      bare: bareRead,
    },
    {
      name: 'search by family, page of 20',
      must: 0.45,
      ours: numbers.map((n) => get(`/Patient?family=${encodeURIComponent(familyOf(n))}&_count=20`)),
      bare: pages,
    },
    {
      name: 'Observation by subject and code',
      must: 0.4,
      ours: numbers.map((n) =>
        get(`/Observation?subject=Patient/${guidOf('patient', n)}&code=http://loinc.org|${codeOf(n)}`),
      ),
      bare: bareRead,
    },
    {
      name: 'by code and dates, sorted, page of 20',
      must: 0.4,
      ours: numbers.map((n) =>
        get(
          `/Observation?code=http://loinc.org|${codeOf(n)}&date=ge${2020 + (n % 5)}-03-01&date=lt${2020 + (n % 5)}-04-01&_sort=-date&_count=20`,
        ),
      ),
      bare: pages,
    },
    {
      name: '$validate a Patient',
      must: 0.4,
      p99: 8,
      ours: texts.map((text) => ({
        target: `${BASE}/$validate`,
        method: 'POST',
        headers: { ...headers, ...fhir },
        text,
      })),
      bare: texts.map((text) => ({ target: '/parse', method: 'POST', headers: fhir, text })),
    },
    {
      name: 'create a Patient',
      must: 0.35,
      p99: 8,
      ours: texts.map((text) => ({
        target: `${BASE}/Patient`,
        method: 'POST',
        headers: { ...headers, ...fhir },
        text,
      })),
      bare: texts.map((text) => ({ target: '/create', method: 'POST', headers: fhir, text })),
    },
    {
      name: 'update a Patient with If-Match',
      must: 0.3,
      p99: 8,
      ours: updates.map((number) => {
        const id = guidOf('patient', number);
        return {
          target: `${BASE}/Patient/${id}`,
          method: 'PUT',
          headers: { ...headers, ...fhir, 'if-match': 'W/"1"' },
          text: JSON.stringify({ ...patientOf(number), id }),
        };
      }),
      bare: bareNumbers.map((number) => ({
        target: `/update/${guidOf('patient', number)}`,
        method: 'PUT',
        headers: fhir,
        text: JSON.stringify(patientOf(number)),
      })),
    },
    {
      name: 'transaction of 20 creates, resources',
      must: 0.25,
      each: 20,
      ours: [{ target: `${BASE}/$transaction`, method: 'POST', headers: { ...headers, ...fhir }, text: bundle }],
      bare: [{ target: '/many', method: 'POST', headers: fhir, text: bundle }],
    },
  ];
}

interface Round {
  readonly ours: LoadResult;
  readonly bare: LoadResult;
}

async function measure(
  site: EngineSite,
  each: Case,
  rounds: { count: number; milliseconds: number },
): Promise<Figure[]> {
  const { ours, bare, beside = 'bare' } = each;
  let sent = 0;
  const run = async (port: number, requests: readonly SentRequest[], milliseconds: number) => {
    // What may be sent once only is not sent again by a later round.
    const fresh = [...requests.slice(sent % requests.length), ...requests.slice(0, sent % requests.length)];
    const result = await site.load.run({
      port,
      connections: CONNECTIONS,
      milliseconds,
      requests: fresh.map((request) => requestText(request)),
    });
    if (requests === ours) sent += result.answers + CONNECTIONS;
    return allAnswered(each.name, result);
  };
  const runOurs = (milliseconds: number) => run(site.port, ours, milliseconds);
  const runBare = (milliseconds: number) => run(beside === 'bare' ? site.barePort : site.port, bare, milliseconds);
  await runOurs(rounds.milliseconds / 4);
  await runBare(rounds.milliseconds / 4);
  const found: Round[] = [];
  for (let round = 0; round < rounds.count; round += 1) {
    found.push({ ours: await runOurs(rounds.milliseconds), bare: await runBare(rounds.milliseconds) });
  }
  return figuresOf(each, found);
}

function figuresOf({ name, must, p99, each = 1 }: Case, found: readonly Round[]): Figure[] {
  const ratio = medianOf(found.map(({ ours, bare }) => ours.perSecond / bare.perSecond));
  const rate = (of: keyof Round) => `${Math.round(medianOf(found.map((round) => round[of].perSecond)) * each)}/s`;
  const rates = { name, value: rate('ours'), bare: rate('bare'), ratio: ratio.toFixed(2) };
  const figures: Figure[] = [{ ...rates, must: `≥ ${must}`, isMet: ratio >= must }];
  if (p99 === undefined) return figures;
  const times = medianOf(found.map(({ ours, bare }) => ours.p99 / bare.p99));
  const slow = (of: keyof Round) => `${medianOf(found.map((round) => round[of].p99)).toFixed(1)} ms`;
  const slowest = { name: `${name}, p99`, value: slow('ours'), bare: slow('bare'), ratio: times.toFixed(2) };
  return [...figures, { ...slowest, must: `< ${p99}`, isMet: times < p99 }];
}

const MEMORY_MB = 400;

async function memoryOf({ servicePid }: EngineSite): Promise<Figure> {
  const megabytes = await residentMegabytes(servicePid);
  const must = `< ${MEMORY_MB} MB`;
  return {
    name: 'memory of the process after it',
    value: `${Math.round(megabytes)} MB`,
    must,
    isMet: megabytes < MEMORY_MB,
  };
}

function allAnswered(name: string, result: LoadResult): LoadResult {
  const wrong = Object.keys(result.statuses).filter((status) => status !== '200' && status !== '201');
  if (wrong.length > 0) throw new Error(`${name} answered ${JSON.stringify(result.statuses)}`);
  return result;
}
