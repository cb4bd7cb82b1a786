// What is chosen on a screen, kept in its address, so that it can be sent, reloaded and gone back to.
import { useNavigate, useSearch } from '@tanstack/react-router';

export type Chosen = Readonly<Record<string, string | undefined>>;

/** The parameters of the address, and how some of them are changed. Another choice begins at the first page again. */
export function useAddress(): [Chosen, (change: Chosen) => void] {
  const search = useSearch({ strict: false }) as Readonly<Record<string, unknown>>;
  const navigate = useNavigate();
  const change = (next: Chosen) => {
    // From what the address is by then: two changes may come before the screen is drawn again.
    const merge = (now: Readonly<Record<string, unknown>>) => {
      const merged = Object.entries({ ...chosenIn(now), page: undefined, ...next });
      const kept = merged.filter(([, value]) => value !== undefined);
      return Object.fromEntries(kept.map(([name, value]) => [name, plain(value ?? '')]));
    };
    void navigate({ to: '.', search: merge as never });
  };
  return [chosenIn(search), change];
}

function chosenIn(search: Readonly<Record<string, unknown>>): Chosen {
  return Object.fromEntries(Object.entries(search).map(([name, value]) => [name, String(value)]));
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
