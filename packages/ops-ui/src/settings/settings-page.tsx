import { Link, Outlet, useLocation } from '@tanstack/react-router';
import { useEffect, useRef } from 'react';
import { PageHeader } from '../parts/page-header.tsx';
import { useIsAdmin } from './section.tsx';
import classes from './settings.module.css';
import { settingsPages } from './settings-pages.ts';

/** Around each part of the settings: which there are for whoever looks. */
export function SettingsPage() {
  const isAdmin = useIsAdmin();
  const tabs = useRef<HTMLElement>(null);
  const { pathname } = useLocation();
  useEffect(() => {
    tabs.current?.querySelector('[aria-current=page]')?.scrollIntoView({ block: 'nearest', inline: 'nearest' });
  }, [pathname]);
  return (
    <div className={classes.settings}>
      <PageHeader title="Settings" />
      <nav ref={tabs} aria-label="Settings" className={classes.tabs}>
        <ul>
          {settingsPages
            .filter(({ adminsOnly }) => isAdmin || !adminsOnly)
            .map(({ label, to }) => (
              <li key={to}>
                <Link to={to} activeOptions={{ includeSearch: false }}>
                  {label}
                </Link>
              </li>
            ))}
        </ul>
      </nav>
      <div className={classes.content}>
        <Outlet />
      </div>
    </div>
  );
}
