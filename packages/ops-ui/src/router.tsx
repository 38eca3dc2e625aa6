import { createRootRoute, createRoute, createRouter, lazyRouteComponent, redirect } from '@tanstack/react-router';
import { workspaceSearch } from './customers/workspace-search.ts';
import { NotFound } from './shell/not-found.tsx';
import { Shell } from './shell/shell.tsx';
import { tasksSearch } from './tasks/tasks-search.ts';

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

const tasks = createRoute({
  getParentRoute: () => root,
  path: '/tasks',
  validateSearch: tasksSearch,
  component: lazyRouteComponent(() => import('./tasks/tasks-page.tsx'), 'TasksPage'),
});

const unmatched = createRoute({
  getParentRoute: () => root,
  path: '/unmatched',
  validateSearch: (search): { linked?: true } => (search.linked === true ? { linked: true } : {}),
  component: lazyRouteComponent(() => import('./unmatched/unmatched-page.tsx'), 'UnmatchedPage'),
});

export const router = createRouter({
  routeTree: root.addChildren([home, customers, workspace, tasks, unmatched]),
  defaultPreload: 'intent',
  scrollRestoration: true,
});

declare module '@tanstack/react-router' {
  interface Register {
    router: typeof router;
  }
}
