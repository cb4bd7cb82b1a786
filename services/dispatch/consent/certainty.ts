// Kleene's three-valued logic for the consent gate (decision D7). It keeps "cannot be evaluated" apart from yes and no
// until the end, where it counts as a denial.

export type Certainty = 'yes' | 'no' | 'unknown';

export function certain(value: boolean): Certainty {
  return value ? 'yes' : 'no';
}

/** No if one is no; else unknown if one is unknown. */
export function allOf(values: readonly Certainty[]): Certainty {
  if (values.includes('no')) return 'no';
  return values.includes('unknown') ? 'unknown' : 'yes';
}

/** Yes if one is yes; else unknown if one is unknown. */
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
