import { Button, Group, SegmentedControl, Text, Textarea, TextInput } from '@mantine/core';
import { type KeyboardEvent, useRef, useState } from 'react';
import type { Customer, CustomerDetail } from '../api/types.ts';
import { ChannelIcon, channelNames } from '../parts/channels.tsx';
import { instantOf, useNow } from '../parts/dates.tsx';
import { AnsweredLine } from './answered.tsx';
import { caution, emptyDraft, firstKind, hasSubject, type Kind, kinds, leavesTheFirm, obstacle } from './compose.ts';
import classes from './composer.module.css';
import { useHandedOver } from './hand-over.ts';
import {
  canRepeat,
  deliver,
  hasDraft,
  isNotTaken,
  keepDraft,
  type Outgoing,
  readDraft,
  send,
  takeBack,
  useOutgoing,
} from './outgoing.ts';
import { type Room, roomFor } from './template-rules.ts';
import { TemplateSelect } from './template-select.tsx';
import { useTemplate } from './use-template.ts';

const placeholders: Record<Kind, string> = {
  MESSAGING_APP: 'Write to the customer',
  EMAIL: 'Write to the customer',
  SMS: 'Write to the customer',
  INTERNAL_NOTE: 'A note for colleagues; the customer never sees it',
  CALL_LOG: 'What was said',
};
const verbs: Record<Kind, string> = {
  MESSAGING_APP: 'Send',
  EMAIL: 'Send e-mail',
  SMS: 'Send SMS',
  INTERNAL_NOTE: 'Keep note',
  CALL_LOG: 'Log call',
};

interface ComposerProps {
  customer: CustomerDetail;
  /** What the customer is to have was handed over, or a call with them written down. */
  sent?: ((one: Outgoing) => void) | undefined;
}

export function Composer({ customer, sent }: ComposerProps) {
  const [kind, setKind] = useState<Kind>(() => firstKind(customer, (one) => hasDraft(customer.id, one)));
  const [draft, setDraft] = useState(() => readDraft(customer.id, kind));
  const field = useRef<HTMLTextAreaElement>(null);
  const write = (change: Partial<typeof draft>) => {
    const next = { ...draft, ...change };
    setDraft(next);
    keepDraft(customer.id, kind, next);
  };
  const choose = (next: Kind) => {
    setKind(next);
    setDraft(readDraft(customer.id, next));
  };
  useHandedOver(customer.id, (next) => {
    choose(next);
    field.current?.focus();
  });
  const openUntil = useWindow(customer);
  const isClosed = kind === 'MESSAGING_APP' && openUntil === null;
  const template = useTemplate(customer, isClosed);
  const room = isClosed ? roomFor(draft.body) : unlimited;
  const mayNot =
    obstacle(kind, customer) ??
    missing(kind, draft) ??
    (template.state === 'none_approved' ? 'no template is approved' : room.problem);
  const go = () => {
    if (mayNot !== null) return;
    const chosen = template.state === 'to_choose' ? template.chosen : null;
    const one = send(customer.id, kind, { ...draft, subject: draft.subject.trim() }, chosen);
    setDraft(emptyDraft);
    if (kind !== 'INTERNAL_NOTE') sent?.(one);
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key !== 'Enter' || !(event.ctrlKey || event.metaKey)) return;
    event.preventDefault();
    go();
  };
  return (
    <section className={classes.composer} data-kind={kind} aria-label="Write">
      <Waiting
        customerId={customer.id}
        edit={(one) => {
          setKind(one.kind);
          setDraft(takeBack(one));
          field.current?.focus();
        }}
      />
      <Group justify="space-between" gap="sm">
        <KindChoice customer={customer} kind={kind} choose={choose} write={() => field.current?.focus()} />
        <Hint kind={kind} customer={customer} openUntil={openUntil} />
      </Group>
      <TemplateSelect choice={template} body={draft.body} />
      <AnsweredLine answered={draft.answers} customer={customer} drop={() => write({ answers: undefined })} />
      {hasSubject(kind) && (
        <TextInput
          value={draft.subject}
          onChange={({ currentTarget }) => write({ subject: currentTarget.value })}
          onKeyDown={onKeyDown}
          placeholder={kind === 'CALL_LOG' ? 'What the call was about' : 'Subject'}
          aria-label="Subject"
          maxLength={998}
        />
      )}
      <Textarea
        ref={field}
        value={draft.body}
        onChange={({ currentTarget }) => write({ body: currentTarget.value })}
        onKeyDown={onKeyDown}
        placeholder={placeholders[kind]}
        aria-label={placeholders[kind]}
        autosize
        minRows={2}
        maxRows={10}
        maxLength={65_536}
      />
      <Group justify="flex-end" gap="md">
        <RoomLeft {...room} />
        <Text size="xs" c="var(--composer-quiet)" className={classes.keys}>
          Ctrl or Cmd and Enter sends
        </Text>
        <Button onClick={go} disabled={mayNot !== null} color={kind === 'INTERNAL_NOTE' ? 'yellow' : undefined}>
          {verbs[kind]}
        </Button>
      </Group>
    </section>
  );
}

interface KindChoiceProps {
  customer: Customer;
  kind: Kind;
  choose(next: Kind): void;
  /** Goes to the field. */
  write(): void;
}

function KindChoice({ customer, kind, choose, write }: KindChoiceProps) {
  /** Whoever goes through the kinds by arrow keys stays among them. */
  const isPressed = useRef(false);
  return (
    <SegmentedControl
      size="xs"
      value={kind}
      onChange={(value) => {
        choose(value as Kind);
        if (isPressed.current) write();
      }}
      onPointerDown={() => {
        isPressed.current = true;
      }}
      onKeyDown={(event) => {
        isPressed.current = false;
        if (event.key !== 'Enter' && event.key !== ' ') return;
        event.preventDefault();
        write();
      }}
      aria-label="How to write"
      data={kinds.map((one) => ({
        value: one,
        disabled: obstacle(one, customer) !== null,
        label: (
          <span className={classes.kind} title={obstacle(one, customer) ?? undefined}>
            <ChannelIcon type={one} size={14} /> {channelNames[one]}
            {one !== kind && hasDraft(customer.id, one) && (
              <span className={classes.draft} title="draft">
                <span className="visually-hidden">: draft</span>
              </span>
            )}
            {obstacle(one, customer) && <span className="visually-hidden">: {obstacle(one, customer)}</span>}
          </span>
        ),
      }))}
    />
  );
}

/** Only what stops a message is spoken: the count changes with every letter. */
const RoomLeft = ({ count, problem }: Room) => (
  <Text size="xs" c={problem ? 'var(--urgency-overdue-text)' : 'var(--composer-quiet)'}>
    {count} <span role="status">{problem}</span>
  </Text>
);

const unlimited: Room = { count: null, problem: null };

/** Until when the messaging app takes free text; null: it does not, or no longer. */
function useWindow({ window_open_until: until }: CustomerDetail): string | null {
  const now = useNow();
  return until !== null && Date.parse(until) > now ? until : null;
}

function missing(kind: Kind, { subject, body }: { subject: string; body: string }): string | null {
  if (body.trim() === '') return 'nothing is written yet';
  return kind === 'CALL_LOG' && subject.trim() === '' ? 'what the call was about is missing' : null;
}

interface HintProps {
  kind: Kind;
  customer: Customer;
  openUntil: string | null;
}

/** Whatever a person should know before they write. */
function Hint({ kind, customer, openUntil }: HintProps) {
  const warning = caution(kind, customer);
  if (warning)
    return (
      <Text size="xs" c="var(--urgency-overdue-text)">
        {warning}
      </Text>
    );
  if (kind === 'INTERNAL_NOTE')
    return (
      <Text size="xs" c="var(--note-text)">
        Stays inside: staff alone see it.
      </Text>
    );
  if (kind !== 'MESSAGING_APP') return null;
  return (
    <Text size="xs" c="var(--composer-quiet)">
      {openUntil
        ? `Free text is possible until ${instantOf(openUntil)}.`
        : 'The customer did not write within 24 hours: the provider takes an approved template only.'}
    </Text>
  );
}

/** What was written a moment ago and can be taken back, and what the service did not take. */
function Waiting({ customerId, edit }: { customerId: string; edit(one: Outgoing): void }) {
  const waiting = useOutgoing().filter((one) => one.customerId === customerId);
  if (waiting.length === 0) return null;
  return (
    <ul className={classes.waiting} aria-live="polite" aria-label="Not in the log yet">
      {waiting.map((one) => (
        <li key={one.key} data-state={one.state}>
          <Text size="sm" lineClamp={1} flex={1}>
            {standing(one)}
            {one.draft.body}
          </Text>
          {isNotTaken(one) && canRepeat(one) && (
            <Button size="compact-xs" variant="default" onClick={() => deliver(one.key)}>
              Try again
            </Button>
          )}
          {canChange(one) && (
            <Button size="compact-xs" variant="default" onClick={() => edit(one)}>
              {one.state === 'waiting' ? 'Undo' : 'Change'}
            </Button>
          )}
        </li>
      ))}
    </ul>
  );
}

/** What may have been taken is repeated as it was as long as that makes no second one. */
const canChange = (one: Outgoing): boolean =>
  one.state === 'waiting' || one.state === 'refused' || (one.state === 'unknown' && !canRepeat(one));

function standing(one: Outgoing): string {
  if (one.state === 'refused') return `Not taken: ${one.problem} `;
  if (one.state === 'sending') return 'Sending: ';
  if (one.state === 'waiting') return leavesTheFirm(one.kind) ? 'Leaves in a moment: ' : '';
  return canRepeat(one)
    ? 'Nobody knows whether it was taken; trying again sends it once. '
    : 'Nobody knows whether it was taken: see whether it is above. ';
}
