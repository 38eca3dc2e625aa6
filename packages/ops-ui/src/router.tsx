import { createRootRoute, createRoute, createRouter, lazyRouteComponent, redirect } from '@tanstack/react-router';
import { workspaceSearch } from './customers/workspace-search.ts';
import { importSearch } from './imports/import-words.ts';
import { dryRunSearch } from './renewals/dry-run-search.ts';
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

const customerImport = createRoute({
  getParentRoute: () => root,
  path: '/customers/import',
  validateSearch: importSearch,
  component: lazyRouteComponent(() => import('./imports/import-page.tsx'), 'CustomerImportPage'),
});

const renewalImport = createRoute({
  getParentRoute: () => root,
  path: '/renewals/import',
  validateSearch: importSearch,
  component: lazyRouteComponent(() => import('./imports/import-page.tsx'), 'RenewalImportPage'),
});

const dryRun = createRoute({
  getParentRoute: () => root,
  path: '/renewals/dry-run',
  validateSearch: dryRunSearch,
  component: lazyRouteComponent(() => import('./renewals/dry-run-page.tsx'), 'DryRunPage'),
});

export const router = createRouter({
  routeTree: root.addChildren([home, customers, customerImport, workspace, renewalImport, dryRun]),
  defaultPreload: 'intent',
  scrollRestoration: true,
});

declare module '@tanstack/react-router' {
  interface Register {
    router: typeof router;
  }
}
