// What is chosen on a screen, kept in its address, so that it can be sent, reloaded and gone back to.
import { useNavigate, useSearch } from '@tanstack/react-router';

export type Chosen = Readonly<Record<string, string | undefined>>;

/** The parameters of the address, and how some of them are changed. Another choice begins at the first page again. */
export function useAddress(): [Chosen, (change: Chosen) => void] {
  const search = useSearch({ strict: false }) as Readonly<Record<string, unknown>>;
  const navigate = useNavigate();
  const entries = Object.entries(search).map(([name, value]) => [name, String(value)] as const);
  const chosen: Chosen = Object.fromEntries(entries);
  const change = (next: Chosen) => {
    const merged = Object.entries({ ...chosen, page: undefined, ...next }).filter(([, value]) => value !== undefined);
    const to = Object.fromEntries(merged.map(([name, value]) => [name, plain(value ?? '')]));
    void navigate({ to: '.', search: to as never });
  };
  return [chosen, change];
}

/** The page of a list, from 1. */
export function pageIn({ page }: Chosen): number {
  return Math.max(1, Math.trunc(Number(page)) || 1);
}

/** One of the values, or none. */
export function oneOf<Value extends string>(values: readonly Value[], chosen: string | undefined): Value | undefined {
  return values.find((value) => value === chosen);
}

/** The router writes numbers without quotes. */
function plain(value: string): string | number {
  return String(Number(value)) === value ? Number(value) : value;
}
