import { Autocomplete, Checkbox, NativeSelect, Textarea, TextInput } from '@mantine/core';
import type { ReactNode } from 'react';
import { fieldWords } from '../api/field-words.ts';
import type { ProblemError } from '../api/problem.ts';
import type { Customer, PutCustomer } from '../api/types.ts';
import { AgentSelect } from '../parts/agents.tsx';
import { channelNames } from '../parts/channels.tsx';
import { takeFocus } from '../parts/take-focus.ts';
import classes from './customer-fields.module.css';

export const emptyCustomer = {
  name: '',
  phones: '',
  emails: '',
  locale: '',
  time_zone: '',
  assigned_agent: null as string | null,
  preferred_channel: '' as '' | NonNullable<Customer['preferred_channel']>,
  do_not_contact: false,
};
export type CustomerDraft = typeof emptyCustomer;

/** As the firm described them: what was learned from messages is theirs whatever the form says. */
export const draftOf = (customer: Customer): CustomerDraft => ({
  name: customer.name,
  phones: given(customer, 'phone'),
  emails: given(customer, 'email'),
  locale: customer.locale ?? '',
  time_zone: customer.time_zone ?? '',
  assigned_agent: customer.assigned_agent,
  preferred_channel: customer.preferred_channel ?? '',
  do_not_contact: customer.do_not_contact,
});

const given = ({ identifiers }: Customer, kind: 'phone' | 'email'): string =>
  identifiers
    .filter((one) => one.kind === kind && one.source === 'given')
    .map(({ value }) => value)
    .join('\n');

export const asSent = (draft: CustomerDraft): PutCustomer => ({
  name: draft.name.trim(),
  phones: linesOf(draft.phones),
  emails: linesOf(draft.emails),
  locale: draft.locale.trim() || null,
  time_zone: draft.time_zone.trim() || null,
  assigned_agent: draft.assigned_agent,
  preferred_channel: draft.preferred_channel || null,
  do_not_contact: draft.do_not_contact,
});

const linesOf = (text: string): string[] =>
  text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '');

/** They tell their own problems. */
export const fieldsShown = [
  'name',
  'phones',
  'phones.*',
  'emails',
  'emails.*',
  'locale',
  'time_zone',
  'assigned_agent',
  'preferred_channel',
];

interface CustomerFieldsProps {
  draft: CustomerDraft;
  write(change: Partial<CustomerDraft>): void;
  problem: ProblemError | null;
  /** Whoever opens the form begins to write. */
  isNew?: boolean;
  /** In place of the fields that take them as lines. */
  addresses?: ReactNode;
  /** Who said what a field says. */
  said?(field: string): string | undefined;
}

/** All that a firm says of a customer. */
export function CustomerFields({ draft, write, problem, isNew = false, addresses, said }: CustomerFieldsProps) {
  const hint = (name: string, words?: string) =>
    [words, said?.(name)].flatMap((one) => (one ? [fieldWords(one)] : [])).join(' · ') || undefined;
  const field = (name: 'name' | 'phones' | 'emails' | 'locale') => ({
    value: draft[name],
    onChange: ({ currentTarget }: { currentTarget: { value: string } }) => write({ [name]: currentTarget.value }),
    error: problem?.lines(name),
  });
  return (
    <>
      <TextInput
        ref={isNew ? takeFocus : null}
        label="Name"
        description={hint('name')}
        required
        maxLength={200}
        autoComplete="off"
        {...field('name')}
      />
      {addresses ?? (
        <>
          <Textarea
            label="Phones"
            description="With country code, one on each line; the first is written to"
            autosize
            {...field('phones')}
          />
          <Textarea
            label="E-mails"
            description="One on each line; the first is written to"
            autosize
            {...field('emails')}
          />
        </>
      )}
      <div className={classes.pair}>
        <TextInput
          label="Language"
          description={hint('locale', 'Such as en or de-CH')}
          maxLength={35}
          {...field('locale')}
        />
        <Autocomplete
          label="Time zone"
          description={hint('time_zone', 'Such as Europe/Zurich')}
          value={draft.time_zone}
          onChange={(time_zone) => write({ time_zone })}
          data={timeZones}
          limit={mostZones}
          error={problem?.field('time_zone')}
        />
      </div>
      <div className={classes.pair}>
        <AgentSelect
          label="Agent"
          description={hint('assigned_agent')}
          value={draft.assigned_agent}
          onChange={(assigned_agent) => write({ assigned_agent })}
          error={problem?.field('assigned_agent')}
        />
        <NativeSelect
          label="Preferred channel"
          description={hint('preferred_channel')}
          value={draft.preferred_channel}
          onChange={({ currentTarget }) =>
            write({ preferred_channel: currentTarget.value as CustomerDraft['preferred_channel'] })
          }
          data={channels}
          error={problem?.field('preferred_channel')}
        />
      </div>
      <Checkbox
        label="Not to be contacted"
        description={hint('do_not_contact')}
        checked={draft.do_not_contact}
        onChange={({ currentTarget }) => write({ do_not_contact: currentTarget.checked })}
      />
    </>
  );
}

const channels = [
  { value: '', label: 'None' },
  ...(['MESSAGING_APP', 'EMAIL', 'SMS'] as const).map((value) => ({ value, label: channelNames[value] })),
];
const timeZones = Intl.supportedValuesOf('timeZone');
const mostZones = 20;
