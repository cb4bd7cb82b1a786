// Text that is being typed, kept in the tab until it has been sent, so that neither a reload nor a sign-in loses it.
import { useState } from 'react';

/** The text, how it changes, and how it is forgotten. `start` is what stands there before anything is typed. */
export function useKept(name: string, start: string): [string, (text: string) => void, () => void] {
  const key = `kedja-${name}`;
  const [typed, setTyped] = useState(() => sessionStorage.getItem(key) ?? undefined);
  const change = (text: string) => {
    setTyped(text);
    try {
      sessionStorage.setItem(key, text);
    } catch {
      // Too large to be kept: it stays on the page, and an older text must not come back in its place.
      sessionStorage.removeItem(key);
    }
  };
  const drop = () => {
    setTyped(undefined);
    sessionStorage.removeItem(key);
  };
  return [typed ?? start, change, drop];
}
