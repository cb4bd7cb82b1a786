// The release as a metric, so that nodes of different releases are seen.
import type { Metrics } from './metrics.ts';

/** Exports the release of this process as the label of a metric that is always 1. */
export function exportBuild(metrics: Metrics, version: string): void {
  metrics.gauges('kedja_build_info', 'Always 1; its label is the release', ['version'], async () => [
    { labels: { version }, value: 1 },
  ]);
}
