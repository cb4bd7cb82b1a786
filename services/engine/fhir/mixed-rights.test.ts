// Concurrent searches and reads of callers with different rights are batched in one statement (docs/adr/0012, 0013).
// Each caller gets the response that it gets alone, never that of another. When the connection to the database breaks,
// each gets its own response or 503.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { Database, PreparedStatement } from '#lib/db/database.ts';
import { type DatabaseProxy, startDatabaseProxy } from '#test/support/database/database-proxy.ts';
import { PATIENT as ONE, startTestEngine } from '#test/support/engine/engine.ts';
import { makeKey, makePrincipal } from '#test/support/http-app.ts';

const TWO = '01900000-0000-7000-8000-0000000000b2';
const KEY = '01900000-0000-7000-8000-0000000000b3';
const AT_ONCE = 64;
const POISON = 'poison';

/** The most that has gone together, by the statement's name. */
const together = new Map<string, number>();
let line: DatabaseProxy | undefined;

/**
 * Counts what goes together, and fails whatever asks for the poison as a statement fails that the database cannot carry
 * out.
 */
function watched(database: Database): Database {
  return {
    ...database,
    query: async <R extends object>(statement: string | PreparedStatement, values: readonly unknown[] = []) => {
      const name = typeof statement === 'string' ? '' : statement.name;
      if (name.endsWith('_all')) {
        const [first] = values.map(String);
        together.set(name, Math.max(together.get(name) ?? 0, first?.split(',').length ?? 0));
      }
      if (values.some((value) => String(value).includes(POISON))) throw new Error('no such luck');
      return database.query<R>(statement, values);
    },
  };
}

const { call } = await startTestEngine(
  { after },
  {
    connect: async (own) => {
      line = await startDatabaseProxy({ after }, own.url);
      return watched(own.database('engine', { url: line.url }));
    },
    callers: {
      two: makePrincipal(['patient'], { patientGuid: TWO }),
      wide: makeKey('system/*.cruds'),
      narrow: makeKey('system/Observation.rs'),
      writer: makeKey('system/Observation.cu'),
    },
  },
);

/** Who writes what about whom; its word names the writer and the patient. */
const RECORDS = ['planner', 'stranger', 'wide'].flatMap((by) =>
  [ONE, TWO, KEY].map((about, place) => ({ by, about, word: `w${by}${place}`, id: `o-${by}-${place}` })),
);
const PATIENTS = [
  { id: ONE, by: 'planner', word: 'wpone' },
  { id: TWO, by: 'stranger', word: 'wptwo' },
  { id: KEY, by: 'wide', word: 'wpkey' },
];

const allOf = (by: string) => [...RECORDS, ...PATIENTS].filter((each) => each.by === by).map(({ word }) => word);
const about = (patient: string, own: string) =>
  [own, ...RECORDS.filter((each) => each.about === patient).map(({ word }) => word)].sort();

/** The words that each may ever see. */
const SEEN: Readonly<Record<string, readonly string[]>> = {
  admin: [...RECORDS, ...PATIENTS].map(({ word }) => word),
  planner: allOf('planner'),
  stranger: allOf('stranger'),
  idle: allOf('planner'),
  patient: about(ONE, 'wpone'),
  two: about(TWO, 'wptwo'),
  wide: allOf('wide'),
  narrow: RECORDS.filter(({ by }) => by === 'wide').map(({ word }) => word),
  writer: [],
};

before(async () => {
  for (const { id, by, word } of PATIENTS) {
    const body = {
      resourceType: 'Patient',
      id,
      name: [{ family: word }],
      identifier: [{ system: 'urn:w', value: word }],
    };
    assert.equal((await call(by, 'PUT', `/Patient/${id}`, body)).status, 201);
  }
  for (const { id, by, word, about: patient } of RECORDS) {
    const code = {
      text: word,
      coding: [
        { system: 'urn:w', code: word },
        { system: 'urn:w', code: 'common' },
      ],
    };
    const subject = { reference: `Patient/${patient}` };
    const body = { resourceType: 'Observation', id, status: 'final', code, subject };
    assert.equal((await call(by, 'PUT', `/Observation/${id}`, body)).status, 201);
  }
});

const PATHS = [
  ...PATIENTS.flatMap(({ id, word }) => [
    `/Patient/${id}`,
    `/Patient?identifier=urn:w|${word}`,
    `/Patient?family=${word}`,
    `/Observation?subject=Patient/${id}`,
    `/Observation?subject=Patient/${id}&code=urn:w|common`,
    `/Observation?subject:Patient.identifier=urn:w|${word}`,
  ]),
  ...RECORDS.flatMap(({ id, word }) => [`/Observation/${id}`, `/Observation?code=urn:w|${word}`]),
  '/Observation?date=nonsense',
  '/Patient?birthdate=2020-13-45',
  '/Observation/none',
  '/Observation?code=urn:w|none',
];
const ASKED = Object.keys(SEEN).flatMap((caller) => PATHS.map((path) => ({ caller, path })));
type Asked = (typeof ASKED)[number];

/** What is the same whenever it is asked: the name and moment of a bundle are not. */
async function ask({ caller, path }: Asked) {
  const { status, body } = await call(caller, 'GET', path);
  const { id: _id, timestamp: _timestamp, ...bundle } = body;
  return { status, body: body.resourceType === 'Bundle' ? bundle : body };
}

/** Everybody's requests among each other, in another order each time, so many at once. */
function rounds(step: number): Asked[][] {
  const order = ASKED.map((_, index) => ASKED[(index * step) % ASKED.length]!);
  return Array.from({ length: Math.ceil(order.length / AT_ONCE) }, (_, at) =>
    order.slice(at * AT_ONCE, (at + 1) * AT_ONCE),
  );
}

const nameOf = ({ caller, path }: Asked) => `${caller} ${path}`;
const alone = new Map<string, Awaited<ReturnType<typeof ask>>>();

test('one at a time, every caller finds their own records', async () => {
  for (const asked of ASKED) {
    const answer = await ask(asked);
    alone.set(nameOf(asked), answer);
    const text = JSON.stringify(
      answer.body.resourceType === 'OperationOutcome' ? [] : (answer.body.entry ?? answer.body),
    );
    const seen = [...RECORDS, ...PATIENTS].map(({ word }) => word).filter((word) => text.includes(`"${word}"`));
    assert.deepEqual(
      seen.filter((word) => !SEEN[asked.caller]?.includes(word)),
      [],
      nameOf(asked),
    );
  }
  const found = (caller: string, path: string) => alone.get(`${caller} ${path}`)?.body.total;
  assert.equal(found('admin', `/Observation?subject=Patient/${ONE}`), 3);
  assert.equal(found('patient', `/Observation?subject=Patient/${ONE}`), 3);
  assert.equal(found('two', `/Observation?subject=Patient/${ONE}`), 0);
  assert.equal(found('narrow', `/Observation?subject=Patient/${ONE}`), 1);
  assert.equal(alone.get(`writer /Observation?subject=Patient/${ONE}`)?.status, 403);
});

test('sixty-four at once, each is answered as alone', async () => {
  for (const step of [1, 7, 11]) {
    for (const round of rounds(step)) {
      const answers = await Promise.all(round.map(ask));
      for (const [place, asked] of round.entries())
        assert.deepEqual(answers[place], alone.get(nameOf(asked)), nameOf(asked));
    }
  }
  assert.ok(
    [...together.values()].some((size) => size > 8),
    'they went together',
  );
});

test('what fails in the database for one, in whatever company, fails for that one alone', async () => {
  const poisoned = PATIENTS.map(({ id }) => ({
    caller: 'admin',
    path: `/Observation?subject=Patient/${id}&code=urn:w|${POISON}`,
  }));
  for (const [at, round] of rounds(13).entries()) {
    const bad = poisoned[at % poisoned.length]!;
    const [refused, ...answers] = await Promise.all([bad, ...round].map(ask));
    assert.equal(refused?.status, 500);
    for (const [place, asked] of round.entries())
      assert.deepEqual(answers[place], alone.get(nameOf(asked)), nameOf(asked));
  }
});

test('cut off from the database in the middle, each gets its own answer or 503, and all is well after', async () => {
  let [hit, answered] = [0, 0];
  for (const [at, round] of rounds(17).entries()) {
    line?.cutAfter(1 + at * 3);
    const answers = await Promise.all(round.map(ask));
    if (line?.restore() === true) hit += 1;
    for (const [place, asked] of round.entries()) {
      const answer = answers[place];
      if (answer?.status === 503) continue;
      assert.deepEqual(answer, alone.get(nameOf(asked)), nameOf(asked));
      answered += 1;
    }
  }
  assert.ok(hit > 0 && answered > 0, `${hit} cuts, ${answered} answers`);
  for (const asked of ASKED) assert.deepEqual(await ask(asked), alone.get(nameOf(asked)), nameOf(asked));
});
