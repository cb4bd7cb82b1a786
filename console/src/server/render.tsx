// Renders the first view of a face at the gateway, for the person whose session it is. The browser paints it before it
// has run any script, and the console then goes on from there (docs/adr/0130). Each rendering has its own router and
// its own store of what was read; nothing of a person outlives it.
import { AsyncLocalStorage } from 'node:async_hooks';
import { dehydrate, QueryClient } from '@tanstack/react-query';
import { createMemoryHistory } from '@tanstack/react-router';
import { renderToString } from 'react-dom/server';
import { I18nextProvider } from 'react-i18next';
import type { FirstView } from '../../../gateway/console/rendered-view.ts';
import { isPassing, Problem } from '../api/problem.ts';
import { App } from '../app/app.tsx';
import type { FirstState } from '../app/hydration.ts';
import { isUnread, queryDefaults } from '../app/queries.ts';
import { createAppRouter } from '../app/router.tsx';
import { startAllTexts, textsIn } from '../i18n/i18n.ts';
import { findServerPlaceBy, type ServerPlace } from '../place.ts';
import { FACES, homeOf } from '../shell/faces.ts';
import { readMe } from '../shell/me.ts';
import { viewOf } from './first-view.ts';

const places = new AsyncLocalStorage<ServerPlace>();
findServerPlaceBy(() => places.getStore());

/** Where a face begins. */
const HOMES: ReadonlySet<string> = new Set(FACES.map(({ screens }) => screens[0].path));
/** What is read first may say what else is to be read. */
const MOST_ROUNDS = 4;

/**
 * The first view at the path; undefined where there is none, so that the browser makes it.
 * @throws Problem when something cannot be read
 */
export function render(path: string, place: ServerPlace): Promise<FirstView | undefined> {
  return places.run(place, async () => {
    if (path === '/') return { redirect: homeOf(await readMe()) };
    return HOMES.has(path) ? renderScreen(path, place) : undefined;
  });
}

async function renderScreen(
  path: string,
  { language, colorScheme, nonce }: ServerPlace,
): Promise<FirstView | undefined> {
  await startAllTexts();
  const router = createAppRouter(createMemoryHistory({ initialEntries: [path] }));
  const { queries: common } = queryDefaults;
  const queries = new QueryClient({ defaultOptions: { queries: { ...common, retry: false, retryOnMount: false } } });
  const texts = textsIn(language);
  const colorSchemes = {
    get: () => colorScheme,
    set: () => undefined,
    subscribe: () => undefined,
    unsubscribe: () => undefined,
    clear: () => undefined,
  };
  const tree = (
    <I18nextProvider i18n={texts}>
      <App router={router} queries={queries} colorSchemes={colorSchemes} nonce={nonce} />
    </I18nextProvider>
  );
  await router.load();
  for (let round = 0; round < MOST_ROUNDS; round += 1) {
    const html = renderToString(tree);
    const unread = queries.getQueryCache().getAll().filter(isUnread);
    if (unread.length === 0) return viewOf(html, stateOf(queries));
    await Promise.all(unread.map((query) => query.fetch().catch(refusalOnly)));
  }
  return undefined;
}

/** What was refused is shown as that; other failures are left to the browser, which tries again or renews. */
function refusalOnly(error: unknown): void {
  if (!(error instanceof Problem) || error.status === 401 || isPassing(error)) throw error;
}

/** With what was refused, by its response. */
function stateOf(queries: QueryClient): FirstState {
  const { queries: read } = dehydrate(queries);
  const refused = queries
    .getQueryCache()
    .getAll()
    .flatMap(({ queryKey, state: { error } }) =>
      error instanceof Problem
        ? [{ queryKey, status: error.status, body: error.body, requestId: error.requestId }]
        : [],
    );
  return { read, refused };
}
