import { createRootRoute, createRoute, createRouter, lazyRouteComponent, redirect } from '@tanstack/react-router';
import { waitingSearch } from './attention/waiting-search.ts';
import { customersSearch } from './customers/customers-search.ts';
import { workspaceSearch } from './customers/workspace-search.ts';
import { importSearch } from './imports/import-words.ts';
import { compareSearch } from './merging/compare-search.ts';
import { dryRunSearch } from './renewals/dry-run-search.ts';
import { renewalsSearch } from './renewals/renewals-search.ts';
import { auditSearch, deadLetterSearch, formSearch, webhookSearch, yearSearch } from './settings/settings-search.ts';
import { Broken } from './shell/broken.tsx';
import { NotFound } from './shell/not-found.tsx';
import { Shell } from './shell/shell.tsx';
import { tasksSearch } from './tasks/tasks-search.ts';
import { unmatchedSearch } from './unmatched/unmatched-search.ts';

const root = createRootRoute({ component: Shell, notFoundComponent: NotFound });

const today = createRoute({
  getParentRoute: () => root,
  path: '/',
  component: lazyRouteComponent(() => import('./today/today-page.tsx'), 'TodayPage'),
});

const waiting = createRoute({
  getParentRoute: () => root,
  path: '/waiting',
  validateSearch: waitingSearch,
  component: lazyRouteComponent(() => import('./attention/waiting-page.tsx'), 'WaitingPage'),
});

const customers = createRoute({
  getParentRoute: () => root,
  path: '/customers',
  validateSearch: customersSearch,
  component: lazyRouteComponent(() => import('./customers/customers-page.tsx'), 'CustomersPage'),
});

const workspace = createRoute({
  getParentRoute: () => root,
  path: '/customers/$id',
  validateSearch: workspaceSearch,
  component: lazyRouteComponent(() => import('./customers/workspace-page.tsx'), 'WorkspacePage'),
});

const compare = createRoute({
  getParentRoute: () => root,
  path: '/customers/$id/merge',
  validateSearch: compareSearch,
  component: lazyRouteComponent(() => import('./merging/compare-page.tsx'), 'ComparePage'),
});

const notSent = createRoute({
  getParentRoute: () => root,
  path: '/not-sent',
  validateSearch: (search): { message?: string } =>
    typeof search.message === 'string' ? { message: search.message } : {},
  component: lazyRouteComponent(() => import('./customers/not-sent-page.tsx'), 'NotSentPage'),
});

const renewals = createRoute({
  getParentRoute: () => root,
  path: '/renewals',
  validateSearch: renewalsSearch,
  component: lazyRouteComponent(() => import('./renewals/renewals-page.tsx'), 'RenewalsPage'),
});

const dryRun = createRoute({
  getParentRoute: () => root,
  path: '/renewals/dry-run',
  validateSearch: dryRunSearch,
  component: lazyRouteComponent(() => import('./renewals/dry-run-page.tsx'), 'DryRunPage'),
});

const customerImport = createRoute({
  getParentRoute: () => root,
  path: '/import/customers',
  validateSearch: importSearch,
  component: lazyRouteComponent(() => import('./imports/import-page.tsx'), 'CustomerImportPage'),
});

const renewalImport = createRoute({
  getParentRoute: () => root,
  path: '/import/renewals',
  validateSearch: importSearch,
  component: lazyRouteComponent(() => import('./imports/import-page.tsx'), 'RenewalImportPage'),
});

const tasks = createRoute({
  getParentRoute: () => root,
  path: '/tasks',
  validateSearch: tasksSearch,
  component: lazyRouteComponent(() => import('./tasks/tasks-page.tsx'), 'TasksPage'),
});

const search = createRoute({
  getParentRoute: () => root,
  path: '/search',
  validateSearch: ({ q }): { q?: string } => (typeof q === 'string' && q !== '' ? { q } : {}),
  component: lazyRouteComponent(() => import('./search/search-page.tsx'), 'SearchPage'),
});

const unmatched = createRoute({
  getParentRoute: () => root,
  path: '/unmatched',
  validateSearch: unmatchedSearch,
  component: lazyRouteComponent(() => import('./unmatched/unmatched-page.tsx'), 'UnmatchedPage'),
});

const runs = createRoute({
  getParentRoute: () => root,
  path: '/runs',
  validateSearch: (search): { run?: string } => (typeof search.run === 'string' ? { run: search.run } : {}),
  component: lazyRouteComponent(() => import('./runs/runs-page.tsx'), 'RunsPage'),
});

const settings = createRoute({
  getParentRoute: () => root,
  path: '/settings',
  component: lazyRouteComponent(() => import('./settings/settings-page.tsx'), 'SettingsPage'),
});

const settingsHome = createRoute({
  getParentRoute: () => settings,
  path: '/',
  beforeLoad: () => {
    throw redirect({ to: '/settings/service-types' });
  },
});

const serviceTypes = createRoute({
  getParentRoute: () => settings,
  path: '/service-types',
  validateSearch: formSearch,
  component: lazyRouteComponent(() => import('./settings/service-types-page.tsx'), 'ServiceTypesPage'),
});

const agents = createRoute({
  getParentRoute: () => settings,
  path: '/agents',
  validateSearch: formSearch,
  component: lazyRouteComponent(() => import('./settings/agents-page.tsx'), 'AgentsPage'),
});

const templates = createRoute({
  getParentRoute: () => settings,
  path: '/templates',
  validateSearch: formSearch,
  component: lazyRouteComponent(() => import('./settings/templates-page.tsx'), 'TemplatesPage'),
});

const replies = createRoute({
  getParentRoute: () => settings,
  path: '/replies',
  component: lazyRouteComponent(() => import('./settings/replies-page.tsx'), 'RepliesPage'),
});

const alertPlan = createRoute({
  getParentRoute: () => settings,
  path: '/alert-plan',
  component: lazyRouteComponent(() => import('./settings/alert-plan-page.tsx'), 'AlertPlanPage'),
});

const calendar = createRoute({
  getParentRoute: () => settings,
  path: '/calendar',
  validateSearch: yearSearch,
  component: lazyRouteComponent(() => import('./settings/calendar-page.tsx'), 'CalendarPage'),
});

const signIns = createRoute({
  getParentRoute: () => settings,
  path: '/sign-ins',
  component: lazyRouteComponent(() => import('./settings/sign-ins-page.tsx'), 'SignInsPage'),
});

const deadLetters = createRoute({
  getParentRoute: () => settings,
  path: '/dead-letters',
  validateSearch: deadLetterSearch,
  component: lazyRouteComponent(() => import('./settings/dead-letters-page.tsx'), 'DeadLettersPage'),
});

const webhooks = createRoute({
  getParentRoute: () => settings,
  path: '/webhooks',
  validateSearch: webhookSearch,
  component: lazyRouteComponent(() => import('./settings/webhooks-page.tsx'), 'WebhooksPage'),
});

const retention = createRoute({
  getParentRoute: () => settings,
  path: '/retention',
  component: lazyRouteComponent(() => import('./settings/retention-page.tsx'), 'RetentionPage'),
});

const audit = createRoute({
  getParentRoute: () => settings,
  path: '/audit',
  validateSearch: auditSearch,
  component: lazyRouteComponent(() => import('./settings/audit-page.tsx'), 'AuditPage'),
});

const settingsPages = [
  settingsHome,
  serviceTypes,
  agents,
  templates,
  replies,
  alertPlan,
  calendar,
  signIns,
  deadLetters,
  webhooks,
  retention,
  audit,
];

const pages = [
  today,
  waiting,
  customers,
  workspace,
  compare,
  notSent,
  renewals,
  dryRun,
  customerImport,
  renewalImport,
  tasks,
  search,
  unmatched,
  runs,
];

export const router = createRouter({
  routeTree: root.addChildren([...pages, settings.addChildren(settingsPages)]),
  defaultErrorComponent: Broken,
  defaultPreload: 'intent',
  scrollRestoration: true,
});

declare module '@tanstack/react-router' {
  interface Register {
    router: typeof router;
  }
}
