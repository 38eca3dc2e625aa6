import { createRootRoute, createRoute, createRouter, lazyRouteComponent, redirect } from '@tanstack/react-router';
import { workspaceSearch } from './customers/workspace-search.ts';
import { renewalsSearch } from './renewals/renewals-search.ts';
import { NotFound } from './shell/not-found.tsx';
import { Shell } from './shell/shell.tsx';

const root = createRootRoute({ component: Shell, notFoundComponent: NotFound });

const home = createRoute({
  getParentRoute: () => root,
  path: '/',
  beforeLoad: () => {
    throw redirect({ to: '/customers' });
  },
});

const customers = createRoute({
  getParentRoute: () => root,
  path: '/customers',
  validateSearch: (search): { query?: string; unread?: true } => ({
    ...(typeof search.query === 'string' && search.query !== '' && { query: search.query }),
    ...(search.unread === true && { unread: true }),
  }),
  component: lazyRouteComponent(() => import('./customers/customers-page.tsx'), 'CustomersPage'),
});

const workspace = createRoute({
  getParentRoute: () => root,
  path: '/customers/$id',
  validateSearch: workspaceSearch,
  component: lazyRouteComponent(() => import('./customers/workspace-page.tsx'), 'WorkspacePage'),
});

const renewals = createRoute({
  getParentRoute: () => root,
  path: '/renewals',
  validateSearch: renewalsSearch,
  component: lazyRouteComponent(() => import('./renewals/renewals-page.tsx'), 'RenewalsPage'),
});

export const router = createRouter({
  routeTree: root.addChildren([home, customers, workspace, renewals]),
  defaultPreload: 'intent',
  scrollRestoration: true,
});

declare module '@tanstack/react-router' {
  interface Register {
    router: typeof router;
  }
}
