import { Button, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import type { Unmatched } from '../api/types.ts';
import { AttachedFile } from '../customers/attached.tsx';
import { customerQuery } from '../customers/customer-queries.ts';
import { machineWords, writtenTo } from '../customers/inbound-facts.ts';
import { useAgentNames } from '../parts/agents.tsx';
import { ChannelIcon } from '../parts/channels.tsx';
import { Claimed, When } from '../parts/dates.tsx';
import { LongText } from './long-text.tsx';
import classes from './unmatched.module.css';
import { linkedByWords, messagesInWords, reasonWords, senderAddress } from './unmatched.ts';
import { restore, unlink } from './unmatched-actions.ts';
import { Whose } from './whose.tsx';

/** What is known of it, and what can be done. `together`: so many of its sender wait with it. */
export function MessageCard({ message, together = 1 }: { message: Unmatched; together?: number }) {
  if (message.state === 'linked') return <LinkedCard message={message} />;
  if (message.state === 'dismissed') return <DismissedCard message={message} />;
  return <WaitingCard message={message} together={together} />;
}

/** A message that waits for somebody to say whose it is. */
const WaitingCard = ({ message, together }: { message: Unmatched; together: number }) => (
  <Card message={message}>
    <Text size="sm" className={classes.reason} data-doubt={message.reason === 'unverified' || undefined}>
      {reasonWords(message)}
      {together > 1 && ` ${messagesInWords(together)} of this sender wait; they go together.`}
    </Text>
    <Whose message={message} />
  </Card>
);

/** A message that came to its customer by a link. */
function LinkedCard({ message }: { message: Unmatched }) {
  const nameOf = useAgentNames();
  const { customer_id, linked_at } = message;
  const { data: customer } = useQuery({ ...customerQuery(customer_id ?? ''), enabled: customer_id !== null });
  const name = customer?.name ?? customer_id ?? '';
  return (
    <Card message={message}>
      <div className={classes.linked}>
        <span>
          Linked to{' '}
          {customer_id && (
            <Link to="/customers/$id" params={{ id: customer_id }} className={classes.who}>
              {name}
            </Link>
          )}{' '}
          <span className={classes.quiet}>
            {linkedByWords(message, nameOf)}, {linked_at && <When at={linked_at} />}
          </span>
        </span>
        {customer_id && (
          <Button
            size="compact-sm"
            variant="default"
            onClick={() => unlink(message.id, { id: customer_id, name })}
            aria-label={`Unlink from ${name}`}
          >
            Unlink
          </Button>
        )}
      </div>
    </Card>
  );
}

/** A message that means nobody here. */
function DismissedCard({ message }: { message: Unmatched }) {
  const nameOf = useAgentNames();
  const { id, dismissed_by, dismissed_at, reason } = message;
  return (
    <Card message={message}>
      <div className={classes.linked}>
        <span className={classes.quiet}>
          {dismissed_by && nameOf(dismissed_by)} {reason === 'unknown' ? 'said that this is not for us' : 'put it away'}
          , {dismissed_at && <When at={dismissed_at} />}
          {reason === 'unknown' && '. What this sender writes comes here.'}
        </span>
        <Button size="compact-sm" variant="default" onClick={() => restore(id)}>
          Let it wait again
        </Button>
      </div>
    </Card>
  );
}

function Card({ message, children }: { message: Unmatched; children: ReactNode }) {
  const { id, type, direction, sender, occurred_at, claimed_at, subject, body, attachments } = message;
  const to = writtenTo(message);
  const byPhone = direction === 'OUTBOUND' && 'we wrote to them on the phone';
  const facts = [machineWords(message), to && `to ${to}`, byPhone].filter(Boolean).join(' · ');
  return (
    <article className={classes.card} aria-labelledby={`from-${id}`}>
      <header className={classes.header}>
        <ChannelIcon type={type} />
        <h2 id={`from-${id}`} className={classes.sender}>
          {sender.name ?? senderAddress(message)}
        </h2>
        {sender.name !== null && <span className={classes.quiet}>{senderAddress(message)}</span>}
        {facts !== '' && <span className={classes.quiet}>{facts}</span>}
        <span className={classes.when}>
          <When at={occurred_at} />
        </span>
      </header>
      <div>
        {subject && <Text fw={600}>{subject}</Text>}
        <LongText text={body} />
        {attachments.map((file) => (
          <AttachedFile key={file.id} file={file} at={occurred_at} />
        ))}
        <Claimed at={claimed_at} />
      </div>
      {children}
    </article>
  );
}
