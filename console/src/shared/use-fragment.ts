// A part of a screen that the address names, as `#forms`. The browser looks for it before the screen has been read.
import { useEffect } from 'react';

/** Goes to the part, and gives it the focus, once the screen is there. */
export function useFragment(isThere: boolean): void {
  useEffect(() => {
    const name = window.location.hash.slice(1);
    const part = isThere && name !== '' ? document.getElementById(name) : null;
    part?.scrollIntoView();
    part?.focus({ preventScroll: true });
  }, [isThere]);
}
