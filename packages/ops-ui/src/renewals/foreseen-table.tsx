import { Link } from '@tanstack/react-router';
import type { Foreseen } from '../api/types.ts';
import { dayOf, inOwnDays, whenAndWhy } from '../parts/dates.tsx';
import table from '../parts/table.module.css';
import { DaysLeft } from '../parts/urgency.tsx';
import classes from './dry-run.module.css';
import { supersededInWords, why } from './refresh-words.ts';
import { alertInWords } from './rung-names.ts';
import { useServiceNames } from './service-types.ts';

interface ForeseenTableProps {
  foreseen: readonly Foreseen[];
  /** With the columns that only an alert fills. */
  withAlert?: boolean;
  /** With when its message leaves. */
  leaves?: boolean;
}

/** What a refresh would make of each renewal. */
export function ForeseenTable({ foreseen, withAlert = false, leaves = false }: ForeseenTableProps) {
  const nameOf = useServiceNames();
  return (
    <table className={table.table}>
      <thead>
        <tr>
          <th>Customer</th>
          <th>Service</th>
          <th>Due</th>
          <th>Days</th>
          {withAlert && <th>Alert</th>}
          {withAlert && <th>Superseded</th>}
          <th>Why</th>
          {leaves && <th>Message leaves</th>}
        </tr>
      </thead>
      <tbody>
        {foreseen.map((one) => (
          <tr key={one.renewal_id}>
            <td data-label="Customer">
              <Link to="/customers/$id" params={{ id: one.customer_id }} className={table.main}>
                {one.customer_name ?? one.customer_id}
              </Link>
            </td>
            <td data-label="Service">{nameOf(one.service_type)}</td>
            <td data-label="Due" className={classes.short}>
              {dayOf(one.due_date)}
            </td>
            <td data-label="Days">
              <DaysLeft days={one.days_until_due} />
            </td>
            {withAlert && (
              <td data-label="Alert" className={classes.short}>
                {one.fires && alertInWords(one.fires)}
              </td>
            )}
            {withAlert && <td data-label="Superseded">{supersededInWords(one.superseded)}</td>}
            <td data-label="Why">{inOwnDays(why(one))}</td>
            {leaves && <td data-label="Message leaves">{one.leaves && leavesInWords(one.leaves)}</td>}
          </tr>
        ))}
      </tbody>
    </table>
  );
}

const leavesInWords = ({ send_after, send_after_reason }: NonNullable<Foreseen['leaves']>): string =>
  send_after === null ? 'That night' : whenAndWhy(send_after, send_after_reason);
