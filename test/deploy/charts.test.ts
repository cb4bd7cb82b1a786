// What deploy/ charts and alerts on is what the services export, and the other way round. A renamed metric, or a new
// one that no chart has, fails a test.
import assert from 'node:assert/strict';
import { glob, readFile } from 'node:fs/promises';
import path from 'node:path';
import { test } from 'node:test';
import { createMetrics } from '#lib/metrics/metrics.ts';

const ROOT = path.join(import.meta.dirname, '../..');
const RUNBOOKS = 'docs/operations/runbooks';
const NAME = /\b(?:kedja|nodejs|process)_[a-z0-9_]+\b/g;
const SUFFIX = /_(?:bucket|sum|count)$/;
/** Metrics are made in the one way of lib/metrics/metrics.ts, with their name as the first argument. */
const MADE = /\.(?:counter|gauges?|histogram)\(\s*'((?:kedja)_[a-z0-9_]+)'/g;

/** What every process exports: its registry is asked. */
async function commonNames(): Promise<Set<string>> {
  const { registry } = createMetrics('any');
  return new Set((await registry.getMetricsAsJSON()).map(({ name }) => name));
}

/** What the features of the services and the process add. */
async function featureNames(): Promise<Set<string>> {
  const names = new Set<string>();
  for await (const file of glob('{lib,services}/**/*.ts', {
    cwd: ROOT,
    exclude: ['**/*.test.ts', '**/testing/**'],
  })) {
    for (const [, name = ''] of (await readFile(path.join(ROOT, file), 'utf8')).matchAll(MADE)) names.add(name);
  }
  return names;
}

interface Dashboard {
  readonly panels: readonly { readonly title: string; readonly targets: readonly { readonly expr: string }[] }[];
}

async function dashboardExpressions(): Promise<[place: string, expression: string][]> {
  const text = await readFile(path.join(ROOT, 'deploy/grafana/kedja.json'), 'utf8');
  const { panels } = JSON.parse(text) as Dashboard;
  return panels.flatMap(({ title, targets }) => targets.map(({ expr }): [string, string] => [title, expr]));
}

async function alertExpressions(): Promise<[place: string, expression: string][]> {
  const text = await readFile(path.join(ROOT, 'deploy/prometheus/alerts.yml'), 'utf8');
  const rules = [...text.matchAll(/- alert: (\w+)\n\s+expr: (.+)\n/g)];
  assert.equal(rules.length, text.match(/- alert:/g)?.length, 'every alert has an expression on one line');
  return rules.map(([, name = '', expression = '']) => [name, expression]);
}

const base = (name: string, exported: ReadonlySet<string>) => (exported.has(name) ? name : name.replace(SUFFIX, ''));

test('every metric that is charted or alerted on is exported', async () => {
  const exported = new Set([...(await commonNames()), ...(await featureNames())]);
  const expressions = [...(await dashboardExpressions()), ...(await alertExpressions())];
  assert.ok(expressions.length > 20);
  for (const [place, expression] of expressions) {
    const names = [...expression.matchAll(NAME)].map(([name]) => name);
    assert.ok(names.length > 0 || expression.startsWith('up{'), `${place} names no metric`);
    for (const name of names) assert.ok(exported.has(base(name, exported)), `${place}: nobody exports ${name}`);
  }
});

test('every alert leads to a runbook that exists, and every runbook is led to', async () => {
  const alerts = await readFile(path.join(ROOT, 'deploy/prometheus/alerts.yml'), 'utf8');
  const led = new Set([...alerts.matchAll(/runbook: '(.+)'/g)].map(([, page = '']) => path.basename(page)));
  const found: string[] = [];
  for await (const page of glob('*.md', { cwd: path.join(ROOT, RUNBOOKS) })) if (page !== 'README.md') found.push(page);
  for (const page of led) assert.ok(found.includes(page), `there is no runbook ${page}`);
  // What another runbook leads to, an alert need not name.
  for (const page of [...led]) {
    const text = await readFile(path.join(ROOT, RUNBOOKS, page), 'utf8');
    for (const [, next = ''] of text.matchAll(/\]\(([a-z-]+\.md)\)/g)) led.add(next);
  }
  assert.deepEqual(
    found.filter((page) => !led.has(page)),
    [],
  );
  const names = new Set([...alerts.matchAll(/- alert: (\w+)/g)].map(([, name = '']) => name));
  const exported = new Set([...(await commonNames()), ...(await featureNames())]);
  for (const page of ['README.md', ...found]) {
    const text = await readFile(path.join(ROOT, RUNBOOKS, page), 'utf8');
    for (const [name] of text.matchAll(/\bKedja[A-Z]\w+/g))
      assert.ok(names.has(name), `${page}: there is no alert ${name}`);
    for (const [name] of text.matchAll(NAME))
      assert.ok(exported.has(base(name, exported)), `${page}: nobody exports ${name}`);
  }
});

test('every metric of our own is charted', async () => {
  const exported = new Set([...(await commonNames()), ...(await featureNames())]);
  const charted = new Set(
    (await dashboardExpressions()).flatMap(([, expression]) =>
      [...expression.matchAll(NAME)].map(([name]) => base(name, exported)),
    ),
  );
  const own = [...exported].filter((name) => name.startsWith('kedja_'));
  assert.ok(own.length >= 8, own.join());
  assert.deepEqual(
    own.filter((name) => !charted.has(name)),
    [],
  );
});
