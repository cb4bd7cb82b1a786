// A part of a screen that the address names, as `#forms`. The browser looks for it before the screen has been read.
import { useEffect } from 'react';

/**
 * Goes to the part, and gives it the focus, once the screen is there and shown (shell/whole.ts).
 * @param named by the router, which is ahead of the browser's address; that one's without it
 */
export function useFragment(isThere: boolean, named?: string): void {
  useEffect(() => {
    const name = named ?? window.location.hash.slice(1);
    const part = isThere && name !== '' ? document.getElementById(name) : null;
    if (part === null) return undefined;
    let frame = 0;
    const go = () => {
      if (!part.checkVisibility({ visibilityProperty: true })) {
        frame = requestAnimationFrame(go);
        return;
      }
      part.scrollIntoView();
      part.focus({ preventScroll: true });
    };
    go();
    return () => cancelAnimationFrame(frame);
  }, [isThere, named]);
}
