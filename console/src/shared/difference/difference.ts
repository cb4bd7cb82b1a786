// The difference between two texts, line by line: the longest common subsequence between their first and their last
// line that differ.

export interface DiffLine {
  readonly kind: 'same' | 'removed' | 'added';
  readonly text: string;
}

/** Lines that are left out, as they are the same. */
export interface Gap {
  readonly kind: 'gap';
  readonly count: number;
}

/** Where the two have more pairs of lines between, all of the one are removed and all of the other added. */
const MOST_PAIRS = 4_000_000;

export function differenceOf(before: string, after: string): readonly DiffLine[] {
  const [old, next] = [before.split('\n'), after.split('\n')];
  let head = 0;
  while (head < old.length && head < next.length && old[head] === next[head]) head += 1;
  let tail = 0;
  while (tail < old.length - head && tail < next.length - head && old.at(-1 - tail) === next.at(-1 - tail)) tail += 1;
  const middle = between(old.slice(head, old.length - tail), next.slice(head, next.length - tail));
  return [...same(old.slice(0, head)), ...middle, ...same(old.slice(old.length - tail))];
}

/** With at most `context` lines that are the same around each difference. */
export function shortened(lines: readonly DiffLine[], context: number): readonly (DiffLine | Gap)[] {
  const changes = lines.flatMap(({ kind }, at) => (kind === 'same' ? [] : [at]));
  const isShown = new Uint8Array(lines.length);
  for (const at of changes) isShown.fill(1, Math.max(0, at - context), at + context + 1);
  const shown: (DiffLine | Gap)[] = [];
  for (const [at, line] of lines.entries()) {
    const last = shown.at(-1);
    if (isShown[at] === 1) shown.push(line);
    else if (last?.kind === 'gap') shown[shown.length - 1] = { kind: 'gap', count: last.count + 1 };
    else shown.push({ kind: 'gap', count: 1 });
  }
  return shown;
}

function same(lines: readonly string[]): DiffLine[] {
  return lines.map((text) => ({ kind: 'same', text }));
}

function between(old: readonly string[], next: readonly string[]): DiffLine[] {
  const removed = (text: string): DiffLine => ({ kind: 'removed', text });
  const added = (text: string): DiffLine => ({ kind: 'added', text });
  if (old.length * next.length > MOST_PAIRS) return [...old.map(removed), ...next.map(added)];
  const width = next.length + 1;
  const common = commonLengths(old, next);
  const lines: DiffLine[] = [];
  let [a, b] = [0, 0];
  while (a < old.length && b < next.length) {
    const [ours = '', theirs = ''] = [old[a], next[b]];
    const isRemoved = (common[(a + 1) * width + b] ?? 0) >= (common[a * width + b + 1] ?? 0);
    if (ours === theirs) lines.push({ kind: 'same', text: ours });
    else lines.push(isRemoved ? removed(ours) : added(theirs));
    if (ours === theirs || isRemoved) a += 1;
    if (ours === theirs || !isRemoved) b += 1;
  }
  return [...lines, ...old.slice(a).map(removed), ...next.slice(b).map(added)];
}

/** How many lines the rests of both from each pair of lines on have in common. */
function commonLengths(old: readonly string[], next: readonly string[]): Uint32Array {
  const width = next.length + 1;
  const lengths = new Uint32Array((old.length + 1) * width);
  for (let a = old.length - 1; a >= 0; a -= 1) {
    for (let b = next.length - 1; b >= 0; b -= 1) {
      const [right = 0, down = 0, across = 0] = [
        lengths[a * width + b + 1],
        lengths[(a + 1) * width + b],
        lengths[(a + 1) * width + b + 1],
      ];
      lengths[a * width + b] = old[a] === next[b] ? across + 1 : Math.max(right, down);
    }
  }
  return lengths;
}
