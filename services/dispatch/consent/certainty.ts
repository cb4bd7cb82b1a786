// Kleene's three-valued logic: how the consent gate (decision D7) keeps "cannot be evaluated" apart from yes and no
// until the end, where it counts as a denial.

export type Certainty = 'yes' | 'no' | 'unknown';

export function certain(value: boolean): Certainty {
  return value ? 'yes' : 'no';
}

/** No as soon as one is no; else unknown when one is unknown. */
export function allOf(values: readonly Certainty[]): Certainty {
  if (values.includes('no')) return 'no';
  return values.includes('unknown') ? 'unknown' : 'yes';
}

/** Yes as soon as one is yes; else unknown when one is unknown. */
export function anyOf(values: readonly Certainty[]): Certainty {
  if (values.includes('yes')) return 'yes';
  return values.includes('unknown') ? 'unknown' : 'no';
}

export function not(value: Certainty): Certainty {
  switch (value) {
    case 'yes':
      return 'no';
    case 'no':
      return 'yes';
    default:
      return 'unknown';
  }
}
