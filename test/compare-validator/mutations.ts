// Everything that a mutation may do to a valid resource, by name. Each strikes one place, chosen by the seed; some
// leave the resource valid, as a validator errs in both directions.
import { pick } from '#test/support/random.ts';
import { NARRATIVES } from './mutations-of-narratives.ts';
import { BUNDLES, CONTAINED, PROFILES } from './mutations-of-resources.ts';
import { CARDINALITY, CHOICES, ELEMENTS, FORMS } from './mutations-of-structure.ts';
import { EXTENSIONS, INVARIANTS, REFERENCES } from './mutations-of-types.ts';
import { CODES, PRIMITIVES } from './mutations-of-values.ts';
import { type Json, type Mutation, placesOf } from './places.ts';

/** The mutations by what they strike. */
export const FAMILIES: Readonly<Record<string, Readonly<Record<string, Mutation>>>> = {
  elements: ELEMENTS,
  'JSON forms': FORMS,
  cardinality: CARDINALITY,
  'choice types': CHOICES,
  primitives: PRIMITIVES,
  codes: CODES,
  references: REFERENCES,
  extensions: EXTENSIONS,
  invariants: INVARIANTS,
  contained: CONTAINED,
  narratives: NARRATIVES,
  bundles: BUNDLES,
  profiles: PROFILES,
};

export interface Mutant {
  /** The example it was made of. */
  readonly base: string;
  readonly family: string;
  readonly mutation: string;
  readonly place: string;
  /** The resource as JSON in one line. */
  readonly text: string;
}

export interface Base {
  readonly name: string;
  readonly text: string;
}

/** How many examples are looked at for one that has a place for a mutation. */
const TRIES = 80;

/**
 * As many different mutants. Each family has as many as the others, and within it each mutation, as far as there are
 * places for it. The same seed gives the same ones.
 */
export function makeMutants(bases: readonly Base[], count: number, random: () => number): Mutant[] {
  const mutants = new Map<string, Mutant>();
  const families = Object.entries(FAMILIES);
  for (let attempt = 0; mutants.size < count && attempt < count * 3; attempt += 1) {
    const [family, mutations] = families[attempt % families.length] ?? ['', {}];
    const names = Object.keys(mutations);
    const mutation = names[Math.floor(attempt / families.length) % names.length] ?? '';
    const mutant = findMutant(bases, { family, mutation, mutate: mutations[mutation] }, random);
    if (mutant !== undefined) mutants.set(mutant.text, mutant);
  }
  return [...mutants.values()];
}

interface Named {
  readonly family: string;
  readonly mutation: string;
  readonly mutate: Mutation | undefined;
}

function findMutant(bases: readonly Base[], { mutate, ...named }: Named, random: () => number): Mutant | undefined {
  for (let attempt = 0; attempt < TRIES; attempt += 1) {
    const { name, text } = pick(random, bases);
    const resource: Json = JSON.parse(text);
    const place = mutate?.(placesOf(resource, random));
    const mutated = JSON.stringify(resource);
    if (place !== undefined && mutated !== text) return { base: name, ...named, place, text: mutated };
  }
  return undefined;
}
