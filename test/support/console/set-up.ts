// What the browser tests of the console's faces begin with. That is the whole system, Chromium, and somebody who has
// signed in. Also the walk through a face's screens, which must be whole in every view.
import assert from 'node:assert/strict';
import type { Browser, Page } from 'playwright-core';
import type { Hooks } from '#test/support/hooks.ts';
import { findings, skipReason, startBrowser } from '#test/support/system/browser.ts';
import { type ConsoleScene, startScene } from './scene.ts';
import { picture, type SignedIn, settled, signIn, type View, type Visitor, visit } from './visitor.ts';

/** The two views that each screen is walked in: between them they have both languages, both themes, and 320 px. */
const USUAL_VIEWS: readonly View[] = [
  { language: 'sv', colorScheme: 'light', width: 320 },
  { language: 'en', colorScheme: 'dark', width: 1280 },
];
/** The other pairs of language and theme, at the other width: with `KEDJA_VIEWS=all`. */
const OTHER_VIEWS: readonly View[] = [
  { language: 'sv', colorScheme: 'dark', width: 1280 },
  { language: 'en', colorScheme: 'light', width: 320 },
];
export const FACE_VIEWS = process.env['KEDJA_VIEWS'] === 'all' ? [...USUAL_VIEWS, ...OTHER_VIEWS] : USUAL_VIEWS;

/** The most script of a first view, compressed, in bytes (decision K). */
const MOST_SCRIPT = 170_000;
/** What people who are no technicians do not read. */
const TECHNICAL_WORDS = /CarePlan|ServiceRequest|Questionnaire|Observation\/|FHIR|\bundefined\b|\bnull\b/;

export interface ConsoleTest {
  /** The reason for which the tests of the file are skipped, or false. */
  readonly skip: string | false;
  /** Undefined where the tests are skipped. */
  readonly scene: ConsoleScene | undefined;
  readonly gateway: string;
  signIn(email: string, home: string, password?: string): Promise<SignedIn>;
  /** A window of the person, or of another one who has signed in. */
  visitor(view: View, state?: SignedIn): Promise<Visitor>;
}

/** @param person who signs in at the start, and the first screen of their face; left out, `visitor` takes who it is */
export async function startConsole(
  hooks: Hooks,
  person?: { readonly email: string; readonly home: string },
  environment?: Readonly<Record<string, string>>,
): Promise<ConsoleTest> {
  const skip = skipReason() ?? false;
  const scene = skip === false ? await startScene(hooks, environment) : undefined;
  const browser = skip === false ? await startBrowser(hooks) : undefined;
  const gateway = scene?.addresses.gateway ?? '';
  const enter = (email: string, home: string, password?: string) =>
    signIn(browser as Browser, gateway, { email, home, password });
  const own = browser === undefined || person === undefined ? undefined : enter(person.email, person.home);
  return {
    skip,
    scene,
    gateway,
    signIn: enter,
    async visitor(view, state) {
      const signedIn = state ?? (await own);
      assert.ok(signedIn !== undefined, 'somebody has signed in');
      return visit(browser as Browser, gateway, signedIn, view);
    },
  };
}

/** What technicians do not read either. */
const NO_WORDS = /\bundefined\b|\[object /;

/**
 * The names of what can have the focus, and does not show that it has: by an outline of its own, or of its label.
 * A part of the page that gets the focus by script alone needs none.
 */
const WITHOUT_FOCUS = `(() => {
  const last = document.activeElement;
  const hasOutline = (element) => {
    const { outlineStyle, outlineWidth } = getComputedStyle(element);
    return outlineStyle !== 'none' && Number.parseFloat(outlineWidth) >= 2;
  };
  const found = [...document.querySelectorAll('a[href], button, input, select, textarea, summary, [tabindex="0"]')]
    .filter((element) => element.checkVisibility({ visibilityProperty: true }) && !element.disabled)
    .filter((element) => {
      element.focus({ preventScroll: true, focusVisible: true });
      if (document.activeElement !== element) return false;
      return !hasOutline(element) && ![...(element.labels ?? [])].some(hasOutline);
    });
  last?.focus?.({ preventScroll: true });
  return found.map((element) => element.outerHTML.slice(0, 200));
})()`;

/** What is shown now: axe finds nothing, it is no wider than the view, and its words are plain. */
export async function checkScreen(page: Page, name: string, width: number, refused = TECHNICAL_WORDS): Promise<void> {
  assert.deepEqual(await findings(page), [], name);
  const shown = Number(await page.evaluate('document.documentElement.scrollWidth'));
  assert.ok(shown <= width, `${name} is ${shown} px wide`);
  assert.doesNotMatch(String(await page.textContent('main')), refused, name);
}

interface Walk {
  readonly gateway: string;
  /** The first one is the first view of the face. */
  readonly screens: readonly string[];
  readonly view: View;
  /** Whether the face is for technicians, and has their words. */
  readonly isTechnical?: boolean;
  /** The name of a screen's picture; from its address when left out. */
  readonly pictureOf?: (address: string) => string;
}

/** Opens and checks each screen; of the first one also that it needs no more script than it may. */
export async function walkScreens(visitor: Visitor, walk: Walk): Promise<void> {
  const { page, complaints } = visitor;
  const { gateway, screens, view, pictureOf = (address) => address.replace(/[0-9a-f-]{36}/, 'id') } = walk;
  const sizes: Promise<number>[] = [];
  page.on('requestfinished', (request) => {
    if (request.resourceType() === 'script')
      // What is still read when the page closes has no size any more.
      sizes.push(
        request.sizes().then(
          ({ responseBodySize }) => responseBodySize,
          () => 0,
        ),
      );
  });
  await page.goto(`${gateway}${screens[0]}`);
  await settled(page);
  const script = (await Promise.all(sizes)).reduce((sum, size) => sum + size, 0);
  assert.ok(script > 50_000 && script <= MOST_SCRIPT, `${script} bytes of script`);
  assert.equal(await page.getAttribute('html', 'lang'), view.language);
  for (const address of screens) {
    await page.goto(`${gateway}${address}`);
    await settled(page);
    await checkScreen(page, address, view.width, walk.isTechnical === true ? NO_WORDS : TECHNICAL_WORDS);
    assert.deepEqual(await page.evaluate(WITHOUT_FOCUS), [], `${address}: the focus can be seen`);
    await picture(page, `${view.language}-${view.width}${pictureOf(address).replaceAll(/\W/g, '-')}`);
  }
  assert.deepEqual(complaints, []);
}
