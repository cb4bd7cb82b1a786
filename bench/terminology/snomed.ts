// `npm run bench snomed [-- --quick] [--size 500000]`. A release in the shape of SNOMED CT is imported by the command.
// Expression constraints are asked for over HTTP, each for the first time.
import { rm } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { temporaryDataDir } from '#test/support/database/server.ts';
import { attributeId, type LargeSnomed, REFSET, writeLargeSnomed } from '#test/support/engine/large-snomed.ts';
import { BASE } from '../engine/cases/case.ts';
import { type EngineSite, startEngineSite } from '../engine/site.ts';
import type { BenchmarkOptions } from '../options.ts';
import { type Figure, printTable, progress } from '../report.ts';
import { runImport } from './import-command.ts';
import { columnFigures } from './load-columns.ts';

const SIZE = 500_000;
const QUICK_SIZE = 50_000;
const PATIENTS = 10;
/** Questions of each kind. */
const ROUNDS = 60;
const QUICK_ROUNDS = 10;
/** Questions of each kind before, which are not measured: what is cached of them are their answers alone. */
const WARM_UP = 20;
const MUST_SECONDS = 90;
const MUST_P99 = 30;
const SNOMED = 'http://snomed.info/sct';

/** Prints the table; whether every must is met. */
export async function benchSnomed({
  isQuick,
  sizes = [isQuick ? QUICK_SIZE : SIZE],
}: BenchmarkOptions): Promise<boolean> {
  const [size = SIZE] = sizes;
  const folder = await temporaryDataDir();
  const site = await startEngineSite(PATIENTS);
  try {
    progress(`writing a release of ${size} concepts`);
    const releaseFolder = path.join(folder, 'release');
    const release = await writeLargeSnomed(releaseFolder, size);
    progress(`importing ${size} concepts`);
    const { seconds, megabytes } = await runImport(site, folder, releaseFolder);
    const figures: Figure[] = [
      {
        name: 'importing the release',
        value: `${seconds.toFixed(1)} s`,
        bare: `${Math.round(megabytes)} MB seen`,
        must: `< ${MUST_SECONDS} s`,
        isMet: seconds < MUST_SECONDS,
      },
      ...(await columnFigures(site.database, SNOMED)),
    ];
    await awaitLoaded(site, release);
    figures.push(...(await expressionFigures(site, release, isQuick ? QUICK_ROUNDS : ROUNDS)));
    progress('');
    console.log(`\nSNOMED CT, ${size} made-up concepts, one question at a time`);
    return printTable(figures);
  } finally {
    await site.stop();
    await rm(folder, { recursive: true, force: true });
  }
}

async function awaitLoaded({ port, headers }: EngineSite, release: LargeSnomed): Promise<void> {
  const target = `${BASE}/CodeSystem/$lookup?system=${SNOMED}&code=${release.id('finding', 1)}`;
  for (let waited = 0; waited < 600; waited += 1) {
    const answer = await fetch(`http://127.0.0.1:${port}${target}`, { headers });
    await answer.text();
    if (answer.ok) return;
    await delay(100);
  }
  throw new Error('the service did not load the code system');
}

type Random = (section: Parameters<LargeSnomed['count']>[0], most: number) => string;
type Kind = readonly [name: string, isRefined: boolean, make: (of: Random) => string];

const [SITE, SHAPE, CAUSE, AGENT] = (['site', 'shape', 'cause', 'agent'] as const).map(attributeId);

const KINDS: readonly Kind[] = [
  ['an attribute', true, (of) => `< ${of('finding', 50)} : ${SITE} = << ${of('structure', 5_000)}`],
  ['an attribute with half of all values', true, (of) => `< ${of('finding', 5)} : ${SITE} = << ${of('structure', 3)}`],
  [
    'a group',
    true,
    (of) =>
      `<< ${of('finding', 50)} : { ${SITE} = << ${of('structure', 500)}, ${SHAPE} = << ${of('morphology', 100)} }`,
  ],
  ['a cardinality', true, (of) => `< ${of('finding', 20)} : [2..*] ${SITE} = << ${of('structure', 200)}`],
  ['none of an attribute', true, (of) => `< ${of('finding', 20)} : [0..0] ${CAUSE} = << ${of('organism', 100)}`],
  ['a reversed attribute', true, (of) => `< ${of('structure', 20)} : R ${SITE} = << ${of('finding', 200)}`],
  [
    'one attribute or the other',
    true,
    (of) => `<< ${of('procedure', 20)} : ${SITE} = << ${of('structure', 50)} OR ${AGENT} = << ${of('substance', 50)}`,
  ],
  [
    'an attribute, without members',
    true,
    (of) => `(<< ${of('finding', 50)} : ${SHAPE} = << ${of('morphology', 50)}) MINUS ^ ${REFSET}`,
  ],
  ['a number', true, (of) => `< ${of('substance', 500)} : ${attributeId('dose')} >= #250`],
  ['values by dots', false, (of) => `<< ${of('finding', 200)} . ${SITE}`],
  ['words of descriptions', false, (of) => `<< ${of('finding', 50)} {{ term = "acute ra" }}`],
  ['defined concepts', false, (of) => `<< ${of('finding', 50)} {{ C definitionStatus = defined }}`],
];

async function expressionFigures(site: EngineSite, release: LargeSnomed, rounds: number): Promise<Figure[]> {
  let seed = 1;
  const random: Random = (section, most) => {
    seed = (Math.imul(seed, 1_103_515_245) + 12_345) >>> 0;
    return release.id(section, (seed >>> 8) % Math.min(most, release.count(section)));
  };
  const figures: Figure[] = [];
  const refined: number[] = [];
  for (let round = 0; round < WARM_UP; round += 1) for (const [, , make] of KINDS) await timeOf(site, make(random));
  for (const [name, isRefined, make] of KINDS) {
    progress(name);
    const times: number[] = [];
    for (let round = 0; round < rounds; round += 1) times.push(await timeOf(site, make(random)));
    if (isRefined) refined.push(...times);
    figures.push({ name: `ECL: ${name}`, value: `p50 ${at(times, 0.5)} ms, p99 ${at(times, 0.99)} ms` });
  }
  const p99 = Number(at(refined, 0.99));
  return [
    ...figures,
    { name: 'ECL with refinements, p99', value: `${p99} ms`, must: `< ${MUST_P99} ms`, isMet: p99 < MUST_P99 },
  ];
}

function at(times: readonly number[], share: number): string {
  const sorted = times.toSorted((a, b) => a - b);
  return (sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0).toFixed(1);
}

async function timeOf({ port, headers }: EngineSite, ecl: string): Promise<number> {
  const url = encodeURIComponent(`${SNOMED}?fhir_vs=ecl/${ecl}`);
  const startedAt = performance.now();
  const answer = await fetch(`http://127.0.0.1:${port}${BASE}/ValueSet/$expand?url=${url}&count=10`, { headers });
  const text = await answer.text();
  const took = performance.now() - startedAt;
  if (!answer.ok) throw new Error(`${ecl} was answered by ${answer.status}: ${text}`);
  return took;
}
