// The addresses of the console: the screens of all faces. Each is loaded when it is opened, or when its link is about
// to be pressed. The gateway sends the page for these addresses (gateway/console/pages.ts).
import {
  createRootRoute,
  createRoute,
  createRouter,
  type RouteComponent,
  type RouterHistory,
} from '@tanstack/react-router';
import { FACES } from '../shell/faces.ts';
import { HomeRedirect } from '../shell/home-redirect.tsx';
import { NotFound } from '../shell/not-found.tsx';
import { RouteError } from '../shell/route-error.tsx';
import { Shell } from '../shell/shell.tsx';

export type AppRouter = ReturnType<typeof createAppRouter>;

/**
 * Whether the window may go to the top, or to where it was: each time but at the start, when somebody has scrolled in
 * the view that the gateway rendered. What is under the finger would be another thing.
 */
function mayMove(): () => boolean {
  let isStart = true;
  return () => {
    const hasScrolled = isStart && window.scrollY > 0;
    isStart = false;
    return !hasScrolled;
  };
}

/** @param history without one that of the browser; with one nothing scrolls, as at the gateway */
export function createAppRouter(history?: RouterHistory) {
  const root = createRootRoute({ component: Shell, notFoundComponent: NotFound, errorComponent: RouteError });
  const at = (path: string, component: RouteComponent) => createRoute({ getParentRoute: () => root, path, component });
  const screens = FACES.flatMap((face) => face.screens);
  const routes = [at('/', HomeRedirect), ...screens.map(({ path, component }) => at(path, component))];
  const routeTree = root.addChildren(routes);
  return createRouter({
    routeTree,
    defaultPreload: 'intent',
    scrollRestoration: history === undefined ? mayMove() : false,
    ...(history === undefined ? {} : { history }),
  });
}
