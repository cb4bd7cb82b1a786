// The exposed durations equal those of prom-client for the same observations.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Histogram, Registry } from 'prom-client';
import { Durations } from './durations.ts';

const about = {
  name: 'a_seconds',
  help: 'How long',
  labelNames: ['route', 'status'] as const,
  buckets: [0.001, 0.01, 1],
};
const observed = [
  [{ route: '/a', status: '200' }, [0, 0.0005, 0.001, 0.0011, 0.5, 1, 1.5, 100]],
  [{ route: '/a "b"\\', status: '500' }, [0.01]],
] as const;

test('buckets, sums and counts are those of a histogram of prom-client, as text and as values', async () => {
  const [ours, theirs] = [new Registry(), new Registry()];
  const durations = new Durations({ ...about, registry: ours });
  const histogram = new Histogram({ ...about, labelNames: [...about.labelNames], registers: [theirs] });
  for (const registry of [ours, theirs]) registry.setDefaultLabels({ service: 'sample' });
  for (const [labels, seconds] of observed) {
    const takers = [durations.observerFor(labels), durations.observerFor({ ...labels })];
    for (const [index, each] of seconds.entries()) {
      takers[index % 2]?.(each);
      histogram.observe(labels, each);
    }
  }
  assert.deepEqual(await linesOf(ours), await linesOf(theirs));
  assert.deepEqual(await valuesOf(ours), await valuesOf(theirs));
});

/** With the labels of each in the order of their names. */
async function linesOf(registry: Registry): Promise<string[]> {
  const text = await registry.metrics();
  return text.split('\n').map((line) => {
    const [, name = line, labels = '', value = ''] = /^(\w+)\{(.*)\} (\S+)$/.exec(line) ?? [];
    return `${name} ${labels.split(/,(?=\w+=)/).sort()} ${value}`;
  });
}

async function valuesOf(registry: Registry): Promise<unknown[]> {
  return ((await registry.getSingleMetric(about.name)?.get())?.values ?? []).map((value) => ({
    name: 'metricName' in value ? value.metricName : undefined,
    labels: value.labels,
    value: value.value,
  }));
}
