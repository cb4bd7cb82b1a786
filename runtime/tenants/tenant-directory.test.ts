// The services of tenants: opened once, by whoever comes first, and closed when the file names them no more.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { ServiceError } from '#lib/errors.ts';
import { createWorkerLoop, type WorkerLoop } from '#lib/jobs/worker-loop.ts';
import type { Tenant } from '#lib/tenants/tenant.ts';
import { eventually } from '#test/support/http.ts';
import { makeTestAuthenticator, makeTestLogger } from '#test/support/http-app.ts';
import { createTenantDirectory, type TenantDirectoryOptions } from './tenant-directory.ts';

const make = (name: string): Tenant => ({
  name,
  schema: name,
  databaseUrl: undefined,
  directUrl: undefined,
  hosts: [],
});

function startDirectory(open?: (name: string) => Promise<void>, times?: TenantDirectoryOptions['times']) {
  let tenants = [make('north'), make('south')];
  const listeners: (() => void)[] = [];
  const opened: string[] = [];
  const closed: string[] = [];
  const moves: string[] = [];
  const directory = createTenantDirectory({
    source: {
      all: () => tenants,
      refresh: async () => undefined,
      byName: (name) => tenants.find((tenant) => tenant.name === name),
      byHost: () => undefined,
      onChanged: (listener) => void listeners.push(listener),
      start: () => undefined,
      stop: async () => undefined,
    },
    open: async ({ name }) => {
      opened.push(name);
      await open?.(name);
      const handlers = { name, authenticator: makeTestAuthenticator({}), functions: [] };
      return {
        handlers,
        moveTo: ({ databaseUrl }) => void moves.push(`${name} ${databaseUrl}`),
        close: async () => void closed.push(name),
      };
    },
    log: makeTestLogger(),
    ...(times === undefined ? {} : { times }),
  });
  const change = (names: readonly string[]) => {
    tenants = names.map(make);
    for (const each of listeners) each();
  };
  const move = (name: string, databaseUrl: string) => {
    tenants = tenants.map((each) => (each.name === name ? { ...each, databaseUrl } : each));
    for (const each of listeners) each();
  };
  return {
    directory,
    opened,
    closed,
    moves,
    change,
    move,
    tenant: (name: string) => directory.byName(name) ?? make(name),
  };
}

test('fifty requests at once open a tenant once', async () => {
  const { directory, opened, tenant } = startDirectory();
  const found = await Promise.all(Array.from({ length: 50 }, () => directory.open(tenant('north'))));
  assert.deepEqual(opened, ['north']);
  assert.equal(new Set(found).size, 1);
  assert.equal(directory.findOpen(tenant('north')), found[0]);
  await directory.stop();
});

test('all are opened after the start, without requests', async () => {
  const { directory, opened, closed } = startDirectory();
  directory.start();
  await eventually('both are open', async () => (opened.length === 2 ? true : undefined));
  await directory.stop();
  assert.deepEqual(closed.toSorted(), ['north', 'south']);
});

test('a tenant that cannot be opened answers 503 and hurts no other', async () => {
  const { directory, tenant } = startDirectory(async (name) => {
    if (name === 'north') throw new Error('no database');
  });
  const refused = (error: unknown) => error instanceof ServiceError && error.code === 'unavailable';
  for (const _again of [1, 2]) await assert.rejects(directory.open(tenant('north')), refused);
  assert.ok(await directory.open(tenant('south')));
  await directory.stop();
});

test('a removed tenant is closed after its requests, and one of its name is another', async () => {
  const { directory, opened, closed, change, tenant } = startDirectory();
  const before = tenant('north');
  await directory.open(before);
  const end = directory.begin(before);
  change(['south']);
  await assert.rejects(directory.open(before));
  assert.equal(directory.findOpen(before), undefined);
  assert.deepEqual(closed, [], 'a request is running');
  end();
  await eventually('it is closed', async () => (closed.length === 1 ? true : undefined));
  change(['south', 'north']);
  await assert.rejects(directory.open(before), 'the tenant of before');
  await directory.open(tenant('north'));
  assert.deepEqual(opened, ['north', 'north']);
  await directory.stop();
});

test('without requests a tenant is closed after its work, opened for a round, and at once for a request', async () => {
  let steps = 0;
  const loops: WorkerLoop[] = [];
  const work = async () => {
    const step = async () => {
      steps += 1;
      return false;
    };
    const loop = createWorkerLoop({ name: 'work', intervalMs: 60_000, log: makeTestLogger(), step });
    loops.push(loop);
    loop.start();
  };
  const { directory, opened, closed, tenant } = startDirectory(work, { closeAfterMs: 0, closedMs: 3_000 });
  directory.start();
  await eventually('both are closed', async () => (closed.length === 2 ? true : undefined));
  assert.ok(steps >= 4, 'the work of each has been done twice');
  const before = steps;
  await eventually('they are opened again', async () => (opened.length === 4 ? true : undefined));
  await eventually('and closed', async () => (closed.length === 4 ? true : undefined));
  assert.ok(steps > before);
  const end = directory.begin(tenant('north'));
  assert.ok(await directory.open(tenant('north')));
  end();
  await directory.stop();
  await Promise.all(loops.map((loop) => loop.stop()));
});

test('a tenant with a running request is not closed', async () => {
  const { directory, closed, tenant } = startDirectory(undefined, { closeAfterMs: 0, closedMs: 60_000 });
  await directory.open(tenant('north'));
  const end = directory.begin(tenant('north'));
  directory.start();
  await eventually('the other is closed', async () => (closed.includes('south') ? true : undefined));
  await delay(2_500);
  assert.ok(!closed.includes('north'), 'its request is running');
  end();
  await directory.stop();
});

test('a tenant without requests is quiet, also while another takes long to open', async () => {
  const gate = Promise.withResolvers<void>();
  const open = (name: string) => (name === 'north' ? gate.promise : Promise.resolve());
  const { directory, opened, tenant } = startDirectory(open, { quietAfterMs: 0 });
  directory.start();
  await eventually('the other is being opened', async () => (opened.includes('north') ? true : undefined));
  const south = tenant('south');
  await directory.open(south);
  assert.ok(directory.findOpen(south));
  await eventually('it is quiet', async () => {
    await delay(1_500);
    return directory.findOpen(south) === undefined ? true : undefined;
  });
  gate.resolve();
  await directory.stop();
});

test('a tenant that has moved is served on at once, and by new services once they are open', async () => {
  const gate = Promise.withResolvers<void>();
  let isFirst = true;
  const { directory, opened, closed, moves, move, tenant } = startDirectory(async () => {
    if (!isFirst) await gate.promise;
    isFirst = false;
  });
  const before = tenant('north');
  const first = await directory.open(before);
  move('north', 'postgresql://new/kedja');
  assert.deepEqual(moves, ['north postgresql://new/kedja']);
  for (const named of [before, tenant('north')]) {
    assert.equal(directory.findOpen(named), first, 'while the new ones open');
    assert.equal(await directory.open(named), first);
  }
  assert.deepEqual(closed, []);
  gate.resolve();
  await eventually('the old ones are closed', async () => (closed.length === 1 ? true : undefined));
  assert.deepEqual(opened, ['north', 'north']);
  assert.notEqual(directory.findOpen(before), first);
  assert.equal(directory.findOpen(before), directory.findOpen(tenant('north')));
  await directory.stop();
});

test('where the new place cannot be opened, requests are refused', async () => {
  let isFirst = true;
  const { directory, closed, move, tenant } = startDirectory(async () => {
    if (!isFirst) throw new Error('no database');
    isFirst = false;
  });
  await directory.open(tenant('north'));
  move('north', 'postgresql://new/kedja');
  await eventually('it is closed', async () => (closed.length === 1 ? true : undefined));
  await assert.rejects(directory.open(tenant('north')), (error) => error instanceof ServiceError);
  await directory.stop();
});
