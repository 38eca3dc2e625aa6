import { Button, Group, Text } from '@mantine/core';
import { IconBan, IconCheck, IconChecks, IconClock, IconClockPause } from '@tabler/icons-react';
import { useMutation } from '@tanstack/react-query';
import { api } from '../api/client.ts';
import { asProblem } from '../api/problem.ts';
import type { Communication } from '../api/types.ts';
import { exactly, inOwnDays, isWaiting, leavesAt, timeOf } from '../parts/dates.tsx';
import { asSentence } from '../parts/words.ts';
import { ByAnotherChannel, Settled, SettleOtherwise } from './not-delivered.tsx';
import { Overtaken } from './overtaken.tsx';
import classes from './thread.module.css';
import { WaitingMessage } from './waiting-message.tsx';

/** What became of what was sent: ticks while all is well, a sentence and a way on when it is not. */
export function Delivery({ record }: { record: Communication }) {
  const { status, occurred_at } = record;
  // Not a tooltip with its own parts: there may be thousands of records.
  const time = (
    <time dateTime={occurred_at} title={exactly(occurred_at)}>
      {timeOf(occurred_at)}
    </time>
  );
  if (status === 'FAILED') return <Failure record={record} />;
  if (status === 'UNCERTAIN') return <Uncertain record={record} />;
  return (
    <>
      <span className={classes.meta}>
        {time} <Ticks record={record} />
      </span>
      {status === 'QUEUED' && <WaitingMessage record={record} />}
    </>
  );
}

function Ticks({ record }: { record: Communication }) {
  const { status, send_after, send_after_reason, direction, failure } = record;
  if (direction !== 'OUTBOUND') return null;
  if (send_after !== null && isWaiting(record))
    return <Sign icon={<IconClockPause size={14} />} words={asSentence(leavesAt(send_after, send_after_reason))} />;
  if (status === 'QUEUED') return <Sign icon={<IconClock size={14} />} words="Queued" />;
  if (status === 'SENT') return <Sign icon={<IconCheck size={14} />} words="Sent" />;
  if (status === 'DELIVERED') return <Sign icon={<IconChecks size={14} />} words="Delivered" />;
  if (status === 'READ') return <Sign icon={<IconChecks size={14} className={classes.read} />} words="Read" />;
  return <Sign icon={<IconBan size={14} />} words={failure ? `Not sent: ${inOwnDays(failure.message)}` : 'Not sent'} />;
}

const Sign = ({ icon, words }: { icon: React.ReactNode; words: string }) => (
  <span className={classes.sign}>
    <span aria-hidden>{icon}</span> {words}
  </span>
);

function Failure({ record }: { record: Communication }) {
  const { id, failure, settled } = record;
  const retry = useMutation({
    mutationFn: () => api.POST('/ops/communications/{id}/retry', { params: { path: { id } } }),
  });
  const problem = retry.error && asProblem(retry.error);
  const isOvertaken = problem?.problem.code === 'overtaken';
  return (
    <Group gap="sm" className={classes.failure}>
      <Text size="sm">Not delivered: {failure ? inOwnDays(failure.message) : 'the provider gave no reason'}.</Text>
      {isOvertaken ? (
        <Overtaken record={record} problem={problem} />
      ) : (
        <Button size="compact-xs" variant="default" loading={retry.isPending} onClick={() => retry.mutate()}>
          Send again
        </Button>
      )}
      <ByAnotherChannel record={record} />
      {settled ? <Settled settled={settled} /> : <SettleOtherwise id={id} />}
      {problem && !isOvertaken && <Text size="sm">{problem.message}</Text>}
      <Detail of={failure} />
    </Group>
  );
}

/** What the provider itself said. */
const Detail = ({ of: failure }: { of: Communication['failure'] }) =>
  failure?.detail && (
    <Text size="xs" className={classes.detail}>
      For whoever looks into it: {failure.detail}
    </Text>
  );

function Uncertain({ record: { id, failure } }: { record: Communication }) {
  const settle = useMutation({
    mutationFn: (outcome: 'sent' | 'failed') =>
      api.POST('/ops/communications/{id}/resolve', { params: { path: { id } }, body: { outcome } }),
  });
  return (
    <Group gap="sm" className={classes.failure}>
      <Text size="sm">
        Nobody knows whether this arrived. {failure && asSentence(inOwnDays(failure.message))} Did the customer get it?
      </Text>
      <Button size="compact-xs" variant="default" loading={settle.isPending} onClick={() => settle.mutate('sent')}>
        It arrived
      </Button>
      <Button size="compact-xs" variant="default" loading={settle.isPending} onClick={() => settle.mutate('failed')}>
        It did not
      </Button>
      {settle.error && <Text size="sm">{asProblem(settle.error).message}</Text>}
      <Detail of={failure} />
    </Group>
  );
}
