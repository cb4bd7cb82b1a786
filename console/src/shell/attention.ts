// Whether somebody is at the screen. What the console reads by itself would keep a session alive that nobody uses, so
// it does so only while there is input.
import { serverPlace } from '../place.ts';

/** After the last input. */
const ATTENDED_MS = 2 * 60_000;
const CHECK_MS = 5_000;
const INPUTS = ['pointerdown', 'pointermove', 'keydown', 'wheel'] as const;

let inputAt = Date.now();

function isAttended(): boolean {
  if (serverPlace() !== undefined) return false;
  return document.visibilityState === 'visible' && Date.now() - inputAt < ATTENDED_MS;
}

/** Of a query: read again after so long, while the page is in use. */
export function whileAttended(milliseconds: number): number | false {
  return isAttended() ? milliseconds : false;
}

/** Reports each change; returns how to stop. */
export function watchAttention(onChange: (isAttended: boolean) => void): () => void {
  let was = isAttended();
  const check = () => {
    const is = isAttended();
    if (is === was) return;
    was = is;
    onChange(is);
  };
  const note = () => {
    inputAt = Date.now();
    check();
  };
  const timer = setInterval(check, CHECK_MS);
  for (const input of INPUTS) window.addEventListener(input, note, { passive: true });
  document.addEventListener('visibilitychange', check);
  return () => {
    clearInterval(timer);
    for (const input of INPUTS) window.removeEventListener(input, note);
    document.removeEventListener('visibilitychange', check);
  };
}
