import { IconCalendarDue } from '@tabler/icons-react';
import { useInfiniteQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { createContext, type ReactNode, useContext, useMemo } from 'react';
import type { Communication } from '../api/types.ts';
import { dayOf } from '../parts/dates.tsx';
import { useFurtherPages } from '../parts/further-pages.ts';
import { customerRenewalsQuery } from '../renewals/renewal-queries.ts';
import { useServiceNames } from '../renewals/service-types.ts';
import classes from './thread.module.css';

type About = Pick<Communication, 'customer_id' | 'renewal_ids'>;

/** What each renewal is called, by its id. */
const Labels = createContext<ReadonlyMap<string, string>>(new Map());

interface RenewalLabelsProps {
  customerId: string;
  records: readonly About[];
  children: ReactNode;
}

/** Says of the records in it by name which renewals they are about: one list for all of a log. */
export function RenewalLabels({ customerId, records, children }: RenewalLabelsProps) {
  const isAboutAny = records.some(({ renewal_ids }) => renewal_ids.length > 0);
  const query = useInfiniteQuery({ ...customerRenewalsQuery(customerId), enabled: isAboutAny });
  const nameOf = useServiceNames();
  const { data } = query;
  const labels = useMemo(() => {
    const all = data?.pages.flatMap((page) => page.data) ?? [];
    return new Map(
      all.map(({ id, service_type, policy_id, due_date }) => [
        id,
        [nameOf(service_type), policy_id, `due ${dayOf(due_date)}`].filter(Boolean).join(' '),
      ]),
    );
  }, [data, nameOf]);
  useFurtherPages(
    query,
    records.some(({ renewal_ids }) => renewal_ids.some((id) => !labels.has(id))),
  );
  return <Labels value={labels}>{children}</Labels>;
}

/** A chip for each renewal a message is about, which leads to it. */
export function AboutRenewals({ record: { customer_id, renewal_ids } }: { record: About }) {
  const labels = useContext(Labels);
  if (renewal_ids.length === 0) return null;
  return (
    <ul className={classes.about} aria-label="About">
      {renewal_ids.map((renewal, n) => (
        <li key={renewal}>
          <Link
            to="/customers/$id"
            params={{ id: customer_id }}
            search={{ tab: 'renewals', renewal }}
            className={classes.chip}
          >
            <IconCalendarDue size={14} aria-hidden /> {labels.get(renewal) ?? aboutWhich(n, renewal_ids.length)}
          </Link>
        </li>
      ))}
    </ul>
  );
}

/** Where nobody looked up what it is called, or it is not known yet. */
const aboutWhich = (n: number, of: number): string =>
  of === 1 ? 'about a renewal' : `about renewal ${n + 1} of ${of}`;
