import assert from 'node:assert/strict';
import { test } from 'node:test';
import { simulate } from './queues.ts';

const NONE = { median: Number.NaN, p99: Number.NaN };
const JOB = { requests: 200_000, seed: 7 };

/** The chance that a request of an M/M/c queue waits (Erlang C); `load` is the mean number of busy servers. */
function erlangC(servers: number, load: number): number {
  let [term, sum] = [1, 1];
  for (let busy = 1; busy < servers; busy += 1) {
    term *= load / busy;
    sum += term;
  }
  const all = ((term * load) / servers) * (servers / (servers - load));
  return all / (sum + all);
}

function isNear(found: number, wanted: number, share: number): void {
  assert.ok(Math.abs(found - wanted) <= wanted * share, `${found} is not within ${share * 100} % of ${wanted}`);
}

test('one server: the time in the system is exponential, as the theory says', () => {
  const streams = [{ name: 'reads', perSecond: 700, visits: [{ station: 0, mean: 1 }] }];
  const {
    streams: [{ median, p99 } = NONE],
    stations,
  } = simulate([{ name: 'core', servers: 1 }], streams, JOB);
  const mean = 1 / (1 - 0.7);
  isNear(median, mean * Math.LN2, 0.05);
  isNear(p99, mean * Math.log(100), 0.05);
  isNear(stations[0]?.utilisation ?? 0, 0.7, 0.02);
});

test('several servers: as many wait as Erlang C says', () => {
  const [servers, mean, perSecond] = [4, 2, 1600];
  const load = (perSecond * mean) / 1000;
  const streams = [{ name: 'writes', perSecond, visits: [{ station: 0, mean }] }];
  const {
    streams: [{ p99 } = NONE],
    stations,
  } = simulate([{ name: 'cores', servers }], streams, JOB);
  isNear(stations[0]?.utilisation ?? 0, load / servers, 0.02);
  // The waiting time is above t with the chance C · exp(-(c - load) · t / mean); the service comes on top.
  const waits = (Math.log(erlangC(servers, load) / 0.01) * mean) / (servers - load);
  assert.ok(p99 > waits && p99 < waits + mean * Math.log(100), `p99 ${p99}, waiting ${waits}`);
});

test('a request visits stations in turn; where servers are infinite nobody waits', () => {
  const stations = [
    { name: 'cores', servers: 2 },
    { name: 'commit', servers: Number.POSITIVE_INFINITY },
  ];
  const visits = [
    { station: 0, mean: 0.01 },
    { station: 1, mean: 10 },
  ];
  const found = simulate(stations, [{ name: 'creates', perSecond: 100, visits }], JOB);
  isNear(found.streams[0]?.median ?? 0, 10 * Math.LN2, 0.05);
  assert.equal(found.stations[1]?.longestQueue, 0);
});

test('streams share a station, and the same seed gives the same', () => {
  const stations = [{ name: 'core', servers: 1 }];
  const streams = [
    { name: 'reads', perSecond: 300, visits: [{ station: 0, mean: 1 }] },
    { name: 'pages', perSecond: 100, visits: [{ station: 0, mean: 3 }] },
  ];
  const [one, other] = [simulate(stations, streams, JOB), simulate(stations, streams, JOB)];
  isNear(one.stations[0]?.utilisation ?? 0, 0.6, 0.03);
  assert.deepEqual(one, other);
});

test('more arrive than can be served: the queue grows', () => {
  const streams = [{ name: 'reads', perSecond: 2000, visits: [{ station: 0, mean: 1 }] }];
  const job = { requests: 20_000, seed: 1 };
  const {
    streams: [{ p99 } = NONE],
    stations,
  } = simulate([{ name: 'core', servers: 1 }], streams, job);
  assert.ok((stations[0]?.longestQueue ?? 0) > 5_000);
  assert.ok(p99 > 5_000);
});
