// The first script of the console's page: it runs before anything is painted, and is the only one within the page,
// allowed by its hash.
import { sha256 } from '#lib/crypto/secret.ts';

/**
 * It starts the console when the first view is painted: run at once, the scripts would hold it up. Where there is no
 * frame, as in a tab that nobody sees, it starts soon. What is typed or chosen in a field meanwhile is entered again
 * then, and a button that is pressed is pressed again. Where the console made the elements again, it is the one of the
 * same name, if there is only one. React reports an input where the value is another than it last saw set. So another
 * one is set first, then the entered one by the setter of the element's class, which React does not see.
 *
 * The frame of the screen may answer before the screen does: React has marked its elements. A press of such a button is
 * React's alone, or it would count twice. What is entered never reaches React before the start: it would take over the
 * elements at once, with the values of the view, between the two events of one choice.
 *
 * Before that it sets the look, which may follow that of the system. It also decides whether the view was rendered for
 * other choices than this tab's: of language, look, time zone, or person. Such a view is never seen. Zones are compared
 * by their offset: to ask for the name takes longer than all the rest.
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
  const nameOf = (element) => [element.type, (element.labels?.[0] ?? element).textContent].join();
  const again = (element, name) => {
    if (element.isConnected) return element;
    const alike = [...document.querySelectorAll('#root ' + element.tagName)].filter((each) => nameOf(each) === name);
    return alike.length === 1 ? alike[0] : undefined;
  };
  let press = () => undefined;
  const edited = new Map();
  const keepPress = (event) => {
    if (event.target.matches?.('#root :is([type=checkbox], [type=radio])')) return event.stopPropagation();
    const button = event.target.closest?.('#root button');
    if (!button || Object.keys(button).some((key) => key.startsWith('__reactProps'))) return;
    event.preventDefault();
    event.stopPropagation();
    const name = nameOf(button);
    press = () => again(button, name)?.click();
  };
  const keepEdit = (event) => {
    const { target } = event;
    if (target.closest('#root') === null) return;
    event.stopPropagation();
    const value = target.type === 'checkbox' || target.type === 'radio' ? target.checked : target.value;
    edited.set(target, { name: nameOf(target), value });
  };
  const editAgain = (field, value) => {
    if (typeof value === 'boolean') {
      field.checked = !value;
      return field.click();
    }
    if (field.type !== 'file') {
      const at = field.selectionStart;
      field.value = value + ' ';
      Object.getOwnPropertyDescriptor(Object.getPrototypeOf(field), 'value').set.call(field, value);
      if (typeof at === 'number') field.setSelectionRange(at, at);
    }
    for (const type of ['input', 'change']) field.dispatchEvent(new Event(type, { bubbles: true }));
  };
  document.addEventListener('click', keepPress, true);
  for (const type of ['input', 'change']) document.addEventListener(type, keepEdit, true);
  document.addEventListener('kedja-started', () => {
    document.removeEventListener('click', keepPress, true);
    for (const type of ['input', 'change']) document.removeEventListener(type, keepEdit, true);
    root.dataset.started = '';
    for (const [element, { name, value }] of edited) {
      const field = again(element, name);
      if (field !== undefined) editAgain(field, value);
    }
    setTimeout(() => press());
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
