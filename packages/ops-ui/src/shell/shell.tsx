import { ActionIcon, Badge, Button, Tooltip, useMantineColorScheme } from '@mantine/core';
import { useLocalStorage } from '@mantine/hooks';
import {
  IconLayoutSidebarLeftCollapse,
  IconLayoutSidebarLeftExpand,
  IconMoon,
  IconSearch,
  IconSun,
} from '@tabler/icons-react';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { Link, Outlet, useLocation, useRouter } from '@tanstack/react-router';
import { useEffect, useRef } from 'react';
import { unreadTotalQuery } from '../customers/customer-queries.ts';
import { NotTaken } from '../customers/not-taken.tsx';
import { resumeSending } from '../customers/outgoing.ts';
import { followChanges } from '../live/live.ts';
import { useNewDay } from '../live/new-day.ts';
import { takeFocus } from '../parts/take-focus.ts';
import { TitleSaid } from '../parts/title.tsx';
import { AllTold } from '../parts/told.tsx';
import { useMe } from '../session/session.ts';
import { ConnectionBar } from './connection-bar.tsx';
import { ConnectionSign } from './connection-sign.tsx';
import { loadAhead } from './load-ahead.ts';
import { allCommunications, pages } from './pages.ts';
import { openQuickSearch, QuickSearch } from './quick-search.tsx';
import classes from './shell.module.css';
import { SignOut } from './sign-out.tsx';

/** Around every page: where one can go, who one is, and whether what is shown is current. */
export function Shell() {
  const queries = useQueryClient();
  useEffect(() => followChanges(queries), [queries]);
  useEffect(resumeSending, []);
  const rail = useRef<HTMLElement>(null);
  const { pathname } = useLocation();
  // On a phone there are more pages than the bar is wide.
  useEffect(() => {
    rail.current?.querySelector('[aria-current=page]')?.scrollIntoView({ block: 'nearest', inline: 'nearest' });
  }, [pathname]);
  useNewDay();
  const router = useRouter();
  useEffect(() => loadAhead(router), [router]);
  useEffect(() => router.subscribe('onRendered', stayInPage), [router]);
  const [narrow, setNarrow] = useLocalStorage({ key: 'rail-narrow', defaultValue: false });
  return (
    <div className={classes.frame} data-narrow={narrow || undefined}>
      <a className={classes.skip} href="#content">
        Skip to the page
      </a>
      <TitleSaid />
      <div className={classes.above}>
        <ConnectionBar />
        <NotTaken />
      </div>
      <nav ref={rail} className={classes.rail} aria-label="Pages">
        <div className={classes.top}>
          <Button
            className={classes.search}
            variant="default"
            size="compact-md"
            justify="flex-start"
            leftSection={<IconSearch size={16} />}
            onClick={openQuickSearch}
            aria-label="Search everything"
            aria-keyshortcuts="/ Control+K"
          >
            <span className={classes.label}>Search</span>
            <kbd className={classes.label}>/</kbd>
          </Button>
        </div>
        <ul className={classes.pages}>
          {pages.map(({ label, icon: Icon, to }) => (
            <li key={to}>
              <Link to={to} className={classes.page} activeOptions={{ includeSearch: false }} title={label}>
                <Icon size={18} aria-hidden />
                <span className={classes.label}>{label}</span>
                {to === '/customers' && <UnreadTotal />}
              </Link>
            </li>
          ))}
          <li>
            <span className={classes.page} data-soon title={`${allCommunications.label}: coming soon`}>
              <allCommunications.icon size={18} aria-hidden />
              <span className={classes.label}>
                {allCommunications.label} <small>coming soon</small>
              </span>
            </span>
          </li>
        </ul>
        <div className={classes.bottom}>
          <ConnectionSign />
          <Tooltip label={narrow ? 'Show the names of pages' : 'Hide the names of pages'}>
            <ActionIcon
              variant="subtle"
              color="gray"
              className={classes.collapse}
              onClick={() => setNarrow(!narrow)}
              aria-label={narrow ? 'Show the names of pages' : 'Hide the names of pages'}
            >
              {narrow ? <IconLayoutSidebarLeftExpand size={18} /> : <IconLayoutSidebarLeftCollapse size={18} />}
            </ActionIcon>
          </Tooltip>
          <Person />
        </div>
      </nav>
      <main id="content" className={classes.content} tabIndex={-1}>
        <Outlet />
      </main>
      <QuickSearch />
      <AllTold />
    </div>
  );
}

/** What had the focus may have gone with its page: the keys go on in the next one and not at the rail. */
function stayInPage({ fromLocation }: { fromLocation?: unknown }): void {
  if (fromLocation && document.activeElement === document.body) takeFocus(document.getElementById('content'));
}

/** Of all customers. */
function UnreadTotal() {
  const { data: total } = useQuery(unreadTotalQuery);
  if (!total) return null;
  return (
    <Badge size="sm" className={classes.total} aria-label={`${total} unread`}>
      {total}
    </Badge>
  );
}

function Person() {
  const me = useMe();
  const { colorScheme, setColorScheme } = useMantineColorScheme();
  const dark = colorScheme === 'dark' || (colorScheme === 'auto' && matchMedia('(prefers-color-scheme: dark)').matches);
  const other = dark ? 'Light colours' : 'Dark colours';
  return (
    <div className={classes.person}>
      <span className={classes.name} title={`Signed in as ${me.name ?? me.sub} (${me.role})`}>
        {me.name ?? me.sub}
      </span>
      <Tooltip label={other}>
        <ActionIcon
          variant="subtle"
          color="gray"
          onClick={() => setColorScheme(dark ? 'light' : 'dark')}
          aria-label={other}
        >
          {dark ? <IconSun size={18} /> : <IconMoon size={18} />}
        </ActionIcon>
      </Tooltip>
      <SignOut />
    </div>
  );
}
