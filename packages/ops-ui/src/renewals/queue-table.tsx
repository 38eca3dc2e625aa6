import { ActionIcon, Checkbox, Tooltip } from '@mantine/core';
import { IconCheck, IconMessage, IconPlayerPlay } from '@tabler/icons-react';
import { Link } from '@tanstack/react-router';
import type { QueuedRenewal } from '../api/types.ts';
import { useAgentNames } from '../parts/agents.tsx';
import { ChannelIcon } from '../parts/channels.tsx';
import { dayOf, shortDayOf } from '../parts/dates.tsx';
import table from '../parts/table.module.css';
import { DaysLeft, urgencyOf } from '../parts/urgency.tsx';
import classes from './queue-table.module.css';
import { useRenewalChanges } from './renewal-changes.ts';
import { isOpen, rungInWords, statusNames } from './renewal-words.ts';
import { useServiceNames } from './service-types.ts';

interface QueueTableProps {
  renewals: readonly QueuedRenewal[];
  focused: string | undefined;
  selected: ReadonlySet<string>;
  select(id: string, isSelected: boolean): void;
}

export function QueueTable({ renewals, focused, selected, select }: QueueTableProps) {
  return (
    <table className={`${table.table} ${classes.table}`}>
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
          <th className={classes.second}>Last contact</th>
          <th className={classes.third}>Next alert</th>
          <th className={classes.first}>
            <span className="visually-hidden">What can be done</span>
          </th>
        </tr>
      </thead>
      <tbody>
        {renewals.map((renewal) => (
          <Row
            key={renewal.id}
            renewal={renewal}
            isFocused={renewal.id === focused}
            isSelected={selected.has(renewal.id)}
            select={select}
          />
        ))}
      </tbody>
    </table>
  );
}

interface RowProps {
  renewal: QueuedRenewal;
  isFocused: boolean;
  isSelected: boolean;
  select: QueueTableProps['select'];
}

function Row({ renewal, isFocused, isSelected, select }: RowProps) {
  const nameOf = useServiceNames();
  const agentOf = useAgentNames();
  const { id, customer_id, customer_name, service_type, days_until_due, due_date, status, policy_id } = renewal;
  const customer = customer_name ?? customer_id;
  return (
    <tr
      className={classes.row}
      data-renewal={id}
      data-urgency={days_until_due === null ? undefined : urgencyOf(days_until_due)}
      data-focused={isFocused || undefined}
    >
      <td className={`${classes.control} ${classes.select}`}>
        <Checkbox
          size="xs"
          checked={isSelected}
          onChange={({ currentTarget }) => select(id, currentTarget.checked)}
          aria-label={`Select ${nameOf(service_type)} of ${customer}`}
        />
      </td>
      <td data-label="Days">{days_until_due !== null && <DaysLeft days={days_until_due} />}</td>
      <td data-label="Due">{dayOf(due_date)}</td>
      <td data-label="Customer" className={classes.control}>
        <Link to="/customers/$id" params={{ id: customer_id }} className={classes.customer}>
          {customer}
        </Link>
      </td>
      <td data-label="Service">
        <Link
          to="/renewals"
          search={(now) => ({ ...now, create: undefined, renewal: id })}
          className={classes.open}
          data-opens
          aria-label={`${nameOf(service_type)} of ${customer}`}
        >
          {nameOf(service_type)}
        </Link>
      </td>
      <td data-label="Policy" className={classes.third}>
        {policy_id}
      </td>
      <td data-label="Status" className={classes.second}>
        {statusNames[status]}
      </td>
      <td data-label="Agent" className={classes.first}>
        {renewal.assigned_agent && agentOf(renewal.assigned_agent)}
      </td>
      <td data-label="Last contact" className={classes.second}>
        <LastContact contact={renewal.last_contact} />
      </td>
      <td data-label="Next alert" className={classes.third}>
        {renewal.next_alert && `${rungInWords(renewal.next_alert.rung)}, ${shortDayOf(renewal.next_alert.on)}`}
      </td>
      <td className={`${classes.control} ${classes.first}`}>
        <Actions renewal={renewal} customer={customer} />
      </td>
    </tr>
  );
}

function LastContact({ contact }: { contact: QueuedRenewal['last_contact'] }) {
  if (!contact) return null;
  const { type, direction, status, occurred_at } = contact;
  return (
    <span className={classes.contact} title={dayOf(occurred_at.slice(0, 10))}>
      <ChannelIcon type={type} size={14} /> {direction === 'INBOUND' ? 'wrote' : status.toLowerCase()}
    </span>
  );
}

function Actions({ renewal, customer }: { renewal: QueuedRenewal; customer: string }) {
  const { start, complete } = useRenewalChanges();
  const nameOf = useServiceNames();
  const of = `${nameOf(renewal.service_type)} of ${customer}`;
  return (
    <span className={classes.actions}>
      {isOpen(renewal) && renewal.started_at === null && (
        <Tooltip label="Start">
          <ActionIcon variant="subtle" color="gray" onClick={() => start.mutate(renewal)} aria-label={`Start ${of}`}>
            <IconPlayerPlay size={16} />
          </ActionIcon>
        </Tooltip>
      )}
      {isOpen(renewal) && (
        <Tooltip label="Complete">
          <ActionIcon
            variant="subtle"
            color="gray"
            loading={complete.isPending}
            onClick={() => complete.mutate({ seen: renewal })}
            aria-label={`Complete ${of}`}
          >
            <IconCheck size={16} />
          </ActionIcon>
        </Tooltip>
      )}
      <Tooltip label="Write to the customer">
        <ActionIcon
          variant="subtle"
          color="gray"
          aria-label={`Write to ${customer}`}
          renderRoot={(props) => <Link to="/customers/$id" params={{ id: renewal.customer_id }} {...props} />}
        >
          <IconMessage size={16} />
        </ActionIcon>
      </Tooltip>
    </span>
  );
}
