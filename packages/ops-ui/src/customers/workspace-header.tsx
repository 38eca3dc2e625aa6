import { Group, Text } from '@mantine/core';
import { IconBellOff, IconFlag3Filled, IconMail, IconPhone } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import type { ComplianceFlag, CustomerDetail } from '../api/types.ts';
import { channelNames } from '../parts/channels.tsx';
import { dayOf, useNow } from '../parts/dates.tsx';
import { useTitle } from '../parts/title.tsx';
import { UnreadBadge } from '../parts/unread-badge.tsx';
import { useServiceNames } from '../renewals/service-types.ts';
import { flagsQuery } from './customer-queries.ts';
import { FormerMark } from './former-mark.tsx';
import { GivenTo } from './given-to.tsx';
import { NextDue } from './next-due.tsx';
import { spoken } from './opt-out-words.ts';
import classes from './workspace.module.css';

/** Who the customer is, what is wrong, and how to reach them. */
export function WorkspaceHeader({ customer, children }: { customer: CustomerDetail; children: ReactNode }) {
  const { data: flags = [] } = useQuery(flagsQuery(customer.id));
  const { id, name, phones, emails, preferred_channel, time_zone, unread_count, do_not_contact, opted_out } = customer;
  useTitle(name);
  return (
    <header className={classes.header}>
      <Group gap="0 12px">
        <h1 className={classes.name}>{name}</h1>
        <FormerMark since={customer.archived_at} />
        <UnreadBadge count={unread_count} />
        {flags.map((flag) => (
          <Flag key={flag.id} flag={flag} />
        ))}
        {do_not_contact && <span className={classes.flag}>Not to be contacted</span>}
      </Group>
      <Group gap="4px 16px" className={classes.facts}>
        <span>{[id, ...customer.merged_from].join(', also ')}</span>
        <GivenTo customer={customer} />
        {phones.map((phone) => (
          <a key={phone} href={`tel:${phone}`}>
            <IconPhone size={14} aria-label="Phone" role="img" /> {phone}
          </a>
        ))}
        {emails.map((email) => (
          <a key={email} href={`mailto:${email}`}>
            <IconMail size={14} aria-label="E-mail" role="img" /> {email}
          </a>
        ))}
        {opted_out.length > 0 && (
          <Link to="/customers/$id" params={{ id }} search={{ tab: 'details' }}>
            <IconBellOff size={14} aria-hidden /> Opted out of {opted_out.map((channel) => spoken[channel]).join(', ')}
          </Link>
        )}
        {preferred_channel && <span>Prefers {channelNames[preferred_channel]}</span>}
        {time_zone && <LocalTime zone={time_zone} />}
      </Group>
      <NextDue customerId={id} />
      {children}
    </header>
  );
}

function Flag({ flag: { service_type, due_date } }: { flag: ComplianceFlag }) {
  const nameOf = useServiceNames();
  return (
    <span className={classes.flag}>
      <IconFlag3Filled size={14} aria-hidden /> {nameOf(service_type)} expired on {dayOf(due_date)}
    </span>
  );
}

function LocalTime({ zone }: { zone: string }) {
  const now = useNow();
  const time = new Intl.DateTimeFormat(undefined, { timeStyle: 'short', timeZone: zone }).format(now);
  return (
    <Text span inherit title={zone}>
      {time} there
    </Text>
  );
}
