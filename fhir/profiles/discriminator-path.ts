// Parses paths of discriminators, which may use a small part of FHIRPath
// (hl7.org/fhir/R5/profiling.html#discriminator).

export type PathStep =
  | { readonly kind: 'element'; readonly name: string }
  | { readonly kind: 'extension'; readonly url: string }
  | { readonly kind: 'ofType'; readonly type: string }
  | { readonly kind: 'resolve' };

const STEP =
  /^(?:extension\(\s*['"]?([^'")]+)['"]?\s*\)|(?:ofType|as)\(\s*([A-Za-z]+)\s*\)|(resolve\(\))|([A-Za-z][A-Za-z0-9]*)(?:\[x\])?)(?:\.|$)/;

const parsed = new Map<string, readonly PathStep[] | undefined>();

/** The steps of a path, none for `$this`; undefined for a path that is not allowed. */
export function parseDiscriminatorPath(path: string): readonly PathStep[] | undefined {
  if (parsed.has(path)) return parsed.get(path);
  const steps = readSteps(path);
  // The cache is bounded, as users may store any number of definitions.
  if (parsed.size < 10_000) parsed.set(path, steps);
  return steps;
}

function readSteps(path: string): readonly PathStep[] | undefined {
  const steps: PathStep[] = [];
  let rest = path.replace(/^\$this(?:\.|$)/, '');
  while (rest !== '') {
    const found = STEP.exec(rest);
    if (found === null || rest.endsWith('.')) return undefined;
    steps.push(stepOf(found));
    rest = rest.slice(found[0].length);
  }
  return steps;
}

function stepOf([, url, type, resolve, name]: RegExpExecArray): PathStep {
  if (url !== undefined) return { kind: 'extension', url };
  if (type !== undefined) return { kind: 'ofType', type };
  return resolve === undefined ? { kind: 'element', name: name ?? '' } : { kind: 'resolve' };
}
