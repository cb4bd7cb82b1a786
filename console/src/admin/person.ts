// People as the services of administration name them.

interface Named {
  readonly first_name: string | null;
  readonly last_name: string | null;
  readonly email: string;
}

/** The name; of who has none, the address. */
export function nameOf({ first_name: first, last_name: last, email }: Named): string {
  const name = [first, last].filter((part) => part !== null && part !== '').join(' ');
  return name === '' ? email : name;
}
