// A histogram of request durations with pre-resolved labels: prom-client's own builds a key of all labels for each
// observation. The scraped text is the same.
import { Histogram, type Registry } from 'prom-client';

export interface DurationsOptions<L extends string> {
  readonly name: string;
  readonly help: string;
  readonly labelNames: readonly L[];
  /** Upper bounds in seconds, ascending. */
  readonly buckets: readonly number[];
  readonly registry: Registry;
}

interface Series<L extends string> {
  readonly labels: Readonly<Record<L, string>>;
  /**
   * The count of each bucket: durations up to its bound and above the one before. The last counts those above all
   * bounds.
   */
  readonly counts: Float64Array;
  count: number;
  seconds: number;
}

type HistogramValues<L extends string> = Awaited<ReturnType<Histogram<L>['get']>>;

export class Durations<L extends string> extends Histogram<L> {
  readonly #name: string;
  /** Observes nothing: it has the name, help text and type of the metric. */
  readonly #empty: Histogram<L>;
  readonly #bounds: readonly number[];
  readonly #series = new Map<string, Series<L>>();

  constructor({ name, help, labelNames, buckets, registry }: DurationsOptions<L>) {
    const about = { name, help, labelNames: [...labelNames], buckets: [...buckets] };
    super({ ...about, registers: [registry] });
    this.#empty = new Histogram({ ...about, registers: [] });
    this.#name = name;
    this.#bounds = buckets;
  }

  /** Returns the function that observes a duration, in seconds, with these labels. */
  observerFor(labels: Readonly<Record<L, string>>): (seconds: number) => void {
    const key = JSON.stringify(labels);
    const series = this.#series.get(key) ?? this.#begin(labels);
    this.#series.set(key, series);
    const bounds = this.#bounds;
    return (seconds) => {
      let at = 0;
      while (at < bounds.length && seconds > (bounds[at] ?? 0)) at += 1;
      series.counts[at] = (series.counts[at] ?? 0) + 1;
      series.count += 1;
      series.seconds += seconds;
    };
  }

  #begin(labels: Readonly<Record<L, string>>): Series<L> {
    return { labels, counts: new Float64Array(this.#bounds.length + 1), count: 0, seconds: 0 };
  }

  /** prom-client calls this to read the histogram and to write its text. */
  async getForPromString(): Promise<HistogramValues<L>> {
    const values = [...this.#series.values()].flatMap((series) => this.#valuesOf(series));
    return { ...(await this.#empty.get()), values };
  }

  override get(): Promise<HistogramValues<L>> {
    return this.getForPromString();
  }

  #valuesOf({ labels, counts, count, seconds }: Series<L>): HistogramValues<L>['values'] {
    let below = 0;
    const buckets = this.#bounds.map((le, at) => {
      below += counts[at] ?? 0;
      return { labels: { le, ...labels }, value: below, metricName: `${this.#name}_bucket` };
    });
    return [
      ...buckets,
      { labels: { le: '+Inf', ...labels }, value: count, metricName: `${this.#name}_bucket` },
      { labels, value: seconds, metricName: `${this.#name}_sum` },
      { labels, value: count, metricName: `${this.#name}_count` },
    ];
  }
}
