// The first script of the console's page: it runs before anything is painted, and is the only one within the page,
// allowed by its hash.
import { sha256 } from '#lib/crypto/secret.ts';

/**
 * It starts the console when the first view is painted: run at once, the scripts would hold it up. Where there is no
 * frame, as in a tab that nobody sees, it starts soon. A button that is pressed meanwhile is pressed again then.
 *
 * Before that: the look, which may follow that of the system; and whether the view was rendered for other choices than
 * this tab's: of language, look, time zone, or person. Such a view is never seen. Zones are compared by their offset:
 * to ask for the name takes longer than all the rest.
 */
export const EARLY_SCRIPT = `(() => {
  const root = document.documentElement;
  const read = (storage, name) => { try { return window[storage].getItem(name); } catch { return null; } };
  const look = read('localStorage', 'mantine-color-scheme-value') ?? 'auto';
  const isDark = look === 'auto' ? matchMedia('(prefers-color-scheme: dark)').matches : look === 'dark';
  root.dataset.mantineColorScheme = isDark ? 'dark' : 'light';
  const language = read('localStorage', 'kedja-language') ?? root.lang;
  const own = [language, look, -new Date().getTimezoneOffset()].join('.');
  if (own !== (root.dataset.view ?? own) || read('sessionStorage', 'kedja-acting-for') !== null) root.dataset.foreign = '';
  let pressed;
  const keep = (event) => {
    const button = event.target.closest?.('#root button');
    if (button === null) return;
    event.preventDefault();
    pressed = button;
  };
  document.addEventListener('click', keep, true);
  document.addEventListener('kedja-started', () => {
    document.removeEventListener('click', keep, true);
    root.dataset.started = '';
    if (pressed?.isConnected) pressed.click();
  }, { once: true });
  let isStarted = false;
  const start = () => {
    if (isStarted) return;
    isStarted = true;
    for (const { href } of document.querySelectorAll('link[data-start]')) {
      const script = document.createElement('script');
      Object.assign(script, { type: 'module', crossOrigin: '', async: false, src: href });
      document.head.append(script);
    }
  };
  document.addEventListener('DOMContentLoaded', () => {
    if (document.getElementById('first-view') === null) return start();
    setTimeout(start, 500);
    requestAnimationFrame(() => setTimeout(start));
  });
})();`;

/** For the policy of the page. */
export const EARLY_HASH = `sha256-${sha256(EARLY_SCRIPT).toString('base64')}`;

/** Rules that hold before any style sheet of the console. */
export const EARLY_STYLE = '[data-foreign] #root{visibility:hidden}';
