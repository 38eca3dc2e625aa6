import { ActionIcon, Button, Text, TextInput } from '@mantine/core';
import { IconPlus, IconX } from '@tabler/icons-react';
import { type RefObject, useEffect, useRef } from 'react';
import { fieldWords } from '../api/field-words.ts';
import type { ProblemError } from '../api/problem.ts';
import type { Customer, CustomerIdentifier } from '../api/types.ts';
import { lineInRequest, withLineFirst, withoutLine } from './address-lines.ts';
import classes from './customer-fields.module.css';
import { OptOuts } from './opt-outs.tsx';
import { givenInWords } from './source-words.ts';

type Kind = 'phone' | 'email';

const texts = {
  phone: { title: 'Phones', hint: 'With country code; the first is written to', one: 'Phone', field: 'phones' },
  email: { title: 'E-mails', hint: 'The first is written to', one: 'E-mail', field: 'emails' },
} as const;

interface AddressFieldsProps {
  customer: Customer;
  draft: { phones: string; emails: string };
  write(change: { phones?: string; emails?: string }): void;
  problem: ProblemError | null;
}

/** By what the customer is known, each with what machines may not send there; what was learned from messages stands below. */
export const AddressFields = ({ customer, draft, write, problem }: AddressFieldsProps) => (
  <>
    <Addresses
      kind="phone"
      customer={customer}
      text={draft.phones}
      write={(phones) => write({ phones })}
      problem={problem}
    />
    <Addresses
      kind="email"
      customer={customer}
      text={draft.emails}
      write={(emails) => write({ emails })}
      problem={problem}
    />
    <Ids customer={customer} />
  </>
);

interface AddressesProps {
  kind: Kind;
  customer: Customer;
  /** One on each line. */
  text: string;
  write(text: string): void;
  problem: ProblemError | null;
}

function Addresses({ kind, customer, text, write, problem }: AddressesProps) {
  const { title, hint, one, field } = texts[kind];
  const lines = text.split('\n');
  const known = customer.identifiers.filter((identifier) => identifier.kind === kind);
  const box = useRef<HTMLFieldSetElement>(null);
  const focusOn = useFocusOn(box);
  const change = (next: readonly string[], focused: number) => {
    write(next.join('\n'));
    focusOn(focused);
  };
  const first = lines.findIndex((line) => line.trim() !== '');
  return (
    <fieldset className={classes.addresses} ref={box}>
      <legend>{title}</legend>
      <Text size="xs" c="var(--text-quiet)">
        {hint}
      </Text>
      {lines.map((line, n) => {
        const identifier = known.find(({ value }) => value === line.trim());
        const name = `${one} ${n + 1}`;
        const at = lineInRequest(lines, n);
        return (
          // Its place is what it is: there is nothing else that two lines cannot have in common.
          <div key={n} className={classes.address}>
            <div className={classes.line}>
              <TextInput
                data-line
                aria-label={name}
                autoComplete="off"
                value={line}
                onChange={({ currentTarget }) => write(lines.with(n, currentTarget.value).join('\n'))}
                error={at !== undefined && problem?.field(`${field}.${at}`)}
              />
              {n === first && <span className={classes.first}>Written to</span>}
              {n !== first && line.trim() !== '' && (
                <Button size="compact-sm" variant="default" onClick={() => change(withLineFirst(lines, line), 0)}>
                  Make first
                </Button>
              )}
              {(lines.length > 1 || line !== '') && (
                <ActionIcon
                  variant="subtle"
                  color="gray"
                  aria-label={`Remove ${line.trim() || name}`}
                  onClick={() => change(withoutLine(lines, n), Math.max(n - 1, 0))}
                >
                  <IconX size={16} />
                </ActionIcon>
              )}
            </div>
            {identifier && <Known customerId={customer.id} identifier={identifier} />}
          </div>
        );
      })}
      {problem?.field(field) && <p className={classes.problem}>{problem.field(field)}</p>}
      {known
        .filter(({ source, value }) => source === 'learned' && !lines.some((line) => line.trim() === value))
        .map((identifier) => (
          <div key={identifier.value} className={classes.address}>
            <div className={classes.line}>
              <span className={classes.value}>{identifier.value}</span>
              {first === -1 && identifier.primary ? (
                <span className={classes.first}>Written to</span>
              ) : (
                <Button
                  size="compact-sm"
                  variant="default"
                  onClick={() => change(withLineFirst(lines, identifier.value), 0)}
                >
                  Make first
                </Button>
              )}
            </div>
            <Known customerId={customer.id} identifier={identifier} />
          </div>
        ))}
      <Button
        size="compact-sm"
        variant="subtle"
        className={classes.add}
        leftSection={<IconPlus size={14} aria-hidden />}
        onClick={() => change([...lines, ''], lines.length)}
      >
        {kind === 'phone' ? 'Add a phone' : 'Add an e-mail'}
      </Button>
    </fieldset>
  );
}

/** Where it is from, and what machines may not send to it. */
const Known = ({ customerId, identifier }: { customerId: string; identifier: CustomerIdentifier }) => (
  <section aria-label={identifier.value} className={classes.known}>
    {(identifier.source === 'learned' || identifier.given_by !== null) && (
      <Text size="sm" c="var(--text-quiet)">
        {identifier.source === 'learned'
          ? 'Learned from a message'
          : identifier.given_by && fieldWords(givenInWords[identifier.given_by])}
      </Text>
    )}
    <OptOuts customerId={customerId} identifier={identifier} />
  </section>
);

function Ids({ customer }: { customer: Customer }) {
  const ids = customer.identifiers.filter(({ kind }) => kind === 'user_id');
  if (ids.length === 0) return null;
  return (
    <fieldset className={classes.addresses}>
      <legend>Ids at the messaging app</legend>
      {ids.map((identifier) => (
        <div key={identifier.value} className={classes.address}>
          <span className={classes.value}>{identifier.value}</span>
          <Known customerId={customer.id} identifier={identifier} />
        </div>
      ))}
    </fieldset>
  );
}

/** Once what was written shows: whoever adds, moves or removes a line goes on from there. */
function useFocusOn(box: RefObject<HTMLElement | null>) {
  const wanted = useRef<number>(undefined);
  useEffect(() => {
    if (wanted.current === undefined) return;
    box.current?.querySelectorAll<HTMLElement>('[data-line]')[wanted.current]?.focus();
    wanted.current = undefined;
  });
  return (line: number) => {
    wanted.current = line;
  };
}
