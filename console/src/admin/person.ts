// People as the services of administration name them.

interface Named {
  readonly first_name: string | null;
  readonly last_name: string | null;
  /** Null of a child without an account of its own. */
  readonly email: string | null;
}

/** The name; of who has none, the address. */
export function nameOf({ first_name: first, last_name: last, email }: Named): string {
  const name = [first, last].filter((part) => part !== null && part !== '').join(' ');
  return name === '' ? (email ?? '') : name;
}
