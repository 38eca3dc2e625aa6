import { IconCheck, IconMessage, IconPlayerPlay } from '@tabler/icons-react';
import { memo } from 'react';
import type { QueuedRenewal } from '../api/types.ts';
import { useAgentNames } from '../parts/agents.tsx';
import { ChannelIcon } from '../parts/channels.tsx';
import { dayOf, inOwnDays, shortDayOf } from '../parts/dates.tsx';
import { dayAt } from '../parts/days.ts';
import table from '../parts/table.module.css';
import { DaysLeft, urgencyOf } from '../parts/urgency.tsx';
import { asSentence } from '../parts/words.ts';
import { heldBriefly } from './held.tsx';
import { heldInWords } from './hold-words.ts';
import { deedInWords } from './outreach-words.ts';
import classes from './queue-table.module.css';
import type { RenewalChanges } from './renewal-changes.ts';
import { isOpen, statusNames } from './renewal-words.ts';
import { riskInWords } from './risk-words.ts';
import { rungInWords } from './rung-names.ts';
import { useServiceNames } from './service-types.ts';

interface QueueTableProps {
  /** As they came. */
  pages: readonly (readonly QueuedRenewal[])[];
  /** The address of one in focus, but for its id. */
  opening: string;
  focused: string | undefined;
  /** They are listed because they are at risk: why stands in each row. */
  isOfRisk: boolean;
  selected: ReadonlySet<string>;
  select(id: string, isSelected: boolean): void;
  changes: RenewalChanges;
}

export function QueueTable({ pages, opening, focused, isOfRisk, selected, select, changes }: QueueTableProps) {
  const nameOf = useServiceNames();
  const agentOf = useAgentNames();
  return (
    <table className={`${table.table} ${classes.table} ${classes.queue}`} data-of-risk={isOfRisk || undefined}>
      <thead>
        <tr>
          <th>
            <span className="visually-hidden">Selected</span>
          </th>
          <th>Days</th>
          <th>Due</th>
          <th>Customer</th>
          <th>Service</th>
          <th className={classes.third}>Policy</th>
          <th className={classes.second}>Status</th>
          <th className={classes.first}>Agent</th>
          {isOfRisk ? (
            <th className={classes.why}>At risk because</th>
          ) : (
            <>
              <th className={classes.second}>Last contact</th>
              <th className={classes.third}>Next alert</th>
            </>
          )}
          <th className={classes.first}>
            <span className="visually-hidden">What can be done</span>
          </th>
        </tr>
      </thead>
      {pages.map((renewals, n) => (
        <tbody key={n} style={{ containIntrinsicBlockSize: `auto calc(${renewals.length} * var(--row-height))` }}>
          {renewals.map((renewal) => (
            <Row
              key={renewal.id}
              renewal={renewal}
              opening={opening}
              service={nameOf(renewal.service_type)}
              agent={renewal.responsible_agent && agentOf(renewal.responsible_agent)}
              isFocused={renewal.id === focused}
              isOfRisk={isOfRisk}
              isSelected={selected.has(renewal.id)}
              select={select}
              start={changes.start.mutate}
              complete={changes.complete.mutate}
            />
          ))}
        </tbody>
      ))}
    </table>
  );
}

interface RowProps {
  renewal: QueuedRenewal;
  opening: string;
  service: string;
  agent: string | null;
  isFocused: boolean;
  isOfRisk: boolean;
  isSelected: boolean;
  select: QueueTableProps['select'];
  start: RenewalChanges['start']['mutate'];
  complete: RenewalChanges['complete']['mutate'];
}

/** Of plain elements, its links too, and drawn again only when it changes: there may be thousands. */
const Row = memo(function Row({
  renewal,
  opening,
  service,
  agent,
  isFocused,
  isOfRisk,
  isSelected,
  select,
  start,
  complete,
}: RowProps) {
  const { id, customer_id, customer_name, days_until_due, due_date, status, policy_id } = renewal;
  const customer = customer_name ?? customer_id;
  const what = `${service} of ${customer}`;
  const risk = riskInWords(renewal.reasons);
  const log = `/customers/${encodeURIComponent(customer_id)}`;
  return (
    <tr
      className={classes.row}
      data-renewal={id}
      data-urgency={days_until_due === null ? undefined : urgencyOf(days_until_due)}
      data-focused={isFocused || undefined}
    >
      <td className={classes.control}>
        <input
          type="checkbox"
          checked={isSelected}
          onChange={({ currentTarget }) => select(id, currentTarget.checked)}
          aria-label={`Select ${what}`}
        />
      </td>
      <td data-label="Days">{days_until_due !== null && <DaysLeft days={days_until_due} />}</td>
      <td data-label="Due">{dayOf(due_date)}</td>
      <td data-label="Customer" className={classes.control}>
        <a href={log} className={classes.customer}>
          {customer}
        </a>
      </td>
      <td data-label="Service">
        <a href={opening + id} className={classes.open} data-opens aria-label={what}>
          {service}
        </a>
      </td>
      <td data-label="Policy" className={classes.third}>
        {policy_id}
      </td>
      <td data-label="Status" className={classes.second}>
        {statusNames[status]}
        {risk && !isOfRisk && (
          <span className={classes.risk} title={asSentence(risk)}>
            At risk<span className="visually-hidden">: {risk}</span>
          </span>
        )}
      </td>
      <td data-label="Agent" className={classes.first}>
        {agent}
      </td>
      {isOfRisk ? (
        <td data-label="At risk" className={classes.why}>
          {asSentence(risk)}
        </td>
      ) : (
        <>
          <td data-label="Last contact" className={classes.second}>
            <LastContact contact={renewal.last_contact} />
          </td>
          <td data-label="Next alert" className={classes.third}>
            <NextAlert renewal={renewal} />
          </td>
        </>
      )}
      <td className={`${classes.control} ${classes.first}`}>
        <span className={classes.actions}>
          {isOpen(renewal) && renewal.started_at === null && (
            <button type="button" onClick={() => start(renewal)} title="Start" aria-label={`Start ${what}`}>
              <IconPlayerPlay size={16} aria-hidden />
            </button>
          )}
          {isOpen(renewal) && (
            <button
              type="button"
              onClick={() => complete({ seen: renewal })}
              title="Complete"
              aria-label={`Complete ${what}`}
            >
              <IconCheck size={16} aria-hidden />
            </button>
          )}
          <a href={log} title="Write to the customer" aria-label={`Write to ${customer}`}>
            <IconMessage size={16} aria-hidden />
          </a>
        </span>
      </td>
    </tr>
  );
});

/** What of it the customer gets, which is nothing while it is held. */
function NextAlert({ renewal: { next_alert, hold } }: { renewal: QueuedRenewal }) {
  const does = next_alert && (next_alert.does ? deedInWords(next_alert.does) : rungInWords(next_alert.rung));
  const next = next_alert && `${does}, ${shortDayOf(next_alert.on)}`;
  if (!hold) return next;
  return <span title={inOwnDays([heldInWords(hold), next].filter(Boolean).join('; next: '))}>{heldBriefly(hold)}</span>;
}

function LastContact({ contact }: { contact: QueuedRenewal['last_contact'] }) {
  if (!contact) return null;
  const { type, direction, status, occurred_at } = contact;
  return (
    <span className={classes.contact} title={dayOf(dayAt(Date.parse(occurred_at)))}>
      <ChannelIcon type={type} size={14} /> {direction === 'INBOUND' ? 'wrote' : status.toLowerCase()}
    </span>
  );
}
