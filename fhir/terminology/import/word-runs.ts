// Builds the word index of a code system whose columns are in files (docs/adr/0034), by an external merge sort.
// ../model/word-columns.ts collects the words of a range of concepts as a sorted run. The runs are then merged, and the
// concepts of equal words concatenated in order.
import { releaseMemory } from '../model/int-list.ts';
import { collectWords, type NameColumns } from '../model/word-columns.ts';
import { inOrder, RunFiles, type RunReader } from './sorted-runs.ts';
import type { SpillFile } from './spill-file.ts';
import type { SpilledColumns } from './spilled-columns.ts';

/** Concepts and text bytes of one run; the texts of a single concept may be longer. */
const MAX_CONCEPTS = 1 << 13;
const MAX_BYTES = 1 << 21;
const WORDS_AT_ONCE = 1 << 14;

/**
 * Writes the columns of the words, as a generator whose steps leave the event loop free.
 * @param size the number of concepts
 */
export function* spillWords(columns: SpilledColumns, size: number): Generator<void> {
  const runs = new RunFiles(() => columns.scratch());
  const names = new NameReader(columns, size);
  for (let from = 0; from < size; ) {
    const to = names.endOf(from);
    const words = collectWords(names.read(from, to));
    runs.add(words, from);
    for (const each of Object.values(words)) releaseMemory(each);
    from = to;
    yield;
  }
  const { put, end } = wordWriter(columns);
  let count = 0;
  for (const { run, isSame } of inOrder(runs.readers())) {
    put(run, isSame);
    count += 1;
    if (count % WORDS_AT_ONCE === 0) yield;
  }
  end();
  runs.close();
}

function wordWriter(columns: SpilledColumns): { put(run: RunReader, isSame: boolean): void; end(): void } {
  const [bytes, ends] = [columns.bytes('wordBytes'), columns.ints('wordEnds')];
  const [starts, places] = [columns.ints('wordStarts'), columns.ints('wordPlaces')];
  const push = (place: number): void => places.push(place);
  const end = (): void => starts.push(places.length);
  return {
    put: (run, isSame) => {
      if (!isSame) {
        bytes.append(run.word);
        ends.push(bytes.length);
        end();
      }
      run.eachPlace(push);
    },
    end,
  };
}

type PartName = 'codes' | 'displays' | 'designationStarts' | 'designationValues';

/** Reads the names of a range of concepts, which are contiguous in the string pool. */
class NameReader {
  readonly #columns: SpilledColumns;
  readonly #size: number;
  readonly #pool: SpillFile;
  /** Reused for each range. */
  #bytes = new Uint8Array(MAX_BYTES);
  readonly #held: Record<PartName, Int32Array> = {
    codes: new Int32Array(MAX_CONCEPTS),
    displays: new Int32Array(MAX_CONCEPTS),
    designationStarts: new Int32Array(MAX_CONCEPTS + 1),
    designationValues: new Int32Array(0),
  };

  constructor(columns: SpilledColumns, size: number) {
    this.#columns = columns;
    this.#size = size;
    this.#pool = columns.poolFile();
  }

  /** The end of a range whose texts are not too long. */
  endOf(from: number): number {
    let count = Math.min(MAX_CONCEPTS, this.#size - from);
    while (count > 1 && this.#startOf(from + count) - this.#startOf(from) >= MAX_BYTES) count = count >>> 1;
    return from + count;
  }

  /** The columns of the range, valid until the next one. */
  read(from: number, to: number): NameColumns {
    // One byte before the first text, as no text is at offset 0.
    const base = this.#startOf(from) - 1;
    const length = this.#startOf(to) - base;
    if (length > this.#bytes.length) this.#bytes = new Uint8Array(length);
    const pool = this.#bytes.subarray(0, this.#pool.readInto(this.#bytes.subarray(0, length), base));
    const starts = this.#part('designationStarts', from, to + 1);
    const [first = 0] = starts;
    const values = this.#part('designationValues', first, starts[to - from] ?? 0);
    return {
      pool,
      codes: moved(this.#part('codes', from, to), base),
      displays: moved(this.#part('displays', from, to), base),
      designationStarts: moved(starts, first),
      designationValues: moved(values, base),
    };
  }

  /** The offset at which a concept's texts begin, and those of the previous one end. */
  #startOf(place: number): number {
    return place === this.#size ? this.#pool.length : this.#columns.ints('codes').at(place);
  }

  #part(name: PartName, from: number, to: number): Int32Array {
    let held = this.#held[name];
    if (held.length < to - from) {
      releaseMemory(held);
      held = new Int32Array(to - from);
      this.#held[name] = held;
    }
    const part = held.subarray(0, to - from);
    this.#columns.ints(name).copy(from, part);
    return part;
  }
}

/** Offsets relative to another beginning; 0 stays, as it means no text, and the first row. */
function moved(items: Int32Array, by: number): Int32Array {
  for (let at = 0; at < items.length; at += 1) if (items[at] !== 0) items[at] = (items[at] ?? 0) - by;
  return items;
}
