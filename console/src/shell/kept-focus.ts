// Nobody who uses the keyboard or a screen reader starts again at the top of the page. What has the focus may be taken
// away, or become inactive, as a button does whose act is done. The focus then goes to what stood before it.

/** Parts of a screen that may get the focus where nothing before it is left. */
const AROUND = 'dialog, fieldset, li, form, section, main';
/** Of each part around it. */
const MOST_BEFORE = 5;
/** Screens that move the focus themselves do so at once, or with the next picture. */
const OWN_WAY_MS = 100;

/** Returns how to end it. */
export function keepFocus(document: Document): () => void {
  let last: HTMLElement | undefined;
  let places: readonly Element[] = [];
  let timer: ReturnType<typeof setTimeout> | undefined;

  const remember = ({ target }: Event): void => {
    if (!(target instanceof HTMLElement) || target === document.body) return;
    last = target;
    places = placesOf(target);
  };
  /** A press on the page beside it is meant to take the focus away. */
  const forget = ({ target }: Event): void => {
    if (target instanceof Node && last?.contains(target) !== true) last = undefined;
  };
  const restore = (): void => {
    timer = undefined;
    if (last === undefined || hasFocus(document)) return;
    if (isThere(last)) {
      last.focus({ preventScroll: true });
      if (hasFocus(document) || isUnderWay(last)) return;
    }
    const next = places.find(isThere);
    if (!(next instanceof HTMLElement)) return;
    next.focus({ preventScroll: true });
    if (hasFocus(document)) return;
    next.tabIndex = -1;
    next.focus({ preventScroll: true });
  };
  const observer = new MutationObserver(() => {
    if (timer === undefined && last !== undefined && !hasFocus(document)) timer = setTimeout(restore, OWN_WAY_MS);
  });

  document.addEventListener('focusin', remember);
  document.addEventListener('pointerdown', forget, true);
  observer.observe(document.body, { subtree: true, childList: true, attributes: true, attributeFilter: ['disabled'] });
  return () => {
    clearTimeout(timer);
    observer.disconnect();
    document.removeEventListener('focusin', remember);
    document.removeEventListener('pointerdown', forget, true);
  };
}

function hasFocus({ activeElement, body }: Document): boolean {
  return activeElement !== null && activeElement !== body;
}

function isThere(element: Element): boolean {
  return element.isConnected && element.checkVisibility();
}

/** A button that is inactive for a moment, while its act is pending. */
function isUnderWay(element: HTMLElement): boolean {
  return element.dataset['loading'] !== undefined;
}

/** What is before the element, from the nearest outwards, and what is around it. */
function placesOf(element: Element): Element[] {
  const { parentElement: parent } = element;
  if (parent === null || element.matches('main')) return [];
  const own = parent.matches(AROUND) ? [parent] : [];
  return [...before(element, MOST_BEFORE), ...own, ...placesOf(parent)];
}

function before({ previousElementSibling: sibling }: Element, most: number): Element[] {
  return sibling === null || most === 0 ? [] : [sibling, ...before(sibling, most - 1)];
}
