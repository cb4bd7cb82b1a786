// The arguments of `kedja deliveries`, and errors that are reported before anything is opened.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { newGuid } from '#lib/guid.ts';
import { checkCommand, filterOf, limitOf, readCommand, replayFilterOf } from './deliveries-input.ts';

const [GUID, OTHER] = [newGuid(), newGuid()];

test('invalid arguments are no command', () => {
  const meaningless = [
    [],
    ['what'],
    ['list', 'x'],
    ['list', '--all'],
    ['show'],
    ['show', GUID, OTHER],
    ['replay', GUID, '--all'],
    ['replay', '--all', '--provider', 'provider-north'],
    ['replay', '--status', 'dead'],
    ['list', '--dry-run'],
    ['replay', '--dry-run'],
    ['replay', GUID, '--dry-run'],
    ['replay', '--created-since', '2026-06-01'],
    ['show', GUID, '--type', 'ping'],
  ];
  for (const args of meaningless) assert.equal(readCommand(args), undefined, args.join(' '));
  assert.throws(() => readCommand(['list', '--what']), /Unknown option '--what'/);
});

test('an invalid value is reported in a sentence', () => {
  const wrong: [string[], RegExp][] = [
    [['list', '--status', 'lost'], /^There is no status "lost"; there are queued, sending,/],
    [['list', '--since', 'yesterday'], /^--since "yesterday" is no time/],
    [['list', '--status', 'waiting', '--until', '2026-06-01'], /^--since and --until are when a delivery died/],
    [['list', '--limit', '1001'], /^--limit is a number from 1 to 1000/],
    [['list', '--type', 'request'], /^There is no type "request"; there are request\.dispatched,/],
    [['replay', '--type', 'pong'], /^There is no type "pong"/],
    [['list', '--created-until', 'now'], /^--created-until "now" is no time/],
    [['list', '--request', 'x'], /^--request is the guid/],
  ];
  for (const [args, sentence] of wrong) {
    const command = readCommand(args);
    assert.ok(command !== undefined, args.join(' '));
    assert.throws(
      () => checkCommand(command),
      (error: Error) => sentence.test(error.message),
      args.join(' '),
    );
  }
});

test('options become the filters of the query', () => {
  const list = readCommand(['list', '--type', 'ping', '--request', GUID, '--created-until', '2026-06-01Z', '--json']);
  assert.deepEqual(list && filterOf(list.given), {
    type: 'ping',
    requestGuid: GUID,
    createdUntil: new Date('2026-06-01Z'),
  });
  assert.deepEqual([list && limitOf(list.given), list?.given.json], [50, true]);
  const died = readCommand(['list', '--since', '2026-06-01']);
  assert.deepEqual(died && filterOf(died.given), { status: 'dead', since: new Date('2026-06-01') });
  const replay = readCommand(['replay', '--provider', 'p', '--until', '2026-06-01', '--dry-run']);
  assert.equal(replay?.kind, 'replay-many');
  assert.deepEqual(replay && replayFilterOf(replay.given), { providerGuid: 'p', until: new Date('2026-06-01') });
});
