// A simulation of open queues: requests arrive at random, and each visits stations in turn, where it waits for one of
// the station's servers. Sources: the M/M/c queue (Erlang 1917), event scheduling (Law, Simulation Modeling and
// Analysis, chapter 1).

export interface Station {
  readonly name: string;
  /** How many requests are served at once; infinite where none waits, such as for the disk of a group commit. */
  readonly servers: number;
}

export interface Visit {
  /** The index of the station. */
  readonly station: number;
  /** Mean time of service in milliseconds; the time itself is exponential. */
  readonly mean: number;
}

export interface Stream {
  readonly name: string;
  /** Arrivals a second. */
  readonly perSecond: number;
  readonly visits: readonly Visit[];
}

export interface Simulated {
  /** Milliseconds from arrival to end, of each stream. */
  readonly streams: readonly { readonly name: string; readonly median: number; readonly p99: number }[];
  /** Of each station: the share of its servers' time in use (0 where they are infinite), and the most that waited. */
  readonly stations: readonly { readonly name: string; readonly utilisation: number; readonly longestQueue: number }[];
}

/** Numbers from 0 to 1 that follow from the seed alone (mulberry32). */
function randomNumbers(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let value = Math.imul(state ^ (state >>> 15), state | 1);
    value ^= value + Math.imul(value ^ (value >>> 7), value | 61);
    return ((value ^ (value >>> 14)) >>> 0) / 0x1_0000_0000;
  };
}

interface Request {
  readonly arrivedAt: number;
  readonly stream: number;
  readonly visits: readonly Visit[];
  next: number;
}

/** Requests that wait, first come first served, without moving the others when one leaves. */
class Line {
  #all: Request[] = [];
  #first = 0;

  get length(): number {
    return this.#all.length - this.#first;
  }

  add(request: Request): void {
    this.#all.push(request);
  }

  take(): Request | undefined {
    const request = this.#all[this.#first];
    if (request === undefined) return undefined;
    this.#first += 1;
    if (this.#first > 1024 && this.#first * 2 > this.#all.length) {
      this.#all = this.#all.slice(this.#first);
      this.#first = 0;
    }
    return request;
  }
}

interface Event {
  readonly at: number;
  /** The request whose service ends, or the stream of which the next request arrives. */
  readonly of: Request | number;
}

/** Events by their time: a binary heap. */
class Schedule {
  readonly #heap: Event[] = [];

  add(event: Event): void {
    const heap = this.#heap;
    let place = heap.push(event) - 1;
    while (place > 0) {
      const above = (place - 1) >> 1;
      const parent = heap[above];
      if (parent === undefined || parent.at <= event.at) break;
      heap[place] = parent;
      place = above;
    }
    heap[place] = event;
  }

  next(): Event | undefined {
    const heap = this.#heap;
    const [first] = heap;
    const last = heap.pop();
    if (first === undefined || last === undefined || heap.length === 0) return first;
    let place = 0;
    for (;;) {
      const left = 2 * place + 1;
      const [one, other] = [heap[left], heap[left + 1]];
      if (one === undefined) break;
      const isRight = other !== undefined && other.at < one.at;
      const child = isRight ? other : one;
      if (child.at >= last.at) break;
      heap[place] = child;
      place = isRight ? left + 1 : left;
    }
    heap[place] = last;
    return first;
  }
}

/** Runs until so many requests have ended, after a tenth of them that are not counted. */
export function simulate(
  stations: readonly Station[],
  streams: readonly Stream[],
  { requests, seed }: { readonly requests: number; readonly seed: number },
): Simulated {
  const random = randomNumbers(seed);
  const exponential = (mean: number) => -mean * Math.log(1 - random());
  const schedule = new Schedule();
  const state = stations.map(({ name, servers }) => ({
    name,
    servers,
    busy: 0,
    inUse: 0,
    longest: 0,
    line: new Line(),
  }));
  const times: number[][] = streams.map(() => []);
  const warmUp = Math.ceil(requests / 10);
  let [ended, now, countedFrom] = [0, 0, 0];

  const arrive = (stream: number) => {
    const { perSecond = 0 } = streams[stream] ?? {};
    if (perSecond > 0) schedule.add({ at: now + exponential(1_000 / perSecond), of: stream });
  };
  const serve = (request: Request) => {
    const visit = request.visits[request.next];
    const station = state[visit?.station ?? -1];
    if (visit === undefined || station === undefined) return end(request);
    if (station.busy >= station.servers) {
      station.line.add(request);
      station.longest = Math.max(station.longest, station.line.length);
      return;
    }
    start(station, request);
  };
  const start = (station: (typeof state)[number], request: Request) => {
    const took = exponential(request.visits[request.next]?.mean ?? 0);
    station.busy += 1;
    if (ended >= warmUp) station.inUse += took;
    schedule.add({ at: now + took, of: request });
  };
  const end = ({ arrivedAt, stream }: Request) => {
    ended += 1;
    if (ended === warmUp) countedFrom = now;
    if (ended > warmUp) times[stream]?.push(now - arrivedAt);
  };
  const leave = (request: Request) => {
    const station = state[request.visits[request.next]?.station ?? -1];
    request.next += 1;
    if (station !== undefined) {
      station.busy -= 1;
      const waiting = station.line.take();
      if (waiting !== undefined) start(station, waiting);
    }
    serve(request);
  };

  for (const place of streams.keys()) arrive(place);
  while (ended < requests + warmUp) {
    const event = schedule.next();
    if (event === undefined) break;
    now = event.at;
    if (typeof event.of === 'number') {
      arrive(event.of);
      serve({ arrivedAt: now, stream: event.of, visits: streams[event.of]?.visits ?? [], next: 0 });
    } else {
      leave(event.of);
    }
  }
  const counted = now - countedFrom;
  return {
    streams: streams.map(({ name }, stream) => {
      const sorted = (times[stream] ?? []).toSorted((a, b) => a - b);
      const at = (part: number) => sorted[Math.floor(sorted.length * part)] ?? Number.NaN;
      return { name, median: at(0.5), p99: at(0.99) };
    }),
    stations: state.map(({ name, servers, inUse, longest }) => ({
      name,
      utilisation: Number.isFinite(servers) ? inUse / (counted * servers) : 0,
      longestQueue: longest,
    })),
  };
}
