// The addresses of the console. Each screen is loaded when it is opened, or when its link is about to be pressed. The
// gateway sends the page for these addresses (gateway/console/pages.ts).
import {
  createRootRoute,
  createRoute,
  createRouter,
  lazyRouteComponent,
  type RouteComponent,
} from '@tanstack/react-router';
import { HomeRedirect } from '../shell/home-redirect.tsx';
import { NotFound } from '../shell/not-found.tsx';
import { RouteError } from '../shell/route-error.tsx';
import { Shell } from '../shell/shell.tsx';

const root = createRootRoute({ component: Shell, notFoundComponent: NotFound, errorComponent: RouteError });
const at = (path: string, component: RouteComponent) => createRoute({ getParentRoute: () => root, path, component });

const routes = [
  at('/', HomeRedirect),
  at(
    '/my',
    lazyRouteComponent(() => import('../my/overview.tsx'), 'Overview'),
  ),
  at(
    '/my/plan',
    lazyRouteComponent(() => import('../my/plan/plan-page.tsx'), 'PlanPage'),
  ),
  at(
    '/my/forms',
    lazyRouteComponent(() => import('../my/forms/forms-page.tsx'), 'FormsPage'),
  ),
  at(
    '/my/forms/$guid',
    lazyRouteComponent(() => import('../my/forms/form-page.tsx'), 'FormPage'),
  ),
  at(
    '/my/values',
    lazyRouteComponent(() => import('../my/values/values-page.tsx'), 'ValuesPage'),
  ),
  at(
    '/my/carers',
    lazyRouteComponent(() => import('../my/carers-page.tsx'), 'CarersPage'),
  ),
  at(
    '/my/consents',
    lazyRouteComponent(() => import('../my/consents/consents-page.tsx'), 'ConsentsPage'),
  ),
  at(
    '/my/log',
    lazyRouteComponent(() => import('../my/log-page.tsx'), 'LogPage'),
  ),
  at(
    '/my/proxies',
    lazyRouteComponent(() => import('../my/proxies-page.tsx'), 'ProxiesPage'),
  ),
  at(
    '/account',
    lazyRouteComponent(() => import('../account/account-page.tsx'), 'AccountPage'),
  ),
];

export function createAppRouter() {
  return createRouter({ routeTree: root.addChildren(routes), defaultPreload: 'intent', scrollRestoration: true });
}
