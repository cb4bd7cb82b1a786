// What is asked of the terminology, in the address of the screen.
import { useNavigate, useSearch } from '@tanstack/react-router';

export type Asked = Readonly<Record<string, string>>;

const NUMBER = /^(?:0|[1-9]\d{0,8})$/;

/** What the address asks, by the names of fields, and how something else is asked. */
export function useAsked(names: readonly string[]): [Asked, (next: Asked) => void] {
  const search = useSearch({ strict: false }) as Readonly<Record<string, unknown>>;
  const navigate = useNavigate();
  const asked = Object.fromEntries(
    names.flatMap((name) => (search[name] === undefined ? [] : [[name, String(search[name])]])),
  );
  // The router writes texts that look like numbers in quotes, and numbers as they are.
  const plain = (value: string) => (NUMBER.test(value) ? Number(value) : value);
  const ask = (next: Asked) => {
    const search = Object.fromEntries(Object.entries(filled(next)).map(([name, value]) => [name, plain(value)]));
    void navigate({ to: '.', search });
  };
  return [asked, ask];
}

/** Without what is empty. */
export function filled(asked: Asked): Asked {
  return Object.fromEntries(
    Object.entries(asked).flatMap(([name, value]) => (value.trim() === '' ? [] : [[name, value.trim()]])),
  );
}
